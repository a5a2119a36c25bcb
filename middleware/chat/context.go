package chat

import (
	"context"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

type inputKey struct{}

// WithInput returns a context that carries the run's input. [Events] does it
// for every run; call it to run a chain outside an endpoint. What layers keep
// for a run, such as the session of the shared state, lasts as long as this
// context is used.
func WithInput(ctx context.Context, in *agui.RunAgentInput) context.Context {
	return context.WithValue(flow.WithScope(ctx), inputKey{}, in)
}

// InputFrom recovers the run's input, at any depth of the chain and in its
// tools. It is shared by all layers: do not change it.
func InputFrom(ctx context.Context) (*agui.RunAgentInput, bool) {
	in, ok := ctx.Value(inputKey{}).(*agui.RunAgentInput)
	return in, ok && in != nil
}
