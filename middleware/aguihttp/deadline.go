package aguihttp

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// deadline is the rolling write deadline of a response.
type deadline struct {
	mu       sync.Mutex
	patience time.Duration // 0 leaves it to the server
	at       time.Time
	// alarms says that a deadline that passes breaks the stream even when
	// nothing is being written, as HTTP/2's does.
	alarms bool
}

// rest takes the deadline away between two writes, where it would break a
// stream that is merely silent.
func (d *deadline) rest(rc *http.ResponseController) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.alarms && !d.at.IsZero() {
		d.at = time.Time{}
		_ = rc.SetWriteDeadline(d.at)
	}
}

// extend moves the deadline, not at every write, for it costs a tenth of a
// flush: what is left of it is always at least three quarters of patience.
func (d *deadline) extend(rc *http.ResponseController, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.patience <= 0 || d.at.Sub(now) > d.patience-d.patience/4 {
		return
	}
	d.at = now.Add(d.patience)
	if errors.Is(rc.SetWriteDeadline(d.at), http.ErrNotSupported) {
		d.patience = 0
	}
}

// shorten lessens the patience, also with a write that is under way.
func (d *deadline) shorten(rc *http.ResponseController, patience time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.patience > 0 && d.patience <= patience {
		return
	}
	d.patience = patience
	d.at = time.Now().Add(patience)
	_ = rc.SetWriteDeadline(d.at) // extend finds out when there are none
}
