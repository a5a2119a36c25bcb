package aguiclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

// History is a thread as it is stored, in JSON: [Thread.Restore] goes on with
// it.
type History struct {
	ThreadID string          `json:"threadId"`
	State    json.RawMessage `json:"state"`
	// Stale: see [Thread.Stale].
	Stale    bool           `json:"stale,omitempty"`
	Messages []agui.Message `json:"messages"`
	// Interrupts are the questions that the last run waits for.
	Interrupts []agui.Interrupt `json:"interrupts,omitempty"`
	// PendingToolCallIDs are the calls that it waits for. Nil says that nobody
	// knows: then they are the calls at the end of the conversation that are of
	// the thread's tools, have no result, and are in no interrupt.
	PendingToolCallIDs []string `json:"pendingToolCallIds"`
}

// History returns what the thread is at this moment. Later changes do not
// reach it.
func (t *Thread[S]) History() *History {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.mirror
	return &History{
		ThreadID: t.id, State: m.State(), Stale: m.Stale(), Messages: m.Messages(),
		Interrupts: m.Interrupts(), PendingToolCallIDs: append([]string{}, m.PendingToolCallIDs()...),
	}
}

// Restore makes the thread what was stored. Nothing runs: the next
// [Thread.Send] or [Thread.Resume] begins with the calls of the thread's own
// tools that wait for a result. The error is [ErrRunning] during a Send, a
// [*StateError] when the state is no JSON, an [*agui.InputError] for a message
// that has no JSON, or says that h is nil; the thread is then as it was.
func (t *Thread[S]) Restore(h *History) error {
	if h == nil {
		return errors.New("aguiclient: there is no history to restore: it is nil")
	}
	if err := sendable(h.Messages...); err != nil {
		return fmt.Errorf("aguiclient: the history: %w", err)
	}
	m := &Mirror{stale: h.Stale, interrupts: slices.Clone(h.Interrupts), pending: newIDSet(h.PendingToolCallIDs)}
	if h.PendingToolCallIDs == nil {
		m.pending = newIDSet(t.unanswered(h))
	}
	if len(h.State) > 0 {
		doc, err := jsonpatch.Compact(nil, h.State)
		if err != nil {
			return stateError(err)
		}
		m.state = doc
	}
	m.SetMessages(h.Messages)
	id := h.ThreadID
	if id == "" {
		id = agui.NewID()
	}
	return t.replace(id, m)
}

// unanswered are the calls left to the thread's tools that a conversation ends
// with: behind them are only results, reasoning and activities.
func (t *Thread[S]) unanswered(h *History) []string {
	results := map[string]bool{}
	var ids []string
	for _, m := range slices.Backward(h.Messages) {
		switch {
		case m.Role == agui.RoleTool:
			results[m.ToolCallID] = true
		case m.Role == agui.RoleReasoning, m.Role == agui.RoleActivity:
		case m.Role == agui.RoleAssistant && len(m.ToolCalls) > 0:
			for _, c := range slices.Backward(m.ToolCalls) {
				if !results[c.ID] && t.leftToUs(c, h.Interrupts) {
					ids = append(ids, c.ID)
				}
			}
		default:
			slices.Reverse(ids)
			return ids
		}
	}
	slices.Reverse(ids)
	return ids
}
