// Package standin is a stand-in for a language model. It is not a model: there
// is no learning in it, only a small hand-written cook who understands a few
// English wishes about one recipe. It exists so that the recipe example, its
// page and its tests run with no key and no network.
//
// What is real is the wire. A [Server] speaks the OpenAI chat-completions
// protocol over HTTP (streamed or whole, tools, structured output, usage), and
// refuses what the real service refuses with errors of the same shape, so a
// client library and an adapter run against it unchanged.
//
// The cook has no memory. Each answer is worked out from the request alone: the
// newest message that holds the shared state is the recipe, the last thing the
// user said is the wish. The same request gives the same answer; only ids and
// times differ. A wish that is not understood is answered honestly and changes
// nothing.
//
// For tests, a server can be stepped ([Options.Step], [Server.Release], POST
// /step), made to fail ([Server.InjectFault], POST /fault), and asked what it
// received ([Server.Requests], [Server.WaitRequest], GET /requests).
package standin
