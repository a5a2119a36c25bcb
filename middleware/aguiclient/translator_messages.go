package aguiclient

import (
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

func (tr *translator) startText(e *agui.TextMessageStart) {
	if e.SubagentRunID != nil || e.Name != "" || e.Role != "" && e.Role != agui.RoleAssistant {
		tr.texts[e.MessageID] = &text{rides: true}
		tr.ride(e)
		return
	}
	t := tr.texts[e.MessageID]
	if t == nil || t.rides {
		t = &text{id: tr.message(e.MessageID)}
		tr.texts[e.MessageID] = t
	}
	// The bracket opens with the first piece, and the metadata rides on that.
	t.meta = merged(t.meta, e.Metadata)
}

func (tr *translator) addText(e *agui.TextMessageContent) {
	t := tr.texts[e.MessageID]
	if t == nil || t.rides {
		tr.ride(e)
		return
	}
	t.meta = merged(t.meta, e.Metadata)
	if e.Delta == "" {
		return
	}
	if (t.said || t.divided) && tr.open != t.id {
		// The message was interrupted: what follows is one of its own.
		t.id, t.divided = agui.NewID(), false
		tr.ids[e.MessageID] = t.id
	}
	tr.move(t.id)
	tr.cutCalls()
	tr.open, tr.thinking, t.said = t.id, "", true
	tr.speak(&chat.Update{MessageID: t.id, Metadata: t.meta, Text: e.Delta})
	t.meta = nil
}

// endText lets the end go on only when something depends on it: fields have no
// ends.
func (tr *translator) endText(e *agui.TextMessageEnd) {
	t := tr.texts[e.MessageID]
	if t == nil || t.rides {
		tr.ride(e)
		return
	}
	t.meta = merged(t.meta, e.Metadata)
	switch {
	case t.said && t.meta == nil:
	case t.said && tr.open == t.id:
		tr.open = ""
		tr.ride(&agui.TextMessageEnd{Base: agui.Base{Metadata: t.meta}, MessageID: t.id})
	default:
		// Nothing was said, or something else came between: the message is
		// opened for its metadata.
		t.said = true
		tr.ride(
			&agui.TextMessageStart{Base: agui.Base{Metadata: t.meta}, MessageID: t.id, Role: agui.RoleAssistant},
			&agui.TextMessageEnd{MessageID: t.id},
		)
	}
	t.meta = nil
}

func (tr *translator) startSpan(e *agui.ReasoningStart) {
	tr.span = &span{rides: e.SubagentRunID != nil}
	tr.spans[e.MessageID] = tr.span
	if tr.span.rides {
		tr.ride(e)
		return
	}
	tr.span.start = e
}

func (tr *translator) startReasoning(e *agui.ReasoningMessageStart) {
	rides := e.SubagentRunID != nil || e.Metadata != nil
	tr.reasonings[e.MessageID] = rides
	// A span and its message often have ids of their own: it is then the last
	// one opened.
	s := tr.spans[e.MessageID]
	if s == nil || s.start == nil {
		s = tr.span
	}
	if s != nil && s.start != nil && e.SubagentRunID == nil {
		if s.rides = rides; rides {
			tr.ride(s.start)
		}
		s.start = nil
	}
	if rides {
		tr.ride(e)
	}
}

func (tr *translator) addReasoning(e *agui.ReasoningMessageContent) {
	if rides, known := tr.reasonings[e.MessageID]; !known || rides {
		tr.ride(e)
		return
	}
	if e.Delta == "" {
		return
	}
	u := &chat.Update{Reasoning: e.Delta}
	if tr.thinking != "" && tr.thinking != e.MessageID {
		// Two messages of reasoning, one behind the other: a turn of its own
		// keeps the second apart.
		u.MessageID = tr.message(e.MessageID)
		tr.turn = u.MessageID
	}
	tr.open, tr.thinking = "", e.MessageID
	tr.cutCalls()
	tr.emit(u)
}

// endSpan lets a span ride that has shown nothing: no field says that it was.
func (tr *translator) endSpan(e *agui.ReasoningEnd) {
	s := tr.spans[e.MessageID]
	switch {
	case s == nil || s.rides:
		tr.ride(e)
	case s.start != nil:
		tr.ride(s.start, e)
		s.start = nil
	}
}

func (tr *translator) encrypt(e *agui.ReasoningEncryptedValue) {
	if e.SubagentRunID != nil {
		tr.ride(e)
		return
	}
	if e.Subtype == agui.EncryptedToolCall {
		c := tr.calls[e.EntityID]
		switch {
		case c == nil:
			tr.ride(e)
		case c.rides || c.cut || c.ended || c.answered:
			out := *e
			out.EntityID = c.id
			tr.ride(&out)
		default:
			tr.emit(&chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: c.id, EncryptedReasoning: e.EncryptedValue}}})
		}
		return
	}
	if t := tr.texts[e.EntityID]; t != nil && !t.rides && (!t.said || tr.turn == t.id) {
		tr.move(t.id)
		tr.speak(&chat.Update{MessageID: t.id, EncryptedReasoning: e.EncryptedValue})
		return
	}
	if ours, ok := tr.ids[e.EntityID]; ok {
		if ours == tr.turn {
			tr.speak(&chat.Update{MessageID: ours, EncryptedReasoning: e.EncryptedValue})
			return
		}
		out := *e
		out.EntityID = ours
		tr.ride(&out)
		return
	}
	rides, known := tr.reasonings[e.EntityID]
	if s := tr.spans[e.EntityID]; known && !rides || !known && s != nil && !s.rides {
		// Reasoning has no id of its own further out: its opaque form belongs to
		// the message that it leads to.
		tr.encrypted = append(tr.encrypted, e.EncryptedValue)
		return
	}
	tr.ride(e)
}

func (tr *translator) startCall(e *agui.ToolCallStart) {
	known := tr.calls[e.ToolCallID]
	parent := tr.texts[e.ParentMessageID]
	if known != nil || e.SubagentRunID != nil || parent != nil && parent.rides {
		c := &call{id: e.ToolCallID, rides: true}
		if known != nil {
			c.id = known.id
		}
		tr.calls[e.ToolCallID] = c
		tr.pair(c.id)
		tr.unpaired = append(tr.unpaired, c.id)
		out := *e
		out.ToolCallID = c.id
		if ours, ok := tr.ids[e.ParentMessageID]; ok {
			out.ParentMessageID = ours
		}
		tr.ride(&out)
		return
	}
	tool, offered := tr.tools[e.ToolCallName]
	c := &call{id: tr.unique.New(e.ToolCallID), name: e.ToolCallName, held: !offered, invoked: offered && tool.Invoke != nil}
	switch {
	case parent != nil:
		c.parent, parent.divided = parent.id, true
	case e.ParentMessageID != "" && !tr.told[e.ParentMessageID]:
		c.parent = tr.message(e.ParentMessageID)
	default:
		// The reference gives the call a message that is named after it.
		c.parent = tr.fresh(c.id)
	}
	tr.move(c.parent)
	tr.open, tr.thinking = "", ""
	tr.calls[e.ToolCallID] = c
	tr.unpaired = append(tr.unpaired, c.id)
	u := &chat.Update{MessageID: c.parent, ToolCalls: []chat.ToolCallDelta{{ID: c.id, Name: c.name, Held: c.held}}}
	if e.Metadata != nil {
		u.Events = []agui.Event{c.metadata(e.Metadata)}
	}
	tr.speak(u)
}

// metadata adds metadata to an open call, for which its fields have no place.
func (c *call) metadata(meta agui.Metadata) agui.Event {
	return &agui.ToolCallArgs{Base: agui.Base{Metadata: meta}, ToolCallID: c.id}
}

func (c *call) reopen(meta agui.Metadata) agui.Event {
	return &agui.ToolCallStart{Base: agui.Base{Metadata: meta}, ToolCallID: c.id, ToolCallName: c.name, ParentMessageID: c.parent}
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
	case c.rides:
		tr.ride(&out)
	case c.cut && !c.invoked || c.answered:
		// Its bracket is closed: the rest comes in one made by hand.
		c.rides = true
		tr.ride(c.reopen(nil), &out)
	case e.Delta != "" || e.Metadata != nil:
		u := &chat.Update{}
		if e.Delta != "" {
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
	case c.rides:
		tr.ride(&out)
	case e.Metadata == nil:
	case c.cut && !c.invoked || c.answered:
		tr.ride(c.reopen(e.Metadata), &agui.ToolCallEnd{ToolCallID: c.id})
	default:
		tr.ride(c.metadata(e.Metadata))
	}
}

func (tr *translator) addResult(e *agui.ToolCallResult) {
	id := tr.callID(e.ToolCallID)
	if c := tr.calls[e.ToolCallID]; c != nil {
		c.answered = true
	}
	tr.pair(id)
	if e.SubagentRunID != nil {
		out := *e
		out.ToolCallID = id
		tr.ride(&out)
		return
	}
	tr.open, tr.thinking = "", ""
	tr.emit(&chat.Update{ToolResult: &chat.ToolResult{
		MessageID: tr.fresh(e.MessageID), ToolCallID: id, Content: e.Content, Metadata: e.Metadata,
	}})
}

// pair notes that a call has a result.
func (tr *translator) pair(id string) {
	tr.unpaired = slices.DeleteFunc(tr.unpaired, func(other string) bool { return other == id })
}
