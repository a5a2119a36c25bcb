package aguiclient

import (
	"context"
	"errors"
	"iter"

	"github.com/aguistate/aguistate/middleware/agui"
)

// run yields the events of one run as a client may use them: chunks expanded,
// the order checked, events of unknown types passed on in their place. The
// sequence ends behind the terminal event; where the transport ends before
// that, with an [*IncompleteError]. Nothing comes behind an error.
func run(ctx context.Context, t Transport, in *agui.RunAgentInput, skipVerify bool) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		var chunks agui.Expander
		var verifier agui.Verifier
		var events []agui.Event
		count, ended := 0, false
		for e, err := range t.Run(ctx, in) {
			if ended {
				return // the run is over, whatever its transport still says
			}
			if err != nil {
				yield(nil, broken(ctx, count, err))
				return
			}
			if ctx.Err() != nil { // what the agent makes of it is of no interest
				yield(nil, context.Cause(ctx))
				return
			}
			count++
			if _, unknown := e.(*agui.UnknownEvent); unknown {
				if !yield(e, nil) {
					return
				}
				continue
			}
			if events, err = chunks.AppendExpand(events[:0], e); err != nil {
				yield(nil, err)
				return
			}
			for _, e := range events {
				if err := verifier.Observe(e); err != nil && !skipVerify {
					yield(nil, err)
					return
				}
				if !yield(e, nil) {
					return
				}
				// The transport ends by itself now, and may keep its connection.
				ended = ended || terminal(e)
			}
		}
		if ended {
			return
		}
		err := error(&IncompleteError{Events: count})
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		yield(nil, err)
	}
}

// broken is what the end of a transport means: the caller's own doing, an
// answer that never began, or one that broke off.
func broken(ctx context.Context, events int, err error) error {
	var frame *FrameError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case events == 0, errors.As(err, &frame):
		return err
	}
	return &IncompleteError{Events: events, Err: err}
}
