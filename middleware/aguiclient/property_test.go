package aguiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/internal/jsonpatch/pairs"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// quiet keeps runs that fail on purpose out of the test's output.
var quiet = &chat.EventOptions{Logger: slog.New(slog.DiscardHandler)}

// babbler is an agent that does all that an agent can, as a seed has it.
type babbler struct {
	r     *rand.Rand
	docs  *pairs.Source
	doc   json.RawMessage // the last one told
	calls int
	yield func(*chat.Update, error) bool
}

func (b *babbler) chance(percent int) bool { return b.r.IntN(100) < percent }

func (b *babbler) say(u *chat.Update) bool { return b.yield(u, nil) }

func (b *babbler) pieces(f func(string) bool) bool {
	for range 1 + b.r.IntN(4) {
		if !f([]string{"a", "Hello ", "naïve 🍮", "\n\n", `{"x":`, ""}[b.r.IntN(6)]) {
			return false
		}
	}
	return true
}

func (b *babbler) metadata() agui.Metadata {
	if b.chance(70) {
		return nil
	}
	return agui.Metadata{[]string{"k", "l"}[b.r.IntN(2)]: json.Number(fmt.Sprint(b.r.IntN(9)))}
}

// aside is what may come anywhere; behind it, what may not come inside a text
// without dividing it.
func (b *babbler) aside(inText bool) bool {
	n := 9
	if inText {
		n = 5
	}
	switch b.r.IntN(n) {
	case 0, 1, 2:
		old, next := b.docs.Pair()
		for _, doc := range [][]byte{old, next} {
			b.doc = doc
			if !b.say(&chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: doc}}}) {
				return false
			}
		}
	case 3:
		return b.say(&chat.Update{Events: []agui.Event{&agui.Custom{Name: "n", Value: json.RawMessage(`1`)}}})
	case 4:
		return b.say(&chat.Update{Events: []agui.Event{
			&agui.ActivitySnapshot{MessageID: fmt.Sprint("act", b.r.IntN(3)), ActivityType: "PLAN", Content: json.RawMessage(`{"n":1}`), Base: agui.Base{Metadata: b.metadata()}},
		}})
	case 6:
		id := agui.NewID()
		return b.say(&chat.Update{Events: []agui.Event{
			&agui.TextMessageStart{MessageID: id, Role: agui.RoleAssistant, Name: "sub", Tag: agui.Tag{SubagentRunID: new("s")}},
			&agui.TextMessageContent{MessageID: id, Delta: "from a subagent"},
			&agui.TextMessageEnd{MessageID: id, Base: agui.Base{Metadata: b.metadata()}},
		}})
	case 5:
		return b.say(&chat.Update{Events: []agui.Event{&agui.UnknownEvent{EventType: "NEW", JSON: json.RawMessage(`{"type":"NEW"}`)}}})
	}
	return true
}

func (b *babbler) turn() bool {
	if b.chance(30) && !b.pieces(func(s string) bool { return b.say(&chat.Update{Reasoning: s}) }) {
		return false
	}
	if b.chance(20) && !b.say(&chat.Update{EncryptedReasoning: "secret"}) {
		return false
	}
	if !b.aside(false) {
		return false
	}
	if b.chance(60) && !b.pieces(func(s string) bool {
		return b.say(&chat.Update{Text: s, Metadata: b.metadata()}) && (b.chance(70) || b.aside(true))
	}) {
		return false
	}
	var held []string
	for range b.r.IntN(3) {
		b.calls++
		id := fmt.Sprint("call", b.calls)
		d := chat.ToolCallDelta{ID: id, Name: "own", Held: true}
		if b.chance(20) {
			d.Name, d.Held = "client", false
		}
		arguments := []string{`{`, `"a":`, `1}`}
		for _, a := range append([]string{""}, arguments...) {
			d.Arguments = a
			if !b.say(&chat.Update{ToolCalls: []chat.ToolCallDelta{d}}) {
				return false
			}
		}
		if b.chance(20) && !b.say(&chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: id, EncryptedReasoning: "why"}}}) {
			return false
		}
		if d.Held {
			held = append(held, id)
		}
	}
	for _, id := range held {
		if !b.aside(false) || b.chance(85) && !b.say(&chat.Update{ToolResult: &chat.ToolResult{ToolCallID: id, Content: agui.Text("done"), Metadata: b.metadata()}}) {
			return false
		}
	}
	return b.say(&chat.Update{FinishReason: chat.FinishStop})
}

// first is the state that the client sends.
var first = json.RawMessage(`{"first":1}`)

// newBabbler returns a chain that shares a state and babbles.
func newBabbler(seed uint64) (chat.Client, *babbler) {
	b := &babbler{r: rand.New(rand.NewPCG(seed, 1)), docs: pairs.New(seed), doc: first}
	inner := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			b.yield = yield
			for range 1 + b.r.IntN(3) {
				if !b.turn() {
					return
				}
			}
			if b.chance(30) && !b.say(&chat.Update{Usage: &agui.TokenUsage{Model: "m", InputTokens: 1}}) {
				return
			}
			switch {
			case b.chance(20):
				b.say(&chat.Update{Interrupts: []agui.Interrupt{{ID: "i", Reason: "why", ToolCallID: "call1"}}})
			case b.chance(50):
				b.say(&chat.Update{Result: json.RawMessage(`{"n":1}`)})
			}
			if b.chance(15) {
				yield(nil, &chat.Error{Code: "BROKEN", Message: "It broke."})
			}
		}
	})
	return chat.NewBuilder(inner).Use(state.Share[json.RawMessage]()).Build(), b
}

func babbled(t testing.TB, seed uint64, in *agui.RunAgentInput) ([]agui.Event, *babbler) {
	t.Helper()
	c, b := newBabbler(seed)
	events := []agui.Event{}
	for e, err := range run(t.Context(), Local(c, quiet), in, false) {
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		events = append(events, e)
	}
	return events, b
}

func seeds(t *testing.T) int {
	if testing.Short() {
		return 60
	}
	return 200
}

// Whatever our server tells, what a mirror folds is what it last held, and
// compacting changes nothing of it.
func TestTheMirrorHoldsWhatTheServerHolds(t *testing.T) {
	for seed := range uint64(seeds(t)) {
		in := &agui.RunAgentInput{ThreadID: "t", RunID: "r", ProtocolVersion: "1.0", State: first, Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")}}}
		events, b := babbled(t, seed, in)
		m := NewMirror(in.State, in.Messages)
		for _, e := range events {
			if err := m.Apply(e); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			snapshot(t, seed, m, e)
		}
		if !sameDocument(t, m.State(), b.doc) || m.Stale() {
			t.Fatalf("seed %d: the mirror holds %s, the server %s", seed, m.State(), b.doc)
		}
		checkCompact(t, func() *Mirror { return NewMirror(in.State, in.Messages) }, events)
	}
}

// snapshot holds the messages of the server's own snapshot, which it sends at
// an interrupt, against the mirror.
func snapshot(t *testing.T, seed uint64, m *Mirror, e agui.Event) {
	t.Helper()
	s, ok := e.(*agui.MessagesSnapshot)
	if !ok {
		return
	}
	own := slices.DeleteFunc(m.Messages(), func(m agui.Message) bool { return m.Role == agui.RoleReasoning || m.Role == agui.RoleActivity })
	if got, want := string(mustJSON(t, own)), string(mustJSON(t, s.Messages)); got != want {
		t.Errorf("seed %d: the mirror has\n%s\nthe server's snapshot\n%s", seed, got, want)
	}
}

// Behind an endpoint of ours, a client sees of an agent what it would see
// without it.
func TestAProxyLosesNothingAndSendsNothingTwice(t *testing.T) {
	for seed := range uint64(seeds(t)) {
		in := &agui.RunAgentInput{ThreadID: "t", RunID: "r", ProtocolVersion: "1.0", State: first,
			Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")}},
			Tools:    []agui.Tool{{Name: "client", Description: "The client's."}}}
		direct, _ := babbled(t, seed, in)
		proxy := New(NewReplay(direct), nil)
		var proxied []agui.Event
		for e, err := range run(t.Context(), Local(proxy, quiet), in, false) {
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			proxied = append(proxied, e)
		}
		got, want := view(t, in, proxied), view(t, in, direct)
		if got != want {
			t.Fatalf("seed %d: behind the proxy\n%s\nnot\n%s\nfrom\n%s\nand\n%s", seed, got, want, lines(t, proxied), lines(t, direct))
		}
	}
}

// view is all that a client keeps and sees of a run, but for what is named
// anew on the way: reasoning.
func view(t *testing.T, in *agui.RunAgentInput, events []agui.Event) string {
	t.Helper()
	m := NewMirror(in.State, in.Messages)
	var b strings.Builder
	for _, e := range events {
		if err := m.Apply(e); err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *agui.StateSnapshot, *agui.StateDelta, *agui.Custom, *agui.UnknownEvent, *agui.ActivitySnapshot, *agui.RunFinished, *agui.RunError:
			fmt.Fprintf(&b, "%s\n", lines(t, []agui.Event{e}))
		}
	}
	messages := m.Messages()
	for i := range messages {
		if messages[i].Role == agui.RoleReasoning {
			messages[i].ID = fmt.Sprint("reasoning ", i)
		}
	}
	fmt.Fprintf(&b, "%s\n%s\n%s\n", m.State(), mustJSON(t, messages), mustJSON(t, m.PendingToolCallIDs()))
	return b.String()
}

func lines(t testing.TB, events []agui.Event) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		data, err := agui.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	return b.String()
}

// sameDocument compares documents by value, numbers by their digits: a patch
// does not tell the order of members.
func sameDocument(t testing.TB, a, b []byte) bool {
	t.Helper()
	var values [2]any
	for i, doc := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
