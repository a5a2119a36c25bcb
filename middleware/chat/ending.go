package chat

import (
	"context"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// ending is what layers do when nothing is left of a run but its RUN_FINISHED:
// the interrupts are those that the client is about to learn of. An error is
// the run's.
type ending struct {
	mu    sync.Mutex
	steps []func(ctx context.Context, asked []agui.Interrupt) error
}

// runFrom returns the run around; nil outside [Events].
func runFrom(ctx context.Context) *run {
	r, _ := flow.ScopeFrom(ctx).Runner().(*run)
	return r
}

func (e *ending) add(step func(ctx context.Context, asked []agui.Interrupt) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.steps = append(e.steps, step)
}

func (e *ending) run(ctx context.Context, asked []agui.Interrupt) error {
	e.mu.Lock()
	steps := e.steps
	e.mu.Unlock()
	for _, step := range steps {
		if err := Protect(func() error { return step(ctx, asked) }); err != nil {
			return err
		}
	}
	return nil
}
