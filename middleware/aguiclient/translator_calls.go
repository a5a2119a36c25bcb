package aguiclient

import (
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/arguments"
)

// call is a tool call of the agent.
type call struct {
	id, name, parent string // ours
	rides            bool
	held             bool // open until its result
	invoked          bool // a layer further out may run it, and holds it then
	closed           bool // its bracket has ended
	ended            bool // the agent has ended it
	arguments        arguments.Text
}

func (tr *translator) startCall(e *agui.ToolCallStart) {
	known := tr.calls[e.ToolCallID]
	if known != nil && known.invoked {
		known = nil // whoever runs it has it open: what begins again is another call
	}
	parent := tr.texts[e.ParentMessageID]
	if known != nil || e.SubagentRunID != nil || parent != nil && parent.rides && parent.start.SubagentRunID != nil {
		tr.rideCall(e, known)
		return
	}
	tool, offered := tr.tools[e.ToolCallName]
	c := &call{id: tr.unique.New(e.ToolCallID), name: e.ToolCallName, held: !offered, invoked: offered && tool.Invoke != nil}
	switch {
	case parent != nil && !parent.rides:
		c.parent = parent.id
	case parent != nil && parent.start.Role != "" && parent.start.Role != agui.RoleAssistant:
		c.parent = tr.fresh(c.id)
	case e.ParentMessageID != "" && !tr.told[e.ParentMessageID]:
		c.parent = tr.message(e.ParentMessageID)
	default:
		// The reference gives the call a message that is named after it.
		c.parent = tr.fresh(c.id)
	}
	tr.parents[c.parent] = true
	tr.move(c.parent)
	tr.endHand()
	tr.endCalls(true)
	tr.open, tr.thinking = "", ""
	tr.calls[e.ToolCallID] = c
	tr.unpaired.add(c.id)
	if !c.held && !c.invoked {
		tr.endable = append(tr.endable, c)
	}
	u := &chat.Update{MessageID: c.parent, ToolCalls: []chat.ToolCallDelta{{ID: c.id, Name: c.name, Held: c.held}}}
	if e.Metadata != nil {
		u.Events = []agui.Event{c.metadata(e.Metadata)}
	}
	if parent != nil && !parent.rides && !parent.said {
		u.EncryptedReasoning, parent.encrypted = parent.encrypted, ""
	}
	tr.speak(u)
	if parent != nil && !parent.rides && !parent.said && parent.meta.values != nil {
		tr.rideWhole(parent)
	}
}

// rideCall lets a call ride: a subagent's, or one that begins again.
func (tr *translator) rideCall(e *agui.ToolCallStart, known *call) {
	out := *e
	c := &call{name: e.ToolCallName, parent: e.ParentMessageID, rides: true}
	if ours, ok := tr.ids[e.ParentMessageID]; ok {
		c.parent = ours
	}
	if known == nil {
		c.id = tr.unique.New(e.ToolCallID)
	} else {
		c.id = known.id
		if !known.rides && !known.closed {
			tr.ride(&agui.ToolCallEnd{ToolCallID: c.id})
		}
	}
	out.ToolCallID, out.ParentMessageID = c.id, c.parent
	tr.calls[e.ToolCallID] = c
	tr.unpaired.remove(c.id)
	tr.unpaired.add(c.id)
	tr.ride(&out)
}

// metadata adds metadata to an open call, for which its fields have no place.
func (c *call) metadata(meta agui.Metadata) agui.Event {
	return &agui.ToolCallArgs{Base: agui.Base{Metadata: meta}, ToolCallID: c.id}
}

// reopen begins a call again whose bracket has ended. Everybody knows by now
// what message it belongs to.
func (c *call) reopen(meta agui.Metadata) agui.Event {
	return &agui.ToolCallStart{Base: agui.Base{Metadata: meta}, ToolCallID: c.id, ToolCallName: c.name}
}

func (tr *translator) addArguments(e *agui.ToolCallArgs) {
	c := tr.calls[e.ToolCallID]
	if c == nil {
		tr.ride(e)
		return
	}
	out := *e
	out.ToolCallID = c.id
	switch {
	case c.closed:
		// Its bracket is closed: the rest comes in one made by hand.
		c.rides, c.closed = true, false
		tr.ride(c.reopen(nil), &out)
	case c.rides:
		tr.ride(&out)
	case e.Delta != "" || e.Metadata != nil:
		u := &chat.Update{}
		if e.Delta != "" {
			if c.arguments.Add(e.Delta); !c.held && !c.invoked {
				tr.grown = append(tr.grown, c)
			}
			u.ToolCalls = []chat.ToolCallDelta{{ID: c.id, Arguments: e.Delta}}
		}
		if e.Metadata != nil {
			u.Events = []agui.Event{c.metadata(e.Metadata)}
		}
		tr.emit(u)
	}
}

func (tr *translator) endCall(e *agui.ToolCallEnd) {
	c := tr.calls[e.ToolCallID]
	if c == nil {
		tr.ride(e)
		return
	}
	c.ended = true
	out := *e
	out.ToolCallID = c.id
	switch {
	case c.rides && !c.closed:
		tr.ride(&out)
	case e.Metadata == nil:
	case c.closed:
		tr.ride(c.reopen(e.Metadata), &agui.ToolCallEnd{ToolCallID: c.id})
	default:
		tr.ride(c.metadata(e.Metadata))
	}
}

func (tr *translator) addResult(e *agui.ToolCallResult) {
	id := tr.callID(e.ToolCallID)
	if c := tr.calls[e.ToolCallID]; c != nil {
		c.closed = true
	}
	tr.unpaired.remove(id)
	if e.SubagentRunID != nil {
		out := *e
		out.ToolCallID = id
		tr.ride(&out)
		return
	}
	tr.open, tr.thinking = "", ""
	tr.endHand()
	tr.emit(&chat.Update{ToolResult: &chat.ToolResult{
		MessageID: tr.fresh(e.MessageID), ToolCallID: id, Content: e.Content, Metadata: e.Metadata,
	}})
}
