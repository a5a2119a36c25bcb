package agui

import "encoding/json"

// EventType is the value of an event's "type" member.
type EventType string

// The event types of AG-UI 1.0.
const (
	TypeTextMessageStart        EventType = "TEXT_MESSAGE_START"
	TypeTextMessageContent      EventType = "TEXT_MESSAGE_CONTENT"
	TypeTextMessageEnd          EventType = "TEXT_MESSAGE_END"
	TypeTextMessageChunk        EventType = "TEXT_MESSAGE_CHUNK"
	TypeToolCallStart           EventType = "TOOL_CALL_START"
	TypeToolCallArgs            EventType = "TOOL_CALL_ARGS"
	TypeToolCallEnd             EventType = "TOOL_CALL_END"
	TypeToolCallChunk           EventType = "TOOL_CALL_CHUNK"
	TypeToolCallResult          EventType = "TOOL_CALL_RESULT"
	TypeStateSnapshot           EventType = "STATE_SNAPSHOT"
	TypeStateDelta              EventType = "STATE_DELTA"
	TypeMessagesSnapshot        EventType = "MESSAGES_SNAPSHOT"
	TypeActivitySnapshot        EventType = "ACTIVITY_SNAPSHOT"
	TypeActivityDelta           EventType = "ACTIVITY_DELTA"
	TypeRaw                     EventType = "RAW"
	TypeCustom                  EventType = "CUSTOM"
	TypeRunStarted              EventType = "RUN_STARTED"
	TypeRunFinished             EventType = "RUN_FINISHED"
	TypeRunError                EventType = "RUN_ERROR"
	TypeStepStarted             EventType = "STEP_STARTED"
	TypeStepFinished            EventType = "STEP_FINISHED"
	TypeReasoningStart          EventType = "REASONING_START"
	TypeReasoningMessageStart   EventType = "REASONING_MESSAGE_START"
	TypeReasoningMessageContent EventType = "REASONING_MESSAGE_CONTENT"
	TypeReasoningMessageEnd     EventType = "REASONING_MESSAGE_END"
	TypeReasoningMessageChunk   EventType = "REASONING_MESSAGE_CHUNK"
	TypeReasoningEnd            EventType = "REASONING_END"
	TypeReasoningEncryptedValue EventType = "REASONING_ENCRYPTED_VALUE"
	TypeSubagentStarted         EventType = "SUBAGENT_STARTED"
	TypeSubagentFinished        EventType = "SUBAGENT_FINISHED"
	TypeSubagentError           EventType = "SUBAGENT_ERROR"
)

// Event is one event of a run's stream: a pointer to one of the structs of
// this package. The set is closed; what a newer peer sends arrives as an
// [UnknownEvent].
//
// An event that has been handed on is not changed any more: it may be read by
// several layers at once.
type Event interface {
	// Type is the event's "type" member.
	Type() EventType

	common() *Base
}

// Metadata is an open object that rides on events, messages, tool calls and
// tools. Nil is absent, an empty map is {}. Values decoded from the wire are
// those of encoding/json with numbers as [json.Number].
type Metadata map[string]any

// Base holds what every event may carry.
type Base struct {
	// Timestamp is in milliseconds since 1970 by custom; 0 is absent.
	Timestamp int64
	// RawEvent is the provider's own event, any JSON but null; nil is absent.
	RawEvent json.RawMessage
	Metadata Metadata
}

func (b *Base) common() *Base { return b }

// Tag attributes an event to a subagent's run. Nil means the parent agent; ""
// is a tag like any other.
type Tag struct {
	SubagentRunID *string
}

// UnknownEvent is an event of a type that this package does not know, kept
// whole. It is written back as it came.
type UnknownEvent struct {
	Base
	EventType EventType
	// JSON is the whole event, compact.
	JSON json.RawMessage
}

// Type returns the type that the peer wrote.
func (e *UnknownEvent) Type() EventType { return e.EventType }
