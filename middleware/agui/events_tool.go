package agui

// ToolCallStart opens a tool call.
type ToolCallStart struct {
	Base
	Tag
	ToolCallID   string
	ToolCallName string
	// ParentMessageID names the assistant message that the call belongs to.
	ParentMessageID string
}

// ToolCallArgs appends Delta, a fragment of JSON text, to an open call's
// arguments.
type ToolCallArgs struct {
	Base
	Tag
	ToolCallID string
	Delta      string
}

// ToolCallEnd closes a tool call.
type ToolCallEnd struct {
	Base
	Tag
	ToolCallID string
}

// ToolCallChunk is the short form that an [Expander] turns into start, args
// and end.
type ToolCallChunk struct {
	Base
	Tag
	ToolCallID      *string
	ToolCallName    *string
	ParentMessageID *string
	Delta           *string
}

// ToolCallResult is the answer to a call; it becomes a tool message.
type ToolCallResult struct {
	Base
	Tag
	MessageID  string
	ToolCallID string
	// Content is text, or parts (1.0 clients only). Absent is written as "".
	Content Content
	// Role is "tool" or empty.
	Role Role
}

func (*ToolCallStart) Type() EventType  { return TypeToolCallStart }
func (*ToolCallArgs) Type() EventType   { return TypeToolCallArgs }
func (*ToolCallEnd) Type() EventType    { return TypeToolCallEnd }
func (*ToolCallChunk) Type() EventType  { return TypeToolCallChunk }
func (*ToolCallResult) Type() EventType { return TypeToolCallResult }
