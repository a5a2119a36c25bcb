// Package agui is the wire of AG-UI 1.0: the request that starts a run, the
// events that answer it, and their JSON. It knows no model, no chain and no
// transport.
//
// # The map
//
//   - [RunAgentInput] is the request; [ParseInput] reads it, [Message],
//     [Content], [Part], [Tool] and [ResumeEntry] are what it holds.
//   - [Event] is one step of the answer, a pointer to one of 31 structs or an
//     [UnknownEvent]. [AppendEvent] and [AppendFrame] write it, [DecodeEvent]
//     and [Decoder] read it.
//   - [Verifier] holds a stream against the protocol's order of events, and
//     says what is still open. [Expander] turns chunk events into the explicit
//     ones.
//   - [Downgrade] is for clients that predate 1.0.
//   - [Capabilities] is what an agent says about itself.
//
// # Absent, empty and null
//
// An optional string is absent when it is "", a number when it is 0, raw JSON
// and metadata when nil. Where the protocol tells "" from absent apart and
// something hangs on it, the field is a pointer. A nil slice of an optional
// array is absent, an empty one is []. Null is never written for an absent
// member; it is kept wherever it is a value: a state, a custom value, a patch's
// value, and anything inside the user's own JSON.
//
// Raw JSON is kept as it came, with the digits of its numbers, the order of its
// members and its space, and is written without the space. In [Metadata],
// numbers are [encoding/json.Number].
//
// # Errors
//
// What is wrong with an event is an [*EventError], with an input an
// [*InputError], both with a JSON Pointer to the place and a sentence that names
// it; what is wrong with the order of events is an [*OrderError] with the [Rule].
// What they say holds no more of the peer's text than short quotations.
//
// Values may be read by many goroutines at once; [Verifier], [Expander] and
// [Decoder] belong to one stream and one goroutine.
package agui
