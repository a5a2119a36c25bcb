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
	used  map[string]bool
	next  map[string]int // the number to try, of an id that has come twice
	run   *callIDsOfRun
	outer *CallIDs // of the layer that this one's calls pass through
	loop  *loop    // whose it is, if a loop's, which runs calls or lets them pass
}

// callIDsOfRun are those of a whole run: what several answers say, of chains
// that one layer asks or of an agent that is a tool, goes out in one stream.
type callIDsOfRun struct {
	scope *flow.Scope
	mu    sync.Mutex // also of used, in all of the run
	given map[string]*CallIDs
}

type (
	callIDsKey struct{} // of those of the run
	outerKey   struct{} // of those of the nearest layer around
)

// NewCallIDs returns a CallIDs that knows the calls of a conversation, and
// nothing of a run: see [CallIDsFor].
func NewCallIDs(messages []agui.Message) *CallIDs {
	return newCallIDs(messages, newCallIDsOfRun(nil))
}

// CallIDsFor returns a CallIDs for one answer of a model in the run of ctx: its
// ids are unique among all answers of the run too, whoever is asked. An id that
// it has made goes through the layers around as it is.
func CallIDsFor(ctx context.Context, messages []agui.Message) *CallIDs {
	scope := flow.ScopeFrom(ctx)
	if outer, _ := ctx.Value(outerKey{}).(*CallIDs); outer != nil && outer.run.scope == scope {
		c := newCallIDs(messages, outer.run)
		c.outer = outer
		return c
	}
	run, _ := scope.Get(callIDsKey{}, func() (any, error) { return newCallIDsOfRun(scope), nil })
	return newCallIDs(messages, run.(*callIDsOfRun))
}

// Context returns the context to ask those in whose calls c names: an id that a
// CallIDs of that context has made passes c as it is.
func (c *CallIDs) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, outerKey{}, c)
}

func newCallIDsOfRun(scope *flow.Scope) *callIDsOfRun {
	return &callIDsOfRun{scope: scope, given: map[string]*CallIDs{}}
}

func newCallIDs(messages []agui.Message, run *callIDsOfRun) *CallIDs {
	c := &CallIDs{used: map[string]bool{}, next: map[string]int{}, run: run}
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
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	if c.passes(provider) {
		c.take(provider)
		return provider
	}
	id := provider
	for id == "" || !c.free(id) {
		n := max(c.next[provider], 2)
		if id = provider + "-" + strconv.Itoa(n); provider == "" || len(id) > maxCallID {
			id = newCallID()
		} else {
			c.next[provider] = n + 1
		}
	}
	c.take(id)
	return id
}

// leaves reports whether a loop further out asks about a tool's calls: a person
// is asked once, by the layer that the question was given to.
func (l *loop) leaves(name string) bool {
	for around := l.ids.outer; around != nil; around = around.outer {
		if around.loop == nil {
			continue
		}
		if t, known := around.loop.tool(name); known && t.Question != nil {
			return true
		}
	}
	return false
}

// left reports whether a loop further in has let a call pass that comes now:
// what that does not run, or asks about, is not for this one to refuse.
func (c *CallIDs) left(id string) bool {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	return c.passes(id) && c.run.given[id].loop != nil
}

// know notes the id of a call that passes and is answered further in.
func (c *CallIDs) know(id string) {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	c.take(id)
}

// passes reports whether an id was made further in for a call that comes here
// for the first time. A second one is another call, of a model that repeats it.
func (c *CallIDs) passes(id string) bool {
	if c.used[id] {
		return false
	}
	for by := c.run.given[id]; by != nil; by = by.outer {
		if by.outer == c {
			return true
		}
	}
	return false
}

// free reports whether an id is one of no call of the run, or of a conversation
// that a layer around has: it would have to name the call anew.
func (c *CallIDs) free(id string) bool {
	for around := c; around != nil; around = around.outer {
		if around.used[id] {
			return false
		}
	}
	return c.run.given[id] == nil
}

func (c *CallIDs) take(id string) {
	c.used[id] = true
	c.run.given[id] = c
}

// maxCallID is the length beyond which OpenAI has refused ids.
const maxCallID = 40

func newCallID() string { return "call_" + strings.ReplaceAll(agui.NewID(), "-", "") }
