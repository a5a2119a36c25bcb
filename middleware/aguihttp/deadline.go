package aguihttp

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// deadline is the rolling write deadline of a response.
type deadline struct {
	mu       sync.Mutex
	patience time.Duration // 0 leaves it to the server
	at       time.Time
	// alarms says that a deadline that passes breaks the stream even when
	// nothing is being written, as HTTP/2's does.
	alarms bool
	over   bool // the connection is no longer the run's
}

// end leaves the connection alone from now on.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
}

// lift takes away the server's limit on the response as a whole, for which the
// endpoint has its own, from the first write on.
func (e *endpoint) lift(w http.ResponseWriter, r *http.Request) {
	s, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	if s == nil || s.WriteTimeout <= 0 || e.o.WriteTimeout <= 0 {
		return
	}
	if errors.Is(http.NewResponseController(w).SetWriteDeadline(time.Time{}), http.ErrNotSupported) {
		e.warned.Do(func() {
			runlog.Log(r.Context(), e.o.Logger, slog.LevelWarn, "http.Server.WriteTimeout will cut runs: a middleware's writer hides SetWriteDeadline; give it Unwrap",
				slog.String("writer", fmt.Sprintf("%T", w)))
		})
	}
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
	if d.over || d.patience <= 0 || d.at.Sub(now) > d.patience-d.patience/4 {
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
	if d.over || d.patience > 0 && d.patience <= patience {
		return
	}
	d.patience = patience
	if d.alarms && d.at.IsZero() {
		return // nothing is being written
	}
	d.at = time.Now().Add(patience)
	_ = rc.SetWriteDeadline(d.at) // extend finds out when there are none
}
