package state

import (
	"context"
	"iter"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// Share is the middleware that holds the shared state of a run: an S, made of
// the input's state. Every layer and tool inside it reaches the state by [Of]
// and [Update], and what they publish is told to the client where it passes
// Share: as a snapshot the first time, then as a snapshot or a delta, and not
// at all when nothing changed (see [Manager]). At every call of the model the
// current document goes along as a message (see [Prompt], [Silent]).
//
// A state that is absent, null or {} is the default value. One that does not
// fit S ends the run with the code SERIALIZATION and the place that does not
// fit, before any model call. The input's state is the client's whole document
// for this run: nothing is kept between runs.
//
// State events that an inner layer yields by hand are taken into the session.
// A STATE_DELTA by hand that does not apply ends the run.
//
// Share panics when S cannot be a state (a channel, a function, a complex
// number, an interface with methods, two members of one name), naming the
// field, and, when the chain is built, when there is a Share in it already:
// a run has one state.
func Share[S any](o ...Option) chat.Middleware {
	settings, codec := newSettings(o), newCodec[S]()
	if _, err := newCore(settings, codec, nil); err != nil {
		panic("state: Share: the default value: " + err.Error())
	}
	return func(next chat.Client) chat.Client {
		if _, ok := chat.Find[sharing](next); ok {
			panic("state: a second Share in one chain: a run has one state")
		}
		return &share[S]{Delegating: chat.Delegating{Client: next}, settings: settings, codec: codec}
	}
}

// sharing marks a layer that holds the state of a run.
type sharing interface{ shares() }

type share[S any] struct {
	chat.Delegating
	settings *settings
	codec    codec[S]
}

func (*share[S]) shares() {}

// open returns the run's core. A chain that is asked twice in one run goes on
// with the same state.
func (s *share[S]) open(ctx context.Context) (*core[S], context.Context, error) {
	v, err := flow.ScopeFrom(ctx).Get(s, func() (any, error) {
		var doc []byte
		if in, ok := chat.InputFrom(ctx); ok {
			doc = in.State
		}
		return newCore(s.settings, s.codec, doc)
	})
	if err != nil {
		return nil, nil, serialization(err)
	}
	c := v.(*core[S])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended, c.outer = false, flow.From[*chat.Update](ctx)
	return c, context.WithValue(ctx, sessionKey{}, c), nil
}

// Stream passes the answer of the next client, with the state events that the
// run's publishes become.
func (s *share[S]) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		c, ctx, err := s.open(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		defer c.end()
		if s.settings.announce && !yieldEvents(yield, c.announcement()) {
			return
		}
		if !s.settings.silent {
			req = req.Clone()
			req.Live = append(req.Live, c.tellModel)
		}
		for u, err := range s.Client.Stream(ctx, req) {
			if err != nil {
				// What was published before the failure stays.
				if yieldEvents(yield, c.rest()) {
					yield(nil, err)
				}
				return
			}
			before, out, err := c.pass(u)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yieldEvents(yield, before) || !yield(out, nil) {
				return
			}
		}
		yieldEvents(yield, c.rest())
	}
}

// Restore tells the client its state when nothing was asked.
func (s *share[S]) Restore(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		c, _, err := s.open(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		defer c.end()
		yieldEvents(yield, c.announcement())
	}
}

func yieldEvents(yield func(*chat.Update, error) bool, events []agui.Event) bool {
	return len(events) == 0 || yield(&chat.Update{Events: events}, nil)
}

// announcement tells the document as it is.
func (c *core[S]) announcement() []agui.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queued, c.shown = true, c.passed
	if e := c.manager.publish(c.passed); e != nil {
		return []agui.Event{e}
	}
	return nil
}

// rest tells what is still pending when the answer has ended.
func (c *core[S]) rest() []agui.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.drain(len(c.pending))
}

func (c *core[S]) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}
