package chat

import "github.com/aguistate/aguistate/middleware/agui"

// noResult stands in for the result of a call that the history leaves
// unanswered: it says so and claims no success.
const noResult = "(no result: the call was not completed)"

// Repair returns a copy of a conversation that a model accepts. Clients send
// histories as they have them, and providers refuse those that break their
// rules for good; the rules are that every call of an assistant message is
// answered, in order, right behind it, and that nothing else is a tool
// message.
//
// Results are moved behind the message of their call; of several results of
// one call the last counts; a call without one gets a result that says so;
// results of unknown calls, calls without a name, activity and reasoning
// messages, and assistant messages that say and call nothing are left out.
func Repair(messages []agui.Message) []agui.Message {
	var results map[string]agui.Message
	for _, m := range messages {
		if m.Role == agui.RoleTool {
			if results == nil {
				results = make(map[string]agui.Message)
			}
			results[m.ToolCallID] = m
		}
	}
	out := make([]agui.Message, 0, len(messages)+2)
	answered := map[string]bool{}
	for _, m := range messages {
		switch m.Role {
		case agui.RoleTool, agui.RoleActivity, agui.RoleReasoning:
			continue
		case agui.RoleAssistant:
		default:
			out = append(out, m)
			continue
		}
		calls := make([]agui.ToolCall, 0, len(m.ToolCalls))
		for _, call := range m.ToolCalls {
			if call.Name != "" && !answered[call.ID] {
				answered[call.ID] = true
				calls = append(calls, call)
			}
		}
		if len(calls) == 0 {
			calls = nil
			if m.Content.Text() == "" {
				continue
			}
		}
		m.ToolCalls = calls
		out = append(out, m)
		for _, call := range calls {
			r, ok := results[call.ID]
			if !ok {
				r = agui.Message{ID: "no-result-" + call.ID, Role: agui.RoleTool, ToolCallID: call.ID, Content: agui.Text(noResult)}
			}
			out = append(out, r)
		}
	}
	return out
}
