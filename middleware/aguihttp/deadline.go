package aguihttp

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// deadline is the rolling write deadline of a response.
type deadline struct {
	patience time.Duration // 0 leaves it to the server

	mu    sync.Mutex
	at    time.Time
	final bool // it rolls no more
}

// extend moves the deadline, not at every write, for it costs a tenth of a
// flush: what is left of it is always at least three quarters of patience.
func (d *deadline) extend(rc *http.ResponseController, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.patience <= 0 || d.final || d.at.Sub(now) > d.patience-d.patience/4 {
		return
	}
	d.at = now.Add(d.patience)
	if errors.Is(rc.SetWriteDeadline(d.at), http.ErrNotSupported) {
		d.patience = 0
	}
}

// shorten sets the last deadline.
func (d *deadline) shorten(rc *http.ResponseController, left time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := time.Now().Add(left)
	if d.patience <= 0 || d.final || !d.at.IsZero() && d.at.Before(at) {
		return
	}
	d.final = true
	d.at = at
	_ = rc.SetWriteDeadline(at) // what cannot is found out by extend
}
