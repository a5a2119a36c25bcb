// Package try runs the programs of the guides in their tests, without a network.
package try

import (
	"encoding/json"
	"log/slog"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Quiet are options without a log: tools fail on purpose.
var Quiet = &chat.EventOptions{Logger: slog.New(slog.DiscardHandler)}

// Wish is the input of a first run.
func Wish(text, doc string) *agui.RunAgentInput {
	return &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion,
		State:    json.RawMessage(doc),
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.Text(text)}},
	}
}

// Play runs a chain as an endpoint does.
func Play(t testing.TB, c chat.Client, in *agui.RunAgentInput) []agui.Event {
	t.Helper()
	events := slices.Collect(chat.Events(t.Context(), c, in, Quiet))
	aguitest.Verify(t, events)
	return events
}

// Expect compares events with lines as the wire has them, in any run.
func Expect(t testing.TB, events []agui.Event, want string) {
	t.Helper()
	got, err := aguitest.Lines(events)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("the events are\n%s\nwant\n%s", got, want)
	}
}

// Said is the text of a run.
func Said(events []agui.Event) string {
	text := ""
	for _, e := range events {
		if e, ok := e.(*agui.TextMessageContent); ok {
			text += e.Delta
		}
	}
	return text
}

// Only are the events of the given types.
func Only(events []agui.Event, types ...agui.EventType) []agui.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e agui.Event) bool { return !slices.Contains(types, e.Type()) })
}

// States are the events of the state.
func States(events []agui.Event) []agui.Event {
	return Only(events, agui.TypeStateSnapshot, agui.TypeStateDelta)
}
