package chat

import (
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

// instructs reports whether a message is one that [EventOptions.DropSystem]
// drops.
func instructs(m agui.Message) bool {
	return m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper
}

// withoutSystem is the input as the chain sees it with
// [EventOptions.DropSystem].
func withoutSystem(in *agui.RunAgentInput) *agui.RunAgentInput {
	if !slices.ContainsFunc(in.Messages, instructs) {
		return in
	}
	seen := *in
	seen.Messages = slices.DeleteFunc(slices.Clone(in.Messages), instructs)
	return &seen
}

// restore returns a snapshot of what the chain sees with what the client sent
// beyond that: each message behind the one that it stood behind. A client
// removes what a snapshot does not have.
func restore(s *agui.MessagesSnapshot, sent []agui.Message) *agui.MessagesSnapshot {
	places := make(map[string]int, len(s.Messages))
	for i, m := range s.Messages {
		places[m.ID] = i + 1
	}
	dropped := map[int][]agui.Message{} // by how many messages are before them
	at := 0
	for _, m := range sent {
		if i, there := places[m.ID]; there {
			at = i
		} else if instructs(m) {
			dropped[at] = append(dropped[at], m)
		}
	}
	if len(dropped) == 0 {
		return s
	}
	whole := &agui.MessagesSnapshot{Base: s.Base, Messages: dropped[0]}
	for i, m := range s.Messages {
		whole.Messages = append(append(whole.Messages, m), dropped[i+1]...)
	}
	return whole
}
