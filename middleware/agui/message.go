package agui

import "encoding/json"

// Role is the role of a message.
type Role string

// The roles of AG-UI 1.0.
const (
	RoleDeveloper Role = "developer"
	RoleSystem    Role = "system"
	RoleAssistant Role = "assistant"
	RoleUser      Role = "user"
	RoleTool      Role = "tool"
	RoleActivity  Role = "activity"
	RoleReasoning Role = "reasoning"
)

// Message is one message of a conversation, of any role. It is the one
// message model of this project: adapters translate it to their provider's.
//
// Which fields a role has is the table of AG-UI 1.0 "Messages"; the others
// are ignored on encoding.
type Message struct {
	ID   string
	Role Role
	Name string
	// Content is text for every role; parts also for user and tool. An
	// assistant's may be absent. An activity has Activity instead.
	Content Content
	// ToolCalls belongs to assistant. Nil is absent, empty is [].
	ToolCalls []ToolCall
	// ToolCallID and Error belong to tool.
	ToolCallID string
	Error      string
	// EncryptedValue is a provider's opaque reasoning, to be sent back.
	EncryptedValue string
	// ActivityType and Activity (a JSON object) belong to activity.
	ActivityType string
	Activity     json.RawMessage
	// SubagentRunID attributes the message to a subagent; nil is the parent.
	SubagentRunID *string
	Metadata      Metadata
	// Extra holds members that the protocol does not name, kept as they came.
	Extra map[string]json.RawMessage
}

// ToolCall is a call of a tool inside an assistant message. Its type is
// always "function" and is written for you.
type ToolCall struct {
	ID string
	// Name of the function.
	Name string
	// Arguments is JSON text as the model wrote it: it may be empty or broken.
	Arguments      string
	EncryptedValue string
	Metadata       Metadata
}

// UserMessage returns a user message with text and a new id.
func UserMessage(text string) Message {
	return Message{ID: NewID(), Role: RoleUser, Content: Text(text)}
}

// SystemMessage returns a system message with text and a new id.
func SystemMessage(text string) Message {
	return Message{ID: NewID(), Role: RoleSystem, Content: Text(text)}
}

// AssistantMessage returns an assistant message with text and a new id.
func AssistantMessage(text string) Message {
	return Message{ID: NewID(), Role: RoleAssistant, Content: Text(text)}
}

// ToolMessage returns a tool message that answers the call with text, with a
// new id.
func ToolMessage(toolCallID, text string) Message {
	return Message{ID: NewID(), Role: RoleTool, ToolCallID: toolCallID, Content: Text(text)}
}
