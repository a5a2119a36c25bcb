package aguihttp_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// greeter stands for a chain with a model in it.
var greeter = chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		name := "you"
		if r, ok := aguihttp.RequestFrom(ctx); ok && r.PathValue("name") != "" {
			name = r.PathValue("name")
		}
		for _, piece := range []string{"Hello ", name} {
			if !yield(&chat.Update{MessageID: "m1", Text: piece}, nil) {
				return
			}
		}
		yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
	}
})

func Example() {
	mux := http.NewServeMux()
	mux.Handle("POST /greet/{name}", aguihttp.Handler(greeter, nil))
	server := httptest.NewServer(mux)
	defer server.Close()

	res, err := http.Post(server.URL+"/greet/Ada", "application/json",
		strings.NewReader(`{"threadId":"t1","runId":"r1","messages":[{"id":"u1","role":"user","content":"Hi"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	stream, err := io.ReadAll(res.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(stream))
	// Output:
	// data: {"type":"RUN_STARTED","threadId":"t1","runId":"r1"}
	//
	// data: {"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}
	//
	// data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello "}
	//
	// data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Ada"}
	//
	// data: {"type":"TEXT_MESSAGE_END","messageId":"m1"}
	//
	// data: {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}
}

// A server that ends well: runs get ten seconds to finish, then RUN_ERROR, and
// only then the server closes its connections.
func ExampleRuns_Shutdown() {
	runs := &aguihttp.Runs{Max: 500}
	mux := http.NewServeMux()
	mux.Handle("POST /agent", aguihttp.Handler(greeter, &aguihttp.Options{Runs: runs, MaxRunTime: 10 * time.Minute}))
	server := &http.Server{Addr: "127.0.0.1:0", Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = server.ListenAndServe() }() // returns http.ErrServerClosed

	// On a signal:
	grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(runs.Shutdown(grace), runs.Active())
	fmt.Println(server.Shutdown(grace))
	// Output:
	// <nil> 0
	// <nil>
}
