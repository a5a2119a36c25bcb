package aguiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Transport takes an input to an agent and brings the run's events back. It
// must be safe for concurrent use.
//
// The events come as they were sent: chunks are not expanded, events of
// unknown types are kept, the order is not checked. The sequence ends behind
// RUN_FINISHED or RUN_ERROR, or where the agent's stream ends without; an error
// is the last pair, with a nil event. Each range over it is one request.
// Nothing is sent before the range starts; break, and the end of ctx, stop the
// agent, and nothing of the request is left when the sequence returns.
type Transport interface {
	Run(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error]
}

// TransportFunc is a function that is a [Transport].
type TransportFunc func(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error]

// Run calls f.
func (f TransportFunc) Run(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
	return f(ctx, in)
}

// Local is the transport to a chain in this process, without HTTP: input and
// events go through their JSON, so that both sides see what a wire shows and
// share no memory. The chain runs in ctx, but knows nothing of a run that asks
// it: neither its input nor its state. See [chat.Events] for o.
func Local(c chat.Client, o *chat.EventOptions) Transport {
	if c == nil {
		panic("aguiclient: Local of a nil client")
	}
	return TransportFunc(func(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
		return func(yield func(agui.Event, error) bool) {
			if err := ctx.Err(); err != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			received, err := reread(in)
			if err != nil {
				yield(nil, err)
				return
			}
			ctx, cancel := context.WithCancel(beyond{ctx})
			defer cancel()
			var decoder agui.Decoder
			for e := range chat.Events(ctx, c, received, o) {
				data, err := agui.AppendEvent(nil, e)
				if err == nil {
					e, err = decoder.Decode(data)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	})
}

// reread is an input as the other side of a wire reads it.
func reread(in *agui.RunAgentInput) (*agui.RunAgentInput, error) {
	data, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("the input cannot be sent: %w", err)
	}
	return agui.ParseInput(data)
}

// Replay is the transport that plays recorded runs, for tests: the first
// request gets the first run, and so on.
type Replay struct {
	mu     sync.Mutex
	runs   [][]agui.Event
	inputs []*agui.RunAgentInput
}

// ErrNoRuns says that a [Replay] was asked for more runs than it has.
var ErrNoRuns = errors.New("aguiclient: the replay has no more runs")

// NewReplay returns a transport that plays the runs in order.
func NewReplay(runs ...[]agui.Event) *Replay { return &Replay{runs: slices.Clone(runs)} }

// Run plays the next run, whatever the input.
func (r *Replay) Run(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		events, err := r.next(in)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, e := range events {
			if err := ctx.Err(); err != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (r *Replay) next(in *agui.RunAgentInput) ([]agui.Event, error) {
	sent, err := reread(in)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inputs = append(r.inputs, sent)
	if len(r.runs) == 0 {
		return nil, ErrNoRuns
	}
	events := r.runs[0]
	r.runs = r.runs[1:]
	return events, nil
}

// Inputs returns the inputs that came, in order, as a server reads them.
func (r *Replay) Inputs() []*agui.RunAgentInput {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.inputs)
}
