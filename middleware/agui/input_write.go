package agui

import (
	"slices"
	"strconv"
)

// quoted is for text from outside inside a reason.
func quoted(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return strconv.Quote(s)
}

var inputMembers = []string{
	"threadId", "runId", "protocolVersion", "parentRunId", "state",
	"messages", "tools", "context", "forwardedProps", "resume",
}

func (w *writer) input(in *RunAgentInput) {
	w.open('{')
	w.string("threadId", in.ThreadID)
	w.string("runId", in.RunID)
	w.optional("protocolVersion", in.ProtocolVersion)
	w.optional("parentRunId", in.ParentRunID)
	w.optionalJSON("state", in.State)
	w.messages("messages", in.Messages)
	if in.Tools != nil {
		w.tools("tools", in.Tools)
	}
	if in.Context != nil {
		w.name("context")
		w.open('[')
		for _, c := range in.Context {
			w.comma()
			w.context(&c)
		}
		w.close(']')
	}
	w.optionalJSON("forwardedProps", in.ForwardedProps)
	if in.Resume != nil {
		w.name("resume")
		w.enter("resume")
		w.open('[')
		for i := range in.Resume {
			w.comma()
			w.element(i)
			w.resumeEntry(&in.Resume[i])
			w.leave()
		}
		w.close(']')
		w.leave()
	}
	if len(in.Extra) > 0 {
		w.extra(in.Extra, func(name string) bool { return slices.Contains(inputMembers, name) })
	}
	w.close('}')
}

func (w *writer) tools(name string, tools []Tool) {
	w.name(name)
	w.enter(name)
	w.open('[')
	for i := range tools {
		w.comma()
		w.element(i)
		w.tool(&tools[i])
		w.leave()
	}
	w.close(']')
	w.leave()
}

func (w *writer) tool(t *Tool) {
	w.open('{')
	w.string("name", t.Name)
	w.string("description", t.Description)
	w.optionalJSON("parameters", t.Parameters)
	w.metadata(t.Metadata)
	w.close('}')
}

func (w *writer) context(c *Context) {
	w.open('{')
	w.string("description", c.Description)
	w.string("value", c.Value)
	w.close('}')
}

func (w *writer) resumeEntry(r *ResumeEntry) {
	w.open('{')
	w.string("interruptId", r.InterruptID)
	if r.Status != ResumeResolved && r.Status != ResumeCancelled {
		w.fail("status", "must be resolved or cancelled, not "+quoted(string(r.Status)))
	}
	w.string("status", string(r.Status))
	w.optionalJSON("payload", r.Payload)
	w.metadata(r.Metadata)
	w.close('}')
}

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

func (w *writer) patch(name string, p Patch) {
	w.name(name)
	w.enter(name)
	w.open('[')
	for i := range p {
		w.comma()
		w.element(i)
		w.operation(&p[i])
		w.leave()
	}
	w.close(']')
	w.leave()
}

func (w *writer) operation(o *Operation) {
	w.open('{')
	w.string("op", string(o.Op))
	switch o.Op {
	case OpMove, OpCopy:
		w.jsonPointer("from", o.From)
		w.jsonPointer("path", o.Path)
	case OpRemove:
		w.jsonPointer("path", o.Path)
	case OpAdd, OpReplace, OpTest:
		w.jsonPointer("path", o.Path)
		w.json("value", o.Value)
	default:
		w.fail("op", "is not an operation of RFC 6902: "+quoted(string(o.Op)))
	}
	w.close('}')
}

func (w *writer) jsonPointer(name, value string) {
	if reason := jsonPointerFault(value); reason != "" {
		w.fail(name, reason)
	}
	w.string(name, value)
}
