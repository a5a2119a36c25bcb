package chat_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// layered is a chain of two loops, each with tools and a key of its own.
func layered(model chat.Client, outer, inner chat.FunctionInvocation) chat.Client {
	outer.Key, inner.Key = []byte(strings.Repeat("o", 32)), []byte(strings.Repeat("i", 32))
	outer.Logger, inner.Logger = quiet.Logger, quiet.Logger
	return chat.NewBuilder(model).Use(chat.InvokeFunctions(outer)).Use(chat.InvokeFunctions(inner)).Build()
}

// wire tells the calls, results and questions of a run, in order.
func wire(t *testing.T, events []agui.Event) string {
	t.Helper()
	aguitest.Verify(t, events)
	var out []string
	for _, e := range events {
		switch e := e.(type) {
		case *agui.ToolCallStart:
			out = append(out, e.ToolCallName+" "+e.ToolCallID)
		case *agui.ToolCallResult:
			out = append(out, e.ToolCallID+"="+e.Content.Text())
		case *agui.RunError:
			out = append(out, "error "+e.Code)
		case *agui.RunFinished:
			if e.Outcome == nil {
				continue
			}
			for _, i := range e.Outcome.Interrupts {
				out = append(out, "ask "+i.ToolCallID)
			}
			for _, id := range e.Outcome.PendingToolCallIDs {
				out = append(out, "waits "+id)
			}
		}
	}
	return strings.Join(out, ", ")
}

// A call has one id in all layers, and each question is put once, by one of
// them: the outermost that knows it. What a layer lets pass that one further
// out does not know is not refused there.
func TestLoopsInLayers(t *testing.T) {
	plain := func(name string) chat.Tool {
		return chat.NewTool(name, "", func(context.Context, struct{}) (string, error) { return "ran", nil })
	}
	asks := func(name string) chat.Tool { return chat.RequireApproval(plain(name), nil, 0) }
	one, two := aguitest.Call("c1", "a", `{}`), aguitest.Call("c1", "a", `{}`).Call("c2", "b", `{}`)
	for name, c := range map[string]struct {
		turn         aguitest.Turn
		outer, inner []chat.Tool
		stop         bool // the outer leaves unknown calls
		want, then   string
	}{
		"the outer asks":          {turn: one, outer: []chat.Tool{asks("a")}, inner: []chat.Tool{plain("x")}, want: "a c1, ask c1", then: "c1=ran"},
		"the inner asks":          {turn: one, outer: []chat.Tool{plain("x")}, inner: []chat.Tool{asks("a")}, want: "a c1, ask c1", then: "c1=ran"},
		"the inner, outer stops":  {turn: one, outer: []chat.Tool{plain("x")}, inner: []chat.Tool{asks("a")}, stop: true, want: "a c1, ask c1", then: "c1=ran"},
		"both know it":            {turn: one, outer: []chat.Tool{asks("a")}, inner: []chat.Tool{asks("a")}, want: "a c1, ask c1", then: "c1=ran"},
		"each asks":               {turn: two, outer: []chat.Tool{asks("a")}, inner: []chat.Tool{asks("b")}, want: "a c1, b c2, ask c2, ask c1", then: "c1=ran, c2=ran"},
		"the client's":            {turn: aguitest.Call("c1", "confirm", `{}`), outer: []chat.Tool{plain("x")}, inner: []chat.Tool{plain("y")}, want: "confirm c1, waits c1"},
		"the outer's":             {turn: one, outer: []chat.Tool{plain("a")}, inner: []chat.Tool{plain("y")}, want: "a c1, c1=ran"},
		"the inner's":             {turn: one, outer: []chat.Tool{plain("x")}, inner: []chat.Tool{plain("a")}, want: "a c1, c1=ran"},
		"nobody's":                {turn: one, outer: []chat.Tool{plain("x")}, inner: []chat.Tool{plain("y")}, want: `a c1, c1=Error: there is no tool named "a"`},
		"what nobody could judge": {turn: aguitest.Call("c1", "a", `[]`), outer: []chat.Tool{asks("a")}, inner: []chat.Tool{plain("y")}, want: `a c1, c1=Error: the arguments do not fit: not a JSON object`},
	} {
		t.Run(name, func(t *testing.T) {
			chain := layered(aguitest.NewModel(c.turn, aguitest.Text("done")),
				chat.FunctionInvocation{Tools: c.outer, StopOnUnknown: c.stop}, chat.FunctionInvocation{Tools: c.inner})
			events := runEvents(t.Context(), chain, input(), quiet)
			if got := wire(t, events); got != c.want {
				t.Errorf("the run is %s\nwant %s", got, c.want)
			}
			if c.then == "" {
				return
			}
			in := input()
			for _, e := range events {
				switch e := e.(type) {
				case *agui.MessagesSnapshot:
					in.Messages = e.Messages
				case *agui.RunFinished:
					for _, i := range e.Outcome.Interrupts {
						in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true}`)})
					}
				}
			}
			if got := wire(t, runEvents(t.Context(), chain, in, quiet)); got != c.then {
				t.Errorf("the run with the answer is %s\nwant %s", got, c.then)
			}
		})
	}
}

// The ids of models that repeat theirs, behind layers that trim, are told apart
// once for all layers.
func TestLoopsNameACallOnce(t *testing.T) {
	look := chat.NewTool("look", "", func(context.Context, struct{}) (string, error) { return "seen", nil })
	// No CallIDs: a model that names its only call the same in every answer.
	answers := []string{"look", "look", "confirm"}
	raw := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		name := answers[0]
		answers = answers[1:]
		return by(calls(delta("c", name, `{}`)), &chat.Update{FinishReason: chat.FinishToolCalls}).Stream(context.Background(), nil)
	})
	trim := func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			own := *req
			own.Messages = req.Messages[len(req.Messages)-1:]
			return next.Stream(ctx, &own)
		})
	}
	functions := func(tools ...chat.Tool) chat.Middleware {
		return chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools, Logger: quiet.Logger})
	}
	chain := chat.NewBuilder(raw).Use(functions()).Use(trim).Use(functions(look)).Build()
	in := input()
	in.Messages = slices.Insert(in.Messages, 0,
		agui.Message{ID: "a0", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c", Name: "look", Arguments: "{}"}}},
		agui.Message{ID: "t0", Role: agui.RoleTool, ToolCallID: "c", Content: agui.Text("old")})
	if got, want := wire(t, runEvents(t.Context(), chain, in, quiet)), "look c-2, c-2=seen, look c-3, c-3=seen, confirm c-4, waits c-4"; got != want {
		t.Errorf("the run is %s\nwant %s", got, want)
	}
}

// Models that a layer asks one after the other are told apart without a loop
// around, when they name their calls by the run.
func TestCallIDsForARun(t *testing.T) {
	model := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		id := chat.CallIDsFor(ctx, req.Messages).New("call_0")
		return by(calls(delta(id, "confirm", `{}`)), &chat.Update{FinishReason: chat.FinishToolCalls}).Stream(ctx, req)
	})
	both := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for range 2 {
				for u, err := range model.Stream(ctx, req) {
					if !yield(u, err) {
						return
					}
				}
			}
		}
	})
	for name, chain := range map[string]chat.Client{
		"no loop":   both,
		"a loop":    chat.NewBuilder(both).Use(chat.InvokeFunctions(chat.FunctionInvocation{})).Build(),
		"two loops": layered(both, chat.FunctionInvocation{}, chat.FunctionInvocation{}),
	} {
		for range 2 { // each run has its own
			if got, want := wire(t, runEvents(t.Context(), chain, input(), quiet)), "confirm call_0, confirm call_0-2, waits call_0, waits call_0-2"; got != want {
				t.Errorf("%s: the run is %s\nwant %s", name, got, want)
			}
		}
	}
	for range 2 {
		if id := chat.CallIDsFor(t.Context(), nil).New("call_0"); id != "call_0" {
			t.Errorf("outside any run a call is %q", id)
		}
	}
}
