package aguiclient

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// list is a conversation as simple as can be: a walk over the whole for
// everything.
type list []agui.Message

func (l list) find(id string) int {
	return slices.IndexFunc(l, func(m agui.Message) bool { return m.ID == id })
}

func (l list) owner(call string) int {
	return slices.IndexFunc(l, func(m agui.Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c agui.ToolCall) bool { return c.ID == call })
	})
}

func (l *list) apply(e agui.Event) {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		if l.find(e.MessageID) < 0 {
			*l = append(*l, agui.Message{ID: e.MessageID, Role: agui.RoleAssistant, Content: agui.Text("")})
		}
	case *agui.TextMessageContent:
		if i := l.find(e.MessageID); i >= 0 && (*l)[i].Role != agui.RoleActivity {
			(*l)[i].Content = agui.Text((*l)[i].Content.Text() + e.Delta)
		}
	case *agui.ToolCallStart:
		if l.owner(e.ToolCallID) < 0 {
			i := l.find(e.ParentMessageID)
			if i < 0 || (*l)[i].Role != agui.RoleAssistant {
				id := e.ParentMessageID
				if i >= 0 {
					id = e.ToolCallID
				}
				i = len(*l)
				*l = append(*l, agui.Message{ID: id, Role: agui.RoleAssistant})
			}
			(*l)[i].ToolCalls = append((*l)[i].ToolCalls, agui.ToolCall{ID: e.ToolCallID, Name: e.ToolCallName})
		}
	case *agui.ToolCallResult:
		at := len(*l)
		if i := l.owner(e.ToolCallID); i >= 0 {
			for at = i + 1; at < len(*l) && (*l)[at].Role == agui.RoleTool; at++ {
			}
		}
		*l = slices.Insert(*l, at, agui.Message{ID: e.MessageID, Role: agui.RoleTool, ToolCallID: e.ToolCallID, Content: e.Content})
	case *agui.ActivitySnapshot:
		activity := agui.Message{ID: e.MessageID, Role: agui.RoleActivity, ActivityType: e.ActivityType, Activity: e.Content}
		if i := l.find(e.MessageID); i >= 0 {
			(*l)[i] = activity
		} else {
			*l = append(*l, activity)
		}
	case *agui.MessagesSnapshot:
		m := NewMirror(nil, *l)
		m.replaceMessages(e)
		*l = m.Messages()
	}
}

// However ids are used, a mirror orders and finds messages as a walk over the
// whole conversation does.
func TestAConversationIsAList(t *testing.T) {
	for seed := range uint64(2 * seeds(t)) {
		r := rand.New(rand.NewPCG(seed, 3))
		id := func() string { return fmt.Sprint("m", r.IntN(6)) }
		call := func() string { return fmt.Sprint("c", r.IntN(4)) }
		var l list
		m := new(Mirror)
		for range r.IntN(40) {
			var e agui.Event
			switch r.IntN(12) {
			case 0, 1:
				e = &agui.TextMessageStart{MessageID: id()}
			case 2:
				e = &agui.TextMessageContent{MessageID: id(), Delta: "x"}
			case 3, 4, 5:
				e = &agui.ToolCallStart{ToolCallID: call(), ToolCallName: "f", ParentMessageID: id()}
			case 6, 7, 8, 9:
				e = &agui.ToolCallResult{MessageID: id(), ToolCallID: call(), Content: agui.Text("r")}
			case 10:
				e = &agui.ActivitySnapshot{MessageID: id(), ActivityType: "P", Content: json.RawMessage(`{}`)}
			default:
				s := &agui.MessagesSnapshot{}
				for _, msg := range m.Messages() {
					if r.IntN(5) > 0 {
						s.Messages = append(s.Messages, msg)
					}
				}
				e = s
			}
			l.apply(e)
			_ = m.Apply(e)
			if got, want := string(mustJSON(t, m.Messages())), string(mustJSON(t, append([]agui.Message{}, l...))); got != want {
				t.Fatalf("seed %d: after %s\n%s\nwant\n%s", seed, e.Type(), got, want)
			}
			checkPlaces(t, &m.talk)
		}
	}
}

// checkPlaces holds what a conversation remembers of places against the order.
func checkPlaces(t *testing.T, c *conversation) {
	t.Helper()
	first := map[string]*entry{}
	calls := map[string][]*callEntry{}
	var before *entry
	n := 0
	for e := range c.all() {
		n++
		if before != nil && !before.place.before(e.place) {
			t.Fatalf("%+v is not before %+v", before.place, e.place)
		}
		before = e
		if first[e.msg.ID] == nil {
			first[e.msg.ID] = e
		}
		for _, call := range e.calls {
			calls[call.call.ID] = append(calls[call.call.ID], call)
		}
	}
	if n != c.n {
		t.Fatalf("%d entries are counted as %d", n, c.n)
	}
	for id, e := range first {
		if c.byID[id] != e {
			t.Fatalf("%s is found elsewhere", id)
		}
	}
	for id, list := range calls {
		if !reflect.DeepEqual(c.calls[id], list) {
			t.Fatalf("call %s is found elsewhere", id)
		}
	}
}

// An agent that makes its events to hurt takes no more of a client's memory
// and time than others do: with a walk over the conversation for each of these
// events, the test would take far longer.
func TestHostileIDs(t *testing.T) {
	const n = 20_000
	call := func(id string) agui.Event { return &agui.ToolCallStart{ToolCallID: id, ToolCallName: "f"} }
	result := func(id, call string) agui.Event {
		return &agui.ToolCallResult{MessageID: id, ToolCallID: call, Content: agui.Text("")}
	}
	for name, c := range map[string]struct {
		before []agui.Event
		each   func(i int) []agui.Event
		most   int // messages
	}{
		"results with one id":       {nil, func(int) []agui.Event { return []agui.Event{result("m", "")} }, n},
		"results of one call":       {[]agui.Event{call("c"), &agui.TextMessageStart{MessageID: "t"}}, func(int) []agui.Event { return []agui.Event{result("m", "c")} }, n + 2},
		"results of the first call": {[]agui.Event{call("c")}, func(i int) []agui.Event { return []agui.Event{call(fmt.Sprint(i)), result("m", "c")} }, 2*n + 1},
		"calls without a result":    {nil, func(i int) []agui.Event { return []agui.Event{call(fmt.Sprint(i))} }, n},
		"calls and results":         {nil, func(i int) []agui.Event { return []agui.Event{call("c"), result("m", "c")} }, n + 1},
		"an activity in each one's place": {nil, func(i int) []agui.Event {
			return []agui.Event{call(fmt.Sprint(i)), &agui.ActivitySnapshot{MessageID: fmt.Sprint(i), ActivityType: "P"}}
		}, n},
	} {
		t.Run(name, func(t *testing.T) {
			m := new(Mirror)
			take := func(events []agui.Event) {
				for _, e := range events {
					if err := m.Apply(e); err != nil {
						t.Fatal(err)
					}
				}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			take(c.before)
			for i := range n {
				take(c.each(i))
			}
			take([]agui.Event{&agui.RunFinished{}})
			runtime.ReadMemStats(&after)
			// All that was ever allocated, the events too.
			if got := (after.TotalAlloc - before.TotalAlloc) / n; got > 8<<10 {
				t.Errorf("%d bytes were allocated for each", got)
			}
			if got := len(m.Messages()); got != c.most {
				t.Errorf("%d messages, want %d", got, c.most)
			}
			_ = m.pendingCalls()
		})
	}
}
