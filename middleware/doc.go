// Package middleware has no code: it is the map of the packages below it.
//
// A RunAgentInput comes in at the endpoint, walks inward through a chain of
// chat clients to a model, and what comes back walks outward through the same
// chain as a stream of updates. The shared state is one more thing in that
// stream. At the endpoint the updates become AG-UI events and bytes.
//
//	POST RunAgentInput                                            SSE
//	       │                                                       ▲
//	   aguiecho ─► decode ─► ctx carries the input   updates ─► events ─► bytes
//	       │                                                       │
//	       ▼          chat.Client chain (each wraps the next)      │
//	  [your own] → [state.Share[S]] → [state.Generate[S]] → [chat.InvokeFunctions] → adapter
//
// The packages, each importing only those before it:
//
//   - agui: the wire. RunAgentInput, messages, events, their JSON, the order
//     rules. It knows no model and no chain.
//   - chat: the chain. Client, Middleware, Update, tools and the function
//     loop, approvals, and Events, which runs a chain for one input.
//   - state: the shared state. Share, sessions, Manager (snapshot, delta or
//     nothing), Generate and Predict.
//   - aguihttp: the endpoint on net/http. aguiecho and aguiecho5 are its faces
//     on Echo v4 and v5, and the only packages that import Echo.
//   - aguiclient: the other side. An AG-UI endpoint as a chat.Client, and a
//     thread whose state and messages mirror the server's.
//   - aguitest: a scripted model, a recorder, golden event streams.
//
// The adapters for models are in adapters/openai and adapters/langchaingo.
package middleware
