// Package state keeps a value that a user interface and an agent share.
//
// The client sends its copy with each run; [Share] makes a typed value of it.
// Tools and layers change the value ([Update], [Session]), and the client is
// told: by a snapshot the first time, then by a JSON Patch or a snapshot,
// whichever is smaller, and not at all when nothing changed ([Manager]). The
// model is told the current value at every call.
//
//	type Board struct {
//		Tasks []string `json:"tasks"`
//	}
//
//	add := chat.NewTool("add_task", "Adds a task.", func(ctx context.Context, in Task) (string, error) {
//		return "added", state.Update(ctx, func(b *Board) error {
//			b.Tasks = append(b.Tasks, in.Title)
//			return nil
//		})
//	})
//
//	client := chat.NewBuilder(model).
//		Use(state.Share[Board]()).
//		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add}})).
//		Build()
//
// # Laws
//
// The first publish of a run is a STATE_SNAPSHOT. Every later STATE_DELTA
// applies, in any implementation of RFC 6902, to what the client holds, and
// gives exactly the new document; where that cannot be promised a snapshot
// goes out instead.
//
// An edit of the typed value is a change of the client's document and not a
// new document: members that the type does not know, the order of members,
// and the digits of numbers stay where nothing was changed. Nil slices and
// maps are [] and {}.
//
// Documents are told in the order of the edits, one event for each publish.
// State events belong to no bracket: they may come inside an open message or
// tool call. A client cannot tell from their place which call moved the state.
//
// Nothing is kept between runs: the input's state is the client's whole
// document for its run, and what a person removed from it stays removed.
package state
