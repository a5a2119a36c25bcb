package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// pieces has pieces of every kind, several in one update too.
var pieces = []*chat.Update{
	{Reasoning: "Let "}, {Reasoning: "me"},
	{Text: "a", Metadata: agui.Metadata{"k": json.RawMessage(`1`)}}, {Text: "b", Metadata: agui.Metadata{"k": json.RawMessage(`2`)}}, {Text: "c"},
	{ToolCalls: []chat.ToolCallDelta{{ID: "c1", Name: "f", Arguments: `{"x":`}, {ID: "c2", Name: "g", Arguments: `{"y":`}}},
	{ToolCalls: []chat.ToolCallDelta{{ID: "c1", Arguments: `1`}, {ID: "c2", Arguments: `2`}, {ID: "c1", Arguments: `}`}, {ID: "c2", Arguments: `}`}}},
	{Reasoning: "d", Text: "e"},
	{FinishReason: chat.FinishToolCalls},
}

// TestReuseEvents: an event says the same while the loop's body has it, used
// again or not, and one that may be kept never changes.
func TestReuseEvents(t *testing.T) {
	run := func(reuse bool) (lines string, kept []agui.Event) {
		o := &chat.EventOptions{Logger: quiet.Logger, ReuseEvents: reuse}
		for e := range chat.Events(t.Context(), by(pieces...), input(), o) {
			line, err := aguitest.Lines([]agui.Event{e})
			if err != nil {
				t.Fatal(err)
			}
			lines += string(line)
			kept = append(kept, e)
		}
		return lines, kept
	}
	want, kept := run(false)
	var later string
	for _, e := range kept {
		line, err := aguitest.Lines([]agui.Event{e})
		if err != nil {
			t.Fatal(err)
		}
		later += string(line)
	}
	if later != want {
		t.Errorf("kept events changed:\n%s\nwere\n%s", later, want)
	}
	got, again := run(true)
	if got != want {
		t.Errorf("used again:\n%s\nwant\n%s", got, want)
	}
	distinct := map[agui.Event]bool{}
	for _, e := range again {
		distinct[e] = true
	}
	if len(distinct) == len(again) {
		t.Error("no event was used again")
	}
}
