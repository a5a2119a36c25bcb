package aguiclient

import (
	"reflect"

	"github.com/aguistate/aguistate/middleware/agui"
)

// idsOf returns where an event has its tag and the id of the message that it is
// about, if it has them.
func idsOf(e agui.Event) (tag *agui.Tag, message *string) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		return &e.Tag, &e.MessageID
	case *agui.TextMessageContent:
		return &e.Tag, &e.MessageID
	case *agui.TextMessageEnd:
		return &e.Tag, &e.MessageID
	case *agui.ToolCallStart:
		return &e.Tag, &e.ParentMessageID
	case *agui.ToolCallArgs:
		return &e.Tag, nil
	case *agui.ToolCallEnd:
		return &e.Tag, nil
	case *agui.ToolCallResult:
		return &e.Tag, &e.MessageID
	case *agui.ReasoningStart:
		return &e.Tag, &e.MessageID
	case *agui.ReasoningMessageStart:
		return &e.Tag, &e.MessageID
	case *agui.ReasoningMessageContent:
		return &e.Tag, &e.MessageID
	case *agui.ReasoningMessageEnd:
		return &e.Tag, &e.MessageID
	case *agui.ReasoningEnd:
		return &e.Tag, &e.MessageID
	case *agui.ReasoningEncryptedValue:
		if e.Subtype == agui.EncryptedToolCall {
			return &e.Tag, nil
		}
		return &e.Tag, &e.EntityID
	case *agui.StateSnapshot:
		return &e.Tag, nil
	case *agui.StateDelta:
		return &e.Tag, nil
	case *agui.ActivitySnapshot:
		return &e.Tag, nil
	case *agui.ActivityDelta:
		return &e.Tag, nil
	case *agui.Raw:
		return &e.Tag, nil
	case *agui.Custom:
		return &e.Tag, nil
	case *agui.StepStarted:
		return &e.Tag, nil
	case *agui.StepFinished:
		return &e.Tag, nil
	}
	return nil, nil
}

// copyOf returns a copy of an event, which may be changed.
func copyOf(e agui.Event) agui.Event {
	out := reflect.New(reflect.TypeOf(e).Elem())
	out.Elem().Set(reflect.ValueOf(e).Elem())
	return out.Interface().(agui.Event)
}
