package agui

import "encoding/json"

// StateSnapshot replaces the shared state.
type StateSnapshot struct {
	Base
	Tag
	// Snapshot is any JSON; nil is written as null.
	Snapshot json.RawMessage
}

// StateDelta changes the shared state by a JSON Patch.
type StateDelta struct {
	Base
	Tag
	Delta Patch
}

// MessagesSnapshot replaces the conversation.
type MessagesSnapshot struct {
	Base
	Messages []Message
}

// ActivitySnapshot creates or replaces an activity message.
type ActivitySnapshot struct {
	Base
	Tag
	MessageID    string
	ActivityType string
	// Content is a JSON object; nil is written as {}.
	Content json.RawMessage
	// Replace says whether existing content is replaced; nil means true.
	Replace *bool
}

// ActivityDelta changes an activity message's content by a JSON Patch.
type ActivityDelta struct {
	Base
	Tag
	MessageID    string
	ActivityType string
	Patch        Patch
}

func (*StateSnapshot) Type() EventType    { return TypeStateSnapshot }
func (*StateDelta) Type() EventType       { return TypeStateDelta }
func (*MessagesSnapshot) Type() EventType { return TypeMessagesSnapshot }
func (*ActivitySnapshot) Type() EventType { return TypeActivitySnapshot }
func (*ActivityDelta) Type() EventType    { return TypeActivityDelta }
