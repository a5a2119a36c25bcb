package chat

import (
	"context"
	"sync"

	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// outcomes are what became of the answers that a run has brought, by
// interrupt. A layer may ask its chain several times in one run, to try again
// or for another step: what a person has approved runs once all the same.
type outcomes struct {
	mu sync.Mutex
	of map[string]*outcome
}

type outcome struct {
	done chan struct{} // closed when it has come to r, or not
	r    *invoked      // nil: nothing has happened
}

type outcomesKey struct{}

func outcomesOfRun(ctx context.Context) *outcomes {
	o, _ := flow.ScopeFrom(ctx).Get(outcomesKey{}, func() (any, error) { return &outcomes{of: map[string]*outcome{}}, nil })
	return o.(*outcomes)
}

// once returns what became of a call's answer. The first to ask finds it out by
// f; where that fails before anything has happened, the next one tries again.
func (o *outcomes) once(ctx context.Context, call *turnCall, f func() *invoked) *invoked {
	for {
		it, first := o.get(call.entry.InterruptID)
		if first {
			return o.find(call, it, f)
		}
		select {
		case <-it.done:
		case <-ctx.Done():
			return &invoked{err: context.Cause(ctx)}
		}
		if it.r != nil {
			return it.r
		}
	}
}

func (o *outcomes) get(interruptID string) (it *outcome, first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if it = o.of[interruptID]; it == nil {
		it, first = &outcome{done: make(chan struct{})}, true
		o.of[interruptID] = it
	}
	return it, first
}

func (o *outcomes) find(call *turnCall, it *outcome, f func() *invoked) *invoked {
	r := newInvoked(call).fail(toolFailed) // stays when a tool ends its goroutine
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if r.err == nil {
			it.r = r
		} else {
			delete(o.of, call.entry.InterruptID)
		}
		close(it.done)
	}()
	r = f()
	return r
}
