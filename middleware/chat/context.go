package chat

import (
	"context"

	"github.com/aguistate/aguistate/middleware/agui"
)

type inputKey struct{}

// WithInput returns a context that carries the run's input. [Events] does it
// for every run; call it to run a chain outside an endpoint.
func WithInput(ctx context.Context, in *agui.RunAgentInput) context.Context {
	return context.WithValue(ctx, inputKey{}, in)
}

// InputFrom recovers the run's input, at any depth of the chain and in its
// tools. It is shared by all layers: do not change it.
func InputFrom(ctx context.Context) (*agui.RunAgentInput, bool) {
	in, ok := ctx.Value(inputKey{}).(*agui.RunAgentInput)
	return in, ok && in != nil
}
