package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// core is the state of one run. Its handles are Sessions.
//
// An edit changes the typed value, and through it the document, under the
// lock; a publish freezes the whole document and queues it under the same
// lock, so that documents are queued in the order of the edits. What a client
// is told of them is decided where they pass Share.
type core[S any] struct {
	*settings
	codec    codec[S]
	validate func(S) error // or nil
	direct   func(agui.Event) error

	mu     sync.Mutex
	ended  bool
	outer  *queue // the queue around Share: what goes there does not pass it
	doc    []byte // the settled document, frozen
	text   []byte // doc as S spells it: the same bytes where S covers it
	live   *S     // the value of text, plus what Edit left; nil is not decoded yet
	edited bool   // live may differ from text
	unsent bool   // doc has changed since it was last queued
	queued bool   // something was queued since the start or Reset
	reset  bool   // the next document that is queued is told by a snapshot

	overlays []*overlay
	shown    []byte // the document that was queued last

	pending []*publication
	early   map[*agui.StateSnapshot]bool // told before their own update came by
	passed  []byte                       // the document that passed Share last
	manager Manager
}

type queue = flow.Queue[*chat.Update]

// publication is a frozen document on its way to Share.
type publication struct {
	event   *agui.StateSnapshot // as it rides in an update
	doc     []byte              // as it is to be told
	carried bool                // an update brings it; else the next one does
	reset   bool
}

func newCore[S any](s *settings, c codec[S], doc []byte) (*core[S], error) {
	n := &core[S]{settings: s, codec: c}
	n.validate, _ = typed[func(S) error]("Validate", s.validate)
	n.manager.SnapshotsOnly = s.snapshotsOnly
	var err error
	if isNothing(doc) {
		n.live = new(S)
		if v, ok := typed[S]("Default", s.initial); ok {
			// Encoded and decoded: runs share no memory.
			if n.live, err = c.copy(&v); err != nil {
				return nil, err
			}
		}
		if n.text, err = c.encode(n.live); err != nil {
			return nil, err
		}
		n.doc = n.text
	} else {
		if n.doc, err = freeze(doc); err != nil {
			return nil, err
		}
		if err = n.adopt(n.doc); err != nil {
			return nil, err
		}
	}
	n.passed = n.doc
	if err := n.check(n.doc, n.live); err != nil {
		return nil, err
	}
	return n, nil
}

// isNothing reports whether the client sent no state: absent, null or {}.
func isNothing(doc []byte) bool {
	doc = bytes.TrimSpace(doc)
	if len(doc) == 0 || string(doc) == "null" {
		return true
	}
	return len(doc) >= 2 && doc[0] == '{' && len(bytes.TrimSpace(doc[1:])) == 1
}

func (c *core[S]) stateType() reflect.Type { return reflect.TypeFor[S]() }

// adopt makes the value and its spelling those of a document.
func (c *core[S]) adopt(doc []byte) error {
	v, err := c.codec.decode(doc)
	if err != nil {
		return err
	}
	text, err := c.codec.encode(v)
	if err != nil {
		return err
	}
	if bytes.Equal(text, doc) {
		text = doc
	}
	c.doc, c.text, c.live, c.edited = doc, text, v, false
	return nil
}

// check holds a document and its value against MaxBytes and Validate.
func (c *core[S]) check(doc []byte, v *S) error {
	if c.maxBytes > 0 && len(doc) > c.maxBytes {
		return &DocumentError{Reason: fmt.Sprintf("has %d bytes, more than the %d that are allowed", len(doc), c.maxBytes)}
	}
	if c.validate != nil {
		return c.validate(*v)
	}
	return nil
}

// value returns the typed value to edit.
func (c *core[S]) value() (*S, error) {
	if c.live == nil {
		v, err := c.codec.decode(c.text)
		if err != nil {
			return nil, err
		}
		c.live = v
	}
	return c.live, nil
}

// forget drops what was done to the value since it was last settled.
func (c *core[S]) forget() { c.live, c.edited = nil, false }

// settle brings what was done to the value into the document. An error undoes
// it.
func (c *core[S]) settle() (err error) {
	if !c.edited {
		return nil
	}
	defer func() {
		if err != nil {
			c.forget()
		}
	}()
	text, err := c.codec.encode(c.live)
	if err != nil {
		return err
	}
	if bytes.Equal(text, c.text) {
		c.edited = false
		return nil
	}
	next := text
	if !sameBytes(c.doc, c.text) {
		if next, err = jsonpatch.Rebase(c.doc, c.text, text, &jsonpatch.Options{Keys: c.keys}); err != nil {
			return fmt.Errorf("state: %w", err)
		}
	}
	if err := c.check(next, c.live); err != nil {
		return err
	}
	c.doc, c.text, c.edited, c.unsent = next, text, false, true
	return nil
}

func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// update edits under the lock. An error or a panic of f undoes its edit, and
// nothing else.
func (c *core[S]) update(f func(*S) error) error {
	if err := c.settle(); err != nil {
		return err
	}
	v, err := c.value()
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			c.forget()
		}
	}()
	if err := f(v); err != nil {
		return err
	}
	c.edited = true
	done = true
	return c.settle()
}

// enqueue freezes the document and queues it, into q or for the next update
// that passes Share. It reports whether q was used.
func (c *core[S]) enqueue(q *queue) (carried bool, err error) {
	c.unsent, c.queued = false, true
	p := &publication{doc: c.visible(), reset: c.reset}
	c.shown, c.reset = p.doc, false
	if c.direct != nil {
		return false, c.tell(p)
	}
	p.event = &agui.StateSnapshot{Snapshot: p.doc}
	c.pending = append(c.pending, p)
	if q != nil {
		p.carried = q.Push(&chat.Update{Events: []agui.Event{p.event}}) == nil
	}
	return p.carried, nil
}

// tell publishes without a stream.
func (c *core[S]) tell(p *publication) error {
	if p.reset {
		c.manager.Reset()
	}
	c.passed = p.doc
	e := c.manager.publish(p.doc)
	if e == nil {
		return nil
	}
	if err := c.direct(e); err != nil {
		c.manager.Reset() // nobody knows what the client holds now
		return err
	}
	return nil
}

// drain tells the first n pending documents.
func (c *core[S]) drain(n int) []agui.Event {
	var events []agui.Event
	for _, p := range c.pending[:n] {
		if p.reset {
			c.manager.Reset()
		}
		c.passed = p.doc
		if e := c.manager.publish(p.doc); e != nil {
			events = append(events, e)
		}
		if p.carried {
			if c.early == nil {
				c.early = map[*agui.StateSnapshot]bool{}
			}
			c.early[p.event] = true
		}
	}
	c.pending = slices.Delete(c.pending, 0, n)
	return events
}

// uncarried is how many pending documents must go out before the next update.
func (c *core[S]) uncarried() int {
	for i := len(c.pending) - 1; i >= 0; i-- {
		if !c.pending[i].carried {
			return i + 1
		}
	}
	return 0
}

// pass is what an update becomes where it passes Share: events that go out
// before it, and the update with its state events decided; nil when nothing
// of it is left.
func (c *core[S]) pass(u *chat.Update) (before []agui.Event, out *chat.Update, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.drain(c.uncarried())
	if len(u.Interrupts) > 0 {
		// Whoever answers later starts from what is sent here.
		before = append(before, c.drain(len(c.pending))...)
		if n := len(before); n == 0 || before[n-1].Type() != agui.TypeStateSnapshot {
			c.manager.Reset()
			before = append(before, c.manager.publish(c.passed))
		}
	}
	if !slices.ContainsFunc(u.Events, isState) {
		return before, u, nil
	}
	events := make([]agui.Event, 0, len(u.Events))
	for _, e := range u.Events {
		switch e := e.(type) {
		case *agui.StateSnapshot:
			events, err = c.passSnapshot(events, e)
		case *agui.StateDelta:
			events, err = c.passDelta(events, e)
		default:
			events = append(events, e)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	next := *u
	next.Events = events
	return before, &next, nil
}

func isState(e agui.Event) bool {
	t := e.Type()
	return t == agui.TypeStateSnapshot || t == agui.TypeStateDelta
}

func (c *core[S]) passSnapshot(events []agui.Event, e *agui.StateSnapshot) ([]agui.Event, error) {
	if c.early[e] {
		delete(c.early, e)
		return events, nil
	}
	if i := slices.IndexFunc(c.pending, func(p *publication) bool { return p.event == e }); i >= 0 {
		c.pending[i].carried = false // it is here
		return append(events, c.drain(i+1)...), nil
	}
	return c.byHand(events, e.Snapshot, e.Base, e.Tag)
}

func (c *core[S]) passDelta(events []agui.Event, e *agui.StateDelta) ([]agui.Event, error) {
	doc, err := jsonpatch.Apply(c.passed, e.Delta)
	if err != nil {
		return nil, &chat.Error{
			Code: chat.CodeProtocolViolation, Message: "A change of the state does not apply.",
			Err: fmt.Errorf("state: a STATE_DELTA made by hand: %w", err),
		}
	}
	return c.byHand(events, doc, e.Base, e.Tag)
}

// byHand takes over a document that an inner layer sent past the session.
// What was edited meanwhile and has not passed yet is put upon it.
func (c *core[S]) byHand(events []agui.Event, doc []byte, base agui.Base, tag agui.Tag) ([]agui.Event, error) {
	if err := c.takeOver(doc); err != nil {
		return nil, serialization(err)
	}
	e := c.manager.publish(c.passed)
	switch e := e.(type) {
	case nil:
		return events, nil
	case *agui.StateSnapshot:
		e.Base, e.Tag = base, tag
	case *agui.StateDelta:
		e.Base, e.Tag = base, tag
	}
	return append(events, e), nil
}

func (c *core[S]) takeOver(doc []byte) error {
	frozen, err := freeze(doc)
	if err != nil {
		return err
	}
	v, err := c.codec.decode(frozen)
	if err != nil {
		return err
	}
	if err := c.check(frozen, v); err != nil {
		return err
	}
	if err := c.settle(); err != nil {
		return err
	}
	rebase := &jsonpatch.Options{Keys: c.keys}
	before, base := c.passed, frozen
	for _, p := range c.pending {
		next, err := jsonpatch.Rebase(base, before, p.doc, rebase)
		if err != nil {
			return err
		}
		before, base = p.doc, next
		p.doc = next
	}
	if base, err = jsonpatch.Rebase(base, before, c.doc, rebase); err != nil {
		return err
	}
	c.passed = frozen
	return c.adopt(base)
}

// live is the message that tells the model the current document.
func (c *core[S]) tellModel(context.Context) (agui.Message, error) {
	doc, err := c.document()
	if err != nil {
		return agui.Message{}, err
	}
	return c.prompt(without(doc, c.hidden))
}

func (c *core[S]) document() (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.settle(); err != nil {
		return nil, err
	}
	return c.doc, nil
}

// serialization is the error of a run whose state does not fit.
func serialization(err error) error {
	var d *DocumentError
	if errors.As(err, &d) {
		return &chat.Error{Code: chat.CodeSerialization, Message: "The state does not fit: " + d.Error(), Err: err}
	}
	var e *chat.Error
	if errors.As(err, &e) {
		return err
	}
	return &chat.Error{Code: chat.CodeSerialization, Message: "The state was refused.", Err: err}
}
