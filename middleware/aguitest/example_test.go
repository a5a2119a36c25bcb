package aguitest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// A model that calls a tool and then says what came of it. Its arguments come
// in two fragments, as a provider sends them.
func ExampleModel() {
	model := aguitest.NewModel(
		aguitest.Text("Let me see.").Call("", "add", `{"a":1,`, `"b":2}`),
		aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
			result := req.Messages[len(req.Messages)-1].Content.Text()
			return aguitest.Text("It is ", result, "."), nil
		}),
	)
	add := chat.NewTool("add", "Adds.", func(_ context.Context, in struct {
		A int `json:"a"`
		B int `json:"b"`
	}) (int, error) {
		return in.A + in.B, nil
	})
	client := chat.NewBuilder(model).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add}})).
		Build()

	answer, err := chat.Collect(client.Stream(context.Background(), &chat.Request{
		Messages: []agui.Message{agui.UserMessage("1 and 2?")},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text())

	second := model.Requests()[1]
	for _, m := range second.Outgoing {
		fmt.Printf("%s: %q %d calls\n", m.Role, m.Content.Text(), len(m.ToolCalls))
	}
	// Output:
	// Let me see.It is 3.
	// user: "1 and 2?" 0 calls
	// assistant: "Let me see." 1 calls
	// tool: "3" 0 calls
}

// A model that fails in the middle, and one that waits for the test.
func ExampleTurn() {
	release := make(chan struct{}, 1)
	model := aguitest.NewModel(
		aguitest.Text("Half an ans").Fail(errors.New("overloaded")),
		aguitest.Text("Wait").Pause(release).Text(" for it."),
	)
	req := &chat.Request{Messages: []agui.Message{agui.UserMessage("hi")}}
	for range 2 {
		for u, err := range model.Stream(context.Background(), req) {
			switch {
			case err != nil:
				fmt.Println("error:", err)
			case u.Text != "":
				fmt.Printf("%q\n", u.Text)
			}
			select {
			case release <- struct{}{}:
			default:
			}
		}
	}
	// Output:
	// "Half an ans"
	// error: overloaded
	// "Wait"
	// " for it."
}

// A recorder between two layers shows what passes there.
func ExampleRecorder() {
	shout := func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			req = req.Clone()
			req.Messages = append(req.Messages, agui.SystemMessage("Shout."))
			return next.Stream(ctx, req)
		})
	}
	var outside, inside aguitest.Recorder
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("HELLO"))).
		Use(outside.Middleware).
		Use(shout).
		Use(inside.Middleware).
		Build()
	if _, err := chat.Collect(client.Stream(context.Background(), &chat.Request{Messages: []agui.Message{agui.UserMessage("hi")}})); err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(outside.Requests()[0].Messages), "message outside,", len(inside.Requests()[0].Messages), "inside")
	fmt.Println(len(inside.Updates()), "updates")
	// Output:
	// 1 message outside, 2 inside
	// 2 updates
}
