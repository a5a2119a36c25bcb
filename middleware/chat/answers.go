package chat

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
)

// answers are a run's answers to interrupts, until layers take them. Nil is
// none.
type answers struct {
	in     *agui.RunAgentInput
	remote bool // an agent behind a wire takes them, and may not tell

	mu    sync.Mutex
	taken map[string]bool // by interrupt
}

func newAnswers(in *agui.RunAgentInput, c Client) *answers {
	_, remote := Find[Resumer](c)
	return &answers{in: in, remote: remote, taken: map[string]bool{}}
}

// context returns the context of a chain for which all answers are left.
func (a *answers) context(ctx context.Context) context.Context {
	return (&resume{of: a.in, answers: a}).with(ctx, a.in.Resume)
}

// answersFrom returns the answers of the run around.
func answersFrom(ctx context.Context) *answers {
	r, _ := ctx.Value(resumeKey{}).(*resume)
	if in, ok := InputFrom(ctx); r == nil || !ok || r.of != in {
		return nil
	}
	return r.answers
}

func (a *answers) take(interruptID string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken[interruptID] = true
}

// untaken is the error for an answer that no layer has taken.
func (a *answers) untaken() error {
	if a == nil || a.remote {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.in.Resume {
		if !a.taken[e.InterruptID] {
			return unknownAnswer(e.InterruptID)
		}
	}
	return nil
}

// unheard is the same before a model is called, for a run that brings nothing
// to ask it. In any other the model may be one that a layer asks on the way to
// the one that takes them.
func (a *answers) unheard() error {
	if a == nil || slices.ContainsFunc(a.in.Messages, reachesModel) {
		return nil
	}
	return a.untaken()
}

func unknownAnswer(interruptID string) error {
	return &Error{Code: CodeInterruptUnknown, Message: fmt.Sprintf("The answer to %q fits no question that is open.", interruptID)}
}
