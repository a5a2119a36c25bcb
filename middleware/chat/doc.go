// Package chat is the chain of chat clients between an endpoint and a model.
//
// A [Client] answers a [Request] with a stream of [Update] values. A
// [Middleware] wraps a client in another one; a [Builder] stacks them, the
// first added outermost. What a middleware does is up to it: it may change
// the request on its way in, and the updates on their way out, add updates of
// its own (state events among them), call the next client twice or not at all.
//
//	client := chat.NewBuilder(model).
//		Use(state.Share[Recipe]()).
//		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools})).
//		Build()
//
// [Events] turns a client's answer into AG-UI events for one
// [agui.RunAgentInput]; the endpoint packages call it. Inside the chain, at
// any depth, [InputFrom] recovers that input from the context.
//
// # Laws of a stream
//
//   - Each range over the result of Stream is one call of the model. Nothing
//     happens before the range starts.
//   - An error is the last pair, with a nil update. No error means that the
//     answer is complete: what a provider breaks off, without a finish reason,
//     is an error of its adapter.
//   - A yielded update belongs to its receiver. Who changes an update for
//     others copies it first; the events in it are never changed.
//   - A client that says so may hand out one update again and again, as
//     encoding/csv has it for records: then it is the receiver's until its loop
//     body returns, and only a copy of it (kept := *u) lasts. What it points to
//     lasts in any case. The layers of this module keep no update; a chain
//     around such a client must have no other that does.
//   - A client stops its source and joins what it started, on break and when
//     the context ends, before its sequence returns.
//   - Yields happen on the goroutine that ranges. Work on another goroutine
//     meets the stream in [Run] and nowhere else.
package chat
