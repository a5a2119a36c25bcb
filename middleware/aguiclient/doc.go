// Package aguiclient is the other side of AG-UI: a client for agents that
// speak it, in Go front ends, bots and tests, and where one agent asks another.
//
//   - [New] makes a chat client of an agent: it can stand at the end of any
//     chain, also behind an endpoint of our own, and goes on from the state that
//     the chain shares.
//   - [Thread] is a conversation with an agent: it sends, resumes, runs the
//     client's tools, and keeps the typed state and the messages.
//   - [Mirror] folds the events of runs into a state and a conversation, and
//     [Compact] makes them fewer for a store.
//   - A [Transport] brings inputs to an agent and its events back: [HTTP] to an
//     endpoint, [Handler] and [Local] to one in this process, [Replay] from a
//     record.
//
// State and messages are folded as the reference client of AG-UI 1.0 does,
// but for a few cases:
//
//   - JSON Patch and JSON Pointer follow RFC 6902 and RFC 6901: __proto__ is a
//     name like any other, "01" and "" are no index, what is not there cannot
//     be replaced, removed or copied, and a number has no members.
//   - Numbers keep their digits.
//   - A patch that does not apply is reported, and makes the state stale.
//   - A stream that ends without RUN_FINISHED or RUN_ERROR is an error, and so
//     is a response of another content type than text/event-stream. Protobuf is
//     not spoken.
//   - Lines of a stream end with LF, CRLF or CR.
//   - A run is over with its terminal event: nothing that comes behind it is
//     read, and a response that is left open is closed.
//   - A redirect is followed within its host only, and not by a GET.
//
// It is the same, though one might expect something else: a TOOL_CALL_START
// with the id of an older call goes on with that call, in its place and with its
// arguments ([Thread.PendingToolCalls] gives those of the last run alone), and
// results with one message id are messages of their own.
package aguiclient
