package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// ErrNoSession says that no [Share] is around the context.
var ErrNoSession = errors.New("state: no shared state in this context: is state.Share in the chain, outside the caller?")

// ErrEnded says that the run of a session has ended.
var ErrEnded = errors.New("state: the session's run has ended")

// ErrEditing says that a session was asked for inside an edit of it, which
// would wait for itself.
var ErrEditing = errors.New("state: inside an edit of the state: use the value that the function is given")

// Session is a handle on the shared state of one run. All handles of a run
// see one state; they are safe for concurrent use. The functions that are
// given to Edit and Update run one at a time: they must not wait, call a
// model, or call a session, and must keep neither their argument nor memory
// that others use: what they put into the value belongs to the session. A call
// of the session from inside one, which would wait for itself, fails with
// [ErrEditing]; a method without an error panics with it, which undoes the
// edit. (It is found out where the call would have to wait; one from a
// goroutine that the function waits for is not.)
//
// The value is what S makes of the document that the client sent. A change of
// it is a change of the document: members that S does not know, the order of
// members, and the digits of numbers stay as they are where nothing was
// changed. The document is the state, and the value a view of it: what S does
// not encode may be gone at the next call.
type Session[S any] struct {
	core  *core[S]
	ctx   context.Context
	queue *queue // the nearest Run inside Share; nil outside any
}

type sessionKey struct{}

// editKey marks the context of a function that runs inside an edit.
type editKey struct{}

// Of returns the session of the nearest [Share] around ctx. What it publishes
// takes its place among the updates of the nearest [chat.Run]: inside a tool,
// between the call's start and its result. In a Stream method, outside any
// Run, a publish goes out before the next update that passes Share; an empty
// update makes it go at once.
//
// The error is [ErrNoSession], or names both types when S is not the type of
// the session.
func Of[S any](ctx context.Context) (*Session[S], error) {
	v := ctx.Value(sessionKey{})
	if v == nil {
		return nil, ErrNoSession
	}
	c, ok := v.(*core[S])
	if !ok {
		return nil, fmt.Errorf("state: the session holds %s, not %s", v.(interface{ stateType() reflect.Type }).stateType(), reflect.TypeFor[S]())
	}
	if ctx.Value(editKey{}) == v {
		return nil, ErrEditing
	}
	q := flow.From[*chat.Update](ctx)
	if q == c.outer.Load() {
		q = nil
	}
	return &Session[S]{core: c, ctx: ctx, queue: q}, nil
}

// Update edits the state of ctx's session and publishes the change. It is
// [Of] and [Session.Update] in one, with S inferred from f.
func Update[S any](ctx context.Context, f func(*S) error) error {
	s, err := Of[S](ctx)
	if err != nil {
		return err
	}
	return s.Update(f)
}

// NewSession returns a session outside any run. The document is what the
// client sent; the events go to publish, one at a time, in the order of the
// edits, under the session's lock: it must not call the session. An error of
// publish is returned by the call that published, and the next event is a
// snapshot. The error of NewSession says what in the document does not fit.
// It panics when S cannot be a state or an option is none.
func NewSession[S any](doc json.RawMessage, publish func(agui.Event) error, o ...Option) (*Session[S], error) {
	c, err := newCore(newSettings("NewSession", o), newCodec[S](), doc)
	if err != nil {
		return nil, err
	}
	if c.direct = publish; publish == nil { // nobody listens
		c.direct = func(agui.Event) error { return nil }
	}
	if c.announce {
		if _, err := c.enqueue(nil); err != nil {
			return nil, err
		}
	}
	return &Session[S]{core: c, ctx: context.Background()}, nil
}

// State returns a copy of the value, with what Edit left. The caller may
// change it; the session does not see that. It goes on to work when the run
// has ended.
func (s *Session[S]) State() S {
	c := s.core
	c.mustLock()
	defer c.mu.Unlock()
	c.settleFor()
	if v, err := c.codec.decode(c.text); err == nil {
		return *v
	}
	// Nested deeper than JSON is read: the session's own value is all there is.
	if v, err := c.value(); err == nil {
		return *v
	}
	var zero S
	return zero
}

// Document returns the whole document, with what Edit left, and with the
// members that S does not know. It must not be changed.
func (s *Session[S]) Document() json.RawMessage {
	c := s.core
	c.mustLock()
	defer c.mu.Unlock()
	c.settleFor()
	return c.doc
}

// Edit changes the state and sends nothing: the change goes out with the next
// publish, anybody's, and with none it ends with the run. A panic of f undoes
// its edit. An edit that cannot be encoded, or that [Validate] or [MaxBytes]
// refuses, is undone too, at the latest when the state is next asked for; the
// next Publish returns why.
func (s *Session[S]) Edit(f func(*S)) {
	c := s.core
	c.mustLock()
	defer c.mu.Unlock()
	err := c.edit(func(v *S) error {
		f(v)
		return nil
	})
	if err != nil && c.refused == nil {
		c.refused = err
	}
}

// Update changes the state and publishes the change: one event, or none when
// nothing changed. An error or a panic of f undoes its edit and publishes
// nothing; the error is returned. So is one of encoding S, of [Validate] and
// of [MaxBytes], which also undo the edit: with the code SERIALIZATION where the
// state cannot be written or does not fit. When the context of the session
// ends while many updates are pending, the error is its cause, and the edit
// stands.
func (s *Session[S]) Update(f func(*S) error) error {
	return s.publish(false, func(c *core[S]) error { return c.update(f) })
}

// Set replaces the value and publishes. Members of the document that S does
// not know stay. The first publish is sent even when nothing changed.
func (s *Session[S]) Set(v S) error {
	return s.publish(true, func(c *core[S]) error {
		next, err := c.codec.copy(&v)
		if err != nil {
			return misfit(err)
		}
		return c.update(func(live *S) error { *live = *next; return nil })
	})
}

// Publish sends what Edit left. The first publish is sent even when nothing
// changed; later ones send nothing then. The error says why an edit of Edit
// was undone; what else is unsent then waits for the next publish.
func (s *Session[S]) Publish() error {
	return s.publish(true, func(c *core[S]) error {
		c.settleFor()
		err := c.refused
		c.refused = nil
		return err
	})
}

// Reset makes the next publish a snapshot, also when nothing changed: for a
// client whose state is in doubt.
func (s *Session[S]) Reset() {
	c := s.core
	c.mustLock()
	defer c.mu.Unlock()
	c.reset, c.queued = true, false
}

// publish changes the state and queues the document under one lock, then waits
// for room without it.
func (s *Session[S]) publish(first bool, change func(*core[S]) error) error {
	c := s.core
	carried, err := func() (bool, error) {
		if err := c.lock(); err != nil {
			return false, err
		}
		defer c.mu.Unlock()
		if c.ended {
			return false, ErrEnded
		}
		if err := change(c); err != nil {
			return false, err
		}
		if !c.unsent && !(first && !c.queued) {
			return false, nil
		}
		return c.enqueue(s.queue)
	}()
	if err != nil || !carried {
		return err
	}
	if err := s.queue.Wait(s.ctx); err != nil && !errors.Is(err, flow.ErrClosed) {
		return err
	}
	return nil
}
