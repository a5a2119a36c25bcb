package chat

import (
	"context"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

type resumeKey struct{}

// TakeResume returns the run's answer to an interrupt that a middleware of
// one's own has asked, and a context to go on with: for the layers below, that
// answer is no longer there, which would otherwise refuse it as unknown.
func TakeResume(ctx context.Context, interruptID string) (agui.ResumeEntry, context.Context, bool) {
	in, ok := InputFrom(ctx)
	if !ok {
		return agui.ResumeEntry{}, ctx, false
	}
	left := resumeFrom(ctx, in)
	i := slices.IndexFunc(left, func(e agui.ResumeEntry) bool { return e.InterruptID == interruptID })
	if i < 0 {
		return agui.ResumeEntry{}, ctx, false
	}
	entry := left[i]
	if i == 0 { // whoever takes all of many copies none
		left = left[1:]
	} else {
		left = slices.Delete(slices.Clone(left), i, i+1)
	}
	return entry, context.WithValue(ctx, resumeKey{}, left), true
}

// resumeFrom are the answers that no layer has taken.
func resumeFrom(ctx context.Context, in *agui.RunAgentInput) []agui.ResumeEntry {
	if left, ok := ctx.Value(resumeKey{}).([]agui.ResumeEntry); ok {
		return left
	}
	return in.Resume
}
