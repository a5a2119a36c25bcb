package state_test

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"reflect"
	"slices"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"go.uber.org/goleak"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestMain(m *testing.M) {
	aguitest.ReuseUpdates = true
	goleak.VerifyTestMain(m)
}

var quiet = &chat.EventOptions{Logger: slog.New(slog.DiscardHandler)}

// Task and Board are a state with lists.
type Task struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done,omitempty"`
}

type Board struct {
	Name  string `json:"name"`
	Tasks []Task `json:"tasks"`
}

func inputWith(state string) *agui.RunAgentInput {
	in := &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: "1.0",
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.Text("Go")}},
	}
	if state != "" {
		in.State = json.RawMessage(state)
	}
	return in
}

func runChain(t *testing.T, c chat.Client, in *agui.RunAgentInput) []agui.Event {
	t.Helper()
	return slices.Collect(chat.Events(t.Context(), c, in, quiet))
}

// layer is a middleware made of the body of its Stream method.
func layer(f func(ctx context.Context, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool)) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) { f(ctx, next, req, yield) }
		})
	}
}

// mirror applies state events as a client does, with another implementation
// of JSON Patch than ours.
type mirror struct {
	t   *testing.T
	doc []byte
}

func (m *mirror) see(events ...agui.Event) {
	m.t.Helper()
	for _, e := range events {
		switch e := e.(type) {
		case *agui.StateSnapshot:
			m.doc = e.Snapshot
		case *agui.StateDelta:
			raw, err := json.Marshal(e.Delta)
			if err != nil {
				m.t.Fatal(err)
			}
			if len(e.Delta) == 0 {
				m.t.Fatal("an empty delta was sent")
			}
			p, err := jsonpatch.DecodePatch(raw)
			if err != nil {
				m.t.Fatal(err)
			}
			next, err := p.Apply(m.doc)
			if err != nil {
				m.t.Fatalf("%s does not apply to %s: %v", raw, m.doc, err)
			}
			m.doc = next
		}
	}
}

func (m *mirror) holds(want string) {
	m.t.Helper()
	if !reflect.DeepEqual(exactly(m.t, m.doc), exactly(m.t, []byte(want))) {
		m.t.Errorf("the client holds %s, want %s", m.doc, want)
	}
}

// exactly decodes a document without a loss of digits.
func exactly(t *testing.T, doc []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	return v
}

func stateEvents(events []agui.Event) []agui.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e agui.Event) bool {
		return e.Type() != agui.TypeStateSnapshot && e.Type() != agui.TypeStateDelta
	})
}

func types(events []agui.Event) []agui.EventType {
	var out []agui.EventType
	for _, e := range events {
		out = append(out, e.Type())
	}
	return out
}

func wantTypes(t *testing.T, events []agui.Event, want ...agui.EventType) {
	t.Helper()
	if got := types(events); !slices.Equal(got, want) {
		t.Errorf("events:\n got %v\nwant %v", got, want)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
