package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// serve answers every request with the body, as an event stream.
func serve(t *testing.T, body string) chat.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return openai.New("test-model", &openai.Options{BaseURL: s.URL, HTTPClient: s.Client()})
}

func TestCutStreamIsAnError(t *testing.T) {
	c := serve(t, `data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}`+"\n\n")
	var text string
	var last error
	for u, err := range c.Stream(t.Context(), &chat.Request{Messages: []agui.Message{agui.UserMessage("hi")}}) {
		if last = err; err == nil {
			text += u.Text
		}
	}
	var e *chat.Error
	if text != "Hel" || !errors.As(last, &e) || e.Code != openai.CodeIncomplete || !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Fatalf("text %q, error %v", text, last)
	}
}

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"Hello, ", "world"} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()

	client := openai.New("a-model", &openai.Options{BaseURL: server.URL})
	req := &chat.Request{Messages: []agui.Message{agui.UserMessage("Say hello.")}}
	for u, err := range client.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(u.Text)
		if u.FinishReason != "" {
			fmt.Printf(" (%s)\n", u.FinishReason)
		}
	}
	// Output: Hello, world (stop)
}
