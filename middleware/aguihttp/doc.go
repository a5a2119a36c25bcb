// Package aguihttp serves a [chat.Client] as an AG-UI endpoint on net/http:
// a POST with a RunAgentInput is answered by the run's events as a stream of
// server-sent events (WHATWG HTML, "Server-sent events").
//
//	runs := &aguihttp.Runs{Max: 500}
//	mux := http.NewServeMux()
//	mux.Handle("POST /agent", aguihttp.Handler(client, &aguihttp.Options{Runs: runs}))
//
// On Echo use the packages aguiecho (v4) and aguiecho5 (v5), which are thin
// faces of this one.
//
// # What is promised
//
//   - A request that is not a run is refused before any byte of a stream: 400,
//     405, 406, 408, 413, 415, 503 or, where the response cannot be flushed,
//     500. The body is {"error":{"code","message","pointer"}}.
//   - Every other answer is status 200 and a stream that starts with
//     RUN_STARTED at once and has exactly one terminal event, RUN_FINISHED or
//     RUN_ERROR, which is the last one. The response ends right behind it, also
//     that of a run that ignores the end of its context (an HTTP/2 stream is
//     reset then, half a second later). Where a middleware's writer loses a
//     part of a stream, the connection is broken off.
//   - An event is flushed at once after a pause, and at the latest about a
//     millisecond (Options.FlushWindow) later when events come fast; what
//     opens a message goes with its first piece. A slow client slows the run;
//     one whose connection does not take what is written within
//     Options.WriteTimeout is dropped.
//   - The run's context ends when the client leaves, when its time is up and
//     when the server shuts down; the context's cause says which.
//   - A stream cannot be resumed: who has lost one sends a new input.
//     Without messages in it no model is called, and the answer is the state.
//   - No goroutine is started for a run, and nothing of it is left when the
//     handler returns.
package aguihttp
