package aguiclient

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// recall is what one run of ours knows when it asks the agent again. A run may
// ask several times at once.
type recall struct {
	mu    sync.Mutex
	state *json.RawMessage // as the agent told it last; nil when it has not
	// answered are the interrupts whose answers a run of the agent has taken.
	answered map[string]bool
}

func recallOf(ctx context.Context, c *client) *recall {
	v, _ := flow.ScopeFrom(ctx).Get(c, func() (any, error) { return &recall{answered: map[string]bool{}}, nil })
	return v.(*recall)
}

// told notes the agent's state.
func (r *recall) told(state json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = &state
}

// took notes that the agent has answers: a run that was sent them has told how
// it ended. Until then they are for who tries again.
func (r *recall) took(answers []agui.ResumeEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range answers {
		r.answered[a.InterruptID] = true
	}
}

// put makes an input what the agent is to be sent now: the state that it knows,
// and the answers to interrupts that no layer has taken and it does not have.
func (r *recall) put(ctx context.Context, in *agui.RunAgentInput, answers []agui.ResumeEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != nil {
		in.State = *r.state
	}
	for _, a := range answers {
		if r.answered[a.InterruptID] {
			continue
		}
		if entry, rest, ok := chat.TakeResume(ctx, a.InterruptID); ok {
			in.Resume, ctx = append(in.Resume, entry), rest
		}
	}
}
