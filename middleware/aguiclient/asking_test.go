package aguiclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// A chain with an agent at its end asks questions of its own, the agent asks
// too, and the client runs a tool, all in one turn: each answer comes to who
// asked, and to nobody else, also where all sign with one key.
func TestEverybodyAsksAtOnce(t *testing.T) {
	const ours, theirs = "ours", "theirs"
	for name, c := range map[string]struct {
		calls []string
		agent []string // the answers that the agent is sent, by tool, in each run
	}{
		"the chain alone":        {[]string{ours}, []string{"", ""}},
		"the agent alone":        {[]string{theirs}, []string{"", theirs}},
		"both":                   {[]string{ours, theirs}, []string{"", theirs}},
		"both, and the client":   {[]string{theirs, "client", ours}, []string{"", theirs}},
		"the chain, twice":       {[]string{ours, ours}, []string{"", ""}},
		"the chain and a client": {[]string{"client", ours}, []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			key := bytes.Repeat([]byte("k"), 32)
			ran := map[string]int{}
			tool := func(name string) chat.Tool {
				return chat.NewTool(name, "Runs.", func(context.Context, struct{}) (string, error) {
					ran[name]++
					return name + " ran", nil
				})
			}
			turn := aguitest.Text("Now.")
			for i, call := range c.calls {
				turn = turn.Call(string(rune('a'+i)), call)
			}
			model := aguitest.NewModel(turn, aguitest.Text("Done."))
			agent := chat.NewBuilder(model).
				Use(chat.InvokeFunctions(chat.FunctionInvocation{Key: key, Tools: []chat.Tool{chat.RequireApproval(tool(theirs), nil, 0)}})).Build()
			var sent []*agui.RunAgentInput

			remote := aguiclient.New(aguiclient.Local(agent, quiet), &aguiclient.Options{Input: func(_ context.Context, in *agui.RunAgentInput) error {
				sent = append(sent, in)
				return nil
			}})
			chain := chat.NewBuilder(remote).
				Use(chat.InvokeFunctions(chat.FunctionInvocation{Key: key, Tools: []chat.Tool{chat.RequireApproval(tool(ours), nil, 0)}})).Build()
			// One more proxy, which asks nothing.
			proxy := aguiclient.New(aguiclient.Local(chain, quiet), nil)
			th := aguiclient.NewThread[any](aguiclient.Local(proxy, quiet), &aguiclient.ThreadOptions{Tools: []chat.Tool{tool("client")}})
			must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))))
			asked := map[string]string{} // the tools of the questions
			var answers []agui.ResumeEntry
			for _, i := range th.Interrupts() {
				for _, m := range th.Messages() {
					for _, call := range m.ToolCalls {
						if call.ID == i.ToolCallID {
							asked[i.ID] = call.Name
						}
					}
				}
				answers = append(answers, agui.ResumeEntry{InterruptID: i.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true}`)})
			}
			must(t, aguiclient.Drain(th.Resume(t.Context(), answers...)))
			if len(th.Interrupts()) > 0 || model.Left() > 0 {
				t.Errorf("still open: %v, %d turns left", th.Interrupts(), model.Left())
			}
			want := map[string]int{}
			for _, call := range c.calls {
				want[call]++
			}
			for name, n := range want {
				if ran[name] != n {
					t.Errorf("%s ran %d times, not %d", name, ran[name], n)
				}
			}
			for i, in := range sent {
				var got []string
				for _, e := range in.Resume {
					got = append(got, asked[e.InterruptID])
				}
				if strings.Join(got, " ") != c.agent[i] {
					t.Errorf("in run %d the agent is sent answers about %q, want %q", i, got, c.agent[i])
				}
			}
		})
	}
}
