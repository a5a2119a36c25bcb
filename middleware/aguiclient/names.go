package aguiclient

import (
	"context"
	"slices"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// names tell the ids of one answer of an agent from those of other answers in
// the same run of ours: to the agent each is a run of its own, which may use an
// id again. Ids of calls are [chat.CallIDs]'s; those of activities are left
// alone, since one may go on in another answer.
type names struct {
	run       *namesOfRun
	answer    int               // counts the run's from 1
	told      map[string]bool   // messages that the agent was sent: the translator's business
	messages  map[string]string // ours, by the agent's, where they differ
	subagents map[string]string
}

// namesOfRun has which answer of a run an id is of.
type namesOfRun struct {
	mu        sync.Mutex
	answers   int
	messages  map[string]int
	subagents map[string]int
}

type namesKey struct{}

func namesFor(ctx context.Context, told map[string]bool) *names {
	v, _ := flow.ScopeFrom(ctx).Get(namesKey{}, func() (any, error) {
		return &namesOfRun{messages: map[string]int{}, subagents: map[string]int{}}, nil
	})
	run := v.(*namesOfRun)
	run.mu.Lock()
	defer run.mu.Unlock()
	run.answers++
	return &names{run: run, answer: run.answers, told: told, messages: map[string]string{}, subagents: map[string]string{}}
}

// event returns an event with ids that are of this answer alone: the event
// itself when its own are.
func (n *names) event(e agui.Event) agui.Event {
	n.meet(e)
	if len(n.messages) == 0 && len(n.subagents) == 0 {
		return e
	}
	switch e := e.(type) {
	case *agui.SubagentStarted:
		out := *e
		rename(&out.SubagentRunID, n.subagents)
		rename(&out.ParentSubagentRunID, n.subagents)
		rename(&out.ParentMessageID, n.messages)
		return &out
	case *agui.SubagentFinished:
		out := *e
		rename(&out.SubagentRunID, n.subagents)
		return &out
	case *agui.SubagentError:
		out := *e
		rename(&out.SubagentRunID, n.subagents)
		return &out
	case *agui.MessagesSnapshot:
		out := *e
		out.Messages = slices.Clone(e.Messages)
		for i := range out.Messages {
			if m := &out.Messages[i]; !n.told[m.ID] {
				rename(&m.ID, n.messages)
				renameTag(&m.SubagentRunID, n.subagents)
			}
		}
		return &out
	case *agui.RunFinished:
		if e.Outcome == nil {
			return e
		}
		out, outcome := *e, *e.Outcome
		outcome.Interrupts = slices.Clone(outcome.Interrupts)
		for i := range outcome.Interrupts {
			renameTag(&outcome.Interrupts[i].SubagentRunID, n.subagents)
		}
		out.Outcome = &outcome
		return &out
	}
	if tag, _ := idsOf(e); tag == nil {
		return e
	}
	e = copyOf(e)
	tag, message := idsOf(e)
	renameTag(&tag.SubagentRunID, n.subagents)
	if message != nil {
		rename(message, n.messages)
	}
	return e
}

// meet notes the ids that an event is the first to use. What begins makes the
// id of its message; a tag counts at once, since its subagent may begin later.
func (n *names) meet(e agui.Event) {
	tag, message := idsOf(e)
	switch e := e.(type) {
	case *agui.SubagentStarted:
		n.meetID(e.SubagentRunID, n.run.subagents, n.subagents, true)
	case *agui.TextMessageStart, *agui.ToolCallStart, *agui.ToolCallResult, *agui.ReasoningStart, *agui.ReasoningMessageStart:
		if *message != "" && !n.told[*message] {
			n.meetID(*message, n.run.messages, n.messages, true)
		}
	}
	if tag != nil && tag.SubagentRunID != nil {
		n.meetID(*tag.SubagentRunID, n.run.subagents, n.subagents, false)
	}
}

// meetID gives an id that is another answer's one that is this answer's own. One
// that is free becomes this answer's where it makes it.
func (n *names) meetID(id string, whose map[string]int, ours map[string]string, makes bool) {
	n.run.mu.Lock()
	defer n.run.mu.Unlock()
	_, renamed := ours[id]
	switch answer := whose[id]; {
	case renamed || answer == n.answer:
	case answer != 0:
		ours[id] = agui.NewID()
	case makes:
		whose[id] = n.answer
	}
}

func rename(id *string, ours map[string]string) {
	if own, ok := ours[*id]; ok {
		*id = own
	}
}

func renameTag(id **string, ours map[string]string) {
	if *id == nil {
		return
	}
	if own, ok := ours[**id]; ok {
		*id = &own
	}
}
