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

// patch reads a JSON Patch that must be there. An operation that RFC 6902 does
// not have is dropped by a client, which applies the rest.
func (r *reader) patch(object uint32, name string) Patch {
	i := r.required(object, name)
	if i == 0 {
		return nil
	}
	if r.kind(i) != '[' {
		r.wrongKind(i, "an array")
		return nil
	}
	return r.operations(i)
}

func (r *reader) operations(array uint32) Patch {
	p := make(Patch, 0, r.length(array))
	for e := range r.elements(array) {
		if !r.object(e) {
			return nil
		}
		if o, ok := r.operation(e); ok {
			p = append(p, o)
		}
	}
	return p
}

func (r *reader) operation(i uint32) (o Operation, ok bool) {
	o.Op = Op(r.choice(i, "op"))
	switch o.Op {
	case OpAdd, OpReplace, OpTest:
		o.Path = r.jsonPointer(i, "path")
		o.Value = r.json(i, "value")
	case OpMove, OpCopy:
		o.From = r.jsonPointer(i, "from")
		o.Path = r.jsonPointer(i, "path")
	case OpRemove:
		o.Path = r.jsonPointer(i, "path")
	default:
		if !r.client {
			r.unchosen(i, "op", "add, remove, replace, move, copy or test")
		}
		return o, false
	}
	return o, true
}

func (r *reader) jsonPointer(object uint32, name string) string {
	i := r.required(object, name)
	if i == 0 {
		return ""
	}
	p := r.text(i)
	if reason := jsonPointerFault(p); reason != "" {
		r.fail(i, reason)
	}
	return p
}

func (r *reader) runOutcome() *RunOutcome {
	i := r.get(0, "outcome")
	if i == 0 || r.kind(i) == 'n' || !r.object(i) {
		return nil
	}
	return r.readRunOutcome(i)
}

// readRunOutcome is nil for an outcome nobody knows, which a client takes for
// success.
func (r *reader) readRunOutcome(i uint32) *RunOutcome {
	o := &RunOutcome{Type: OutcomeType(r.choice(i, "type"))}
	switch o.Type {
	case OutcomeSuccess:
		o.PendingToolCallIDs = r.strings(i, "pendingToolCallIds")
	case OutcomeInterrupt:
		list := r.required(i, "interrupts")
		if list == 0 {
			return nil
		}
		if r.kind(list) != '[' {
			r.wrongKind(list, "an array")
			return nil
		}
		for e := range r.elements(list) {
			if !r.object(e) {
				return nil
			}
			o.Interrupts = append(o.Interrupts, r.interrupt(e))
		}
		if len(o.Interrupts) == 0 {
			r.fail(list, "must have at least one interrupt")
		}
	case OutcomeCancelled:
	default:
		if !r.client {
			r.unchosen(i, "type", "success, interrupt or cancelled")
		}
		return nil
	}
	return o
}

func (r *reader) subagentOutcome() *SubagentOutcome {
	i := r.get(0, "outcome")
	if i == 0 || !r.object(i) {
		return nil
	}
	return r.readSubagentOutcome(i)
}

func (r *reader) readSubagentOutcome(i uint32) *SubagentOutcome {
	o := &SubagentOutcome{Type: OutcomeType(r.choice(i, "type"))}
	switch o.Type {
	case OutcomeSuccess:
	case OutcomeSuspended:
		o.InterruptIDs = r.strings(i, "interruptIds")
	default:
		if !r.client {
			r.unchosen(i, "type", "success or suspended")
		}
		return nil
	}
	return o
}

func (r *reader) interrupt(i uint32) (n Interrupt) {
	n.Tag = r.tag(i)
	n.ID = r.string(i, "id")
	n.Reason = r.string(i, "reason")
	n.Message = r.optional(i, "message")
	n.ToolCallID = r.optional(i, "toolCallId")
	if s := r.get(i, "responseSchema"); s != 0 {
		n.ResponseSchema = r.objectJSON(s)
	}
	n.ExpiresAt = r.optional(i, "expiresAt")
	n.Metadata = r.metadata(i)
	return n
}

// usage reads an array that may be absent, which is nil.
func (r *reader) usage() []TokenUsage {
	array, ok := r.array(0, "usage")
	if !ok {
		return nil
	}
	list := make([]TokenUsage, 0, r.length(array))
	for e := range r.elements(array) {
		if !r.object(e) {
			return nil
		}
		list = append(list, r.tokenUsage(e))
	}
	return list
}

func (r *reader) tokenUsage(i uint32) TokenUsage {
	return TokenUsage{
		Provider:              r.optional(i, "provider"),
		Model:                 r.optional(i, "model"),
		InputTokens:           r.count(i, "inputTokens"),
		OutputTokens:          r.count(i, "outputTokens"),
		TotalTokens:           r.count(i, "totalTokens"),
		ReasoningTokens:       r.count(i, "reasoningTokens"),
		CachedInputTokens:     r.count(i, "cachedInputTokens"),
		CacheWriteInputTokens: r.count(i, "cacheWriteInputTokens"),
	}
}
