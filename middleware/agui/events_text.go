package agui

// TextMessageStart opens a text message.
type TextMessageStart struct {
	Base
	Tag
	MessageID string
	// Role is assistant when empty; developer, system and user are allowed.
	Role Role
	Name string
}

// TextMessageContent appends Delta to an open text message.
type TextMessageContent struct {
	Base
	Tag
	MessageID string
	Delta     string
}

// TextMessageEnd closes a text message.
type TextMessageEnd struct {
	Base
	Tag
	MessageID string
}

// TextMessageChunk is the short form that an [Expander] turns into start,
// content and end.
type TextMessageChunk struct {
	Base
	Tag
	MessageID *string
	Role      Role
	Delta     *string
	Name      string
}

func (*TextMessageStart) Type() EventType   { return TypeTextMessageStart }
func (*TextMessageContent) Type() EventType { return TypeTextMessageContent }
func (*TextMessageEnd) Type() EventType     { return TypeTextMessageEnd }
func (*TextMessageChunk) Type() EventType   { return TypeTextMessageChunk }
