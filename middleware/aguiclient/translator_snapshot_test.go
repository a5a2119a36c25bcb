package aguiclient_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/chat"
)

// A remote's snapshot is one of the run's own conversation: nothing of what
// layers made of it gets out, and nothing of what they kept back is lost.
func TestASnapshotIsOfTheRunsConversation(t *testing.T) {
	user := func(id, text string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.Text(text)}
	}
	say := func(id, text string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleAssistant, Content: agui.Text(text)}
	}
	system := func(id, text string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleSystem, Content: agui.Text(text)}
	}
	talk := []agui.Message{
		user("u1", "one"), say("a1", "first"),
		{ID: "act", Role: agui.RoleActivity, ActivityType: "P", Activity: []byte(`{}`)},
		{ID: "r1", Role: agui.RoleReasoning, Content: agui.Text("hm")},
		user("u2", "two"), say("a2", "second"), user("u3", "three"),
	}
	talk[5].ToolCalls = []agui.ToolCall{{ID: "c2", Name: "ask", Arguments: "{}"}}
	for name, c := range map[string]struct {
		layer func([]agui.Message) []agui.Message
		agent func(sent []agui.Message) []agui.Message // nil: what was sent
		want  string
	}{
		"nothing done": {func(m []agui.Message) []agui.Message { return m }, nil,
			"user:one | assistant:first | reasoning:hm | user:two | assistant:second ask{} | user:three"},
		"a prompt in front": {func(m []agui.Message) []agui.Message {
			return append([]agui.Message{system("sys", "secret"), user("x1", "an example"), say("x2", "its answer"), system("", "no id")}, m...)
		}, nil, "user:one | assistant:first | reasoning:hm | user:two | assistant:second ask{} | user:three"},
		"a reminder behind": {func(m []agui.Message) []agui.Message {
			return append(m, system("sys", "secret"), user("x1", "be brief"))
		}, nil, "user:one | assistant:first | reasoning:hm | user:two | assistant:second ask{} | user:three"},
		"what this run made": {func(m []agui.Message) []agui.Message {
			return append(m, agui.Message{ID: "a3", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}},
				agui.Message{ID: "t3", Role: agui.RoleTool, ToolCallID: "c", Content: agui.Text("ok")})
		}, nil, "user:one | assistant:first | reasoning:hm | user:two | assistant:second ask{} | user:three | assistant f{} | tool:ok"},
		"a result of this run further up": {func(m []agui.Message) []agui.Message {
			return slices.Insert(m, 6, agui.Message{ID: "t2", Role: agui.RoleTool, ToolCallID: "c2", Content: agui.Text("ok")},
				agui.Message{ID: "t0", Role: agui.RoleTool, ToolCallID: "c0", Content: agui.Text("an example's")})
		}, nil, `user:one | assistant:first | reasoning:hm | user:two | assistant:second ask{} | tool:ok | user:three`},
		"trimmed in front": {func(m []agui.Message) []agui.Message { return m[4:] }, nil,
			"user:one | assistant:first | user:two | assistant:second ask{} | user:three"},
		"trimmed in the middle": {func(m []agui.Message) []agui.Message {
			return append([]agui.Message{system("sys", "summary"), m[0]}, m[6])
		}, nil, "user:one | assistant:first | user:two | assistant:second ask{} | user:three"},
		"rewritten": {func(m []agui.Message) []agui.Message { return append(m[:6:6], user("u3", "three, with secrets")) }, nil,
			"user:one | assistant:first | reasoning:hm | user:two | assistant:second ask{} | user:three"},
		"the agent's own changes": {func(m []agui.Message) []agui.Message { return m[4:] }, func(sent []agui.Message) []agui.Message {
			return []agui.Message{sent[0], say("a2", "better"), {ID: "r9", Role: agui.RoleReasoning, Content: agui.Text("aha")}, say("new", "more")}
		}, "user:one | assistant:first | reasoning:hm | user:two | assistant:better | reasoning:aha | assistant:more"},
		"nothing is left": {func(m []agui.Message) []agui.Message { return m[4:] }, func([]agui.Message) []agui.Message { return nil },
			"user:one | assistant:first"},
	} {
		t.Run(name, func(t *testing.T) {
			transport := aguiclient.TransportFunc(func(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
				back := in.Messages
				if c.agent != nil {
					back = c.agent(back)
				}
				return aguiclient.NewReplay(aRun(&agui.MessagesSnapshot{Messages: back})).Run(ctx, in)
			})
			ctx := chat.WithInput(t.Context(), &agui.RunAgentInput{Messages: talk})
			req := &chat.Request{Messages: c.layer(slices.Clone(talk))}
			res, err := chat.Collect(aguiclient.New(transport, nil).Stream(ctx, req))
			must(t, err)
			if got := roles(res.Events[0].(*agui.MessagesSnapshot).Messages); got != c.want {
				t.Errorf("the snapshot is\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// The same of a whole chain: a tool of ours runs between two calls of the
// agent, a layer further in trims and prompts, and the client is none the wiser.
func TestASnapshotBehindLayers(t *testing.T) {
	var sent []string
	agent := aguiclient.TransportFunc(func(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
		sent = append(sent, roles(in.Messages))
		tail := in.Messages[len(in.Messages)-1]
		events := []agui.Event{&agui.MessagesSnapshot{Messages: in.Messages}}
		if tail.Role == agui.RoleUser {
			events = append(events, &agui.ToolCallStart{ToolCallID: "c" + tail.ID, ToolCallName: "look", ParentMessageID: "a" + tail.ID},
				&agui.ToolCallEnd{ToolCallID: "c" + tail.ID})
		} else {
			id := "d" + tail.ToolCallID
			done := append(slices.Clone(in.Messages), agui.Message{ID: id, Role: agui.RoleAssistant, Content: agui.Text("done")})
			events = append(events, &agui.TextMessageStart{MessageID: id}, &agui.TextMessageContent{MessageID: id, Delta: "done"},
				&agui.TextMessageEnd{MessageID: id}, &agui.MessagesSnapshot{Messages: done})
		}
		return aguiclient.NewReplay(aRun(events...)).Run(ctx, in)
	})
	trim := func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			own := *req
			at := len(own.Messages) - 1
			for own.Messages[at].Role != agui.RoleUser {
				at--
			}
			own.Messages = append([]agui.Message{agui.SystemMessage("secret")}, own.Messages[at:]...)
			return next.Stream(ctx, &own)
		})
	}
	look := chat.NewTool("look", "Looks.", func(context.Context, struct{}) (string, error) { return "seen", nil })
	chain := chat.NewBuilder(aguiclient.New(agent, nil)).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{look}})).Use(trim).Build()
	th := aguiclient.NewThread[any](aguiclient.Local(chain, quiet), nil)
	for _, id := range []string{"1", "2"} {
		must(t, aguiclient.Drain(th.Send(t.Context(), agui.Message{ID: id, Role: agui.RoleUser, Content: agui.Text("go " + id)})))
	}
	if got, want := roles(th.Messages()), "user:go 1 | assistant look | tool:seen | assistant:done | user:go 2 | assistant look | tool:seen | assistant:done"; got != want {
		t.Errorf("the conversation is\n%s\nwant\n%s", got, want)
	}
	if len(sent) != 4 || sent[2] != "system:secret | user:go 2" {
		t.Errorf("sent %q", sent)
	}
}
