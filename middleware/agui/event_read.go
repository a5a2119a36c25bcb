package agui

// eventReaders has, for each event type, how its own members are read.
var eventReaders = map[EventType]func(r *reader) Event{
	TypeTextMessageStart: func(r *reader) Event {
		return &TextMessageStart{Tag: r.tag(0), MessageID: r.string(0, "messageId"),
			Role: r.textRole(), Name: r.optional(0, "name")}
	},
	TypeTextMessageContent: func(r *reader) Event {
		return &TextMessageContent{Tag: r.tag(0), MessageID: r.string(0, "messageId"), Delta: r.string(0, "delta")}
	},
	TypeTextMessageEnd: func(r *reader) Event {
		return &TextMessageEnd{Tag: r.tag(0), MessageID: r.string(0, "messageId")}
	},
	TypeTextMessageChunk: func(r *reader) Event {
		return &TextMessageChunk{Tag: r.tag(0), MessageID: r.pointer(0, "messageId"),
			Role: r.textRole(), Delta: r.pointer(0, "delta"), Name: r.optional(0, "name")}
	},
	TypeToolCallStart: func(r *reader) Event {
		e := &ToolCallStart{Tag: r.tag(0), ToolCallID: r.string(0, "toolCallId"), ToolCallName: r.string(0, "toolCallName")}
		if !r.repaired(0, "parentMessageId") {
			e.ParentMessageID = r.optional(0, "parentMessageId")
		}
		return e
	},
	TypeToolCallArgs: func(r *reader) Event {
		return &ToolCallArgs{Tag: r.tag(0), ToolCallID: r.string(0, "toolCallId"), Delta: r.string(0, "delta")}
	},
	TypeToolCallEnd: func(r *reader) Event {
		return &ToolCallEnd{Tag: r.tag(0), ToolCallID: r.string(0, "toolCallId")}
	},
	TypeToolCallChunk: func(r *reader) Event {
		e := &ToolCallChunk{Tag: r.tag(0), ToolCallID: r.pointer(0, "toolCallId"),
			ToolCallName: r.pointer(0, "toolCallName"), Delta: r.pointer(0, "delta")}
		if !r.repaired(0, "parentMessageId") {
			e.ParentMessageID = r.pointer(0, "parentMessageId")
		}
		return e
	},
	TypeToolCallResult: func(r *reader) Event {
		e := &ToolCallResult{Tag: r.tag(0), MessageID: r.string(0, "messageId"),
			ToolCallID: r.string(0, "toolCallId"), Content: r.content(0, false)}
		if i := r.get(0, "role"); i != 0 {
			e.Role = RoleTool
			if r.choice(0, "role") != string(RoleTool) {
				r.unchosen(0, "role", "tool")
			}
		}
		return e
	},
	TypeStateSnapshot: func(r *reader) Event {
		return &StateSnapshot{Tag: r.tag(0), Snapshot: r.json(0, "snapshot")}
	},
	TypeStateDelta: func(r *reader) Event {
		return &StateDelta{Tag: r.tag(0), Delta: r.patch(0, "delta")}
	},
	TypeMessagesSnapshot: func(r *reader) Event {
		return &MessagesSnapshot{Messages: r.messages(0, "messages")}
	},
	TypeActivitySnapshot: func(r *reader) Event {
		e := &ActivitySnapshot{Tag: r.tag(0), MessageID: r.string(0, "messageId"), ActivityType: r.string(0, "activityType")}
		if i := r.required(0, "content"); i != 0 {
			e.Content = r.objectJSON(i)
		}
		if i := r.get(0, "replace"); i != 0 {
			if r.kind(i) != 't' && r.kind(i) != 'f' {
				r.wrongKind(i, "a boolean")
			}
			e.Replace = new(r.kind(i) == 't')
		}
		return e
	},
	TypeActivityDelta: func(r *reader) Event {
		return &ActivityDelta{Tag: r.tag(0), MessageID: r.string(0, "messageId"),
			ActivityType: r.string(0, "activityType"), Patch: r.patch(0, "patch")}
	},
	TypeRaw: func(r *reader) Event {
		return &Raw{Tag: r.tag(0), Event: r.json(0, "event"), Source: r.optional(0, "source")}
	},
	TypeCustom: func(r *reader) Event {
		return &Custom{Tag: r.tag(0), Name: r.string(0, "name"), Value: r.json(0, "value")}
	},
	TypeRunStarted: func(r *reader) Event {
		e := &RunStarted{ThreadID: r.string(0, "threadId"), RunID: r.string(0, "runId"),
			ProtocolVersion: r.optional(0, "protocolVersion"), ParentRunID: r.optional(0, "parentRunId")}
		if i := r.get(0, "input"); i != 0 && r.object(i) {
			e.Input = new(RunAgentInput)
			r.input(i, e.Input)
		}
		return e
	},
	TypeRunFinished: func(r *reader) Event {
		return &RunFinished{ThreadID: r.string(0, "threadId"), RunID: r.string(0, "runId"),
			Result: r.repairedJSON(0, "result"), Outcome: r.runOutcome(), Usage: r.usage()}
	},
	TypeRunError: func(r *reader) Event {
		return &RunError{Message: r.string(0, "message"), Code: r.optional(0, "code"), Usage: r.usage()}
	},
	TypeStepStarted: func(r *reader) Event {
		return &StepStarted{Tag: r.tag(0), StepName: r.string(0, "stepName")}
	},
	TypeStepFinished: func(r *reader) Event {
		return &StepFinished{Tag: r.tag(0), StepName: r.string(0, "stepName")}
	},
	TypeReasoningStart: func(r *reader) Event {
		return &ReasoningStart{Tag: r.tag(0), MessageID: r.string(0, "messageId")}
	},
	TypeReasoningMessageStart: func(r *reader) Event {
		if r.choice(0, "role") != string(RoleReasoning) {
			r.unchosen(0, "role", "reasoning")
		}
		return &ReasoningMessageStart{Tag: r.tag(0), MessageID: r.string(0, "messageId")}
	},
	TypeReasoningMessageContent: func(r *reader) Event {
		return &ReasoningMessageContent{Tag: r.tag(0), MessageID: r.string(0, "messageId"), Delta: r.string(0, "delta")}
	},
	TypeReasoningMessageEnd: func(r *reader) Event {
		return &ReasoningMessageEnd{Tag: r.tag(0), MessageID: r.string(0, "messageId")}
	},
	TypeReasoningMessageChunk: func(r *reader) Event {
		return &ReasoningMessageChunk{Tag: r.tag(0), MessageID: r.pointer(0, "messageId"), Delta: r.pointer(0, "delta")}
	},
	TypeReasoningEnd: func(r *reader) Event {
		return &ReasoningEnd{Tag: r.tag(0), MessageID: r.string(0, "messageId")}
	},
	TypeReasoningEncryptedValue: func(r *reader) Event {
		e := &ReasoningEncryptedValue{Tag: r.tag(0), Subtype: EncryptedSubtype(r.choice(0, "subtype")),
			EntityID: r.string(0, "entityId"), EncryptedValue: r.string(0, "encryptedValue")}
		if e.Subtype != EncryptedToolCall && e.Subtype != EncryptedMessage {
			r.unchosen(0, "subtype", "tool-call or message")
		}
		return e
	},
	TypeSubagentStarted: func(r *reader) Event {
		return &SubagentStarted{SubagentRunID: r.string(0, "subagentRunId"), Name: r.string(0, "name"),
			Description: r.optional(0, "description"), ParentSubagentRunID: r.optional(0, "parentSubagentRunId"),
			ParentToolCallID: r.optional(0, "parentToolCallId"), ParentMessageID: r.optional(0, "parentMessageId")}
	},
	TypeSubagentFinished: func(r *reader) Event {
		return &SubagentFinished{SubagentRunID: r.string(0, "subagentRunId"),
			Result: r.repairedJSON(0, "result"), Outcome: r.subagentOutcome()}
	},
	TypeSubagentError: func(r *reader) Event {
		return &SubagentError{SubagentRunID: r.string(0, "subagentRunId"),
			Message: r.string(0, "message"), Code: r.optional(0, "code")}
	},
}

// isKnown reports whether t is an event type of AG-UI 1.0.
func isKnown(t EventType) bool {
	_, ok := eventReaders[t]
	return ok
}

// readEvent reads the event that d holds. translate gives a retired event type
// its present one.
func readEvent(d *document, translate func(EventType) (EventType, string)) (Event, error) {
	r := reader{doc: d, client: true}
	if !r.object(0) {
		return nil, r.fault.event("")
	}
	t := EventType(r.choice(0, "type"))
	if t == "" {
		r.unchosen(0, "type", "an event type")
		return nil, r.fault.event("")
	}
	present, id := translate(t)
	var e Event
	switch read := eventReaders[present]; {
	case present != t:
		e = r.retired(present, id)
	case read != nil:
		e = read(&r)
	default:
		text, _ := appendJSON(make([]byte, 0, len(d.data)), d.data)
		return &UnknownEvent{EventType: t, JSON: text}, nil
	}
	r.base(e.common())
	if r.fault != nil {
		return nil, r.fault.event(t)
	}
	return e, nil
}

// base reads what every event may carry.
func (r *reader) base(b *Base) {
	if i := r.get(0, "timestamp"); i != 0 {
		b.Timestamp = r.integer(i)
	}
	b.RawEvent = r.repairedJSON(0, "rawEvent")
	b.Metadata = r.metadata(0)
}

func (r *reader) textRole() Role {
	i := r.get(0, "role")
	if i == 0 {
		return ""
	}
	role := Role(r.choice(0, "role"))
	if !isTextRole(role) {
		r.unchosen(0, "role", "developer, system, assistant or user")
	}
	return role
}
