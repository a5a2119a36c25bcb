package agui

// seed notes who owns the messages and calls of a history. A snapshot says it
// anew; an input says it only where nothing is known.
func (v *Verifier) seed(messages []Message, anew bool) {
	for i := range messages {
		m := &messages[i]
		o := ownerOf(m.SubagentRunID)
		switch m.Role {
		case RoleReasoning:
			if anew || v.thinkers.get(m.ID) == nil {
				v.thinkers.put(m.ID, o)
			}
		case RoleActivity:
			if anew || v.activities.get(m.ID) == nil {
				v.activities.put(m.ID, o)
			}
		default:
			own(&v.messages, m.ID, o, anew)
		}
		for _, c := range m.ToolCalls {
			own(&v.toolCalls, c.ID, o, anew)
		}
	}
}

func own(m *register[entity], id string, o owner, anew bool) {
	if e := m.get(id); e == nil {
		m.put(id, entity{owner: o})
	} else if anew {
		e.owner = o
	}
}
