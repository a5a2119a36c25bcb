package aguitest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
)

// run is a run with random ids and timestamps, different each time.
func run() []agui.Event {
	message, call := agui.NewID(), "call_"+agui.NewID()
	return []agui.Event{
		&agui.RunStarted{Base: agui.Base{Timestamp: 1700000000000}, ThreadID: "thread", RunID: "run"},
		&agui.TextMessageStart{MessageID: message},
		&agui.TextMessageContent{MessageID: message, Delta: "Hello <b>"},
		&agui.TextMessageEnd{MessageID: message},
		&agui.ToolCallStart{ToolCallID: call, ToolCallName: "add", ParentMessageID: message},
		&agui.StateSnapshot{Snapshot: json.RawMessage(`{"timestamp":1700000000000}`)},
		&agui.ToolCallEnd{ToolCallID: call},
		&agui.ToolCallResult{MessageID: agui.NewID(), ToolCallID: call, Content: agui.Text("ok")},
		&agui.RunFinished{ThreadID: "thread", RunID: "run"},
	}
}

func TestGolden(t *testing.T) {
	aguitest.Golden(t, "testdata/run.jsonl", run())
	aguitest.Verify(t, run())
}

// fakeT collects what a helper reports.
type fakeT struct {
	testing.TB
	errors []string
}

func (f *fakeT) Helper()                   {}
func (f *fakeT) Error(args ...any)         { f.errors = append(f.errors, fmt.Sprint(args...)) }
func (f *fakeT) Errorf(s string, a ...any) { f.errors = append(f.errors, fmt.Sprintf(s, a...)) }
func (f *fakeT) Fatalf(s string, a ...any) { f.Errorf(s, a...); runtime.Goexit() }

// report runs f and returns what it reported.
func report(t *testing.T, f func(testing.TB)) string {
	fake := &fakeT{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(fake)
	}()
	<-done
	return strings.Join(fake.errors, "\n")
}

func setUpdate(t *testing.T, to string) {
	t.Helper()
	old := flag.Lookup("update").Value.String()
	if err := flag.Set("update", to); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { flag.Set("update", old) })
}

func TestGoldenReports(t *testing.T) {
	setUpdate(t, "false")
	path := filepath.Join(t.TempDir(), "sub", "golden.jsonl")
	golden := func(events []agui.Event) string {
		return report(t, func(tb testing.TB) { aguitest.Golden(tb, path, events) })
	}
	if got := golden(run()); !strings.Contains(got, "-update") {
		t.Errorf("of a missing file it says %q", got)
	}
	setUpdate(t, "true")
	if got := golden(run()); got != "" || !aguitest.Updating() {
		t.Errorf("updating says %q", got)
	}
	setUpdate(t, "false")
	if got := golden(run()); got != "" {
		t.Errorf("the same run says %q", got)
	}
	if got := golden(run()[:8]); !strings.Contains(got, `RUN_FINISHED`) || !strings.Contains(got, path) {
		t.Errorf("of a shorter run it says %q", got)
	}
	changed := run()
	changed[2].(*agui.TextMessageContent).Delta = "Hullo"
	if got := golden(changed); !strings.Contains(got, "Hullo") || !strings.Contains(got, "Hello") {
		t.Errorf("of a changed text it says %q", got)
	}
	if got := golden([]agui.Event{nil}); !strings.Contains(got, "event 0 is nil") {
		t.Errorf("of a nil event it says %q", got)
	}
	if got := golden([]agui.Event{&agui.StateSnapshot{Snapshot: json.RawMessage("{")}}); !strings.Contains(got, "event 0, STATE_SNAPSHOT") {
		t.Errorf("of an event that cannot be written it says %q", got)
	}
}

func TestGoldenLeavesEventsAlone(t *testing.T) {
	events := run()
	if _, err := aguitest.Lines(events); err != nil {
		t.Fatal(err)
	}
	if ts := events[0].(*agui.RunStarted).Timestamp; ts != 1700000000000 {
		t.Errorf("the event's timestamp became %d", ts)
	}
	raw, err := os.ReadFile("testdata/run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), `"toolCallId":"call_id-2"`) || !strings.Contains(string(raw), `"parentMessageId":"id-1"`) {
		t.Errorf("the golden file has other ids:\n%s", raw)
	}
}

func TestVerify(t *testing.T) {
	good := run()
	tests := []struct {
		name   string
		events []agui.Event
		want   string // "" is good
	}{
		{"a whole run", good, ""},
		{"a run that failed before it began", []agui.Event{&agui.RunError{Message: "no"}}, ""},
		{"a run that failed", append(good[:3:3], &agui.RunError{Message: "no"}), ""},
		{"nothing", nil, "no events"},
		{"no start", good[1:], "FIRST_EVENT_MUST_BE_RUN_STARTED"},
		{"no end", good[:8], "the stream ends in TOOL_CALL_RESULT"},
		{"an open message", append(good[:3:3], good[8]), "OPEN_TEXT"},
		{"two ends", append(good[:9:9], &agui.RunError{Message: "no"}), "event 8, RUN_FINISHED, is terminal, but RUN_ERROR follows"},
		{"a second run", append(good[:9:9], good...), "event 8, RUN_FINISHED, is terminal, but RUN_STARTED follows"},
		{"a nil event", []agui.Event{good[0], nil}, "event 1 is nil"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := report(t, func(tb testing.TB) { aguitest.Verify(tb, tt.events) })
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPostReports(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"no stream":  {"data: " + started + "\n\ndata: oops\n\n", "after 1 events"},
		"a bad rule": {"data: " + started + "\n\n", "the stream ends in RUN_STARTED"},
	} {
		t.Run(name, func(t *testing.T) {
			got := report(t, func(tb testing.TB) { aguitest.Post(tb, stream(tt.body), &agui.RunAgentInput{}) })
			if !strings.Contains(got, tt.want) {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTheExamples runs what the examples show.
func TestTheExamples(t *testing.T) {
	t.Run("golden", agentTest)
	t.Run("post", endpointTest)
	t.Run("server", liveTest)
	t.Run("adapter", adapterTest)
}
