package aguiclient_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// nameIt is a tool of ours that changes the state.
var nameIt = state.Tool("name_it", "Names the recipe.", func(_ context.Context, r *recipe, _ struct{}) (string, error) {
	r.Title += "Bread"
	return "named", nil
})

// sharing is a chain of ours with an agent at its end.
func sharing(agent aguiclient.Transport, o *aguiclient.Options, layer chat.Middleware) chat.Client {
	return chat.NewBuilder(aguiclient.New(agent, o)).Use(state.Share[recipe](state.Silent())).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{nameIt}})).Use(layer).Build()
}

// What a tool out here does to the state is what the remote agent goes on with,
// and what the agent does is what the tools out here find, whatever the way.
func TestTheStateOfTheChainIsSent(t *testing.T) {
	for way, reach := range map[string]func(chat.Client) aguiclient.Transport{
		"Local": func(c chat.Client) aguiclient.Transport { return aguiclient.Local(c, quiet) },
		"Handler": func(c chat.Client) aguiclient.Transport {
			return aguiclient.Handler(aguihttp.Handler(c, &aguihttp.Options{Logger: quiet.Logger}), "/", nil)
		},
		"HTTP": func(c chat.Client) aguiclient.Transport {
			s := httptest.NewServer(aguihttp.Handler(c, &aguihttp.Options{Logger: quiet.Logger}))
			t.Cleanup(s.Close)
			return aguiclient.HTTP(s.URL, &aguiclient.HTTPOptions{Client: s.Client()})
		},
	} {
		t.Run(way, func(t *testing.T) {
			model := aguitest.NewModel(
				aguitest.Call("c1", "name_it"), aguitest.Call("c2", "add_ingredient", `{"name":"flour"}`),
				aguitest.Call("c3", "name_it"), aguitest.Call("c4", "add_ingredient", `{"name":"salt"}`), aguitest.Text("Done."),
			)
			outer := sharing(reach(kitchen(model)), nil, nil)
			th := aguiclient.NewThread[recipe](reach(outer), &aguiclient.ThreadOptions{State: []byte(`{"z":9007199254740993.10,"title":"","a":{"c":1,"b":2}}`)})
			for c, err := range th.Send(t.Context(), agui.UserMessage("go")) {
				must(t, err)
				must(t, c.Err)
			}
			if got, want := string(th.Document()), `{"z":9007199254740993.10,"title":"BreadBread","a":{"c":1,"b":2},"ingredients":[{"name":"flour"},{"name":"salt"}]}`; got != want {
				t.Errorf("the state is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Each call is sent the document as it is then, and the hook has the last word.
func TestWhatIsSentOfASharedState(t *testing.T) {
	calls := aRun(&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "name_it"}, &agui.ToolCallEnd{ToolCallID: "c"})
	whole := func(doc string) agui.Event { return &agui.StateSnapshot{Snapshot: []byte(doc)} }
	change := func(op agui.Op, path, value string) agui.Event {
		return &agui.StateDelta{Delta: agui.Patch{{Op: op, Path: path, Value: []byte(value)}}}
	}
	deaf := chat.Map(func(_ context.Context, u *chat.Update) ([]*chat.Update, error) { // to what the agent says of the state
		u.Events = nil
		return []*chat.Update{u}, nil
	})
	for name, c := range map[string]struct {
		in    string
		runs  [][]agui.Event
		layer chat.Middleware
		hook  string
		sent  string
		ended string
	}{
		"a tool's change": {
			`{"x":1e400,"title":"A"}`, [][]agui.Event{calls, aRun()}, nil, "",
			`[{"x":1e400,"title":"A"} {"x":1e400,"title":"ABread"}]`, `{"x":1e400,"title":"ABread"}`,
		},
		"the agent's change, and a tool's": {
			`{"title":"A"}`, [][]agui.Event{append([]agui.Event{calls[0], whole(`{"title":"B","y":1}`)}, calls[1:]...), aRun(change(agui.OpReplace, "/title", `"C"`), change(agui.OpAdd, "/z", "1"))}, nil, "",
			`[{"title":"A"} {"title":"BBread","y":1}]`, `{"title":"C","y":1,"z":1}`,
		},
		"a tool's change, where the agent's is kept back": {
			`{"title":"A"}`, [][]agui.Event{append([]agui.Event{calls[0], whole(`{"title":"B"}`)}, calls[1:]...), aRun()}, deaf, "",
			`[{"title":"A"} {"title":"ABread"}]`, `{"title":"ABread"}`,
		},
		"no state": {
			`{}`, [][]agui.Event{calls, aRun()}, nil, "",
			`[{} {"title":"Bread","ingredients":[]}]`, `{"title":"Bread","ingredients":[]}`,
		},
		"a hook": {
			`{"title":"A"}`, [][]agui.Event{calls, aRun(whole(`{"title":"B"}`))}, nil, `{"title":"hook"}`,
			`[{"title":"hook"} {"title":"hook"}]`, `{"title":"B"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			replay := aguiclient.NewReplay(c.runs...)
			client := sharing(replay, &aguiclient.Options{Input: func(_ context.Context, in *agui.RunAgentInput) error {
				if c.hook != "" {
					in.State = []byte(c.hook)
				}
				return nil
			}}, c.layer)
			th := aguiclient.NewThread[any](aguiclient.Local(client, quiet), &aguiclient.ThreadOptions{State: []byte(c.in)})
			must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))))
			var sent []string
			for _, in := range replay.Inputs() {
				sent = append(sent, string(in.State))
			}
			if got := fmt.Sprint(sent); got != c.sent {
				t.Errorf("sent %s, want %s", got, c.sent)
			}
			if got := string(th.Document()); got != c.ended {
				t.Errorf("ended with %s, want %s", got, c.ended)
			}
		})
	}
}
