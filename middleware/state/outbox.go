package state

import (
	"slices"
	"weak"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// outbox holds what was published and has not passed Share yet, and what the
// client knows.
type outbox struct {
	pending []*publication
	// early counts the documents that were told before their own update came
	// by, and foreign are those of sessions further in, and their patches. They
	// are known by their memory, which a layer that copies an event, to tag it,
	// leaves as it is; weakly, for an update that a layer drops never comes.
	early   map[weak.Pointer[byte]]int
	foreign map[any]bool
	passed  []byte // the settled document that passed Share last
	told    []byte // the same as the client was to see it
	manager Manager
}

// publication is a frozen document on its way to Share.
type publication struct {
	event   *agui.StateSnapshot // as it rides in an update
	settled []byte              // the document
	doc     []byte              // the same with the overlays on it: what is to be told
	made    delta               // what made it, if that is known
	carried bool                // an update brings it; else the next one does
	reset   bool
}

// enqueue freezes the document and queues it, into q or for the next update
// that passes Share. It reports whether q was used.
func (c *core[S]) enqueue(q *queue) (carried bool, err error) {
	p := &publication{settled: c.doc, doc: c.visible(), made: c.made, reset: c.reset}
	c.unsent, c.queued, c.shown, c.reset, c.blank = false, true, p.doc, false, false
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
	e := c.decide(p)
	if e == nil {
		return nil
	}
	done := false
	defer func() {
		if !done { // nobody knows what the client holds now
			c.manager.Reset()
			c.unsent = true
		}
	}()
	if err := c.direct(e); err != nil {
		return err
	}
	done = true
	return nil
}

// decide is what the client is told of a publication.
func (b *outbox) decide(p *publication) agui.Event {
	if p.reset {
		b.manager.Reset()
	}
	b.passed, b.told = p.settled, p.doc
	return b.manager.publish(p.doc, p.made)
}

// drain tells the first n pending documents.
func (b *outbox) drain(n int) []agui.Event {
	var events []agui.Event
	for _, p := range b.pending[:n] {
		if e := b.decide(p); e != nil {
			events = append(events, e)
		}
		if p.carried {
			if b.early == nil {
				b.early = map[weak.Pointer[byte]]int{}
			}
			b.early[weak.Make(&p.event.Snapshot[0])]++
		}
	}
	b.pending = slices.Delete(b.pending, 0, n)
	return events
}

// uncarried is how many pending documents must go out before the next update.
func (b *outbox) uncarried() int {
	for i := len(b.pending) - 1; i >= 0; i-- {
		if !b.pending[i].carried {
			return i + 1
		}
	}
	return 0
}

// arrived is where in pending the document is that an event carries; -1 when
// the event was made by hand.
func (b *outbox) arrived(e *agui.StateSnapshot) int {
	if i := slices.IndexFunc(b.pending, func(p *publication) bool { return p.event == e }); i >= 0 {
		return i
	}
	return slices.IndexFunc(b.pending, func(p *publication) bool {
		return len(e.Snapshot) > 0 && sameBytes(p.event.Snapshot, e.Snapshot)
	})
}

// wasEarly reports, once, whether the document of an event was told already.
func (b *outbox) wasEarly(e *agui.StateSnapshot) bool {
	if len(b.early) == 0 || len(e.Snapshot) == 0 {
		return false
	}
	k := weak.Make(&e.Snapshot[0])
	n := b.early[k]
	if n > 1 {
		b.early[k] = n - 1
	} else {
		delete(b.early, k)
	}
	return n > 0
}

// disowner is a session that has others further in, whose documents are not
// its own: those of an agent that is a tool.
type disowner interface {
	// disown says that events are none of this session's.
	disown([]agui.Event)
	// of reports whether the session is that of a run.
	of(*flow.Scope) bool
}

func (c *core[S]) of(s *flow.Scope) bool { return c.scope == s }

func (c *core[S]) disown(events []agui.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		if k := foreignKey(e); k != nil {
			if c.foreign == nil {
				c.foreign = map[any]bool{}
			}
			c.foreign[k] = true
		}
	}
}

func (b *outbox) isForeign(e agui.Event) bool { return len(b.foreign) > 0 && b.foreign[foreignKey(e)] }

// foreignKey is the key in foreign of a state event, nil for any other.
func foreignKey(e agui.Event) any {
	switch e := e.(type) {
	case *agui.StateSnapshot:
		if len(e.Snapshot) > 0 {
			return weak.Make(&e.Snapshot[0])
		}
	case *agui.StateDelta:
		if len(e.Delta) > 0 {
			return weak.Make(&e.Delta[0])
		}
	}
	return nil
}
