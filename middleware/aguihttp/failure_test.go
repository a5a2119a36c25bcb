package aguihttp_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// last returns the only terminal event of a whole stream, which must be its
// last event.
func last(t testing.TB, all []event) event {
	t.Helper()
	for i, e := range all {
		if terminal := e.Type == "RUN_FINISHED" || e.Type == "RUN_ERROR"; terminal != (i == len(all)-1) {
			t.Fatalf("event %d of %s", i, types(all))
		}
	}
	if len(all) == 0 {
		t.Fatal("an empty stream")
	}
	return all[len(all)-1]
}

// errorsOf is an OnError that keeps what it is told.
type errorsOf struct {
	mu  sync.Mutex
	all []error
}

func (e *errorsOf) add(_ context.Context, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, err)
}

func (e *errorsOf) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprint(e.all)
}

// An error, a panic, and an event that cannot be written: each is one
// RUN_ERROR, whatever the place, and the log has the rest.
func TestFailures(t *testing.T) {
	bad := &chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: []byte("{\n\ndata: x")}}}
	tests := []struct {
		name, code, says, log string
		client                chat.Client
	}{
		{"error", "AGENT_ERROR", "log has the details", "secret", script(errors.New("secret"), text("a"))},
		{"coded error", "QUOTA", "Too much.", "secret", script(fmt.Errorf("wrapped: %w", &chat.Error{Code: "QUOTA", Message: "Too much.", Err: errors.New("secret")}), text("a"))},
		{"error at once", "AGENT_ERROR", "log has the details", "secret", script(errors.New("secret"))},
		{"panic", "AGENT_ERROR", "log has the details", "secret", chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) { yield(text("a"), nil); panic("secret") }
		})},
		{"panic of Stream", "AGENT_ERROR", "log has the details", "secret", chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
			panic("secret")
		})},
		{"panic to abort", "AGENT_ERROR", "log has the details", "abort", chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
			panic(http.ErrAbortHandler)
		})},
		{"broken event", "SERIALIZATION", "cannot be written", "STATE_SNAPSHOT", script(nil, text("a"), bad, text("b"), stop)},
		{"broken first event", "SERIALIZATION", "cannot be written", "STATE_SNAPSHOT", script(nil, bad, stop)},
		{"broken result", "SERIALIZATION", "cannot be written", "RUN_FINISHED", script(nil, text("a"), &chat.Update{Result: []byte("{"), FinishReason: chat.FinishStop})},
		{"protocol", "PROTOCOL_VIOLATION", "", "", script(nil, &chat.Update{Events: []agui.Event{&agui.StepFinished{StepName: "none"}}}, stop)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var told errorsOf
			var log strings.Builder
			rec := one(t, aguihttp.Handler(tt.client, &aguihttp.Options{
				OnError: told.add, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			}), strings.Replace(hello, `"r"`, `"run-7"`, 1))
			all := events(t, rec.Body)
			e := last(t, all)
			if rec.Code != 200 || all[0].Type != "RUN_STARTED" || e.Type != "RUN_ERROR" || e.Code != tt.code {
				t.Fatalf("status %d, %s, code %q", rec.Code, types(all), e.Code)
			}
			if !strings.Contains(e.Message, tt.says) || strings.Contains(rec.Body.String(), "secret") {
				t.Errorf("the client sees %q", e.Message)
			}
			if len(told.all) != 1 || !strings.Contains(told.String(), tt.log) {
				t.Errorf("OnError was told %s", &told)
			}
			if !strings.Contains(log.String(), "run=run-7") || !strings.Contains(log.String(), tt.log) {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// A panic in the program's own hook comes from outside the chain.
func TestPanicInHook(t *testing.T) {
	for name, client := range map[string]chat.Client{
		"error":        script(errors.New("x")),
		"broken event": script(nil, &chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: []byte("{")}}}),
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			rec := one(t, aguihttp.Handler(client, &aguihttp.Options{
				Logger:  slog.New(slog.NewTextHandler(&log, nil)),
				OnError: func(context.Context, error) { panic("in the hook") },
			}), hello)
			if e := last(t, events(t, rec.Body)); e.Type != "RUN_ERROR" {
				t.Errorf("got %+v", e)
			}
			if !strings.Contains(log.String(), "in the hook") {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// The end of the handler's goroutine: nothing of the run is left, and nothing
// is written after it.
func TestExit(t *testing.T) {
	runs := &aguihttp.Runs{}
	h := aguihttp.Handler(script(errors.New("x"), text("a")), options(&aguihttp.Options{
		Runs: runs, OnError: func(context.Context, error) { runtime.Goexit() },
	}))
	done := make(chan any)
	rec := httptest.NewRecorder()
	go func() {
		defer func() { done <- recover() }()
		req := httptest.NewRequest("POST", "/", strings.NewReader(hello))
		req.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(rec, req)
	}()
	if v := <-done; v != nil || runs.Active() != 0 {
		t.Errorf("panic %v, %d runs", v, runs.Active())
	}
	if e := last(t, events(t, rec.Body)); e.Type != "RUN_ERROR" {
		t.Errorf("got %+v", e)
	}
}
