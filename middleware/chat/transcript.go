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
	base  []agui.Message // of the input, or of the last messages snapshot
	lines []*line        // of the run
	told  bool           // a messages snapshot of the run has said base
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
			t.lines = append(t.lines, l)
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
		t.lines = append(t.lines, &line{after: e.ToolCallID, msg: agui.Message{
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
		t.base, t.lines, t.told = e.Messages, nil, true
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
	if l := t.line(id); l != nil {
		return l
	}
	if !slices.ContainsFunc(t.base, func(m agui.Message) bool { return m.ID == id }) {
		return nil
	}
	t.unfold()
	return t.line(id)
}

func (t *transcript) line(id string) *line {
	if n := len(t.lines); n > 0 && t.lines[n-1].msg.ID == id {
		return t.lines[n-1] // nearly always
	}
	for _, l := range slices.Backward(t.lines) {
		if l.msg.ID == id {
			return l
		}
	}
	return nil
}

// unfold makes lines of the messages that the run began with.
func (t *transcript) unfold() {
	lines := make([]*line, 0, len(t.base)+len(t.lines))
	for _, m := range t.base {
		l := &line{msg: m}
		for _, c := range m.ToolCalls {
			k := &callLine{call: c}
			k.args.WriteString(c.Arguments)
			l.calls = append(l.calls, k)
		}
		l.msg.ToolCalls = nil
		lines = append(lines, l)
	}
	t.base, t.lines = nil, append(lines, t.lines...)
}

func (t *transcript) call(id string) *callLine {
	has := func(m agui.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c agui.ToolCall) bool { return c.ID == id })
	}
	if slices.ContainsFunc(t.base, has) {
		t.unfold()
	}
	for _, l := range slices.Backward(t.lines) {
		for _, c := range l.calls {
			if c.call.ID == id {
				return c
			}
		}
	}
	return nil
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
		t.lines = append(t.lines, l)
	}
	l.calls = append(l.calls, &callLine{call: agui.ToolCall{ID: e.ToolCallID, Name: e.ToolCallName, Metadata: e.Metadata}})
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
