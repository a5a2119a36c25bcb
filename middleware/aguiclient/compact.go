package aguiclient

import (
	"encoding/json"
	"strings"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

// Compact returns fewer events with the same outcome: a [Mirror] that folds
// them holds the same state and conversation after each run. It is for a
// store, not for a live stream. The events given are not changed.
//
// Chunks are expanded. The content of one text message, or the arguments of
// one call, become one event between its start and its end, with all their
// metadata; what came in between follows behind. The state events of a run
// become one snapshot before its terminal event, or stay deltas, in that
// place, when the run has no snapshot. Timestamps, raw events and tags of the
// joined events are lost, and so are patches that do not apply. Reasoning and
// activities stay as they are.
func Compact(events []agui.Event) []agui.Event {
	c := &compactor{texts: map[string]*group{}, calls: map[string]*group{}}
	var chunks agui.Expander
	var expanded []agui.Event
	for _, e := range events {
		next, err := chunks.AppendExpand(expanded[:0], e)
		if err != nil {
			c.put(e) // it continues nothing, and folds into nothing
			continue
		}
		expanded = next
		for _, e := range expanded {
			c.add(e)
		}
	}
	c.putState()
	return c.events()
}

// compactor keeps events in the places where they stay.
type compactor struct {
	items []item
	texts map[string]*group // open text messages
	calls map[string]*group // open tool calls
	state []agui.Event      // of the run: a snapshot and deltas, or deltas alone
	// barred is how many items there were at the last messages snapshot: what
	// was open then is barred.
	barred int
}

// item is an event or a group.
type item struct {
	event agui.Event
	group *group
}

// group is a message or a call, from its start to its end.
type group struct {
	call       bool
	id         string
	at         int // among the items
	start, end agui.Event
	joined     int
	text       strings.Builder
	metadata   metadata
	// barred says that more content would no longer come to the same here; late
	// that there was more.
	barred, late bool
}

func (c *compactor) put(e agui.Event) { c.items = append(c.items, item{event: e}) }

func (c *compactor) open(call bool, id string, start agui.Event) {
	g := &group{call: call, id: id, at: len(c.items), start: start}
	c.items = append(c.items, item{group: g})
	c.of(call)[id] = g
}

func (c *compactor) of(call bool) map[string]*group {
	if call {
		return c.calls
	}
	return c.texts
}

func (c *compactor) add(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		c.open(false, e.MessageID, e)
	case *agui.TextMessageContent:
		c.join(e, false, e.MessageID, e.Delta, e.Metadata)
	case *agui.TextMessageEnd:
		c.end(e, false, e.MessageID, e.Metadata)
	case *agui.ToolCallStart:
		c.open(true, e.ToolCallID, e)
	case *agui.ToolCallArgs:
		c.join(e, true, e.ToolCallID, e.Delta, e.Metadata)
	case *agui.ToolCallEnd:
		c.end(e, true, e.ToolCallID, e.Metadata)
	case *agui.StateSnapshot:
		c.state = []agui.Event{e}
	case *agui.StateDelta:
		c.addDelta(e)
	case *agui.RunStarted, *agui.RunFinished, *agui.RunError:
		c.putState()
		c.put(e)
		// Nothing is open across runs, and a mirror is looked at here.
		clear(c.texts)
		clear(c.calls)
	default:
		c.bar(e)
		c.put(e)
	}
}

// join adds content to what is open; what is not stays where it is.
func (c *compactor) join(e agui.Event, call bool, id, delta string, meta agui.Metadata) {
	g := c.of(call)[id]
	if g == nil || c.isBarred(g) {
		if g != nil {
			g.late = true
		}
		c.put(e)
		return
	}
	g.joined++
	g.text.WriteString(delta)
	g.metadata.merge(meta)
}

func (c *compactor) end(e agui.Event, call bool, id string, meta agui.Metadata) {
	g := c.of(call)[id]
	delete(c.of(call), id)
	if g == nil || c.isBarred(g) && (g.late || meta != nil) {
		c.put(e)
		return
	}
	g.end = e
}

func (c *compactor) isBarred(g *group) bool { return g.barred || g.at < c.barred }

// bar keeps later content from being moved before an event that is about the
// same message.
func (c *compactor) bar(e agui.Event) {
	id := ""
	switch e := e.(type) {
	case *agui.MessagesSnapshot:
		c.barred = len(c.items)
		return
	case *agui.ActivitySnapshot:
		id = e.MessageID
	case *agui.ActivityDelta:
		id = e.MessageID
	case *agui.ReasoningMessageStart:
		id = e.MessageID
	case *agui.ReasoningMessageContent:
		id = e.MessageID
	case *agui.ReasoningMessageEnd:
		id = e.MessageID
	case *agui.ToolCallResult:
		id = e.MessageID
	default:
		return
	}
	if g := c.texts[id]; g != nil {
		g.barred = true
	}
}

// addDelta folds a delta into the snapshot before it, if there is one.
func (c *compactor) addDelta(e *agui.StateDelta) {
	if len(c.state) > 0 {
		if s, ok := c.state[0].(*agui.StateSnapshot); ok {
			doc := s.Snapshot
			if doc == nil {
				doc = json.RawMessage("null")
			}
			if next, err := jsonpatch.Apply(doc, e.Delta); err == nil {
				c.state[0] = &agui.StateSnapshot{Snapshot: next}
			}
			return
		}
	}
	c.state = append(c.state, e)
}

func (c *compactor) putState() {
	for _, e := range c.state {
		c.put(e)
	}
	c.state = nil
}

func (c *compactor) events() []agui.Event {
	var out []agui.Event
	for _, i := range c.items {
		if i.group == nil {
			out = append(out, i.event)
			continue
		}
		g := i.group
		out = append(out, g.start)
		if g.joined > 0 {
			b := agui.Base{Metadata: g.metadata.get()}
			if g.call {
				out = append(out, &agui.ToolCallArgs{Base: b, ToolCallID: g.id, Delta: g.text.String()})
			} else {
				out = append(out, &agui.TextMessageContent{Base: b, MessageID: g.id, Delta: g.text.String()})
			}
		}
		if g.end != nil {
			out = append(out, g.end)
		}
	}
	return out
}
