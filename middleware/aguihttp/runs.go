package aguihttp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aguistate/aguistate/middleware/chat"
)

// Runs counts the runs of one or several endpoints, limits them and shuts them
// down. The zero value has no limit and is ready. It must not be copied; its
// methods may be called at any time and from anywhere.
type Runs struct {
	// Max is the number of runs at one time. Above it the answer is 503 with
	// Retry-After. 0 is no limit. Set it before the first request.
	Max int

	mu      sync.Mutex
	active  map[*run]struct{}
	closing bool
	idle    chan struct{} // closed when closing and no run is left
}

// shutdownPatience is how long Shutdown waits for runs that it has cancelled.
const shutdownPatience = 5 * time.Second

// Active returns the number of runs at this moment.
func (r *Runs) Active() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active)
}

// Shutdown refuses new runs with 503 from now on and waits for the others. The
// end of ctx is the end of their grace: each run that is left gets RUN_ERROR
// with the code SHUTDOWN, and its context ends; the client of a run that does
// not obey is told after 2.5 seconds. Shutdown returns nil when every run has
// ended, and an error when some ignore the end of their context for five
// seconds. Call it before the server's own Shutdown, which waits for
// streams and does not end them.
func (r *Runs) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	if r.idle == nil {
		r.idle = make(chan struct{})
		r.closing = true
		if len(r.active) == 0 {
			close(r.idle)
		}
	}
	r.mu.Unlock()

	select {
	case <-r.idle:
		return nil
	case <-ctx.Done():
	}
	cause := &chat.Error{Code: chat.CodeShutdown, Message: "The server is shutting down."}
	r.mu.Lock()
	for one := range r.active {
		one.cancel(cause)
		one.out.hurry(obedience)
	}
	r.mu.Unlock()

	if r.idleWithin(obedience) {
		return nil
	}
	r.mu.Lock()
	for one := range r.active {
		go one.overdue(cause) // may wait for a write, which has no more time than we
	}
	r.mu.Unlock()
	if r.idleWithin(shutdownPatience - obedience) {
		return nil
	}
	return fmt.Errorf("aguihttp: %d runs ignore the end of their context", r.Active())
}

// idleWithin waits until no run is left, and reports whether that was in time.
func (r *Runs) idleWithin(d time.Duration) bool {
	patience := time.NewTimer(d)
	defer patience.Stop()
	select {
	case <-r.idle:
		return true
	case <-patience.C:
		return false
	}
}

// refuses says whether there is no place for another run.
func (r *Runs) refuses() *refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusesLocked()
}

func (r *Runs) refusesLocked() *refusal {
	switch {
	case r.closing:
		return errShuttingDown
	case r.Max > 0 && len(r.active) >= r.Max:
		return errBusy
	}
	return nil
}

// add enters a run, unless there is no place for it.
func (r *Runs) add(one *run) *refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ref := r.refusesLocked(); ref != nil {
		return ref
	}
	if r.active == nil {
		r.active = make(map[*run]struct{})
	}
	r.active[one] = struct{}{}
	return nil
}

func (r *Runs) remove(one *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.active, one)
	if r.closing && len(r.active) == 0 {
		close(r.idle)
	}
}
