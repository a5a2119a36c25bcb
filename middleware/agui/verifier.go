package agui

// Verifier checks the order of a stream's events, as the reference client of
// AG-UI 1.0 does. The zero value is ready. It is not safe for concurrent use.
//
// It checks what has happened, not whether the stream is complete: a stream
// may end anywhere. Chunk events are only checked against the run; an
// [Expander] turns them into what can be checked further. An event of an
// unknown type counts as an event, so drop it first, as a client does, if it
// should not.
type Verifier struct {
	phase phase
	seq   int // counts what was opened

	messages   register[entity]
	toolCalls  register[entity]
	spans      register[entity]
	reasonings register[entity]
	// thinkers own reasoning ids: a span and a message of one id share one.
	thinkers   register[owner]
	activities register[owner]
	steps      map[stepKey]int // when it was opened
	subagents  register[entity]

	// open counts, per kind, so that RUN_FINISHED costs nothing.
	open [kinds]int32
}

type phase uint8

const (
	beforeRun phase = iota
	inRun
	runFinished
	runFailed
)

// owner is who an entity belongs to: a subagent's run, or the parent agent.
type owner struct {
	id     string
	tagged bool
}

func ownerOf(tag *string) owner {
	if tag == nil {
		return owner{}
	}
	return owner{id: *tag, tagged: true}
}

func (o owner) tag() Tag {
	if !o.tagged {
		return Tag{}
	}
	return Tag{SubagentRunID: &o.id}
}

// entity is a message, a tool call, a reasoning span or message, or a
// subagent. It outlives its close.
type entity struct {
	owner  owner
	opened int // when it was opened; 0 when it is closed
}

type stepKey struct {
	name  string
	owner owner
}

// kind is what can be open, in the order in which RUN_FINISHED asks for it.
type kind uint8

const (
	stepKind kind = iota
	textKind
	reasoningMessageKind
	reasoningSpanKind
	toolCallKind
	subagentKind
	kinds
)

var openRules = [kinds]Rule{
	RuleOpenStep, RuleOpenText, RuleOpenReasoningMessage, RuleOpenReasoningSpan, RuleOpenToolCall, RuleOpenSubagent,
}

// Reset makes the verifier as new.
func (v *Verifier) Reset() { *v = Verifier{} }

// Observe takes note of the next event of the stream. The error is an
// [*OrderError] when the event may not come here; it is then as if the event
// had not been, so that another can take its place (RUN_ERROR, for one).
//
// The content of a message or call costs one look-up and no allocation.
func (v *Verifier) Observe(e Event) error {
	t := e.Type()
	switch v.phase {
	case runFailed:
		if t != TypeRunStarted {
			return &OrderError{Rule: RuleAfterRunError, Type: t}
		}
	case runFinished:
		if t != TypeRunStarted && t != TypeRunError {
			return &OrderError{Rule: RuleAfterRunFinished, Type: t}
		}
	case beforeRun:
		if t != TypeRunStarted && t != TypeRunError {
			return &OrderError{Rule: RuleFirstEvent, Type: t}
		}
	case inRun:
		if t == TypeRunStarted {
			return &OrderError{Rule: RuleRunStartedWhileActive, Type: t}
		}
	}
	if rule, id := v.observe(e); rule != "" {
		return &OrderError{Rule: rule, Type: t, ID: id}
	}
	return nil
}

func (v *Verifier) observe(e Event) (Rule, string) {
	switch e := e.(type) {
	case *TextMessageContent:
		return continued(&v.messages, e.MessageID, e.Tag, RuleTextNotOpen), e.MessageID
	case *ToolCallArgs:
		return continued(&v.toolCalls, e.ToolCallID, e.Tag, RuleToolCallNotOpen), e.ToolCallID
	case *ReasoningMessageContent:
		return v.thought(&v.reasonings, e.MessageID, e.Tag, RuleReasoningMessageNotOpen), e.MessageID
	case *TextMessageStart:
		return v.start(textKind, &v.messages, e.MessageID, e.Tag, RuleTextAlreadyOpen), e.MessageID
	case *TextMessageEnd:
		rule := continued(&v.messages, e.MessageID, e.Tag, RuleTextNotOpen)
		return v.end(textKind, &v.messages, e.MessageID, rule), e.MessageID
	case *ToolCallStart:
		return v.startCall(e), e.ToolCallID
	case *ToolCallEnd:
		rule := continued(&v.toolCalls, e.ToolCallID, e.Tag, RuleToolCallNotOpen)
		return v.end(toolCallKind, &v.toolCalls, e.ToolCallID, rule), e.ToolCallID
	case *ToolCallResult:
		m := entity{owner: ownerOf(e.SubagentRunID)}
		if known := v.messages.get(e.MessageID); known != nil {
			m.opened = known.opened
		}
		v.messages.put(e.MessageID, m)
	case *StepStarted:
		return v.startStep(e), e.StepName
	case *StepFinished:
		return v.finishStep(e), e.StepName
	case *ReasoningStart:
		return v.startThought(reasoningSpanKind, &v.spans, e.MessageID, e.Tag, RuleReasoningSpanAlreadyOpen), e.MessageID
	case *ReasoningEnd:
		rule := v.thought(&v.spans, e.MessageID, e.Tag, RuleReasoningSpanNotOpen)
		return v.end(reasoningSpanKind, &v.spans, e.MessageID, rule), e.MessageID
	case *ReasoningMessageStart:
		return v.startThought(reasoningMessageKind, &v.reasonings, e.MessageID, e.Tag, RuleReasoningMessageAlreadyOpen), e.MessageID
	case *ReasoningMessageEnd:
		rule := v.thought(&v.reasonings, e.MessageID, e.Tag, RuleReasoningMessageNotOpen)
		return v.end(reasoningMessageKind, &v.reasonings, e.MessageID, rule), e.MessageID
	case *ReasoningEncryptedValue:
		return v.encrypted(e), e.EntityID
	case *ActivitySnapshot:
		if v.activities.get(e.MessageID) == nil || e.Replace == nil || *e.Replace {
			v.activities.put(e.MessageID, ownerOf(e.SubagentRunID))
		}
	case *ActivityDelta:
		if o := v.activities.get(e.MessageID); o != nil && differs(e.Tag, *o) {
			return RuleTagDiffersFromOpener, e.MessageID
		}
	case *SubagentStarted:
		return v.startSubagent(e)
	case *SubagentFinished:
		return v.endSubagent(e.SubagentRunID), e.SubagentRunID
	case *SubagentError:
		return v.endSubagent(e.SubagentRunID), e.SubagentRunID
	case *MessagesSnapshot:
		v.seed(e.Messages, true)
	case *RunStarted:
		v.Reset()
		v.phase = inRun
		if e.Input != nil {
			v.seed(e.Input.Messages, false)
		}
	case *RunError:
		v.phase = runFailed
	case *RunFinished:
		for k, n := range v.open {
			if n > 0 {
				return openRules[k], v.oldest(kind(k))
			}
		}
		v.phase = runFinished
	}
	return "", ""
}

// differs reports whether a tag contradicts an owner; no tag contradicts
// nobody.
func differs(t Tag, o owner) bool {
	return t.SubagentRunID != nil && (!o.tagged || o.id != *t.SubagentRunID)
}

// continued checks an event that needs its entity open.
func continued(m *register[entity], id string, t Tag, notOpen Rule) Rule {
	switch e := m.get(id); {
	case e == nil || e.opened == 0:
		return notOpen
	case differs(t, e.owner):
		return RuleTagDiffersFromOpener
	}
	return ""
}

// thought is continued for reasoning, whose owners lie apart.
func (v *Verifier) thought(m *register[entity], id string, t Tag, notOpen Rule) Rule {
	if e := m.get(id); e == nil || e.opened == 0 {
		return notOpen
	}
	if t.SubagentRunID != nil && differs(t, v.thinker(id)) {
		return RuleTagDiffersFromOpener
	}
	return ""
}

// thinker is the owner of a reasoning id: the parent agent when nobody is known.
func (v *Verifier) thinker(id string) owner {
	if o := v.thinkers.get(id); o != nil {
		return *o
	}
	return owner{}
}

// start opens an entity. The first opener owns it, also after its close.
func (v *Verifier) start(k kind, m *register[entity], id string, t Tag, alreadyOpen Rule) Rule {
	o := ownerOf(t.SubagentRunID)
	if e := m.get(id); e != nil {
		if e.opened != 0 {
			return alreadyOpen
		}
		if differs(t, e.owner) {
			return RuleTagDiffersFromOpener
		}
		o = e.owner
	}
	v.opens(k, m, id, o)
	return ""
}

func (v *Verifier) opens(k kind, m *register[entity], id string, o owner) {
	v.seq++
	v.open[k]++
	m.put(id, entity{owner: o, opened: v.seq})
}

// end closes an entity, unless a rule was broken.
func (v *Verifier) end(k kind, m *register[entity], id string, rule Rule) Rule {
	if rule == "" {
		m.get(id).opened = 0
		v.open[k]--
	}
	return rule
}

func (v *Verifier) startThought(k kind, m *register[entity], id string, t Tag, alreadyOpen Rule) Rule {
	if e := m.get(id); e != nil && e.opened != 0 {
		return alreadyOpen
	}
	o := v.thinkers.get(id)
	if o == nil {
		v.thinkers.put(id, ownerOf(t.SubagentRunID))
	} else if differs(t, *o) {
		return RuleTagDiffersFromOpener
	}
	v.opens(k, m, id, v.thinker(id))
	return ""
}

// startCall opens a tool call. One without a tag belongs to whoever its parent
// message belongs to.
func (v *Verifier) startCall(e *ToolCallStart) Rule {
	call := v.toolCalls.get(e.ToolCallID)
	if call != nil && call.opened != 0 {
		return RuleToolCallAlreadyOpen
	}
	var parent *entity
	if e.ParentMessageID != "" {
		parent = v.messages.get(e.ParentMessageID)
	}
	if parent != nil && differs(e.Tag, parent.owner) {
		return RuleToolCallTagDiffers
	}
	o := ownerOf(e.SubagentRunID)
	if e.SubagentRunID == nil && parent != nil {
		o = parent.owner
	}
	if call != nil {
		if differs(e.Tag, call.owner) {
			return RuleTagDiffersFromOpener
		}
		if e.SubagentRunID == nil && parent != nil && parent.owner != call.owner {
			return RuleToolCallReopenedByOther
		}
		o = call.owner
	}
	v.opens(toolCallKind, &v.toolCalls, e.ToolCallID, o)
	return ""
}

func (v *Verifier) startStep(e *StepStarted) Rule {
	key := stepKey{e.StepName, ownerOf(e.SubagentRunID)}
	if v.steps[key] != 0 {
		return RuleStepAlreadyOpen
	}
	v.seq++
	v.open[stepKind]++
	if v.steps == nil {
		v.steps = map[stepKey]int{}
	}
	v.steps[key] = v.seq
	return ""
}

func (v *Verifier) finishStep(e *StepFinished) Rule {
	key := stepKey{e.StepName, ownerOf(e.SubagentRunID)}
	if v.steps[key] != 0 {
		delete(v.steps, key)
		v.open[stepKind]--
		return ""
	}
	for other := range v.steps {
		if other.name == e.StepName {
			return RuleStepWrongOwner
		}
	}
	return RuleStepNotOpen
}

func (v *Verifier) encrypted(e *ReasoningEncryptedValue) Rule {
	entities := &v.messages
	if e.Subtype == EncryptedToolCall {
		entities = &v.toolCalls
	}
	var o *owner
	if known := entities.get(e.EntityID); known != nil {
		o = &known.owner
	} else if e.Subtype != EncryptedToolCall {
		o = v.thinkers.get(e.EntityID)
	}
	if o != nil && differs(e.Tag, *o) {
		return RuleTagDiffersFromOpener
	}
	return ""
}

func (v *Verifier) startSubagent(e *SubagentStarted) (Rule, string) {
	if s := v.subagents.get(e.SubagentRunID); s != nil {
		if s.opened != 0 {
			return RuleSubagentAlreadyOpen, e.SubagentRunID
		}
		return RuleSubagentIDReused, e.SubagentRunID
	}
	if e.ParentSubagentRunID != "" {
		if v.subagents.get(e.ParentSubagentRunID) == nil {
			return RuleSubagentParentUnknown, e.ParentSubagentRunID
		}
	}
	v.opens(subagentKind, &v.subagents, e.SubagentRunID, owner{})
	return "", ""
}

func (v *Verifier) endSubagent(id string) Rule {
	if s := v.subagents.get(id); s == nil || s.opened == 0 {
		return RuleSubagentNotOpen
	}
	return v.end(subagentKind, &v.subagents, id, "")
}
