package agui

// ReasoningStart opens a span of reasoning.
type ReasoningStart struct {
	Base
	Tag
	MessageID string
}

// ReasoningMessageStart opens a reasoning message; its role is always
// "reasoning" and is written for you.
type ReasoningMessageStart struct {
	Base
	Tag
	MessageID string
}

// ReasoningMessageContent appends Delta to an open reasoning message.
type ReasoningMessageContent struct {
	Base
	Tag
	MessageID string
	Delta     string
}

// ReasoningMessageEnd closes a reasoning message.
type ReasoningMessageEnd struct {
	Base
	Tag
	MessageID string
}

// ReasoningMessageChunk is the short form that an [Expander] turns into
// start, content and end.
type ReasoningMessageChunk struct {
	Base
	Tag
	MessageID *string
	Delta     *string
}

// ReasoningEnd closes a span of reasoning.
type ReasoningEnd struct {
	Base
	Tag
	MessageID string
}

// EncryptedSubtype says what a [ReasoningEncryptedValue] belongs to.
type EncryptedSubtype string

// The two subtypes of a REASONING_ENCRYPTED_VALUE event.
const (
	EncryptedToolCall EncryptedSubtype = "tool-call"
	EncryptedMessage  EncryptedSubtype = "message"
)

// ReasoningEncryptedValue attaches a provider's opaque reasoning to a message
// or a tool call, to be sent back in a later run.
type ReasoningEncryptedValue struct {
	Base
	Tag
	Subtype        EncryptedSubtype
	EntityID       string
	EncryptedValue string
}

func (*ReasoningStart) Type() EventType          { return TypeReasoningStart }
func (*ReasoningMessageStart) Type() EventType   { return TypeReasoningMessageStart }
func (*ReasoningMessageContent) Type() EventType { return TypeReasoningMessageContent }
func (*ReasoningMessageEnd) Type() EventType     { return TypeReasoningMessageEnd }
func (*ReasoningMessageChunk) Type() EventType   { return TypeReasoningMessageChunk }
func (*ReasoningEnd) Type() EventType            { return TypeReasoningEnd }
func (*ReasoningEncryptedValue) Type() EventType { return TypeReasoningEncryptedValue }
