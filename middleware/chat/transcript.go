package chat

import (
	"maps"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
)

// transcript is the conversation as the client has it: the input's messages
// and what the run's events made of them, by the rules of AG-UI's reducer.
type transcript struct {
	base  []agui.Message       // of the input, or of the last messages snapshot
	lines []*line              // of the run
	last  *line                // of lines
	byID  map[string]*line     // the newest of each id; nil until it is needed
	calls map[string]*callLine // of lines
	told  bool                 // a messages snapshot of the run has said base
}

// known reports whether the client has the conversation from a messages
// snapshot of this run already.
func (t *transcript) known() bool { return t.told && len(t.lines) == 0 }

// line is one message of the run. Each run that says something has one for as
// long as it lasts, so it is small.
type line struct {
	id        string
	role      agui.Role
	name      string
	subagent  *string
	encrypted string
	began     *agui.Message // what it was in the history, or a whole result; or nil

	notes notes // its metadata
	text  strings.Builder
	calls []*callLine
	after string // of a result: the call that it answers
}

// lineOf returns the line of a message that is there.
func lineOf(m *agui.Message) *line {
	return &line{
		id: m.ID, role: m.Role, name: m.Name, subagent: m.SubagentRunID, encrypted: m.EncryptedValue,
		began: m, notes: notes{Metadata: m.Metadata},
	}
}

// message returns the line without its text and calls.
func (l *line) message() (m agui.Message) {
	if l.began != nil {
		m = *l.began
		m.ToolCalls = nil
	}
	m.ID, m.Role, m.Name, m.SubagentRunID, m.EncryptedValue = l.id, l.role, l.name, l.subagent, l.encrypted
	m.Metadata = l.notes.Metadata
	return m
}

type callLine struct {
	call  agui.ToolCall
	notes notes // its metadata, in place of the call's own
	args  strings.Builder
}

// notes are metadata that events add to, key by key; the last one counts
// (AG-UI 1.0, "Metadata").
type notes struct {
	agui.Metadata
	own bool // the map is nobody else's
}

func (n *notes) add(m agui.Metadata) {
	switch {
	case m == nil:
	case n.Metadata == nil:
		n.Metadata = m
	default:
		if !n.own {
			n.Metadata, n.own = maps.Clone(n.Metadata), true
		}
		maps.Copy(n.Metadata, m)
	}
}

// conversation is what a messages snapshot holds: clients keep their
// activities and reasoning where it has none.
func conversation(messages []agui.Message) []agui.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m agui.Message) bool {
		return m.Role == agui.RoleActivity || m.Role == agui.RoleReasoning
	})
}

func (t *transcript) observe(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageContent:
		if l := t.find(e.MessageID); l != nil {
			l.text.WriteString(e.Delta)
			l.notes.add(e.Metadata)
		}
	case *agui.TextMessageStart:
		l := t.find(e.MessageID)
		if l == nil {
			l = &line{id: e.MessageID, role: textRole(e.Role), name: e.Name, subagent: e.SubagentRunID}
			t.add(l)
		}
		l.notes.add(e.Metadata)
	case *agui.TextMessageEnd:
		if e.Metadata == nil {
			break
		}
		if l := t.find(e.MessageID); l != nil {
			l.notes.add(e.Metadata)
		}
	case *agui.ToolCallArgs:
		if c := t.call(e.ToolCallID); c != nil {
			c.args.WriteString(e.Delta)
			c.notes.add(e.Metadata)
		}
	case *agui.ToolCallStart:
		t.startCall(e)
	case *agui.ToolCallEnd:
		if e.Metadata == nil {
			break
		}
		if c := t.call(e.ToolCallID); c != nil {
			c.notes.add(e.Metadata)
		}
	case *agui.ToolCallResult:
		l := lineOf(&agui.Message{
			ID: e.MessageID, Role: agui.RoleTool, ToolCallID: e.ToolCallID, Content: e.Content,
			SubagentRunID: e.SubagentRunID, Metadata: e.Metadata,
		})
		l.after = e.ToolCallID
		t.add(l)
	case *agui.ReasoningEncryptedValue:
		if c := t.call(e.EntityID); c != nil && e.Subtype == agui.EncryptedToolCall {
			c.call.EncryptedValue = e.EncryptedValue
		} else if l := t.find(e.EntityID); l != nil && e.Subtype == agui.EncryptedMessage {
			l.encrypted = e.EncryptedValue
		}
	case *agui.MessagesSnapshot:
		*t = transcript{base: e.Messages, told: true}
	}
}

// add appends a message of the run, with its calls.
func (t *transcript) add(l *line) {
	t.lines, t.last = append(t.lines, l), l
	if t.byID != nil {
		t.byID[l.id] = l
	}
	for _, c := range l.calls {
		t.addCall(c)
	}
}

func (t *transcript) addCall(c *callLine) {
	if t.calls == nil {
		t.calls = map[string]*callLine{}
	}
	t.calls[c.call.ID] = c
}

// find returns the message that an event is about. One of the input's becomes
// a line of the run, for it is about to change.
func (t *transcript) find(id string) *line {
	if t.last != nil && t.last.id == id {
		return t.last // nearly always
	}
	if l := t.line(id); l != nil {
		return l
	}
	t.unfold(func(m *agui.Message) bool { return m.ID == id })
	return t.line(id)
}

func (t *transcript) line(id string) *line {
	if t.byID == nil && len(t.lines) > 0 {
		t.byID = map[string]*line{}
		for _, l := range t.lines {
			t.byID[l.id] = l
		}
	}
	return t.byID[id]
}

func (t *transcript) call(id string) *callLine {
	if t.calls[id] == nil {
		t.unfold(func(m *agui.Message) bool {
			return slices.ContainsFunc(m.ToolCalls, func(c agui.ToolCall) bool { return c.ID == id })
		})
	}
	return t.calls[id]
}

// unfold makes lines of the messages that the run began with, if one of them
// is asked for.
func (t *transcript) unfold(asked func(*agui.Message) bool) {
	// By index: a client's history may be long, and a message is large.
	i := 0
	for i < len(t.base) && !asked(&t.base[i]) {
		i++
	}
	if i == len(t.base) {
		return
	}
	all := transcript{told: t.told}
	for i := range t.base {
		m := &t.base[i]
		l := lineOf(m)
		for _, c := range m.ToolCalls {
			k := &callLine{call: c, notes: notes{Metadata: c.Metadata}}
			k.args.WriteString(c.Arguments)
			l.calls = append(l.calls, k)
		}
		all.add(l)
	}
	for _, l := range t.lines {
		all.add(l)
	}
	*t = all
}

func (t *transcript) startCall(e *agui.ToolCallStart) {
	if c := t.call(e.ToolCallID); c != nil {
		c.call.Name = e.ToolCallName
		c.notes.add(e.Metadata)
		return
	}
	// A parent of another role, or none, leaves the call a message of its own.
	var l *line
	parent := e.ParentMessageID
	if parent != "" {
		if l = t.find(parent); l != nil && l.role != agui.RoleAssistant {
			l, parent = nil, ""
		}
	}
	if parent == "" {
		parent = e.ToolCallID
	}
	if l == nil {
		l = &line{id: parent, role: agui.RoleAssistant, subagent: e.SubagentRunID}
		t.add(l)
	}
	c := &callLine{call: agui.ToolCall{ID: e.ToolCallID, Name: e.ToolCallName}, notes: notes{Metadata: e.Metadata}}
	l.calls = append(l.calls, c)
	t.addCall(c)
}

// messages returns the conversation, each result right behind the message of
// its call and the results that stand there.
func (t *transcript) messages() []agui.Message {
	out := conversation(t.base)
	for _, l := range t.lines {
		m := l.message()
		if m.Role == agui.RoleActivity || m.Role == agui.RoleReasoning {
			continue
		}
		if l.after != "" {
			out = insertResult(out, m)
			continue
		}
		switch {
		case l.text.Len() > 0:
			m.Content = agui.Text(m.Content.Text() + l.text.String())
		case m.Content.IsZero() && len(l.calls) == 0:
			m.Content = agui.Text("")
		}
		for _, c := range l.calls {
			call := c.call
			call.Arguments, call.Metadata = c.args.String(), c.notes.Metadata
			m.ToolCalls = append(m.ToolCalls, call)
		}
		out = append(out, m)
	}
	return out
}

func insertResult(messages []agui.Message, result agui.Message) []agui.Message {
	i := slices.IndexFunc(messages, func(m agui.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c agui.ToolCall) bool { return c.ID == result.ToolCallID })
	})
	if i < 0 {
		return append(messages, result)
	}
	for i++; i < len(messages) && messages[i].Role == agui.RoleTool; i++ {
	}
	return slices.Insert(messages, i, result)
}
