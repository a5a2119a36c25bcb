package agui

import "slices"

// Open returns the events that would close what is open in the current run,
// so that RUN_FINISHED may come: steps, text messages, reasoning messages,
// reasoning spans, tool calls, subagents, of each kind the last opened first.
// They are new and carry the tag of what they close. Observe them like any
// other.
func (v *Verifier) Open() []Event {
	type closer struct {
		kind   kind
		opened int
		event  Event
	}
	var list []closer
	for key, opened := range v.steps {
		list = append(list, closer{stepKind, opened, &StepFinished{Tag: key.owner.tag(), StepName: key.name}})
	}
	each := func(k kind, m *register[entity], event func(id string, t Tag) Event) {
		for _, e := range m.all() {
			if e.value.opened != 0 {
				list = append(list, closer{k, e.value.opened, event(e.id, e.value.owner.tag())})
			}
		}
	}
	each(textKind, &v.messages, func(id string, t Tag) Event { return &TextMessageEnd{Tag: t, MessageID: id} })
	each(reasoningMessageKind, &v.reasonings, func(id string, _ Tag) Event {
		return &ReasoningMessageEnd{Tag: v.thinker(id).tag(), MessageID: id}
	})
	each(reasoningSpanKind, &v.spans, func(id string, _ Tag) Event {
		return &ReasoningEnd{Tag: v.thinker(id).tag(), MessageID: id}
	})
	each(toolCallKind, &v.toolCalls, func(id string, t Tag) Event { return &ToolCallEnd{Tag: t, ToolCallID: id} })
	each(subagentKind, &v.subagents, func(id string, _ Tag) Event { return &SubagentFinished{SubagentRunID: id} })
	slices.SortFunc(list, func(a, b closer) int {
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		return b.opened - a.opened
	})
	events := make([]Event, len(list))
	for i, c := range list {
		events[i] = c.event
	}
	return events
}

// oldest is the id of what of a kind was opened first and is still open.
func (v *Verifier) oldest(k kind) (id string) {
	first := v.seq + 1
	older := func(name string, opened int) {
		if opened != 0 && opened < first {
			id, first = name, opened
		}
	}
	if k == stepKind {
		for key, opened := range v.steps {
			older(key.name, opened)
		}
		return id
	}
	for _, e := range map[kind]*register[entity]{
		textKind: &v.messages, reasoningMessageKind: &v.reasonings, reasoningSpanKind: &v.spans,
		toolCallKind: &v.toolCalls, subagentKind: &v.subagents,
	}[k].all() {
		older(e.id, e.value.opened)
	}
	return id
}
