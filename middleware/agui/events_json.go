package agui

import "fmt"

// encoding/json writes and reads every event as [AppendEvent] and [DecodeEvent]
// do. It escapes <, > and &, which says the same.

// unmarshalEvent reads an event whose type is known beforehand.
func unmarshalEvent[T any](data []byte, into *T) error {
	if string(data) == "null" {
		return nil // as encoding/json has it
	}
	e, err := DecodeEvent(data)
	if err != nil {
		return err
	}
	same, ok := any(e).(*T)
	if !ok {
		return &EventError{Type: e.Type(), Pointer: "/type", Reason: fmt.Sprintf("type cannot be read into a %T", *into)}
	}
	*into = *same
	return nil
}

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e TextMessageStart) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e TextMessageContent) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e TextMessageEnd) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e TextMessageChunk) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ToolCallStart) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ToolCallArgs) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ToolCallEnd) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ToolCallChunk) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ToolCallResult) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e StateSnapshot) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e StateDelta) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e MessagesSnapshot) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ActivitySnapshot) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ActivityDelta) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e Raw) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e Custom) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e RunStarted) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e RunFinished) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e RunError) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e StepStarted) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e StepFinished) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ReasoningStart) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ReasoningMessageStart) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ReasoningMessageContent) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ReasoningMessageEnd) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ReasoningMessageChunk) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ReasoningEnd) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e ReasoningEncryptedValue) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e SubagentStarted) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e SubagentFinished) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e SubagentError) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// MarshalJSON returns the event's JSON as [AppendEvent] writes it.
func (e UnknownEvent) MarshalJSON() ([]byte, error) { return AppendEvent(nil, &e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *TextMessageStart) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *TextMessageContent) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *TextMessageEnd) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *TextMessageChunk) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ToolCallStart) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ToolCallArgs) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ToolCallEnd) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ToolCallChunk) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ToolCallResult) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *StateSnapshot) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *StateDelta) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *MessagesSnapshot) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ActivitySnapshot) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ActivityDelta) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *Raw) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *Custom) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *RunStarted) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *RunFinished) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *RunError) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *StepStarted) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *StepFinished) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ReasoningStart) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ReasoningMessageStart) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ReasoningMessageContent) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ReasoningMessageEnd) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ReasoningMessageChunk) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ReasoningEnd) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *ReasoningEncryptedValue) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *SubagentStarted) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *SubagentFinished) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *SubagentError) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }

// UnmarshalJSON reads an event of this type as [DecodeEvent] does.
func (e *UnknownEvent) UnmarshalJSON(data []byte) error { return unmarshalEvent(data, e) }
