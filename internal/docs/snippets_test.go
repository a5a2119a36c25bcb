package docs

import (
	"encoding/json"
	"log/slog"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // tools fail here on purpose
	goleak.VerifyTestMain(m)
}

// [types]

// Board is a list of tasks that a person and an agent keep together.
type Board struct {
	Tasks []string `json:"tasks"`
	Done  int      `json:"done"`
}

type Task struct {
	Title string `json:"title"`
}

// [end]

var quiet = &chat.EventOptions{Logger: slog.New(slog.DiscardHandler)}

// wish is the input of a first run.
func wish(text, doc string) *agui.RunAgentInput {
	return &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion,
		State:    json.RawMessage(doc),
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.Text(text)}},
	}
}

// play runs a chain as an endpoint does.
func play(t testing.TB, c chat.Client, in *agui.RunAgentInput) []agui.Event {
	t.Helper()
	events := slices.Collect(chat.Events(t.Context(), c, in, quiet))
	aguitest.Verify(t, events)
	return events
}

// expect compares events with lines as the wire has them, in any run.
func expect(t testing.TB, events []agui.Event, want string) {
	t.Helper()
	got, err := aguitest.Lines(events)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("the events are\n%s\nwant\n%s", got, want)
	}
}

// said is the text of a run.
func said(events []agui.Event) string {
	text := ""
	for _, e := range events {
		if e, ok := e.(*agui.TextMessageContent); ok {
			text += e.Delta
		}
	}
	return text
}
