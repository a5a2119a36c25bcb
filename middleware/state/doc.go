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
// goes out instead. Patches of documents below 4 KB are applied before they go
// out, each of them; those of larger ones are proven by tests.
//
// An edit of the typed value is a change of the client's document and not a
// new document: members that the type does not know, the order of members,
// and the digits of numbers stay where nothing was changed. Member names match
// exactly. Nil slices and maps are [] and {}. The document is the state: what a
// type does not encode is not part of it, and a value that is encoded but does
// not decode again is refused.
//
// Documents are told in the order of the edits, one event for each publish.
// State events belong to no bracket: they may come inside an open message or
// tool call. A client cannot tell from their place which call moved the state.
//
// A function that edits runs alone. Its error or panic undoes its edit, and
// nothing else.
//
// What a model is still writing ([Generate], [Predict]) lies over the document
// and is no part of it: tools, [Session.State] and the model see the document
// as it is settled. It becomes part of it when it is whole and fits, and is
// taken back when not.
//
// Nothing is kept between runs: the input's state is the client's whole
// document for its run, and what a person removed from it stays removed. An
// agent that is a tool of another has a state of its own, or none.
//
// # What it costs
//
// A publish marshals the value once and compares bytes with what was sent
// last. What differs is narrowed down on the text; nothing is decoded. So it
// takes time in proportion to the document, and memory for the new text and the
// patch. Where the type does not cover the document, that is a second text. A
// type that marshals itself, or holds an interface, a json.RawMessage or a
// field that is not encoded, is decoded again after each edit.
//
// Lists of any length are told in bounded time and memory: what is inserted,
// removed or moved is found exactly among few changes, and by a matching in
// n log n among many; the search for a patch ends where it would take as many
// bytes as the document. A list of 50,000 elements takes a few hundred bytes of
// memory an element at the worst, when every one of them has moved.
package state
