package agui

func (w *writer) runOutcome(o *RunOutcome) {
	w.open('{')
	w.string("type", string(o.Type))
	switch o.Type {
	case OutcomeSuccess:
		if o.PendingToolCallIDs != nil {
			w.strings("pendingToolCallIds", o.PendingToolCallIDs)
		}
	case OutcomeInterrupt:
		if len(o.Interrupts) == 0 {
			w.fail("interrupts", "must have at least one interrupt")
		}
		w.name("interrupts")
		w.enter("interrupts")
		w.open('[')
		for i := range o.Interrupts {
			w.comma()
			w.element(i)
			w.interrupt(&o.Interrupts[i])
			w.leave()
		}
		w.close(']')
		w.leave()
	case OutcomeCancelled:
	default:
		w.fail("type", "must be success, interrupt or cancelled, not "+quoted(string(o.Type)))
	}
	w.close('}')
}

func (w *writer) subagentOutcome(o *SubagentOutcome) {
	w.open('{')
	w.string("type", string(o.Type))
	switch o.Type {
	case OutcomeSuccess:
	case OutcomeSuspended:
		if o.InterruptIDs != nil {
			w.strings("interruptIds", o.InterruptIDs)
		}
	default:
		w.fail("type", "must be success or suspended, not "+quoted(string(o.Type)))
	}
	w.close('}')
}

func (w *writer) interrupt(i *Interrupt) {
	w.open('{')
	w.string("id", i.ID)
	w.string("reason", i.Reason)
	w.optional("message", i.Message)
	w.optional("toolCallId", i.ToolCallID)
	if !isAbsent(i.ResponseSchema) {
		w.objectJSON("responseSchema", i.ResponseSchema)
	}
	w.optional("expiresAt", i.ExpiresAt)
	w.metadata(i.Metadata)
	w.tag(i.Tag)
	w.close('}')
}

func (w *writer) usage(usage []TokenUsage) {
	if usage == nil {
		return
	}
	w.name("usage")
	w.enter("usage")
	w.open('[')
	for i := range usage {
		w.comma()
		w.element(i)
		w.tokenUsage(&usage[i])
		w.leave()
	}
	w.close(']')
	w.leave()
}

func (w *writer) tokenUsage(u *TokenUsage) {
	w.open('{')
	w.optional("provider", u.Provider)
	w.optional("model", u.Model)
	w.count("inputTokens", u.InputTokens)
	w.count("outputTokens", u.OutputTokens)
	w.count("totalTokens", u.TotalTokens)
	w.count("reasoningTokens", u.ReasoningTokens)
	w.count("cachedInputTokens", u.CachedInputTokens)
	w.count("cacheWriteInputTokens", u.CacheWriteInputTokens)
	w.close('}')
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
	list := make([]TokenUsage, 0, r.room(array))
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
