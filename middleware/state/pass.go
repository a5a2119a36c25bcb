package state

import (
	"fmt"
	"slices"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// pass is what an update becomes where it passes Share: events that go out
// before it, and the update with its state events decided. With an error, out
// has what came before the event that is at fault.
func (c *core[S]) pass(u *chat.Update) (before []agui.Event, out *chat.Update, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.drain(c.uncarried())
	if len(u.Interrupts) > 0 {
		// Whoever answers later starts from the last snapshot: nothing has been
		// told of the state since.
		before = append(before, c.drain(len(c.pending))...)
		if !c.manager.whole || c.reset {
			c.manager.Reset()
			before = append(before, c.manager.publish(c.told, delta{}))
		}
	}
	before = c.sent(before)
	if !slices.ContainsFunc(u.Events, isState) {
		return before, u, nil
	}
	next := *u
	next.Events = make([]agui.Event, 0, len(u.Events))
	for _, e := range u.Events {
		if c.isForeign(e) {
			continue
		}
		switch e := e.(type) {
		case *agui.StateSnapshot:
			next.Events, err = c.passSnapshot(next.Events, e)
		case *agui.StateDelta:
			next.Events, err = c.passDelta(next.Events, e)
		default:
			next.Events = append(next.Events, e)
		}
		if err != nil {
			break
		}
	}
	if c.around != nil {
		mine := slices.DeleteFunc(slices.Clone(next.Events), func(e agui.Event) bool { return !isState(e) })
		if c.sent(mine) == nil {
			next.Events = slices.DeleteFunc(next.Events, isState)
		}
	}
	return before, &next, err
}

func isState(e agui.Event) bool {
	switch e.(type) {
	case *agui.StateSnapshot, *agui.StateDelta:
		return true
	}
	return false
}

func (c *core[S]) passSnapshot(events []agui.Event, e *agui.StateSnapshot) ([]agui.Event, error) {
	if c.wasEarly(e) {
		return events, nil
	}
	if i := c.arrived(e); i >= 0 {
		c.pending[i].carried = false // it is here
		events = append(events, c.drain(i)...)
		return append(events, stamped(c.drain(1), e.Base, e.Tag)...), nil
	}
	return c.byHand(events, e.Snapshot, e.Base, e.Tag)
}

// stamped gives events what a layer gave the one that they come from.
func stamped(events []agui.Event, base agui.Base, tag agui.Tag) []agui.Event {
	for _, e := range events {
		switch e := e.(type) {
		case *agui.StateSnapshot:
			e.Base, e.Tag = base, tag
		case *agui.StateDelta:
			e.Base, e.Tag = base, tag
		}
	}
	return events
}

func (c *core[S]) passDelta(events []agui.Event, e *agui.StateDelta) ([]agui.Event, error) {
	doc, err := jsonpatch.Apply(c.passed, e.Delta)
	if err != nil {
		return events, &chat.Error{
			Code: chat.CodeProtocolViolation, Message: "A change of the state does not apply.",
			Err: fmt.Errorf("state: a STATE_DELTA made by hand: %w", err),
		}
	}
	return c.byHand(events, doc, e.Base, e.Tag)
}

// byHand takes over a document that an inner layer sent past the session.
func (c *core[S]) byHand(events []agui.Event, doc []byte, base agui.Base, tag agui.Tag) ([]agui.Event, error) {
	if err := c.takeOver(doc); err != nil {
		return events, serialization(err)
	}
	if e := c.manager.publish(c.told, delta{}); e != nil {
		events = append(events, stamped([]agui.Event{e}, base, tag)...)
	}
	return events, nil
}

// takeOver makes doc the document that has passed. What was edited meanwhile
// and has not passed yet is put upon it, and so is what only shows. An error
// changes nothing.
func (c *core[S]) takeOver(doc []byte) error {
	c.settleFor()
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
	moved := mover{options: c.rebasing()}
	told := moved.rebase(frozen, c.passed, c.told)
	was, is, shown := c.passed, frozen, told
	next := make([]publication, len(c.pending))
	for i, p := range c.pending {
		next[i] = *p
		next[i].settled = moved.rebase(is, was, p.settled)
		next[i].doc = moved.rebase(next[i].settled, p.settled, p.doc)
		was, is, shown = p.settled, next[i].settled, next[i].doc
	}
	is = moved.rebase(is, was, c.doc)
	if moved.err != nil {
		return moved.err
	}
	if err := c.adopt(is); err != nil {
		return err
	}
	for i, p := range c.pending {
		*p = next[i]
	}
	c.passed, c.told, c.shown = frozen, told, shown
	return nil
}

// mover rebases until something fails.
type mover struct {
	options *jsonpatch.Options
	err     error
}

func (m *mover) rebase(doc, before, after []byte) []byte {
	if m.err != nil {
		return nil
	}
	doc, m.err = jsonpatch.Rebase(doc, before, after, m.options)
	return doc
}
