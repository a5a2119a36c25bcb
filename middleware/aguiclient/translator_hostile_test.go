package aguiclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// What an agent sends to hurt costs a client of it in proportion: with a look
// at all calls, or all arguments, for each event, the test would take minutes.
func TestHostileCalls(t *testing.T) {
	const n = 20_000
	call := func(id string) agui.Event {
		return &agui.ToolCallStart{ToolCallID: id, ToolCallName: "offered", ParentMessageID: "m"}
	}
	end := func(id string) agui.Event { return &agui.ToolCallEnd{ToolCallID: id} }
	args := func(id, delta string) agui.Event { return &agui.ToolCallArgs{ToolCallID: id, Delta: delta} }
	for name, c := range map[string]struct {
		first []agui.Event
		each  func(id string) []agui.Event
		calls int
	}{
		"calls that say nothing": {nil, func(id string) []agui.Event { return []agui.Event{call(id), end(id)} }, n},
		"calls without an end": {[]agui.Event{call("long"), args("long", `{"a":"`+strings.Repeat("x", 1<<20))}, func(id string) []agui.Event {
			return []agui.Event{args("long", "}"), call(id), end(id)}
		}, n + 1},
		"results in the wrong order": {nil, func(id string) []agui.Event {
			return []agui.Event{call(id), end(id), &agui.ToolCallResult{MessageID: "r", ToolCallID: "none", Content: agui.Text("x")}}
		}, n},
	} {
		t.Run(name, func(t *testing.T) {
			events := append([]agui.Event{&agui.RunStarted{ThreadID: "t", RunID: "r"}}, c.first...)
			for i := range n {
				events = append(events, c.each(fmt.Sprint(i))...)
			}
			if c.first != nil {
				events = append(events, end("long"))
			}
			events = append(events, &agui.RunFinished{ThreadID: "t", RunID: "r"})
			req := &chat.Request{Tools: []chat.Tool{{Name: "offered"}}, Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")}}}
			calls := 0
			for u, err := range New(NewReplay(events), nil).Stream(t.Context(), req) {
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range u.ToolCalls {
					if d.Name != "" {
						calls++
					}
				}
			}
			if calls != c.calls {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

// A snapshot may be as large as a frame, and so may a conversation.
func TestHostileSnapshots(t *testing.T) {
	const n = 20_000
	q := &query{in: &agui.RunAgentInput{}, added: map[string]bool{}}
	var told []agui.Message
	for i := range n {
		q.talk = append(q.talk, agui.Message{ID: fmt.Sprint("mine", i), Role: agui.RoleUser})
		told = append(told, agui.Message{ID: fmt.Sprint("theirs", i), Role: agui.RoleAssistant})
	}
	told[n/2] = q.talk[n/2]
	got := q.keepUnsent(told)
	if len(got) != 2*n-1 || got[0].ID != "mine0" || got[n/2].ID != "theirs0" || got[n].ID != fmt.Sprint("mine", n/2) || got[n+1].ID != fmt.Sprint("mine", n/2+1) || got[2*n-2].ID != fmt.Sprint("theirs", n-1) {
		t.Errorf("%d messages", len(got))
	}
}

// Metadata that piles up without a word of text.
func TestHostileMetadata(t *testing.T) {
	const n = 20_000
	events := []agui.Event{&agui.RunStarted{ThreadID: "t", RunID: "r"}, &agui.TextMessageStart{MessageID: "m"}}
	for i := range n {
		events = append(events, &agui.TextMessageContent{Base: agui.Base{Metadata: agui.Metadata{fmt.Sprint(i): i}}, MessageID: "m"})
	}
	events = append(events, &agui.TextMessageContent{MessageID: "m", Delta: "x"}, &agui.TextMessageEnd{MessageID: "m"}, &agui.RunFinished{ThreadID: "t", RunID: "r"})
	for u, err := range New(NewReplay(events), nil).Stream(t.Context(), &chat.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Text != "" && len(u.Metadata) != n {
			t.Errorf("%d keys", len(u.Metadata))
		}
	}
	if got := events[2].(*agui.TextMessageContent).Metadata; len(got) != 1 {
		t.Errorf("the event has %d keys by now", len(got))
	}
}

// Messages that never end, and snapshots between them.
func TestHostileCompaction(t *testing.T) {
	const n = 50_000
	var events []agui.Event
	for i := range n {
		events = append(events, &agui.TextMessageStart{MessageID: fmt.Sprint(i)}, &agui.MessagesSnapshot{})
	}
	if got := Compact(events); len(got) != 2*n {
		t.Errorf("%d events", len(got))
	}
}
