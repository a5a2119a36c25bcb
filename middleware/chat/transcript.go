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
	byID  map[string]*line     // the newest of each id
	calls map[string]*callLine // of lines
	told  bool                 // a messages snapshot of the run has said base
}

// known reports whether the client has the conversation from a messages
// snapshot of this run already.
func (t *transcript) known() bool { return t.told && len(t.lines) == 0 }

// line is one message of the run.
type line struct {
	msg   agui.Message
	text  strings.Builder
	calls []*callLine
	after string // of a result: the call that it answers
}

type callLine struct {
	call agui.ToolCall
	args strings.Builder
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
			l.say(e.Metadata)
		}
	case *agui.TextMessageStart:
		l := t.find(e.MessageID)
		if l == nil {
			l = &line{msg: agui.Message{ID: e.MessageID, Role: textRole(e.Role), Name: e.Name, SubagentRunID: e.SubagentRunID}}
			t.add(l)
		}
		l.say(e.Metadata)
	case *agui.TextMessageEnd:
		if e.Metadata == nil {
			break
		}
		if l := t.find(e.MessageID); l != nil {
			l.say(e.Metadata)
		}
	case *agui.ToolCallArgs:
		if c := t.call(e.ToolCallID); c != nil {
			c.args.WriteString(e.Delta)
			c.call.Metadata = mergeMetadata(c.call.Metadata, e.Metadata)
		}
	case *agui.ToolCallStart:
		t.startCall(e)
	case *agui.ToolCallEnd:
		if e.Metadata == nil {
			break
		}
		if c := t.call(e.ToolCallID); c != nil {
			c.call.Metadata = mergeMetadata(c.call.Metadata, e.Metadata)
		}
	case *agui.ToolCallResult:
		t.add(&line{after: e.ToolCallID, msg: agui.Message{
			ID: e.MessageID, Role: agui.RoleTool, ToolCallID: e.ToolCallID, Content: e.Content,
			SubagentRunID: e.SubagentRunID, Metadata: e.Metadata,
		}})
	case *agui.ReasoningEncryptedValue:
		if c := t.call(e.EntityID); c != nil && e.Subtype == agui.EncryptedToolCall {
			c.call.EncryptedValue = e.EncryptedValue
		} else if l := t.find(e.EntityID); l != nil && e.Subtype == agui.EncryptedMessage {
			l.msg.EncryptedValue = e.EncryptedValue
		}
	case *agui.MessagesSnapshot:
		*t = transcript{base: e.Messages, told: true}
	}
}

// add appends a message of the run, with its calls.
func (t *transcript) add(l *line) {
	if t.byID == nil {
		t.byID, t.calls = map[string]*line{}, map[string]*callLine{}
	}
	t.lines = append(t.lines, l)
	t.byID[l.msg.ID] = l
	for _, c := range l.calls {
		t.calls[c.call.ID] = c
	}
}

// say adds metadata to the message, which is told by a text event.
func (l *line) say(m agui.Metadata) { l.msg.Metadata = mergeMetadata(l.msg.Metadata, m) }

// mergeMetadata merges key by key, the last one counts (AG-UI 1.0,
// "Metadata"). It changes neither.
func mergeMetadata(old, more agui.Metadata) agui.Metadata {
	if more == nil {
		return old
	}
	merged := maps.Clone(old)
	if merged == nil {
		merged = agui.Metadata{}
	}
	maps.Copy(merged, more)
	return merged
}

// find returns the message that an event is about. One of the input's becomes
// a line of the run, for it is about to change.
func (t *transcript) find(id string) *line {
	if n := len(t.lines); n > 0 && t.lines[n-1].msg.ID == id {
		return t.lines[n-1] // nearly always
	}
	if t.byID[id] == nil {
		t.unfold(func(m *agui.Message) bool { return m.ID == id })
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
	for _, m := range t.base {
		l := &line{msg: m}
		for _, c := range m.ToolCalls {
			k := &callLine{call: c}
			k.args.WriteString(c.Arguments)
			l.calls = append(l.calls, k)
		}
		l.msg.ToolCalls = nil
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
		c.call.Metadata = mergeMetadata(c.call.Metadata, e.Metadata)
		return
	}
	// A parent of another role, or none, leaves the call a message of its own.
	var l *line
	parent := e.ParentMessageID
	if parent != "" {
		if l = t.find(parent); l != nil && l.msg.Role != agui.RoleAssistant {
			l, parent = nil, ""
		}
	}
	if parent == "" {
		parent = e.ToolCallID
	}
	if l == nil {
		l = &line{msg: agui.Message{ID: parent, Role: agui.RoleAssistant, SubagentRunID: e.SubagentRunID}}
		t.add(l)
	}
	c := &callLine{call: agui.ToolCall{ID: e.ToolCallID, Name: e.ToolCallName, Metadata: e.Metadata}}
	l.calls = append(l.calls, c)
	t.calls[e.ToolCallID] = c
}

// messages returns the conversation, each result right behind the message of
// its call and the results that stand there.
func (t *transcript) messages() []agui.Message {
	out := conversation(t.base)
	for _, l := range t.lines {
		m := l.msg
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
			call.Arguments = c.args.String()
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
