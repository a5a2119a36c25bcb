package aguiclient

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

func eventsJSON(t testing.TB, events []agui.Event) []byte {
	t.Helper()
	raws := []json.RawMessage{}
	for _, e := range events {
		data, err := agui.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		raws = append(raws, data)
	}
	return mustJSON(t, raws)
}

func TestCompactFollowsTheReference(t *testing.T) {
	for _, c := range cases[struct {
		Name              string
		Events, Compacted []json.RawMessage
	}](t, "compact.json") {
		t.Run(c.Name, func(t *testing.T) {
			got := Compact(decodeAll(t, c.Events))
			sameJSON(t, "compacted", eventsJSON(t, got), mustJSON(t, c.Compacted))
		})
	}
}

// Compacting changes nothing that a mirror holds, in every fixture: neither at
// the end nor at the end of a run, and not a second time.
func TestCompactKeepsTheOutcome(t *testing.T) {
	for _, c := range cases[applyCase](t, "apply.json") {
		if c.Rejected != nil {
			continue // no event
		}
		t.Run(c.Name, func(t *testing.T) {
			start := func() *Mirror { return NewMirror(c.InitialState, c.InitialMessages) }
			checkCompact(t, start, decodeAll(t, c.Events))
		})
	}
}

// checkCompact holds what mirrors make of events, compacted and not, against
// each other, at every RUN_* event and at the end.
func checkCompact(t testing.TB, start func() *Mirror, events []agui.Event) {
	t.Helper()
	once := Compact(events)
	if got, want := outcomes(t, start(), once), outcomes(t, start(), events); !reflect.DeepEqual(got, want) {
		t.Errorf("compacted %s\nto        %s\ngives     %s\nwant      %s", eventsJSON(t, events), eventsJSON(t, once), got, want)
	}
	if twice := Compact(once); string(eventsJSON(t, twice)) != string(eventsJSON(t, once)) {
		t.Errorf("compacted once  %s\nand twice       %s", eventsJSON(t, once), eventsJSON(t, twice))
	}
}

func outcomes(t testing.TB, m *Mirror, events []agui.Event) (out []string) {
	t.Helper()
	note := func() {
		out = append(out, string(m.State())+" "+string(mustJSON(t, m.Messages()))+" "+string(mustJSON(t, m.Interrupts()))+" "+string(mustJSON(t, m.PendingToolCallIDs())))
	}
	for _, e := range events {
		_ = m.Apply(e) // what cannot be applied is no outcome
		switch e.(type) {
		case *agui.RunStarted, *agui.RunFinished, *agui.RunError:
			note()
		}
	}
	note()
	return out
}

func TestCompactBars(t *testing.T) {
	text := func(id, delta string) agui.Event { return &agui.TextMessageContent{MessageID: id, Delta: delta} }
	start := func(id string) agui.Event { return &agui.TextMessageStart{MessageID: id} }
	end := func(id string) agui.Event { return &agui.TextMessageEnd{MessageID: id} }
	snapshot := &agui.MessagesSnapshot{Messages: []agui.Message{{ID: "a", Role: agui.RoleAssistant, Content: agui.Text("whole")}}}
	for name, events := range map[string][]agui.Event{
		"content behind a snapshot of the message": {start("a"), text("a", "who"), snapshot, text("a", "!"), text("a", "!"), end("a")},
		"arguments behind a snapshot":              {&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "f"}, &agui.ToolCallArgs{ToolCallID: "c", Delta: "{"}, snapshot, &agui.ToolCallArgs{ToolCallID: "c", Delta: "}"}, &agui.ToolCallEnd{ToolCallID: "c"}},
		"the second message ends first":            {start("a"), start("b"), text("b", "1"), end("b"), text("a", "2"), end("a")},
		"an activity takes the id":                 {start("a"), text("a", "x"), &agui.ActivitySnapshot{MessageID: "a", ActivityType: "P", Content: []byte(`{}`)}, text("a", "y"), end("a")},
		"reasoning on the same id":                 {start("a"), text("a", "x"), &agui.ReasoningMessageStart{MessageID: "a"}, &agui.ReasoningMessageContent{MessageID: "a", Delta: "r"}, text("a", "y"), &agui.ReasoningMessageEnd{MessageID: "a"}, end("a")},
		"metadata at an end behind a snapshot":     {start("a"), text("a", "x"), snapshot, &agui.TextMessageEnd{MessageID: "a", Base: agui.Base{Metadata: agui.Metadata{"k": "v"}}}},
		"open at the end of the run":               {start("a"), text("a", "x"), &agui.RunError{Message: "no"}, &agui.RunStarted{ThreadID: "t", RunID: "2"}, start("a"), text("a", "y"), end("a")},
		"chunks":                                   {&agui.TextMessageChunk{MessageID: new("a"), Delta: new("x")}, &agui.StateSnapshot{Snapshot: []byte(`1`)}, &agui.TextMessageChunk{MessageID: new("a"), Delta: new("y")}, &agui.TextMessageChunk{Delta: new("z")}},
		"a chunk that continues nothing":           {&agui.TextMessageChunk{Delta: new("x")}, start("a"), text("a", "y"), end("a")},
		"a result takes the id":                    {start("a"), text("a", "x"), &agui.ToolCallResult{MessageID: "a", ToolCallID: "c", Content: agui.Text("r")}, text("a", "y"), end("a")},
	} {
		t.Run(name, func(t *testing.T) { checkCompact(t, func() *Mirror { return new(Mirror) }, events) })
	}
}
