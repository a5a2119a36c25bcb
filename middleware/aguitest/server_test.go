package aguitest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
)

// stream answers with the text as an event stream.
func stream(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, text)
	}
}

const (
	started  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	finished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

func types(events []agui.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s ", e.Type())
	}
	return strings.TrimSpace(b.String())
}

func TestPost(t *testing.T) {
	in := &agui.RunAgentInput{ThreadID: "t", RunID: "r", State: json.RawMessage(`{"n":12345678901234567890}`), Messages: []agui.Message{agui.UserMessage("hi")}}
	var got *agui.RunAgentInput
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if got, err = agui.ParseInput(body); err != nil {
			t.Error(err)
		}
		stream("data: "+started+"\n\n: a comment\n\ndata: "+finished+"\n\n")(w, r)
	})
	events := aguitest.Post(t, handler, in)
	if s := types(events); s != "RUN_STARTED RUN_FINISHED" {
		t.Errorf("events %s", s)
	}
	if got == nil || string(got.State) != string(in.State) || got.Messages[0].Content.Text() != "hi" {
		t.Errorf("the handler read %+v", got)
	}
}

func TestServerFrames(t *testing.T) {
	const s, f = started, finished
	tests := []struct {
		name, body, want, err string
	}{
		{"one a frame", "data: " + s + "\n\ndata: " + f + "\n\n", "RUN_STARTED RUN_FINISHED", ""},
		{"no space, other fields, comments", "event: x\nid: 1\ndata:" + s + "\n\n: ping\n\nretry: 5\n\n", "RUN_STARTED", ""},
		{"an event over two lines", "data: {\"type\":\"RUN_STARTED\",\ndata: \"threadId\":\"t\",\"runId\":\"r\"}\n\n", "RUN_STARTED", ""},
		{"the last without an empty line", "data: " + s + "\n\ndata: " + f, "RUN_STARTED RUN_FINISHED", ""},
		{"nothing", "", "", ""},
		{"an unknown event", "data: {\"type\":\"NEW\",\"x\":1}\n\n", "NEW", ""},
		{"not JSON", "data: " + s + "\n\ndata: [DONE]\n\n", "RUN_STARTED", `the frame "[DONE]"`},
		{"a wrong member", "data: {\"type\":\"RUN_STARTED\",\"threadId\":5,\"runId\":\"r\"}\n\n", "", "threadId must be a string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var events []agui.Event
			var last error
			for e, err := range aguitest.NewServer(t, stream(tt.body)).Run(t.Context(), "/", &agui.RunAgentInput{}) {
				if last = err; err == nil {
					events = append(events, e)
				}
			}
			if diff := cmp.Diff(tt.want, types(events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if (last == nil) != (tt.err == "") || last != nil && !strings.Contains(last.Error(), tt.err) {
				t.Errorf("error %v, want %q", last, tt.err)
			}
		})
	}
}

func TestServerRefusal(t *testing.T) {
	for _, tt := range []struct {
		name, contentType string
		status            int
	}{
		{"a status", "application/json", http.StatusBadRequest},
		{"a page instead of a stream", "text/html", http.StatusOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				w.WriteHeader(tt.status)
				io.WriteString(w, `{"error":"no messages"}`)
			})
			n := 0
			for _, err := range aguitest.NewServer(t, h).Run(t.Context(), "/agent", &agui.RunAgentInput{}) {
				n++
				var refused *aguitest.ResponseError
				if !errors.As(err, &refused) || refused.Status != tt.status || string(refused.Body) != `{"error":"no messages"}` {
					t.Errorf("got %v", err)
				}
			}
			if n != 1 {
				t.Errorf("%d pairs, want 1", n)
			}
		})
	}
}

func TestServerInputThatCannotBeWritten(t *testing.T) {
	in := &agui.RunAgentInput{State: json.RawMessage(`{"half":`)}
	n := 0
	for _, err := range aguitest.NewServer(t, stream("")).Run(t.Context(), "/", in) {
		n++
		if err == nil || !strings.Contains(err.Error(), "state") {
			t.Errorf("got %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d pairs, want 1", n)
	}
}

func TestServerIsLiveAndStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan struct{})
		seen := make(chan struct{})
		s := aguitest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
			stream("data: "+started+"\n\n")(w, r)
			w.(http.Flusher).Flush()
			<-seen // the client has it, although the run goes on
			<-r.Context().Done()
			close(told)
		}))
		for e, err := range s.Run(t.Context(), "/", &agui.RunAgentInput{}) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type() != agui.TypeRunStarted {
				t.Errorf("first event %s", e.Type())
			}
			close(seen)
			break
		}
		<-told
	})
}

func TestServerCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := aguitest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			stream("data: "+started+"\n\n")(w, r)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		var last error
		for _, err := range s.Run(ctx, "/", &agui.RunAgentInput{}) {
			last = err
			cancel()
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("got %v", last)
		}
	})
}

func TestServerPlainRequests(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })
	resp, err := aguitest.NewServer(t, mux).Client().Get(aguitest.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || string(body) != "agui.test" {
		t.Errorf("got %q, %v", body, err)
	}
}
