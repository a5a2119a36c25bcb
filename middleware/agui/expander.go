package agui

// Expander turns chunk events, the short form, into start, content and end, as
// the reference client of AG-UI 1.0 does. The zero value is ready. It is not
// safe for concurrent use.
//
// Each subagent, and the parent agent, has a lane, and in each lane one message
// or call at a time is written in chunks. It ends when its lane's next one
// begins, or any explicit message, tool call, reasoning, state, step or custom
// event comes in the lane, or its subagent ends; RUN_* and MESSAGES_SNAPSHOT
// end them all. The end of the stream ends none.
type Expander struct {
	lanes lanes
}

// chunk is a chunk event of any kind.
type chunk struct {
	kind   kind
	base   *Base
	tag    Tag
	id     *string
	delta  *string
	role   Role
	name   *string // of the author, or of the tool
	parent *string
}

// Reset makes the expander as new.
func (x *Expander) Reset() { x.lanes.reset() }

// AppendExpand appends what the next event of the stream stands for: itself,
// or what a chunk expands to, behind the ends that it causes. The error is an
// [*OrderError] when a chunk continues nothing, or not what it says; dst is
// then returned as it was, and it is as if the chunk had not been.
//
// A chunk's metadata goes to every event that it expands to, its raw event to
// the content only; its timestamp is lost.
func (x *Expander) AppendExpand(dst []Event, e Event) ([]Event, error) {
	switch e := e.(type) {
	case *TextMessageChunk:
		c := chunk{kind: textKind, base: &e.Base, tag: e.Tag, id: e.MessageID, delta: e.Delta, role: e.Role}
		if e.Name != "" {
			c.name = &e.Name
		}
		return x.chunk(dst, e, &c)
	case *ToolCallChunk:
		return x.chunk(dst, e, &chunk{kind: toolCallKind, base: &e.Base, tag: e.Tag, id: e.ToolCallID, delta: e.Delta,
			name: e.ToolCallName, parent: e.ParentMessageID})
	case *ReasoningMessageChunk:
		return x.chunk(dst, e, &chunk{kind: reasoningMessageKind, base: &e.Base, tag: e.Tag, id: e.MessageID, delta: e.Delta})
	}
	if len(x.lanes.list) > 0 {
		dst = x.interrupt(dst, e)
	}
	return append(dst, e), nil
}

// interrupt appends the ends that an event other than a chunk causes.
func (x *Expander) interrupt(dst []Event, e Event) []Event {
	var tag Tag
	switch e := e.(type) {
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		for i := range x.lanes.list {
			if l := &x.lanes.list[i]; !l.ended {
				dst = append(dst, l.end())
			}
		}
		x.Reset()
		return dst
	case *SubagentFinished:
		tag.SubagentRunID = &e.SubagentRunID
	case *SubagentError:
		tag.SubagentRunID = &e.SubagentRunID
	case *TextMessageStart:
		tag = e.Tag
	case *TextMessageContent:
		tag = e.Tag
	case *TextMessageEnd:
		tag = e.Tag
	case *ToolCallStart:
		tag = e.Tag
	case *ToolCallArgs:
		tag = e.Tag
	case *ToolCallEnd:
		tag = e.Tag
	case *ToolCallResult:
		tag = e.Tag
	case *StateSnapshot:
		tag = e.Tag
	case *StateDelta:
		tag = e.Tag
	case *Custom:
		tag = e.Tag
	case *StepStarted:
		tag = e.Tag
	case *StepFinished:
		tag = e.Tag
	case *ReasoningStart:
		tag = e.Tag
	case *ReasoningMessageStart:
		tag = e.Tag
	case *ReasoningMessageContent:
		tag = e.Tag
	case *ReasoningMessageEnd:
		tag = e.Tag
	case *ReasoningEnd:
		tag = e.Tag
	default:
		return dst
	}
	return x.close(dst, ownerOf(tag.SubagentRunID))
}

// close appends the end of what an owner's lane holds.
func (x *Expander) close(dst []Event, o owner) []Event {
	if i := x.lanes.of(o); i >= 0 {
		dst = append(dst, x.lanes.list[i].end())
		x.lanes.close(i)
	}
	return dst
}

func (x *Expander) chunk(dst []Event, e Event, c *chunk) ([]Event, error) {
	o, rule := x.resolve(c)
	var l *lane
	if i := x.lanes.of(o); i >= 0 {
		l = &x.lanes.list[i]
	}
	continues := rule == "" && l != nil && l.kind == c.kind && (c.id == nil || *c.id == l.id)
	switch {
	case rule != "":
	case continues:
		rule = l.disagrees(c)
	case c.id == nil:
		rule = RuleChunkOpenerNeedsID
	case c.kind == toolCallKind && c.name == nil:
		rule = RuleChunkOpenerNeedsToolName
	}
	if rule != "" {
		id := ""
		if c.id != nil {
			id = *c.id
		} else if continues {
			id = l.id
		}
		return dst, &OrderError{Rule: rule, Type: e.Type(), ID: id}
	}
	if !continues {
		dst = x.close(dst, o)
		l = &x.lanes.list[x.lanes.open(newLane(o, c))]
		dst = append(dst, l.start(c))
	}
	hasRaw := !isAbsent(c.base.RawEvent)
	if c.delta != nil || hasRaw || continues && c.base.Metadata != nil {
		dst = append(dst, l.content(c))
	}
	return dst, nil
}

// resolve finds whose lane a chunk belongs to.
func (x *Expander) resolve(c *chunk) (owner, Rule) {
	tag := ownerOf(c.tag.SubagentRunID)
	switch {
	case c.id != nil:
		i := x.lanes.with(c.kind, *c.id)
		if i < 0 {
			return tag, ""
		}
		o := x.lanes.list[i].owner
		if tag.tagged && tag != o {
			return owner{}, RuleChunkTagMismatch
		}
		return o, ""
	case tag.tagged:
		return tag, ""
	}
	o, ok := x.lanes.only(c.kind)
	if !ok {
		return o, RuleChunkAmbiguousLane
	}
	return o, ""
}

func newLane(o owner, c *chunk) lane {
	l := lane{owner: o, kind: c.kind, id: *c.id, tag: c.tag, parent: c.parent}
	if c.kind == textKind {
		l.role = c.role
		if l.role == "" {
			l.role = RoleAssistant
		}
	}
	if c.name != nil {
		l.name = *c.name
	}
	return l
}

// disagrees checks what a continuation repeats against what the opener said.
func (l *lane) disagrees(c *chunk) Rule {
	switch {
	case c.role != "" && c.role != l.role,
		c.name != nil && *c.name != l.name,
		c.parent != nil && (l.parent == nil || *l.parent != *c.parent):
		return RuleChunkFieldMismatch
	}
	return ""
}

func (l *lane) start(c *chunk) Event {
	b := Base{Metadata: c.base.Metadata}
	switch l.kind {
	case textKind:
		return &TextMessageStart{Base: b, Tag: l.tag, MessageID: l.id, Role: l.role, Name: l.name}
	case toolCallKind:
		e := &ToolCallStart{Base: b, Tag: l.tag, ToolCallID: l.id, ToolCallName: l.name}
		if l.parent != nil {
			e.ParentMessageID = *l.parent
		}
		return e
	default:
		return &ReasoningMessageStart{Base: b, Tag: l.tag, MessageID: l.id}
	}
}

func (l *lane) content(c *chunk) Event {
	b := Base{RawEvent: c.base.RawEvent, Metadata: c.base.Metadata}
	tag := c.tag
	if tag.SubagentRunID == nil {
		tag = l.tag
	}
	delta := ""
	if c.delta != nil {
		delta = *c.delta
	}
	switch l.kind {
	case textKind:
		return &TextMessageContent{Base: b, Tag: tag, MessageID: l.id, Delta: delta}
	case toolCallKind:
		return &ToolCallArgs{Base: b, Tag: tag, ToolCallID: l.id, Delta: delta}
	default:
		return &ReasoningMessageContent{Base: b, Tag: tag, MessageID: l.id, Delta: delta}
	}
}

func (l *lane) end() Event {
	switch l.kind {
	case textKind:
		return &TextMessageEnd{Tag: l.tag, MessageID: l.id}
	case toolCallKind:
		return &ToolCallEnd{Tag: l.tag, ToolCallID: l.id}
	default:
		return &ReasoningMessageEnd{Tag: l.tag, MessageID: l.id}
	}
}
