package aguiclient

import (
	"encoding/json"
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
	// Interrupts and PendingToolCallIDs are what the last run waits for.
	Interrupts         []agui.Interrupt `json:"interrupts,omitempty"`
	PendingToolCallIDs []string         `json:"pendingToolCallIds,omitempty"`
}

// History returns what the thread is at this moment. Later changes do not
// reach it.
func (t *Thread[S]) History() *History {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.mirror
	return &History{
		ThreadID: t.id, State: m.State(), Stale: m.Stale(), Messages: m.Messages(),
		Interrupts: m.Interrupts(), PendingToolCallIDs: m.PendingToolCallIDs(),
	}
}

// Restore makes the thread what was stored. The error is [ErrRunning] during a
// run, or a [*StateError] when the state is no JSON; the thread is then as it
// was.
func (t *Thread[S]) Restore(h *History) error {
	m := &Mirror{stale: h.Stale, interrupts: slices.Clone(h.Interrupts), pending: slices.Clone(h.PendingToolCallIDs)}
	if len(h.State) > 0 {
		doc, err := jsonpatch.Compact(nil, h.State)
		if err != nil {
			return stateError(err)
		}
		m.state = doc
	}
	m.SetMessages(h.Messages)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running {
		return ErrRunning
	}
	if t.id = h.ThreadID; t.id == "" {
		t.id = agui.NewID()
	}
	t.mirror = m
	return nil
}
