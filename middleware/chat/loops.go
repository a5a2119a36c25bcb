package chat

import (
	"context"

	"github.com/aguistate/aguistate/middleware/internal/flow"
)

type loopKey struct{}

// inside returns the context of what a loop asks. Its tools are not inside: what
// they say goes to the layers around.
func (l *loop) inside(ctx context.Context) context.Context {
	return context.WithValue(ctx, loopKey{}, l)
}

// loopFrom returns the nearest loop around, of the same run.
func loopFrom(ctx context.Context) *loop {
	l, _ := ctx.Value(loopKey{}).(*loop)
	if l == nil || l.scope != flow.ScopeFrom(ctx) {
		return nil
	}
	return l
}

// leaves reports whether a loop further out asks about a tool's calls: a person
// is asked once, by the layer that the question was given to.
func (l *loop) leaves(name string) bool {
	for around := l.outer; around != nil; around = around.outer {
		if t, known := around.tool(name); known && t.Question != nil {
			return true
		}
	}
	return false
}
