package chat_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// begins is a layer that says something before the chain.
func begins(text string) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				if yield(&chat.Update{Text: text}, nil) {
					next.Stream(ctx, req)(yield)
				}
			}
		})
	}
}

// asksOf returns a layer that asks this chain before the one below.
func asksOf(other chat.Client) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				for u, err := range other.Stream(ctx, req) {
					if !yield(u, err) || err != nil {
						return
					}
				}
				next.Stream(ctx, req)(yield)
			}
		})
	}
}

// A snapshot that tells edited arguments has all that the run has said before.
func TestEditedArgumentsWipeNothing(t *testing.T) {
	key := []byte("a key of thirty-two bytes, secret")
	tool := func(name string) chat.Tool {
		return chat.RequireApproval(chat.NewTool(name, "Does.", func(_ context.Context, in struct {
			N int `json:"n"`
		}) (string, error) {
			return "did", nil
		}), nil, 0)
	}
	loop := func(turn string, tools ...chat.Tool) chat.Client {
		return chat.NewBuilder(aguitest.NewModel(aguitest.Text(turn))).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools, Key: key})).Build()
	}
	asked := aguitest.NewModel(aguitest.Call("a", "first", `{"n":1}`).Call("b", "second", `{"n":1}`))
	both := chat.NewBuilder(asked).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool("first"), tool("second")}, Key: key})).Build()
	in := input()
	in.Messages = append([]agui.Message{{ID: "s", Role: agui.RoleSystem, Content: agui.Text("Be kind.")}}, in.Messages...)
	for _, e := range runEvents(t.Context(), both, in, quiet) {
		switch e := e.(type) {
		case *agui.MessagesSnapshot:
			in.Messages = e.Messages
		case *agui.RunFinished:
			for _, i := range e.Outcome.Interrupts {
				in.Resume = append(in.Resume, resolved(i, `{"approved":true,"arguments":{"n":2}}`))
			}
		}
	}
	for name, tt := range map[string]struct {
		client    func() chat.Client
		snapshots int
	}{
		"one loop": {func() chat.Client { return loop("After.", tool("first"), tool("second")) }, 1},
		"two loops": {func() chat.Client {
			return asksOf(loop("Between.", tool("first")))(loop("After.", tool("second")))
		}, 2},
		"a loop inside another": {func() chat.Client {
			return chat.NewBuilder(loop("After.", tool("second"))).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool("first")}, Key: key})).Build()
		}, 2},
		"a loop that is asked twice": {func() chat.Client {
			model := aguitest.NewModel(aguitest.Text("Between."), aguitest.Text("After."))
			return asks(2)(chat.NewBuilder(model).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool("first"), tool("second")}, Key: key})).Build())
		}, 1},
	} {
		for _, drop := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				events := runEvents(t.Context(), begins("Before.")(tt.client()), in, &chat.EventOptions{Logger: quiet.Logger, DropSystem: drop})
				aguitest.Verify(t, events)
				texts, last := "", (*agui.MessagesSnapshot)(nil)
				snapshots := 0
				for _, e := range events {
					switch e := e.(type) {
					case *agui.TextMessageContent:
						texts += e.Delta
					case *agui.MessagesSnapshot:
						snapshots, last = snapshots+1, e
						said := ""
						for _, m := range e.Messages[len(in.Messages)-1:] {
							if m.Role == agui.RoleAssistant {
								said += m.Content.Text()
							}
						}
						if said != texts {
							t.Errorf("a snapshot has %q of %q", said, texts)
						}
					}
				}
				if last == nil || snapshots != tt.snapshots {
					t.Fatalf("%d snapshots, ended in %+v", snapshots, events[len(events)-1])
				}
				if last.Messages[0].Role != agui.RoleSystem {
					t.Errorf("the snapshot begins with %+v", last.Messages[0])
				}
				for _, m := range last.Messages {
					for _, c := range m.ToolCalls {
						if !strings.Contains(c.Arguments, `"n":2`) {
							t.Errorf("the snapshot undoes an edit: %+v", c)
						}
					}
				}
			})
		}
	}
}
