package chat

import (
	"fmt"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

// noResult stands in for the result of a call that the history leaves
// unanswered: it says so and claims no success.
const noResult = "(no result: the call was not completed)"

// Repair returns a copy of a conversation that a model accepts. Clients send
// histories as they have them, and providers refuse those that break their
// rules for good; the rules are that every call of an assistant message is
// answered, in order, right behind it, and that nothing else is a tool
// message.
//
// Calls without an id get one, and so do the results without one that follow
// them, in order. Results are moved behind the message of their call; of several results of
// one call the last counts; a call without one gets a result that says so. An
// id that several calls have had names, for each, the results before the next
// of them. Results of unknown calls, calls without a name, activity and
// reasoning messages, and assistant messages that say and call nothing are
// left out.
func Repair(messages []agui.Message) []agui.Message {
	messages = named(messages)
	results := resultsOf(messages)
	out := make([]agui.Message, 0, len(messages)+2)
	for i, m := range messages {
		switch m.Role {
		case agui.RoleTool, agui.RoleActivity, agui.RoleReasoning:
			continue
		case agui.RoleAssistant:
		default:
			out = append(out, m)
			continue
		}
		calls := slices.DeleteFunc(slices.Clone(m.ToolCalls), func(c agui.ToolCall) bool { return c.Name == "" })
		if len(calls) == 0 {
			calls = nil
			if saysNothing(m.Content) {
				continue
			}
		}
		m.ToolCalls = calls
		out = append(out, m)
		for _, call := range calls {
			r, ok := results[callAt{call.ID, i}]
			if !ok {
				r = agui.Message{ID: "no-result-" + call.ID, Role: agui.RoleTool, ToolCallID: call.ID, Content: agui.Text(noResult)}
			}
			out = append(out, r)
		}
	}
	return out
}

// saysNothing reports whether content has neither text nor anything else.
func saysNothing(c agui.Content) bool {
	return c.Text() == "" && !slices.ContainsFunc(c.Parts(), func(p agui.Part) bool { return p.Type != agui.PartText })
}

// named gives ids to calls that have none, and to the results that answer
// them: the first result without an id answers the first such call.
func named(messages []agui.Message) []agui.Message {
	var waiting []string // ids of calls whose results have none
	copied := false
	for i, m := range messages {
		if m.Role == agui.RoleTool && m.ToolCallID == "" && len(waiting) > 0 {
			messages[i].ToolCallID, waiting = waiting[0], waiting[1:]
			continue
		}
		for j, call := range m.ToolCalls {
			if call.ID != "" {
				continue
			}
			if !copied {
				messages, copied = slices.Clone(messages), true
			}
			if &messages[i].ToolCalls[0] == &m.ToolCalls[0] {
				messages[i].ToolCalls = slices.Clone(m.ToolCalls)
			}
			id := fmt.Sprintf("call_%d_%d", i, j)
			messages[i].ToolCalls[j].ID = id
			waiting = append(waiting, id)
		}
	}
	return messages
}

// callAt is a call by its id and the place of its message.
type callAt struct {
	id string
	at int
}

// resultsOf pairs results with the calls that they answer: each with the last
// call of its id before it, or, where a client put it before its call, with the
// first one behind it.
func resultsOf(messages []agui.Message) map[callAt]agui.Message {
	var results map[callAt]agui.Message
	last := map[string]int{}
	early := map[string]agui.Message{}
	for i, m := range messages {
		switch m.Role {
		case agui.RoleAssistant:
			for _, call := range m.ToolCalls {
				if _, again := last[call.ID]; !again {
					if r, ok := early[call.ID]; ok {
						results = put(results, callAt{call.ID, i}, r)
					}
				}
				last[call.ID] = i
			}
		case agui.RoleTool:
			if at, ok := last[m.ToolCallID]; ok {
				results = put(results, callAt{m.ToolCallID, at}, m)
			} else {
				early[m.ToolCallID] = m
			}
		}
	}
	return results
}

func put(results map[callAt]agui.Message, k callAt, m agui.Message) map[callAt]agui.Message {
	if results == nil {
		results = map[callAt]agui.Message{}
	}
	results[k] = m
	return results
}
