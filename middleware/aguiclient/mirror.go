package aguiclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

// Mirror is what a client knows of an agent: the state, the conversation and
// how the last run ended, folded from the events of runs by the rules of the
// reference client of AG-UI 1.0. The zero value is an empty conversation with
// the state {}. It is not safe for concurrent use.
//
// It differs from the reference where that departs from RFC 6902 and RFC 6901:
// a pointer into __proto__ is one like any other, and a patch that reaches
// what is not there fails. It never panics, whatever comes.
type Mirror struct {
	state    json.RawMessage // nil is {}
	stale    bool
	chunks   agui.Expander
	chunked  bool // there was a chunk: everything goes through chunks
	expanded []agui.Event

	talk       conversation
	interrupts []agui.Interrupt
	started    idSet // calls of the run without a result
	pending    idSet
	result     json.RawMessage
	usage      []agui.TokenUsage
}

// NewMirror returns a mirror that begins with a state and a conversation. An
// absent or null state is {}.
func NewMirror(state json.RawMessage, messages []agui.Message) *Mirror {
	m := &Mirror{}
	m.SetState(state)
	m.SetMessages(messages)
	return m
}

// State returns the document. Do not change its bytes.
func (m *Mirror) State() json.RawMessage {
	if m.state == nil {
		return json.RawMessage("{}")
	}
	return m.state
}

// SetState makes doc the state, as the client's own. Absent or null is {}. It
// is not stale then.
func (m *Mirror) SetState(doc json.RawMessage) {
	if isNull(doc) {
		doc = nil
	}
	m.state, m.stale = doc, false
}

// Stale reports that the agent may hold another state than this: a patch did
// not apply, or a stream broke off. The next snapshot ends it.
func (m *Mirror) Stale() bool { return m.stale }

// MarkStale notes that events were lost.
func (m *Mirror) MarkStale() { m.stale = true }

// Interrupts returns what the last run asks for: the next one has to answer
// them all.
func (m *Mirror) Interrupts() []agui.Interrupt { return slices.Clone(m.interrupts) }

// PendingToolCallIDs returns the calls that the last successful run left to
// the client, in the order in which they began, without those whose results
// were added since.
func (m *Mirror) PendingToolCallIDs() []string { return m.pending.list() }

// Result returns the result of the last successful run, or nil.
func (m *Mirror) Result() json.RawMessage { return m.result }

// Usage returns the tokens of the last run.
func (m *Mirror) Usage() []agui.TokenUsage { return slices.Clone(m.usage) }

// ApplyError says that an event changed nothing, or not all that it was to.
type ApplyError struct {
	Type agui.EventType
	// ID is the message or call that the event is about, if any.
	ID     string
	Reason string
	// Err is the cause, or nil.
	Err error
}

// Error says which event it was and what became of it.
func (e *ApplyError) Error() string {
	s := "aguiclient: " + string(e.Type)
	if e.ID != "" {
		s += fmt.Sprintf(" (%q)", e.ID)
	}
	s += ": " + e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *ApplyError) Unwrap() error { return e.Err }

// Apply folds one event into the mirror. Chunks are expanded; what the mirror
// does not know changes nothing. Events are kept and never changed.
//
// The error is an [*ApplyError], or an [*agui.OrderError] for a chunk that
// continues nothing. The mirror is in order all the same and takes the next
// event: a patch is applied as a whole or not at all, and a STATE_DELTA that
// fails makes the state stale.
func (m *Mirror) Apply(e agui.Event) error {
	switch e.(type) {
	case *agui.TextMessageChunk, *agui.ToolCallChunk, *agui.ReasoningMessageChunk:
		m.chunked = true
	}
	if !m.chunked {
		return m.apply(e)
	}
	events, err := m.chunks.AppendExpand(m.expanded[:0], e)
	m.expanded = events
	for _, e := range events {
		if applyErr := m.apply(e); err == nil {
			err = applyErr
		}
	}
	return err
}

func (m *Mirror) apply(e agui.Event) error {
	switch e := e.(type) {
	case *agui.TextMessageContent:
		return m.appendText(e.Type(), e.MessageID, e.Delta, e.Metadata)
	case *agui.ToolCallArgs:
		return m.appendArguments(e)
	case *agui.ReasoningMessageContent:
		return m.appendText(e.Type(), e.MessageID, e.Delta, e.Metadata)
	case *agui.TextMessageStart:
		role := e.Role
		if role == "" {
			role = agui.RoleAssistant
		}
		return m.startText(e.Type(), agui.Message{ID: e.MessageID, Role: role, Name: e.Name, SubagentRunID: e.SubagentRunID}, e.Metadata)
	case *agui.TextMessageEnd:
		return m.endText(e.Type(), e.MessageID, e.Metadata)
	case *agui.ReasoningMessageStart:
		return m.startText(e.Type(), agui.Message{ID: e.MessageID, Role: agui.RoleReasoning, SubagentRunID: e.SubagentRunID}, e.Metadata)
	case *agui.ReasoningMessageEnd:
		return m.endText(e.Type(), e.MessageID, e.Metadata)
	case *agui.ReasoningEncryptedValue:
		m.encrypt(e)
	case *agui.ToolCallStart:
		return m.startCall(e)
	case *agui.ToolCallEnd:
		if c := m.talk.call(e.ToolCallID); c != nil {
			c.metadata.merge(e.Metadata)
		}
	case *agui.ToolCallResult:
		m.addResult(e)
	case *agui.StateSnapshot:
		m.state, m.stale = e.Snapshot, false
		if m.state == nil {
			m.state = json.RawMessage("null")
		}
	case *agui.StateDelta:
		return m.patchState(e)
	case *agui.MessagesSnapshot:
		m.replaceMessages(e)
	case *agui.ActivitySnapshot:
		m.setActivity(e)
	case *agui.ActivityDelta:
		return m.patchActivity(e)
	case *agui.RunStarted:
		m.startRun(e)
	case *agui.RunFinished:
		m.finishRun(e)
	case *agui.RunError:
		m.usage = e.Usage
	}
	return nil
}

func (m *Mirror) patchState(e *agui.StateDelta) error {
	next, err := jsonpatch.Apply(m.State(), e.Delta)
	if err != nil {
		m.stale = true
		return &ApplyError{Type: e.Type(), Reason: "the patch does not apply, the state stays as it was", Err: err}
	}
	m.state = next
	return nil
}

func (m *Mirror) startRun(e *agui.RunStarted) {
	m.started, m.pending, m.result, m.usage = idSet{}, idSet{}, nil, nil
	if e.Input == nil {
		return
	}
	for _, msg := range e.Input.Messages {
		if m.talk.byID[msg.ID] == nil {
			m.add(msg)
		}
	}
}

func (m *Mirror) finishRun(e *agui.RunFinished) {
	m.usage, m.interrupts, m.pending, m.result = e.Usage, nil, idSet{}, nil
	outcome := e.Outcome
	if outcome == nil {
		outcome = &agui.RunOutcome{Type: agui.OutcomeSuccess}
	}
	switch outcome.Type {
	case agui.OutcomeInterrupt:
		m.interrupts = outcome.Interrupts
	case agui.OutcomeSuccess:
		m.result = e.Result
		ids := outcome.PendingToolCallIDs
		if len(ids) == 0 {
			ids = m.started.list()
		}
		m.pending = newIDSet(ids)
	}
}

// isNull reports whether there is no document, or null.
func isNull(doc json.RawMessage) bool {
	doc = bytes.Trim(doc, " \t\r\n")
	return len(doc) == 0 || string(doc) == "null"
}
