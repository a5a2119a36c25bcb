package chat

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/flow"
)

// CallIDs makes the ids of a model's tool calls unique in a conversation:
// providers repeat them from turn to turn, or leave them out, and a client
// would then mix the calls up. Make one for each model call. It is not for
// concurrent use.
type CallIDs struct {
	mu   sync.Mutex // of used
	used map[string]bool
	next map[string]int // the number to try, of an id that has come twice
	// run are those of the whole run: what several loops say, of chains that
	// one layer asks or of an agent that is a tool, goes out in one stream.
	run *CallIDs
}

type callIDsKey struct{}

// callIDsOfRun returns the CallIDs of one loop of a run.
func callIDsOfRun(ctx context.Context, messages []agui.Message) *CallIDs {
	c := NewCallIDs(messages)
	run, _ := flow.ScopeFrom(ctx).Get(callIDsKey{}, func() (any, error) { return NewCallIDs(nil), nil })
	c.run = run.(*CallIDs)
	return c
}

// NewCallIDs returns a CallIDs that knows the calls of a conversation.
func NewCallIDs(messages []agui.Message) *CallIDs {
	c := &CallIDs{used: map[string]bool{}, next: map[string]int{}}
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			c.used[call.ID] = true
		}
		if m.Role == agui.RoleTool { // its call may have been cut from the history
			c.used[m.ToolCallID] = true
		}
	}
	return c
}

// New returns the id for a new call that its provider named so: the same when
// it is free, a new one otherwise.
func (c *CallIDs) New(provider string) string {
	id := provider
	for id == "" || !c.take(id) {
		n := max(c.next[provider], 2)
		if id = provider + "-" + strconv.Itoa(n); provider == "" || len(id) > maxCallID {
			id = newCallID()
		} else {
			c.next[provider] = n + 1
		}
	}
	return id
}

// take uses an id and reports whether it was free.
func (c *CallIDs) take(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used[id] || c.run != nil && !c.run.take(id) {
		return false
	}
	c.used[id] = true
	return true
}

// maxCallID is the length beyond which OpenAI has refused ids.
const maxCallID = 40

func newCallID() string { return "call_" + strings.ReplaceAll(agui.NewID(), "-", "") }
