package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

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
	owner    any                   // the Share that opened it
	around   disowner              // the session around that Share, or nil
	scope    *flow.Scope           // of the run
	private  bool                  // inside the run of around
	book     *ledger               // of the run; nil inside that of around
	outer    atomic.Pointer[queue] // the queue around Share: what goes there does not pass it

	mu      sync.Mutex // see lock
	active  int        // streams that are open
	owes    bool       // a consumer has left before it was told the state
	ended   bool
	doc     []byte // the settled document, frozen
	text    []byte // doc as S spells it: the same bytes where S covers it
	spare   []byte // room for the next text; nobody else has it
	live    *S     // the value of text, plus what Edit left; nil is not decoded yet
	made    delta  // the edit that made doc, where it is known
	edited  bool   // live may differ from text
	blank   bool   // the client holds nothing yet whose order could be kept
	refused error  // why what Edit left was undone, until Publish tells
	unsent  bool   // doc has changed since it was last queued
	queued  bool   // something was queued since the start or Reset
	reset   bool   // the next document that is queued is told by a snapshot

	overlays []*overlay
	view     *view  // nil before the first
	shown    []byte // the document that was queued last

	outbox
}

type queue = flow.Queue[*chat.Update]

func newCore[S any](s *settings, c codec[S], doc []byte) (*core[S], error) {
	n := &core[S]{settings: s, codec: c}
	n.validate, _ = typed[func(S) error]("Validate", s.validate)
	initial, hasDefault := typed[S]("Default", s.initial)
	n.manager.SnapshotsOnly = s.snapshotsOnly
	if isNothing(doc) {
		if s.start == nil {
			// Encoded and decoded: runs share no memory, with each other and
			// with whoever gave the default.
			own, err := c.copy(&initial)
			if err != nil {
				return nil, err
			}
			if s.start, err = c.encode(own, nil); err != nil {
				return nil, err
			}
		}
		if !hasDefault {
			n.validate = nil // nothing is no client's mistake; the first change is checked
		}
		if err := n.adopt(s.start); err != nil {
			return nil, err
		}
		n.validate, _ = typed[func(S) error]("Validate", s.validate)
		n.blank = true
	} else {
		frozen, err := freeze(doc)
		if err != nil {
			return nil, err
		}
		if err := n.adopt(frozen); err != nil {
			return nil, err
		}
	}
	n.passed, n.told = n.doc, n.doc
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

// adopt makes the value and its spelling those of a document, which must fit
// S, MaxBytes and Validate. An error changes nothing.
func (c *core[S]) adopt(doc []byte) error {
	if err := c.fits(doc); err != nil {
		return err
	}
	v, err := c.codec.decode(doc)
	if err != nil {
		return err
	}
	if err := c.check(doc, v); err != nil {
		return err
	}
	text, err := c.codec.encode(v, nil)
	if err != nil {
		return err
	}
	if bytes.Equal(text, doc) {
		text = doc
	}
	if v, err = c.codec.settled(v, text); err != nil {
		return err
	}
	c.doc, c.text, c.live, c.edited, c.blank = doc, text, v, false, false
	return nil
}

func (c *core[S]) fits(doc []byte) error {
	if c.maxBytes > 0 && len(doc) > c.maxBytes {
		return &DocumentError{Reason: fmt.Sprintf("has %d bytes, more than the %d that are allowed", len(doc), c.maxBytes)}
	}
	return nil
}

// check holds a document and its value against MaxBytes and Validate, whose
// panic is an error like another.
func (c *core[S]) check(doc []byte, v *S) error {
	if err := c.fits(doc); err != nil || c.validate == nil {
		return err
	}
	return chat.Protect(func() error { return calling(func() error { return c.validate(*v) }) })
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
// it, and is one with which a run may end.
func (c *core[S]) settle() (err error) {
	if !c.edited {
		return nil
	}
	done := false
	defer func() {
		if !done {
			c.forget()
			err = misfit(err)
		}
	}()
	text, err := c.codec.encode(c.live, c.spare)
	c.spare = nil
	if err != nil {
		return err
	}
	if bytes.Equal(text, c.text) {
		c.spare, c.edited, done = text, false, true
		return nil
	}
	next, made := text, delta{}
	if !c.blank {
		next, made.patch, err = jsonpatch.Edit(c.doc, c.text, text, c.rebasing())
		if next == nil {
			return fmt.Errorf("state: %w", err)
		}
		if bytes.Equal(next, text) { // S covers it
			next = text
		}
		for i := range made.patch {
			made.patch[i].Value = bytes.Clone(made.patch[i].Value) // text has a life of its own
		}
		made.from, made.to = c.doc, next // without a patch the Manager decides
	}
	if err := c.check(next, c.live); err != nil {
		return err
	}
	v, err := c.codec.settled(c.live, text)
	if err != nil {
		return err
	}
	if len(c.overlays) == 0 && !sameBytes(c.doc, c.text) {
		// Nobody has the old text: it was no document, and nothing lies upon it.
		c.spare, c.view = c.text, nil
	}
	c.doc, c.text, c.live, c.edited, c.unsent, c.made = next, text, v, false, true, made
	done = true
	return nil
}

// settleFor is settle for a caller who has no part in what Edit left: why it
// was undone is for the next Publish to tell.
func (c *core[S]) settleFor() {
	if err := c.settle(); err != nil && c.refused == nil {
		c.refused = err
	}
}

func (c *core[S]) rebasing() *jsonpatch.Options { return &jsonpatch.Options{Keys: c.keys} }

func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// edit changes the value under the lock. An error or a panic of f undoes its
// edit, and nothing else.
func (c *core[S]) edit(f func(*S) error) error {
	c.settleFor()
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
	if err := calling(func() error { return f(v) }); err != nil {
		return err
	}
	c.edited, done = true, true
	return nil
}

// update is edit and settle in one.
func (c *core[S]) update(f func(*S) error) error {
	if err := c.edit(f); err != nil {
		return err
	}
	return c.settle()
}

// replace makes another document the state's.
func (c *core[S]) replace(doc []byte) error {
	frozen, err := freeze(doc)
	if err != nil {
		return misfit(err)
	}
	rest, err := jsonpatch.Diff(c.doc, frozen, nil)
	if err == nil && len(rest) == 0 {
		return nil
	}
	if err := c.adopt(frozen); err != nil {
		return misfit(err)
	}
	c.unsent = true
	return nil
}

func (c *core[S]) document() (json.RawMessage, error) {
	if err := c.lock(); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	c.settleFor()
	return c.doc, nil
}

// misfit is err with a code for the run's end where a document does not fit.
func misfit(err error) error {
	var d *DocumentError
	if errors.As(err, &d) {
		return &chat.Error{Code: chat.CodeSerialization, Message: "The state does not fit: " + d.Error(), Err: err}
	}
	return err
}

// serialization is the error of a run whose state is not taken.
func serialization(err error) error {
	err = misfit(err)
	var e *chat.Error
	if errors.As(err, &e) {
		return err
	}
	return &chat.Error{Code: chat.CodeSerialization, Message: "The state was refused.", Err: err}
}
