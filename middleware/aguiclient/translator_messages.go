package aguiclient

import (
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

func (tr *translator) startText(e *agui.TextMessageStart) {
	t := tr.texts[e.MessageID]
	if e.SubagentRunID != nil || e.Name != "" || e.Role != "" && e.Role != agui.RoleAssistant || t != nil && t.rides {
		if t == nil || !t.rides {
			t = &text{rides: true, start: e} // the first start counts
			tr.texts[e.MessageID] = t
		}
		t.closed = false
		tr.ride(e)
		return
	}
	if t == nil {
		t = &text{id: tr.message(e.MessageID)}
		tr.texts[e.MessageID] = t
	}
	// The bracket opens with the first piece, and the metadata rides on that.
	t.meta = merged(t.meta, e.Metadata)
}

func (tr *translator) addText(e *agui.TextMessageContent) {
	t := tr.texts[e.MessageID]
	if t == nil || t.rides {
		if t != nil && t.closed {
			tr.ride(t.reopen(nil))
		}
		tr.ride(e)
		return
	}
	t.meta = merged(t.meta, e.Metadata)
	if e.Delta == "" {
		return
	}
	if (t.said || tr.parents[t.id]) && tr.open != t.id {
		// The message was interrupted: what follows is one of its own.
		t.id = agui.NewID()
		tr.ids[e.MessageID] = t.id
	}
	tr.move(t.id)
	if tr.open != t.id {
		tr.endHand()
		tr.endCalls(false)
	}
	tr.open, tr.thinking, t.said = t.id, "", true
	tr.speak(&chat.Update{MessageID: t.id, Metadata: t.meta, Text: e.Delta, EncryptedReasoning: t.encrypted})
	t.meta, t.encrypted = nil, ""
}

// reopen begins a text again that rides and that something else has ended.
// Everybody knows by now whose it is.
func (t *text) reopen(meta agui.Metadata) agui.Event {
	t.closed = false
	return &agui.TextMessageStart{Base: agui.Base{Metadata: meta}, MessageID: t.start.MessageID, Role: t.start.Role}
}

// endText lets the end go on only when something depends on it: fields have no
// ends.
func (tr *translator) endText(e *agui.TextMessageEnd) {
	t := tr.texts[e.MessageID]
	if t == nil || t.rides {
		if t == nil || !t.closed {
			tr.ride(e)
		} else if e.Metadata != nil {
			tr.ride(t.reopen(e.Metadata), &agui.TextMessageEnd{MessageID: e.MessageID})
		}
		return
	}
	t.meta = merged(t.meta, e.Metadata)
	switch {
	case t.said && t.meta == nil:
	case t.said && tr.open == t.id:
		tr.open = ""
		tr.ride(&agui.TextMessageEnd{Base: agui.Base{Metadata: t.meta}, MessageID: t.id})
	case !t.said && !tr.parents[t.id]:
		tr.empty, tr.emptyID = t, e.MessageID
		return
	case t.meta != nil:
		// Something else came between: it is opened again for its metadata.
		tr.rideWhole(t)
	}
	t.meta = nil
}

// rideWhole opens and ends a message for what it has beside text.
func (tr *translator) rideWhole(t *text) {
	t.said = true
	tr.ride(
		&agui.TextMessageStart{Base: agui.Base{Metadata: t.meta}, MessageID: t.id, Role: agui.RoleAssistant},
		&agui.TextMessageEnd{MessageID: t.id},
	)
	if t.encrypted != "" {
		tr.ride(&agui.ReasoningEncryptedValue{Subtype: agui.EncryptedMessage, EntityID: t.id, EncryptedValue: t.encrypted})
	}
	t.meta, t.encrypted = nil, ""
}

// endEmpty lets a message ride that said nothing, unless what comes now is a
// call that belongs to it, and makes it.
func (tr *translator) endEmpty(next agui.Event) {
	t := tr.empty
	if t == nil {
		return
	}
	switch e := next.(type) {
	case *agui.ToolCallStart:
		if e.ParentMessageID == tr.emptyID && e.SubagentRunID == nil && tr.calls[e.ToolCallID] == nil {
			tr.empty = nil
			return
		}
	case *agui.TextMessageStart:
		if e.MessageID == tr.emptyID {
			tr.empty = nil // it begins again
			return
		}
	case *agui.ReasoningEncryptedValue:
		if e.EntityID == tr.emptyID {
			return
		}
	}
	tr.empty = nil
	tr.rideWhole(t)
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

// startReasoning waits for what the message says: it rides when it is a
// subagent's, has metadata, or says nothing.
func (tr *translator) startReasoning(e *agui.ReasoningMessageStart) {
	r, old := &reasoning{start: e}, tr.reasonings[e.MessageID]
	tr.reasonings[e.MessageID] = r
	if e.SubagentRunID != nil || e.Metadata != nil || old != nil && old.rides {
		tr.rideReasoning(r)
	}
}

// rideReasoning lets a message that has said nothing yet ride from here on,
// with its span.
func (tr *translator) rideReasoning(r *reasoning) {
	if s := tr.spanOf(r.start); s != nil {
		tr.ride(s.start)
		s.rides, s.start = true, nil
	}
	tr.ride(r.start)
	r.rides, r.start = true, nil
}

// spanOf returns the span around a message, while it has shown nothing. The
// two often have ids of their own: it is then the last one opened.
func (tr *translator) spanOf(e *agui.ReasoningMessageStart) *span {
	if e.SubagentRunID != nil {
		return nil
	}
	s := tr.spans[e.MessageID]
	if s == nil || s.start == nil {
		s = tr.span
	}
	if s == nil || s.start == nil {
		return nil
	}
	return s
}

func (tr *translator) endReasoning(e *agui.ReasoningMessageEnd) {
	r := tr.reasonings[e.MessageID]
	if r != nil && r.start != nil {
		tr.rideReasoning(r)
	}
	if r == nil || r.rides {
		tr.ride(e)
	}
}

func (tr *translator) addReasoning(e *agui.ReasoningMessageContent) {
	r := tr.reasonings[e.MessageID]
	if r == nil || r.rides {
		tr.ride(e)
		return
	}
	if e.Delta == "" {
		return
	}
	if r.start != nil {
		if s := tr.spanOf(r.start); s != nil {
			s.start = nil
		}
		r.start = nil
	}
	u := &chat.Update{Reasoning: e.Delta}
	if tr.thinking != "" && tr.thinking != e.MessageID {
		// Two messages of reasoning, one behind the other: a turn of its own
		// keeps the second apart.
		u.MessageID = tr.message(e.MessageID)
		tr.turn = u.MessageID
	}
	if tr.thinking == "" || u.MessageID != "" {
		tr.endHand()
	}
	tr.open, tr.thinking = "", e.MessageID
	tr.endCalls(false)
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
		case c.rides || c.closed || c.ended:
			out := *e
			out.EntityID = c.id
			tr.ride(&out)
		default:
			tr.emit(&chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: c.id, EncryptedReasoning: e.EncryptedValue}}})
		}
		return
	}
	if t := tr.texts[e.EntityID]; t != nil && !t.rides && !t.said && !tr.parents[t.id] {
		t.encrypted = e.EncryptedValue // for when it begins
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
	r := tr.reasonings[e.EntityID]
	if r != nil && r.start != nil {
		tr.rideReasoning(r)
	}
	if s := tr.spans[e.EntityID]; r != nil && !r.rides || r == nil && s != nil && !s.rides {
		// Reasoning has no id of its own further out: its opaque form belongs to
		// the message that it leads to.
		tr.encrypted = append(tr.encrypted, e.EncryptedValue)
		return
	}
	tr.ride(e)
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
	tr.unpaired = append(tr.unpaired, c.id)
	u := &chat.Update{MessageID: c.parent, ToolCalls: []chat.ToolCallDelta{{ID: c.id, Name: c.name, Held: c.held}}}
	if e.Metadata != nil {
		u.Events = []agui.Event{c.metadata(e.Metadata)}
	}
	if parent != nil && !parent.rides && !parent.said {
		u.EncryptedReasoning, parent.encrypted = parent.encrypted, ""
	}
	tr.speak(u)
	if parent != nil && !parent.rides && !parent.said && parent.meta != nil {
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
	tr.pair(c.id)
	tr.unpaired = append(tr.unpaired, c.id)
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
		c.arguments.WriteString(e.Delta)
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
	tr.pair(id)
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

// pair notes that a call has a result.
func (tr *translator) pair(id string) {
	tr.unpaired = slices.DeleteFunc(tr.unpaired, func(other string) bool { return other == id })
}
