package aguiclient

import (
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

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
