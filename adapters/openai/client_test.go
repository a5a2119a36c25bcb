package openai_test

import (
	"errors"
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
	if text != "Hel" || !errors.As(last, &e) || e.Code != chat.CodeIncomplete || !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Fatalf("text %q, error %v", text, last)
	}
}
