package aguiclient

import (
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
	t.meta.merge(e.Metadata)
}

func (tr *translator) addText(e *agui.TextMessageContent) {
	t := tr.texts[e.MessageID]
	if t == nil || t.rides {
		if t != nil && t.closed { // it is opened again at the endpoint
			t.closed, tr.hand = false, t
			tr.open, tr.thinking = "", ""
		}
		tr.ride(e)
		return
	}
	t.meta.merge(e.Metadata)
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
	tr.speak(&chat.Update{MessageID: t.id, Metadata: t.meta.get(), Text: e.Delta, EncryptedReasoning: t.encrypted})
	t.meta, t.encrypted = metadata{}, ""
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
	t.meta.merge(e.Metadata)
	switch {
	case t.said && t.meta.values == nil:
	case t.said && tr.open == t.id:
		tr.open = ""
		tr.ride(&agui.TextMessageEnd{Base: agui.Base{Metadata: t.meta.get()}, MessageID: t.id})
	case !t.said && !tr.parents[t.id]:
		tr.empty, tr.emptyID = t, e.MessageID
		return
	case t.meta.values != nil:
		// Something else came between: it is opened again for its metadata.
		tr.rideWhole(t)
	}
	t.meta = metadata{}
}

// rideWhole opens and ends a message for what it has beside text.
func (tr *translator) rideWhole(t *text) {
	t.said = true
	tr.ride(
		&agui.TextMessageStart{Base: agui.Base{Metadata: t.meta.get()}, MessageID: t.id, Role: agui.RoleAssistant},
		&agui.TextMessageEnd{MessageID: t.id},
	)
	if t.encrypted != "" {
		tr.ride(&agui.ReasoningEncryptedValue{Subtype: agui.EncryptedMessage, EntityID: t.id, EncryptedValue: t.encrypted})
	}
	t.meta, t.encrypted = metadata{}, ""
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
