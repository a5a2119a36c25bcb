package state

import (
	"reflect"
	"runtime"
)

// calling calls a user's function under a session's lock. It stands in the
// goroutine's stack for as long as the function runs, which is how a call of
// the session from inside it is told from one that may wait for its turn.
//
//go:noinline
func calling(f func() error) error { return f() }

var callingEntry = reflect.ValueOf(calling).Pointer()

// insideEdit reports whether the goroutine is inside a function that a session
// calls under its lock. It reads the stack, so it is asked only by a caller
// that would have to wait.
func insideEdit() bool {
	var pcs [64]uintptr
	for skip := 2; ; {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if f := runtime.FuncForPC(pc - 1); f != nil && f.Entry() == callingEntry {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
		skip += n
	}
}

// lock locks the session. It fails with [ErrEditing] where waiting would be
// for the caller itself.
func (c *core[S]) lock() error {
	if c.mu.TryLock() {
		return nil
	}
	if insideEdit() {
		return ErrEditing
	}
	c.mu.Lock()
	return nil
}

// mustLock is lock for a method that returns no error.
func (c *core[S]) mustLock() {
	if err := c.lock(); err != nil {
		panic(err)
	}
}
