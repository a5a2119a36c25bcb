package state

import (
	"context"
	"errors"
	"iter"
	"slices"

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
// An AG-UI agent at the end of the chain is sent the document as it is when it
// is asked, whole. What it tells is a change of that, so what [Session.Edit]
// left is published first. While the client has sent no state and nobody has
// made one, the agent is sent {}, and begins with its own default.
//
// Several chains that a layer asks one after the other in one run may each have
// a Share: each begins with the document that the one before has left.
//
// A Share inside the run of another, in an agent that is a tool, holds a state
// of its own: it begins with its default value, and nothing of it reaches the
// client, for there it would be taken for the outer one. In a run of its own
// ([chat.Events] with another input) it begins with that input's state and
// tells it in that run only.
//
// Share panics when S cannot be a state (a channel, a function, a complex
// number, an interface with methods, two members of one name), naming the
// field, and, when the chain is built, when there is a Share in it already:
// a run has one state.
func Share[S any](o ...Option) chat.Middleware {
	settings, codec := newSettings("Share", o), newCodec[S]()
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

// errTwice says that a chain is asked again before its answer has ended: where
// the two answers are joined, the order of their state events is lost.
var errTwice = errors.New("state: one Share is asked twice at the same time in one run")

// open returns the run's core. A chain that is asked again in one run goes on
// with the same state. It is inside where the session around is this one
// already: the chain calls itself, and what it yields passes Share there.
func (s *share[S]) open(ctx context.Context) (_ *core[S], _ context.Context, inside bool, err error) {
	scope := flow.ScopeFrom(ctx)
	around, _ := ctx.Value(sessionKey{}).(disowner)
	inherited := around != nil && around.of(scope)
	if own, ok := around.(*core[S]); ok && inherited && own.owner == s {
		return own, ctx, true, nil
	}
	var left []byte // by another session of the run
	var book *ledger
	if !inherited {
		book = ledgerOf(scope)
		left = book.read()
	}
	make := func() (any, error) {
		doc := left
		if in, ok := chat.InputFrom(ctx); ok && !inherited && doc == nil {
			doc = in.State
		}
		return newCore(s.settings, s.codec, doc)
	}
	var v any
	if inherited {
		v, err = make()
	} else {
		v, err = scope.Get(s, make)
	}
	if err != nil {
		return nil, nil, false, serialization(err)
	}
	c := v.(*core[S])
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active > 0 {
		return nil, nil, false, errTwice
	}
	if err := c.resume(left); err != nil {
		return nil, nil, false, serialization(err)
	}
	c.owner, c.around, c.scope, c.private, c.book = s, around, scope, inherited, book
	c.active, c.ended = 1, false
	c.outer.Store(flow.From[*chat.Update](ctx))
	return c, flow.WithDocument(context.WithValue(ctx, sessionKey{}, c), c.handOver), false, nil
}

// Stream passes the answer of the next client, with the state events that the
// run's publishes become.
func (s *share[S]) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		c, ctx, inside, err := s.open(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		if !s.settings.silent {
			req = c.telling(req)
		}
		if inside {
			s.Client.Stream(ctx, req)(yield)
			return
		}
		defer c.end()
		out := outlet{yield: yield}
		ended := false
		defer func() {
			if !ended && !out.busy { // a panic further in: what was shown is taken back
				out.events(c.rest())
			}
		}()
		s.stream(ctx, req, c, &out)
		ended = true
		if out.busy {
			c.leave(out.lost)
		}
	}
}

func (s *share[S]) stream(ctx context.Context, req *chat.Request, c *core[S], out *outlet) {
	if s.settings.announce && !out.events(c.announcement()) {
		return
	}
	for u, err := range s.Client.Stream(ctx, req) {
		if u == nil && err == nil {
			continue
		}
		if err == nil {
			var before []agui.Event
			before, u, err = c.pass(u)
			if !out.events(before) || !out.update(u) {
				return
			}
		}
		if err != nil {
			// What was published before the failure stays.
			if out.events(c.rest()) {
				out.fail(err)
			}
			return
		}
	}
	out.events(c.rest())
}

// Restore tells the client its state when nothing was asked.
func (s *share[S]) Restore(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		c, _, inside, err := s.open(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		if inside {
			return
		}
		defer c.end()
		out := outlet{yield: yield}
		out.events(c.announcement())
	}
}

// outlet is the consumer of a stream.
type outlet struct {
	yield func(*chat.Update, error) bool
	busy  bool // the consumer is at work; it stays so when it panics or has left
	lost  bool // it left at an update that tells the state
}

func (o *outlet) update(u *chat.Update) bool {
	o.busy = true
	if !o.yield(u, nil) {
		o.lost = slices.ContainsFunc(u.Events, isState)
		return false
	}
	o.busy = false
	return true
}

func (o *outlet) events(events []agui.Event) bool {
	return len(events) == 0 || o.update(&chat.Update{Events: events})
}

func (o *outlet) fail(err error) {
	o.busy = true
	o.yield(nil, err)
}

// announcement tells the document as it is.
func (c *core[S]) announcement() []agui.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queued, c.blank = true, false
	if c.shown == nil {
		c.shown = c.told
	}
	if e := c.manager.publish(c.told, delta{}); e != nil {
		return c.sent([]agui.Event{e})
	}
	return nil
}

// rest tells what is still pending when the answer has ended.
func (c *core[S]) rest() []agui.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent(c.drain(len(c.pending)))
}

// leave is for a consumer that has left: what was shown and is taken back, or
// was just lost, is owed to the client at the end of the run.
func (c *core[S]) leave(lost bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 && !lost {
		return
	}
	c.drain(len(c.pending))
	c.manager.Reset() // nobody knows what the client holds
	c.owes = true
	c.scope.Leave(c.owed)
}

// owed is the state as the client was to see it, unless it has been told since.
func (c *core[S]) owed() []agui.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.owes || c.manager.published != nil || c.book != nil && !sameBytes(c.book.read(), c.doc) {
		return nil
	}
	return c.sent([]agui.Event{c.manager.publish(c.told, delta{})})
}

// sent is what of the events goes out. A private session's stay in, and what
// goes out elsewhere is not to be taken for the documents of the session
// around.
func (c *core[S]) sent(events []agui.Event) []agui.Event {
	if c.private {
		return nil
	}
	if c.around != nil {
		c.around.disown(events)
	}
	return events
}

func (c *core[S]) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active, c.ended = 0, true
	if c.settleFor(); c.book != nil && (c.manager.published != nil || c.unsent || c.owes) {
		c.book.write(c.doc)
	}
}
