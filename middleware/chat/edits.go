package chat

import (
	"slices"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
)

// edits are the messages snapshots on their way through the chain by which a
// loop tells what a person has made of calls, with the arguments by call. A loop
// knows what its run began with: what the run has said since, and what other
// loops have told, Events puts in.
type edits struct {
	mu sync.Mutex
	of map[*agui.MessagesSnapshot]map[string]string
}

func (e *edits) add(s *agui.MessagesSnapshot, arguments map[string]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = map[*agui.MessagesSnapshot]map[string]string{}
	}
	e.of[s] = arguments
}

// whole returns the snapshot to send in place of one: nil when the client has
// been told, and the same when it is none of a loop.
func (e *edits) whole(s *agui.MessagesSnapshot, t *transcript) *agui.MessagesSnapshot {
	e.mu.Lock()
	arguments, ok := e.of[s]
	delete(e.of, s)
	e.mu.Unlock()
	if !ok {
		return s
	}
	messages := t.messages()
	if !slices.ContainsFunc(messages, func(m agui.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c agui.ToolCall) bool {
			edited, ok := arguments[c.ID]
			return ok && edited != c.Arguments
		})
	}) {
		return nil
	}
	return &agui.MessagesSnapshot{Base: s.Base, Messages: withArguments(messages, arguments)}
}
