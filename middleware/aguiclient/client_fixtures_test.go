package aguiclient

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

type clientCase struct {
	Name     string
	Response *struct {
		Status             int
		ContentType        *string
		Writes             []json.RawMessage
		CommentWritesAfter int
		Ending             string
	}
	Promise, Reason string
	Status          int
	Payload         json.RawMessage
	EventsSeen      []string
	FinalState      json.RawMessage
	FinalMessages   json.RawMessage

	PendingInterrupts []agui.Interrupt
	Resume            []agui.ResumeEntry
}

// outcome is what a client makes of a response.
type outcome struct {
	rejected bool
	seen     []string
	state    string
}

// otherOutcomes are the responses of which this client makes something else
// than the reference, and why.
var otherOutcomes = map[string]struct {
	why string
	outcome
}{
	"run_error":                   {"a run that failed is an error", outcome{true, []string{"RUN_STARTED", "STATE_SNAPSHOT", "RUN_ERROR(X)"}, `{"a":1}`}},
	"run_error_only":              {"a run that failed is an error", outcome{true, []string{"RUN_ERROR"}, `{}`}},
	"no_terminal_event":           {"an incomplete run is an error", outcome{true, []string{"RUN_STARTED", "STATE_SNAPSHOT"}, `{"a":1}`}},
	"no_terminal_event_text_open": {"an incomplete run is an error", outcome{true, []string{"RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"}, `{}`}},
	"empty_body":                  {"an incomplete run is an error", outcome{true, nil, `{}`}},
	"html_page_with_200":          {"a page is no event stream", outcome{true, nil, `{}`}},
	"protobuf_response":           {"protobuf is not spoken", outcome{true, nil, `{}`}},
	"unknown_event":               {"unknown events are passed on", outcome{false, []string{"RUN_STARTED", "NEW_THING", "RUN_FINISHED"}, `{}`}},
	"events_after_finish":         {"a run is over with its terminal event", outcome{false, []string{"RUN_STARTED", "RUN_FINISHED"}, `{}`}},
	"order_violation_in_same_read_loses_earlier_events": {"what came before a violation is kept", outcome{true, []string{"RUN_STARTED", "STATE_SNAPSHOT"}, `{"a":1}`}},
	"run_finished_but_body_left_open":                   {"a response that is left open is closed, and no event is made up", outcome{false, []string{"RUN_STARTED", "RUN_FINISHED"}, `{}`}},
	"abort_mid_stream":                                  {"the end of a context is an error, and no event is made up", outcome{true, []string{"RUN_STARTED", "STATE_SNAPSHOT"}, `{"a":1}`}},
	"abort_before_headers":                              {"the end of a context is an error", outcome{true, nil, `{}`}},
}

func TestResponsesAreTakenAsTheReferenceTakesThem(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases[clientCase](t, "client.json") {
		seen[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			if c.Response == nil {
				checkGuard(t, &c)
				return
			}
			want := outcome{c.Promise == "rejected", c.EventsSeen, string(c.FinalState)}
			if other, ok := otherOutcomes[c.Name]; ok {
				if reflect.DeepEqual(want.rejected, other.rejected) && slices.Equal(want.seen, other.seen) && compacted(t, c.FinalState) == other.state {
					t.Errorf("listed as an exception (%s), and is none", other.why)
				}
				want = other.outcome
			}
			checkResponse(t, &c, want)
		})
	}
	for name := range otherOutcomes {
		if !seen[name] {
			t.Errorf("the exception %q names no case", name)
		}
	}
}

func checkResponse(t *testing.T, c *clientCase, want outcome) {
	closed := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(closed)
		_, _ = io.Copy(io.Discard, r.Body)
		if c.Response.Ending == "client aborts (before_headers)" {
			cancel()
			<-r.Context().Done()
			return
		}
		w.Header()["Content-Type"] = nil
		if c.Response.ContentType != nil {
			w.Header().Set("Content-Type", *c.Response.ContentType)
		}
		w.WriteHeader(c.Response.Status)
		flush := http.NewResponseController(w).Flush
		for _, raw := range c.Response.Writes {
			var text string
			var binary struct{ Base64 []byte }
			if json.Unmarshal(raw, &text) != nil {
				if err := json.Unmarshal(raw, &binary); err != nil {
					t.Error(err)
				}
				text = string(binary.Base64)
			}
			_, _ = io.WriteString(w, text)
			_ = flush()
		}
		for range c.Response.CommentWritesAfter {
			_, _ = io.WriteString(w, ": comment\n\n")
			_ = flush()
		}
		switch c.Response.Ending {
		case "end":
		case "cut":
			panic(http.ErrAbortHandler)
		default: // left open, until the client closes it
			<-r.Context().Done()
		}
	}))
	s.Config.ErrorLog = quietLog
	defer s.Close()
	thread := NewThread[any](HTTP(s.URL, nil), nil)
	got := outcome{}
	var failure error
	for change, err := range thread.Send(ctx) {
		if err != nil {
			got.rejected, failure = true, err
			break
		}
		name := string(change.Event.Type())
		if e, ok := change.Event.(*agui.RunError); ok && e.Code != "" {
			name += "(" + e.Code + ")"
		}
		got.seen = append(got.seen, name)
		if c.Response.Ending == "client aborts (mid_stream)" && len(got.seen) == len(c.Response.Writes) {
			cancel()
		}
	}
	got.state = string(thread.Document())
	if got.rejected != want.rejected || !slices.Equal(got.seen, want.seen) {
		t.Errorf("got  %+v (%v)\nwant %+v", got, failure, want)
	}
	sameJSON(t, "state", thread.Document(), []byte(want.state))
	sameJSON(t, "messages", mustJSON(t, thread.Messages()), c.FinalMessages)
	if c.Status != 0 {
		var response *ResponseError
		if !errors.As(failure, &response) || response.Status != c.Status {
			t.Fatalf("the error is %v, want status %d", failure, c.Status)
		}
		var text string
		if json.Unmarshal(c.Payload, &text) != nil {
			text = string(c.Payload)
			sameJSON(t, "payload", response.Body, c.Payload)
		} else if string(response.Body) != text {
			t.Errorf("the body is %q, want %q", response.Body, text)
		}
	}
	<-closed // the connection is closed, or was read to its end
}

func checkGuard(t *testing.T, c *clientCase) {
	replay := NewReplay([]agui.Event{&agui.RunStarted{ThreadID: "t", RunID: "r"}, &agui.RunFinished{ThreadID: "t", RunID: "r"}})
	thread := NewThread[any](replay, nil)
	if err := thread.Restore(&History{Interrupts: c.PendingInterrupts}); err != nil {
		t.Fatal(err)
	}
	changes := thread.Resume(t.Context(), c.Resume...)
	if c.Resume == nil {
		changes = thread.Send(t.Context(), agui.UserMessage("hello"))
	}
	err := Drain(changes)
	var pending *PendingError
	switch c.Reason {
	case "":
		if err != nil || len(thread.Interrupts()) > 0 {
			t.Errorf("%v, still pending: %v", err, thread.Interrupts())
		}
		return
	case "PENDING_INTERRUPT_NOT_ANSWERED":
		if !errors.As(err, &pending) || pending.Expired {
			t.Errorf("the error is %v", err)
		}
	case "INTERRUPT_EXPIRED":
		if !errors.As(err, &pending) || !pending.Expired {
			t.Errorf("the error is %v", err)
		}
	default:
		t.Errorf("an unknown reason: %s", c.Reason)
	}
	if pending == nil || !slices.ContainsFunc(c.PendingInterrupts, func(i agui.Interrupt) bool { return i.ID == pending.InterruptID }) {
		t.Errorf("the error names no pending interrupt: %v", err)
	}
	if len(replay.Inputs()) > 0 || len(thread.Messages()) > 0 {
		t.Error("something was sent, or added to the conversation")
	}
}

func TestInputsAreThoseOfTheReference(t *testing.T) {
	differ := deviations{
		"custom_headers_lower_case":    "names of headers are one name in any case: ours replaces the caller's",
		"legacy_binary_parts_upgraded": "a message with a part of another type is no value of Go",
		"unknown_role_removed":         "a message of another role is no value of Go",
	}
	var names []string
	for _, c := range cases[struct {
		Name  string
		Agent struct {
			ThreadID        string
			InitialState    json.RawMessage
			InitialMessages []json.RawMessage
			Headers         map[string]string
		}
		Params struct {
			RunID          string
			Tools          []json.RawMessage
			Context        []json.RawMessage
			ForwardedProps json.RawMessage
			Resume         []json.RawMessage
		}
		SetState json.RawMessage
		Sent     bool
		Headers  map[string]string
		Raw      string
	}](t, "inputs.json") {
		names = append(names, c.Name)
		t.Run(c.Name, func(t *testing.T) {
			o := &ThreadOptions{ID: c.Agent.ThreadID, State: c.Agent.InitialState, ForwardedProps: c.Params.ForwardedProps}
			o.Input = func(_ context.Context, in *agui.RunAgentInput) error {
				in.RunID = c.Params.RunID
				if in.RunID == "" {
					in.RunID = "uuid-1"
				}
				return nil
			}
			// Values of Go cannot be malformed: what the reference refuses to
			// send is refused before it becomes one.
			refused := false
			messages := read[agui.Message](c.Agent.InitialMessages, &refused)
			tools := read[agui.Tool](c.Params.Tools, &refused)
			o.Context = read[agui.Context](c.Params.Context, &refused)
			answers := read[agui.ResumeEntry](c.Params.Resume, &refused)
			if refused {
				differ.settle(t, c.Name, c.Sent)
				return
			}
			for _, tool := range tools {
				o.Tools = append(o.Tools, chat.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters, Metadata: tool.Metadata})
			}
			header := http.Header{}
			for name, value := range c.Agent.Headers {
				header.Set(name, value)
			}
			var body []byte
			var got *http.Request
			transport := HTTP("http://agent.test", &HTTPOptions{Header: header, Client: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				got = r
				body, _ = io.ReadAll(r.Body)
				return &http.Response{StatusCode: 204, Header: http.Header{}, Body: http.NoBody}, nil
			})}})
			thread := NewThread[any](transport, o)
			if c.SetState != nil {
				thread.mirror.Apply(&agui.StateSnapshot{Snapshot: c.SetState})
			}
			changes := thread.Send(t.Context(), messages...)
			if answers != nil {
				if err := thread.Restore(&History{ThreadID: thread.ID(), State: thread.Document(), Messages: messages}); err != nil {
					t.Fatal(err)
				}
				changes = thread.Resume(t.Context(), answers...)
			}
			err := Drain(changes)
			if got == nil {
				if c.Sent {
					t.Errorf("nothing was sent: %v", err)
				}
				return
			}
			if !c.Sent {
				t.Fatalf("%s was sent", body)
			}
			differs := !reflect.DeepEqual(value(t, body), value(t, []byte(c.Raw)))
			for name, value := range c.Headers {
				if got.Header.Get(name) != value {
					differs = true
				}
			}
			if _, listed := differ[c.Name]; differs && !listed {
				t.Errorf("sent %s\nwant %s", body, c.Raw)
			}
			differ.settle(t, c.Name, differs)
			if got.Method != http.MethodPost || got.URL.String() != "http://agent.test" {
				t.Errorf("%s %s", got.Method, got.URL)
			}
		})
	}
	differ.complete(t, names)
}

// read reads values as a client that holds them does: with the nulls left out
// that the protocol has no place for.
func read[T any](raws []json.RawMessage, refused *bool) []T {
	var out []T
	if raws != nil {
		out = []T{}
	}
	for _, raw := range raws {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			if !strings.Contains(err.Error(), "null") {
				*refused = true
				continue
			}
			var members map[string]json.RawMessage
			_ = json.Unmarshal(raw, &members)
			for name, value := range members {
				if string(value) == "null" {
					delete(members, name)
				}
			}
			raw, _ = json.Marshal(members)
			if err := json.Unmarshal(raw, &v); err != nil {
				*refused = true
				continue
			}
		}
		out = append(out, v)
	}
	return out
}
