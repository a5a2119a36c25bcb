package chat

import (
	"slices"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
)

// transcript is the conversation as the client has it: the input's messages
// and what the run's events made of them, by the rules of AG-UI's reducer.
type transcript struct {
	base  []agui.Message // of the input, or of the last messages snapshot
	lines []*line        // of the run
}

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
		}
	case *agui.TextMessageStart:
		if t.find(e.MessageID) == nil {
			t.lines = append(t.lines, &line{msg: agui.Message{
				ID: e.MessageID, Role: textRole(e.Role), Name: e.Name, SubagentRunID: e.SubagentRunID, Metadata: e.Metadata,
			}})
		}
	case *agui.ToolCallArgs:
		if c := t.call(e.ToolCallID); c != nil {
			c.args.WriteString(e.Delta)
		}
	case *agui.ToolCallStart:
		t.startCall(e)
	case *agui.ToolCallResult:
		t.lines = append(t.lines, &line{after: e.ToolCallID, msg: agui.Message{
			ID: e.MessageID, Role: agui.RoleTool, ToolCallID: e.ToolCallID, Content: e.Content,
			SubagentRunID: e.SubagentRunID, Metadata: e.Metadata,
		}})
	case *agui.ReasoningEncryptedValue:
		if l := t.find(e.EntityID); l != nil && e.Subtype == agui.EncryptedMessage {
			l.msg.EncryptedValue = e.EncryptedValue
		} else if c := t.call(e.EntityID); c != nil && e.Subtype == agui.EncryptedToolCall {
			c.call.EncryptedValue = e.EncryptedValue
		}
	case *agui.MessagesSnapshot:
		t.base, t.lines = e.Messages, nil
	}
}

func (t *transcript) find(id string) *line {
	for _, l := range slices.Backward(t.lines) {
		if l.msg.ID == id {
			return l
		}
	}
	return nil
}

func (t *transcript) call(id string) *callLine {
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
	if t.call(e.ToolCallID) != nil {
		return
	}
	parent := e.ParentMessageID
	if parent == "" {
		parent = e.ToolCallID
	}
	l := t.find(parent)
	if l == nil || l.msg.Role != agui.RoleAssistant {
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
		if l.after != "" {
			out = insertResult(out, m)
			continue
		}
		if l.text.Len() > 0 || len(l.calls) == 0 {
			m.Content = agui.Text(l.text.String())
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
