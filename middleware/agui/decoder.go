package agui

// DecodeEvent reads one event as the reference client does. It is a [Decoder]
// of its own: events of the retired THINKING_* family, which carry no ids, need
// one Decoder for the whole stream to fit together.
func DecodeEvent(data []byte) (Event, error) { return new(Decoder).Decode(data) }

// Decoder reads the events of one stream. The zero value is ready. It is not
// safe for concurrent use.
type Decoder struct {
	span    string // the id given to the last THINKING_START
	message string // the id given to the last THINKING_TEXT_MESSAGE_START
}

// Decode reads one event, as the reference client of AG-UI 1.0 does:
//
//   - An event of an unknown type is an [*UnknownEvent], kept whole. A client
//     drops it.
//   - Members that the protocol does not name are dropped, and so are messages
//     of unknown roles, parts of unknown types or sources, and operations that
//     RFC 6902 does not have; an unknown outcome is none.
//   - The nulls that older servers write for a few optional members are taken
//     for absent: rawEvent, result, a run's outcome, a tool call's
//     parentMessageId, the metadata of media parts in messages, and
//     forwardedProps, parameters, payload and state in RUN_STARTED's input.
//   - Retired events and parts become their successors: THINKING_* events are
//     reasoning with new ids, binary parts are images, audio, video, documents.
//
// Any other wrong or missing member is an [*EventError] that names it. Numbers
// keep their digits. The event shares no memory with data.
func (d *Decoder) Decode(data []byte) (Event, error) {
	doc, f := readDocument(parser{data: data, maxDepth: maxEventDepth})
	if f != nil {
		return nil, f.event("")
	}
	defer doc.release()
	return readEvent(doc, d.translate)
}

// translate gives a retired event type its successor and an id.
func (d *Decoder) translate(t EventType) (EventType, string) {
	switch t {
	case "THINKING_START":
		d.span = NewID()
		return TypeReasoningStart, d.span
	case "THINKING_TEXT_MESSAGE_START":
		d.message = NewID()
		return TypeReasoningMessageStart, d.message
	case "THINKING_TEXT_MESSAGE_CONTENT":
		return TypeReasoningMessageContent, orNewID(d.message)
	case "THINKING_TEXT_MESSAGE_END":
		id := orNewID(d.message)
		d.message = ""
		return TypeReasoningMessageEnd, id
	case "THINKING_END":
		id := orNewID(d.span)
		d.span = ""
		return TypeReasoningEnd, id
	}
	return t, ""
}

func orNewID(id string) string {
	if id == "" {
		return NewID()
	}
	return id
}

// retired reads the members of a THINKING_* event into its successor.
func (r *reader) retired(t EventType, id string) Event {
	switch t {
	case TypeReasoningStart:
		return &ReasoningStart{Tag: r.tag(0), MessageID: id}
	case TypeReasoningMessageStart:
		return &ReasoningMessageStart{Tag: r.tag(0), MessageID: id}
	case TypeReasoningMessageContent:
		return &ReasoningMessageContent{Tag: r.tag(0), MessageID: id, Delta: r.string(0, "delta")}
	case TypeReasoningMessageEnd:
		return &ReasoningMessageEnd{Tag: r.tag(0), MessageID: id}
	default:
		return &ReasoningEnd{Tag: r.tag(0), MessageID: id}
	}
}
