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
// them, in order; of calls of one message that share an id, each gets its own.
// Results are moved behind the message of their call; of several results of
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
		var calls []agui.ToolCall
		for _, c := range m.ToolCalls {
			again := slices.ContainsFunc(calls, func(d agui.ToolCall) bool { return d.ID == c.ID })
			if c.Name != "" && !again {
				calls = append(calls, c)
			}
		}
		if len(calls) == 0 && saysNothing(m.Content) {
			continue
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

// reachesModel reports whether a message, by itself, is one that a model is
// sent: not what the client alone shows, and no answer to calls that are not
// there.
func reachesModel(m agui.Message) bool {
	switch m.Role {
	case agui.RoleTool, agui.RoleActivity, agui.RoleReasoning:
		return false
	case agui.RoleAssistant:
		return !saysNothing(m.Content) || slices.ContainsFunc(m.ToolCalls, func(c agui.ToolCall) bool { return c.Name != "" })
	}
	return true
}

// saysNothing reports whether content has neither text nor anything else.
func saysNothing(c agui.Content) bool {
	return c.Text() == "" && !slices.ContainsFunc(c.Parts(), func(p agui.Part) bool { return p.Type != agui.PartText })
}

// named gives ids to calls that have none, or that of another call beside them,
// and to the results that answer them: the first result without an id answers
// the first call without one, and the second result of an id the second call.
// A call that is only said twice keeps its id.
func named(messages []agui.Message) []agui.Message {
	var waiting []string          // ids of calls whose results have none
	var twins map[string][]string // new ids of calls that share one
	var answered map[string]bool  // ids with twins that have a result
	copied := false
	change := func(i int) *agui.Message {
		if !copied {
			messages, copied = slices.Clone(messages), true
		}
		return &messages[i]
	}
	for i, m := range messages {
		if m.Role == agui.RoleTool {
			switch rest := twins[m.ToolCallID]; {
			case m.ToolCallID == "" && len(waiting) > 0:
				change(i).ToolCallID, waiting = waiting[0], waiting[1:]
			case len(rest) == 0:
			case answered[m.ToolCallID]:
				change(i).ToolCallID, twins[m.ToolCallID] = rest[0], rest[1:]
			default:
				answered[m.ToolCallID] = true
			}
			continue
		}
		for j, call := range m.ToolCalls {
			beside := slices.IndexFunc(m.ToolCalls[:j], func(c agui.ToolCall) bool { return c.ID == call.ID })
			if call.ID != "" && (beside < 0 || saidTwice(messages, m.ToolCalls[beside], call)) {
				continue
			}
			id := fmt.Sprintf("call_%d_%d", i, j)
			if call.ID == "" {
				waiting = append(waiting, id)
			} else {
				if twins == nil {
					twins, answered = map[string][]string{}, map[string]bool{}
				}
				twins[call.ID] = append(twins[call.ID], id)
			}
			changed := change(i)
			changed.ToolCalls = slices.Clone(changed.ToolCalls)
			changed.ToolCalls[j].ID = id
		}
	}
	return messages
}

// saidTwice reports whether two calls of one id are one: they are the same, and
// have one result.
func saidTwice(messages []agui.Message, a, b agui.ToolCall) bool {
	results := 0
	for _, m := range messages {
		if m.Role == agui.RoleTool && m.ToolCallID == a.ID {
			results++
		}
	}
	return a.Name == b.Name && a.Arguments == b.Arguments && results < 2
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
