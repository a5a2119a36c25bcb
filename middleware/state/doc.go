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
// and the digits of numbers stay where nothing was changed; new members come
// last. Member names match
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
// taken back when not, also where the run is stopped.
//
// Nothing is kept between runs: the input's state is the client's whole
// document for its run, and what a person removed from it stays removed. An
// agent that is a tool of another has a state of its own, or none.
//
// # What it costs
//
// A publish marshals the value once and compares bytes with what was sent
// last. What differs is narrowed down on the text; nothing is decoded. So it
// takes time in proportion to the document, and memory for the new text, once as
// the type writes it and once as it is put into the document, and the patch. A
// type that marshals itself, or holds an interface, a json.RawMessage or a
// field that is not encoded, is decoded again after each edit, from a copy.
//
// Lists of any length are told in bounded time and memory: what is inserted,
// removed or moved is found exactly among few changes, and by a matching in
// n log n among many; the search for a patch ends where it would take as many
// bytes as the document. At the worst, a list of 50,000 elements of which every
// one has moved, a publish allocates some fifty times the document's size.
//
// The table has processor time, as a multiple of what json.Marshal of the value
// alone takes (floor), and allocations. Documents have a header, a map and items
// of sixteen leaves. Rows say what was edited: one leaf in the middle, one item
// put in front, a tenth of the leaves, nothing. The type covers the document, or
// every item has a member more that it does not know. Beside it are jsondiff on
// the whole documents (which loses digits beyond 2^53), the usual recipe
// (marshal, decode, jsondiff, marshal the patch and the snapshot), and the usual
// recipe in Node with fast-json-patch. All in one run, medians of three, on one
// core of a quiet machine:
//
//	                                                                 allocations
//	document        floor  covered  unknown  jsondiff  recipe  Node  floor  covered  unknown
//	1KB   leaf     3.8 µs     2.82     3.43        13      34   4.7     27       60       65
//	      front    4.9 µs     2.63     3.15        23      32   6.7     34       68       68
//	      tenth    4.2 µs     7.51     8.01        14      32   4.5     27      105      110
//	      nothing  3.8 µs     1.10     1.12        11      30   3.7     27       26       26
//	10KB  leaf      38 µs     1.32     1.40        14      33   3.6    247      259      264
//	      front     45 µs     1.30     1.47        25      37   6.3    254      273      273
//	      tenth     41 µs     2.81     4.04        15      38   4.2    247      360      365
//	      nothing   41 µs     1.01     1.23        11      30   3.4    247      246      246
//	100KB leaf     429 µs     1.26     1.29        12      34   3.4   2452     2464     2469
//	      front    401 µs     1.37     1.49        29      44   7.4   2459     2478     2479
//	      tenth    402 µs     2.76     3.67        17      39   3.9   2452     3281     3285
//	      nothing  392 µs     1.03     1.02        12      34   3.8   2452     2451     2451
//	1MB   leaf     4.1 ms     1.34     1.37        15      39   4.2  25092    25105    25110
//	      front    4.2 ms     1.39     1.57        26      37  10.7  25099    25116    25118
//	      tenth    3.9 ms     2.95     4.15        19      43   5.4  25092    33201    33206
//	      nothing  3.9 ms     1.10     1.11        13      39   5.0  25092    25091    25091
//
// Below 4 KB the check of every patch shows. Run
//
//	GOMAXPROCS=1 go test ./middleware/state -run '^$' -bench Publish -benchmem -benchtime 150ms -count 3
//
// A document of 10 KB that a model writes in 2,500 pieces, with its strings
// growing as fast as they may, is 100 KB on the wire in 615 events, and takes
// 9 µs of processor time a piece. At 50 pieces a second, with a string sent
// twenty times a second at the most, it is 80 KB. A snapshot at each piece is
// 11.5 MB and 27 µs, and one at the end 10 KB and 0.3 µs (-bench Generate).
package state
