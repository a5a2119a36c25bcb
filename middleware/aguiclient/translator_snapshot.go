package aguiclient

import (
	"reflect"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

// snapshot is a messages snapshot as the rest of the chain knows the
// messages: with our ids, and held against the run's own conversation. What our
// layers made of that was for the agent alone, so what they added is left out,
// prompts that they changed are as they were, and what they did not send stays.
func (tr *translator) snapshot(e *agui.MessagesSnapshot) *agui.MessagesSnapshot {
	out := &agui.MessagesSnapshot{Base: e.Base, Messages: make([]agui.Message, 0, len(e.Messages))}
	ours := tr.query.conversation()
	for _, m := range e.Messages {
		if t := tr.texts[m.ID]; t != nil && t.id != "" {
			m.ID = t.id
		} else if id, ok := tr.ids[m.ID]; ok {
			m.ID = id
		} else if ours.added[m.ID] {
			continue
		} else if was, ok := ours.changed[m.ID]; ok {
			out.Messages = append(out.Messages, was)
			continue
		}
		m.ToolCallID = tr.callID(m.ToolCallID)
		if m.ToolCalls != nil {
			m.ToolCalls = slices.Clone(m.ToolCalls)
			for i := range m.ToolCalls {
				m.ToolCalls[i].ID = tr.callID(m.ToolCalls[i].ID)
			}
		}
		out.Messages = append(out.Messages, m)
	}
	out.Messages = tr.query.keepUnsent(out.Messages)
	return out
}

// differences are those between the run's conversation and what was sent, by
// the messages' ids.
type differences struct {
	added   map[string]bool         // sent, and of no conversation
	changed map[string]agui.Message // sent, but not as the conversation has it
}

// conversation tells what our layers made of the conversation. What this run
// makes is of the conversation too: answers, calls and results behind the last
// message of the input, results of the input's calls, and calls that a person
// has edited. So a layer's changes are told only from prompts.
func (q *query) conversation() differences {
	d := differences{added: map[string]bool{}, changed: map[string]agui.Message{}}
	talk, calls := byID(q.talk), map[string]bool{}
	for _, m := range q.talk {
		for _, c := range m.ToolCalls {
			calls[c.ID] = true
		}
	}
	last := -1
	for i, m := range q.in.Messages {
		if _, ok := talk[m.ID]; ok && !q.added[m.ID] {
			last = i
		}
	}
	for i, m := range q.in.Messages {
		was, ok := talk[m.ID]
		made, prompt := false, false
		switch m.Role {
		case agui.RoleTool:
			made = i > last || calls[m.ToolCallID]
		case agui.RoleAssistant, agui.RoleReasoning:
			made = i > last
		default:
			prompt = true
		}
		switch {
		case q.added[m.ID] || !ok && !made:
			d.added[m.ID] = true
		case ok && prompt && !reflect.DeepEqual(was, m):
			d.changed[m.ID] = was
		}
	}
	return d
}

// keepUnsent puts the conversation's messages that the agent was not sent where
// they were: behind the one before them. Activities are never sent, and no
// snapshot speaks for them unless it has some; the same is true of reasoning.
func (q *query) keepUnsent(messages []agui.Message) []agui.Message {
	sent := byID(q.in.Messages)
	reasons := slices.ContainsFunc(messages, func(m agui.Message) bool { return m.Role == agui.RoleReasoning })
	places := map[string]int{}
	for i, m := range slices.Backward(messages) {
		places[m.ID] = i + 1
	}
	unsent := map[int][]agui.Message{} // by how many messages are before them
	at := 0
	for _, m := range q.talk {
		if i, ok := places[m.ID]; ok {
			at = i
			continue
		}
		if _, ok := sent[m.ID]; ok || m.Role == agui.RoleActivity || m.Role == agui.RoleReasoning && !reasons {
			continue
		}
		unsent[at] = append(unsent[at], m)
	}
	if len(unsent) == 0 {
		return messages
	}
	out := unsent[0]
	for i, m := range messages {
		out = append(append(out, m), unsent[i+1]...)
	}
	return out
}

func byID(messages []agui.Message) map[string]agui.Message {
	out := make(map[string]agui.Message, len(messages))
	for _, m := range messages {
		out[m.ID] = m
	}
	return out
}
