package agui

import "strconv"

// maxEvent is the size of an event's JSON beyond which both readers of the
// reference, and ours, end the run: they hold no more than 10 MiB of a frame
// that has not ended, "data: " and the first line break of its end with it.
const maxEvent = 10<<20 - len("data: \n")

// AppendEvent appends the event's JSON: compact, "type" first, then the
// event's own members in the protocol's order, then subagentRunId, timestamp,
// rawEvent and metadata. What is absent is left out; null is written only
// where it is a value, and inside the user's own JSON. Text that is not UTF-8
// is written with U+FFFD for each bad byte. Metadata is written with its names
// sorted.
//
// An event that a client would end the run over, or would silently shorten, is
// refused with an [*EventError] that says where it is wrong: a raw member that
// is not JSON, a JSON Pointer that is none, a role, operation or outcome that
// the protocol does not have, an interrupt outcome without interrupts; and an
// event whose JSON is larger than 10,485,753 bytes, which is more than 10 MiB as
// a frame. dst is then returned as it was.
//
// Text, tool argument and reasoning deltas, and state deltas, are written
// without allocation when dst has room.
func AppendEvent(dst []byte, e Event) ([]byte, error) {
	begin := len(dst)
	dst, err := appendEvent(dst, e)
	if size := len(dst) - begin; size > maxEvent {
		return dst[:begin], &EventError{Type: e.Type(), Reason: "the event is too large: it has " +
			strconv.Itoa(size) + " bytes, and clients take " + strconv.Itoa(maxEvent)}
	}
	return dst, err
}

func appendEvent(dst []byte, e Event) ([]byte, error) {
	begin := len(dst)
	switch e := e.(type) {
	case *TextMessageContent:
		dst = append(dst, `{"type":"TEXT_MESSAGE_CONTENT","messageId":`...)
		dst = appendDelta(dst, e.MessageID, e.Delta)
		if e.plain(e.Tag) {
			return append(dst, '}'), nil
		}
		return appendRest(dst, begin, e, e.Tag)
	case *ToolCallArgs:
		dst = append(dst, `{"type":"TOOL_CALL_ARGS","toolCallId":`...)
		dst = appendDelta(dst, e.ToolCallID, e.Delta)
		if e.plain(e.Tag) {
			return append(dst, '}'), nil
		}
		return appendRest(dst, begin, e, e.Tag)
	case *ReasoningMessageContent:
		dst = append(dst, `{"type":"REASONING_MESSAGE_CONTENT","messageId":`...)
		dst = appendDelta(dst, e.MessageID, e.Delta)
		if e.plain(e.Tag) {
			return append(dst, '}'), nil
		}
		return appendRest(dst, begin, e, e.Tag)
	case nil:
		return dst, &EventError{Reason: "the event is nil"}
	}
	w := writer{buf: dst}
	w.event(e)
	if w.fault != nil {
		return dst[:begin], w.fault.event(e.Type())
	}
	return w.buf, nil
}

// AppendFrame appends the event as one frame of a text/event-stream: "data: ",
// its JSON, and an empty line. Errors are those of [AppendEvent]; dst is then
// returned as it was.
func AppendFrame(dst []byte, e Event) ([]byte, error) {
	begin := len(dst)
	dst, err := AppendEvent(append(dst, "data: "...), e)
	if err != nil {
		return dst[:begin], err
	}
	return append(dst, '\n', '\n'), nil
}

func appendDelta(dst []byte, id, delta string) []byte {
	dst = appendString(dst, id)
	dst = append(dst, `,"delta":`...)
	return appendString(dst, delta)
}

// plain reports whether an event has nothing but its own members.
func (b *Base) plain(t Tag) bool {
	return b.Timestamp == 0 && b.RawEvent == nil && b.Metadata == nil && t.SubagentRunID == nil
}

// appendRest ends an event whose own members stand in dst from begin on.
func appendRest(dst []byte, begin int, e Event, t Tag) ([]byte, error) {
	w := writer{buf: dst}
	w.tag(t)
	w.base(e.common())
	if w.fault != nil {
		return dst[:begin], w.fault.event(e.Type())
	}
	return append(w.buf, '}'), nil
}

// event writes any event but the three above.
func (w *writer) event(e Event) {
	if u, ok := e.(*UnknownEvent); ok {
		w.unknown(u)
		return
	}
	w.open('{')
	w.string("type", string(e.Type()))
	switch e := e.(type) {
	case *TextMessageStart:
		w.string("messageId", e.MessageID)
		w.textRole(e.Role)
		w.optional("name", e.Name)
		w.tag(e.Tag)
	case *TextMessageEnd:
		w.string("messageId", e.MessageID)
		w.tag(e.Tag)
	case *TextMessageChunk:
		w.pointer("messageId", e.MessageID)
		w.textRole(e.Role)
		w.pointer("delta", e.Delta)
		w.optional("name", e.Name)
		w.tag(e.Tag)
	case *ToolCallStart:
		w.string("toolCallId", e.ToolCallID)
		w.string("toolCallName", e.ToolCallName)
		w.optional("parentMessageId", e.ParentMessageID)
		w.tag(e.Tag)
	case *ToolCallEnd:
		w.string("toolCallId", e.ToolCallID)
		w.tag(e.Tag)
	case *ToolCallChunk:
		w.pointer("toolCallId", e.ToolCallID)
		w.pointer("toolCallName", e.ToolCallName)
		w.pointer("parentMessageId", e.ParentMessageID)
		w.pointer("delta", e.Delta)
		w.tag(e.Tag)
	case *ToolCallResult:
		w.string("messageId", e.MessageID)
		w.string("toolCallId", e.ToolCallID)
		w.content("content", e.Content)
		if e.Role != "" && e.Role != RoleTool {
			w.fail("role", "must be tool, not "+quoted(string(e.Role)))
		}
		w.optional("role", string(e.Role))
		w.tag(e.Tag)
	case *StateSnapshot:
		w.json("snapshot", e.Snapshot)
		w.tag(e.Tag)
	case *StateDelta:
		w.patch("delta", e.Delta)
		w.tag(e.Tag)
	case *MessagesSnapshot:
		w.messages("messages", e.Messages)
	case *ActivitySnapshot:
		w.string("messageId", e.MessageID)
		w.string("activityType", e.ActivityType)
		w.activity(e.Content)
		if e.Replace != nil {
			w.name("replace")
			if *e.Replace {
				w.buf = append(w.buf, "true"...)
			} else {
				w.buf = append(w.buf, "false"...)
			}
		}
		w.tag(e.Tag)
	case *ActivityDelta:
		w.string("messageId", e.MessageID)
		w.string("activityType", e.ActivityType)
		w.patch("patch", e.Patch)
		w.tag(e.Tag)
	case *Raw:
		w.json("event", e.Event)
		w.optional("source", e.Source)
		w.tag(e.Tag)
	case *Custom:
		w.string("name", e.Name)
		w.json("value", e.Value)
		w.tag(e.Tag)
	case *RunStarted:
		w.string("threadId", e.ThreadID)
		w.string("runId", e.RunID)
		w.optional("protocolVersion", e.ProtocolVersion)
		w.optional("parentRunId", e.ParentRunID)
		if e.Input != nil {
			w.name("input")
			w.enter("input")
			w.input(e.Input)
			w.leave()
		}
	case *RunFinished:
		w.string("threadId", e.ThreadID)
		w.string("runId", e.RunID)
		w.optionalJSON("result", e.Result)
		if e.Outcome != nil {
			w.name("outcome")
			w.enter("outcome")
			w.runOutcome(e.Outcome)
			w.leave()
		}
		w.usage(e.Usage)
	case *RunError:
		w.string("message", e.Message)
		w.optional("code", e.Code)
		w.usage(e.Usage)
	case *StepStarted:
		w.string("stepName", e.StepName)
		w.tag(e.Tag)
	case *StepFinished:
		w.string("stepName", e.StepName)
		w.tag(e.Tag)
	case *ReasoningStart:
		w.string("messageId", e.MessageID)
		w.tag(e.Tag)
	case *ReasoningMessageStart:
		w.string("messageId", e.MessageID)
		w.string("role", string(RoleReasoning))
		w.tag(e.Tag)
	case *ReasoningMessageEnd:
		w.string("messageId", e.MessageID)
		w.tag(e.Tag)
	case *ReasoningMessageChunk:
		w.pointer("messageId", e.MessageID)
		w.pointer("delta", e.Delta)
		w.tag(e.Tag)
	case *ReasoningEnd:
		w.string("messageId", e.MessageID)
		w.tag(e.Tag)
	case *ReasoningEncryptedValue:
		if e.Subtype != EncryptedToolCall && e.Subtype != EncryptedMessage {
			w.fail("subtype", "must be tool-call or message, not "+quoted(string(e.Subtype)))
		}
		w.string("subtype", string(e.Subtype))
		w.string("entityId", e.EntityID)
		w.string("encryptedValue", e.EncryptedValue)
		w.tag(e.Tag)
	case *SubagentStarted:
		w.string("subagentRunId", e.SubagentRunID)
		w.string("name", e.Name)
		w.optional("description", e.Description)
		w.optional("parentSubagentRunId", e.ParentSubagentRunID)
		w.optional("parentToolCallId", e.ParentToolCallID)
		w.optional("parentMessageId", e.ParentMessageID)
	case *SubagentFinished:
		w.string("subagentRunId", e.SubagentRunID)
		w.optionalJSON("result", e.Result)
		if e.Outcome != nil {
			w.name("outcome")
			w.enter("outcome")
			w.subagentOutcome(e.Outcome)
			w.leave()
		}
	case *SubagentError:
		w.string("subagentRunId", e.SubagentRunID)
		w.string("message", e.Message)
		w.optional("code", e.Code)
	}
	w.base(e.common())
	w.close('}')
}

// textRole writes the role of a text message; "" is left out.
func (w *writer) textRole(r Role) {
	if r == "" {
		return
	}
	if !isTextRole(r) {
		w.fail("role", "must be developer, system, assistant or user, not "+quoted(string(r)))
	}
	w.string("role", string(r))
}

func isTextRole(r Role) bool {
	return r == RoleDeveloper || r == RoleSystem || r == RoleAssistant || r == RoleUser
}

// unknown writes an event back as it came. It must be what it says it is, or
// it would be a way around every check above.
func (w *writer) unknown(e *UnknownEvent) {
	d, f := readDocument(parser{data: e.JSON, maxDepth: maxEventDepth})
	if f != nil {
		w.fault = f
		return
	}
	defer d.release()
	if d.nodes[0].kind != '{' {
		w.fail("", "must be an object")
		return
	}
	switch i := d.member(0, "type"); {
	case i == 0 || d.nodes[i].kind != '"' || !d.is(i, string(e.EventType)):
		w.fail("type", "must be "+quoted(string(e.EventType)))
	case e.EventType == "" || isKnown(e.EventType):
		w.fail("type", "must be one that this package does not know")
	default:
		w.buf, _ = appendJSON(w.buf, e.JSON)
	}
}
