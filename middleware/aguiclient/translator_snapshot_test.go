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
	for name, c := range map[string]struct {
		layer func([]agui.Message) []agui.Message
		agent func(sent []agui.Message) []agui.Message // nil: what was sent
		want  string
	}{
		"nothing done": {func(m []agui.Message) []agui.Message { return m }, nil,
			"user:one | assistant:first | reasoning:hm | user:two | assistant:second | user:three"},
		"a prompt in front": {func(m []agui.Message) []agui.Message {
			return append([]agui.Message{system("sys", "secret"), user("x1", "an example"), say("x2", "its answer"), system("", "no id")}, m...)
		}, nil, "user:one | assistant:first | reasoning:hm | user:two | assistant:second | user:three"},
		"a reminder behind": {func(m []agui.Message) []agui.Message {
			return append(m, system("sys", "secret"), user("x1", "be brief"))
		}, nil, "user:one | assistant:first | reasoning:hm | user:two | assistant:second | user:three"},
		"what this run made": {func(m []agui.Message) []agui.Message {
			return append(m, agui.Message{ID: "a3", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}},
				agui.Message{ID: "t3", Role: agui.RoleTool, ToolCallID: "c", Content: agui.Text("ok")})
		}, nil, "user:one | assistant:first | reasoning:hm | user:two | assistant:second | user:three | assistant f{} | tool:ok"},
		"trimmed in front": {func(m []agui.Message) []agui.Message { return m[4:] }, nil,
			"user:one | assistant:first | user:two | assistant:second | user:three"},
		"trimmed in the middle": {func(m []agui.Message) []agui.Message {
			return append([]agui.Message{system("sys", "summary"), m[0]}, m[6])
		}, nil, "user:one | assistant:first | user:two | assistant:second | user:three"},
		"rewritten": {func(m []agui.Message) []agui.Message { return append(m[:6:6], user("u3", "three, with secrets")) }, nil,
			"user:one | assistant:first | reasoning:hm | user:two | assistant:second | user:three"},
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
