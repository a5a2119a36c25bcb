package chat

import (
	"context"

	"github.com/aguistate/aguistate/middleware/agui"
)

// questions are what this layer has asked in a conversation, so that an answer
// finds its call at once: a client may send any number of both.
type questions struct {
	pending  []agui.ToolCall            // of the turns since the last user message, those that wait for a person
	waits    map[string]int             // their places in pending, by id
	answered map[string]bool            // the ids of calls with a result
	asked    map[string][]agui.ToolCall // by mark, one for each id and tool
}

// questions lists those of a history.
func (l *loop) questions(history []agui.Message) *questions {
	q := &questions{waits: map[string]int{}, answered: map[string]bool{}, asked: map[string][]agui.ToolCall{}}
	type key struct{ id, name string }
	seen := map[key]bool{}
	last := -1
	for i, m := range history {
		if m.Role == agui.RoleTool {
			q.answered[m.ToolCallID] = true
		}
		for _, call := range m.ToolCalls {
			if m.Role == agui.RoleAssistant {
				last = i
			}
			if k := (key{call.ID, call.Name}); !seen[k] && l.isQuestion(call) {
				seen[k] = true
				q.asked[mark(call.ID)] = append(q.asked[mark(call.ID)], call)
			}
		}
	}
	if last < 0 {
		return q
	}
	// Another chain may have called tools in the run that asked.
	first := last
	for first > 0 && history[first-1].Role != agui.RoleUser {
		first--
	}
	for _, m := range history[first : last+1] {
		if m.Role != agui.RoleAssistant {
			continue
		}
		for _, call := range m.ToolCalls {
			// A history may say a call twice.
			if _, twice := q.waits[call.ID]; !twice && !q.answered[call.ID] && l.isQuestion(call) {
				q.waits[call.ID] = len(q.pending)
				q.pending = append(q.pending, call)
			}
		}
	}
	return q
}

// isQuestion reports whether a person is asked about a call, by this layer.
func (l *loop) isQuestion(call agui.ToolCall) bool {
	tool, known := l.tool(call.Name)
	return known && tool.Question != nil && !l.leaves(call.Name)
}

// find returns the call that an interrupt of this layer was about.
func (q *questions) find(ctx context.Context, l *loop, id string) (agui.ToolCall, bool) {
	raw, ok := interruptID(id)
	if !ok {
		return agui.ToolCall{}, false
	}
	for _, call := range q.asked[raw.mark()] {
		if l.signed(ctx, raw, call) {
			return call, true
		}
	}
	return agui.ToolCall{}, false
}
