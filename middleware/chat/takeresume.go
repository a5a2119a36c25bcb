package chat

import (
	"context"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

type resumeKey struct{}

// resume is what a context says of the run's answers.
type resume struct {
	of      *agui.RunAgentInput // a run inside has its own
	left    []agui.ResumeEntry  // that no layer around has taken
	answers *answers            // of the run; nil outside Events
}

// TakeResume returns the run's answer to an interrupt that a middleware of
// one's own has asked, and a context to go on with: for the layers below, that
// answer is no longer there. They would refuse it as unknown, and so would
// [Events] at the end of a run in which nobody takes it.
func TakeResume(ctx context.Context, interruptID string) (agui.ResumeEntry, context.Context, bool) {
	in, ok := InputFrom(ctx)
	if !ok {
		return agui.ResumeEntry{}, ctx, false
	}
	r := resumeFrom(ctx, in)
	i := slices.IndexFunc(r.left, func(e agui.ResumeEntry) bool { return e.InterruptID == interruptID })
	if i < 0 {
		return agui.ResumeEntry{}, ctx, false
	}
	entry := r.left[i]
	r.answers.take(interruptID)
	if i == 0 { // whoever takes all of many copies none
		return entry, r.with(ctx, r.left[1:]), true
	}
	return entry, r.with(ctx, slices.Delete(slices.Clone(r.left), i, i+1)), true
}

// resumeFrom are the answers that no layer has taken.
func resumeFrom(ctx context.Context, in *agui.RunAgentInput) *resume {
	if r, ok := ctx.Value(resumeKey{}).(*resume); ok && r.of == in {
		return r
	}
	return &resume{of: in, left: in.Resume}
}

// with returns a context for layers for which only these are left.
func (r *resume) with(ctx context.Context, left []agui.ResumeEntry) context.Context {
	return context.WithValue(ctx, resumeKey{}, &resume{r.of, left, r.answers})
}
