package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// show prints the types of a run's events, and what is in some.
func show(events iter.Seq[agui.Event]) {
	for e := range events {
		switch e := e.(type) {
		case *agui.TextMessageContent:
			fmt.Println(e.Type(), e.Delta)
		case *agui.ToolCallResult:
			fmt.Println(e.Type(), e.Content.Text())
		case *agui.Custom:
			fmt.Println(e.Type(), e.Name, string(e.Value))
		case *agui.RunFinished:
			if e.Outcome != nil {
				fmt.Println(e.Type(), e.Outcome.Type)
				continue
			}
			fmt.Println(e.Type())
		default:
			fmt.Println(e.Type())
		}
	}
}

func question(text string) *agui.RunAgentInput {
	return &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion,
		Messages: []agui.Message{agui.UserMessage(text)},
	}
}

// A tool that tells the client how far it is.
func Example() {
	type order struct {
		Item string `json:"item" jsonschema:"what to fetch"`
	}
	fetch := chat.NewTool("fetch", "Fetches something.", func(ctx context.Context, in order) (string, error) {
		half := &agui.Custom{Name: "progress", Value: json.RawMessage("50")}
		if err := chat.Emit(ctx, &chat.Update{Events: []agui.Event{half}}); err != nil {
			return "", err
		}
		return "here is the " + in.Item, nil
	})
	// A scripted model stands at the end of the chain.
	model := aguitest.NewModel(aguitest.Call("call", "fetch", `{"item":"ball"}`), aguitest.Text("Good boy."))
	client := chat.NewBuilder(model).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{fetch}})).
		Build()
	show(chat.Events(context.Background(), client, question("Fetch the ball"), nil))
	// Output:
	// RUN_STARTED
	// TOOL_CALL_START
	// TOOL_CALL_ARGS
	// CUSTOM progress 50
	// TOOL_CALL_END
	// TOOL_CALL_RESULT here is the ball
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT Good boy.
	// TEXT_MESSAGE_END
	// RUN_FINISHED
}

// shout is a middleware of one's own: it embeds Delegating and overrides
// Stream.
type shout struct{ chat.Delegating }

func (s shout) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		for u, err := range s.Client.Stream(ctx, req) {
			if err == nil && u.Text != "" {
				next := *u // a received update may be shared: change a copy
				next.Text = strings.ToUpper(u.Text)
				u = &next
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

func ExampleMiddleware() {
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("Hello, ", "world"))).
		Use(func(next chat.Client) chat.Client { return shout{chat.Delegating{Client: next}} }).
		Build()
	answer, err := chat.Collect(client.Stream(context.Background(), &chat.Request{}))
	fmt.Println(answer.Text(), err)
	// Output: HELLO, WORLD <nil>
}

// A call that waits for a person ends the run; the next run brings the answer.
func ExampleRequireApproval() {
	type file struct {
		Name string `json:"name"`
	}
	remove := chat.NewTool("remove", "Removes a file.", func(_ context.Context, in file) (string, error) {
		return in.Name + " is gone", nil
	})
	tools := []chat.Tool{chat.RequireApproval(remove, func(call agui.ToolCall) string {
		return "Remove it for good? " + call.Arguments
	}, 24*time.Hour)}
	agent := func(turns ...aguitest.Turn) chat.Client {
		return chat.NewBuilder(aguitest.NewModel(turns...)).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools, Key: []byte("the same in every process, secret")})).
			Build()
	}

	in := question("Clean up")
	var asked agui.Interrupt
	for e := range chat.Events(context.Background(), agent(aguitest.Call("call", "remove", `{"name":"old.txt"}`)), in, nil) {
		switch e := e.(type) {
		case *agui.MessagesSnapshot:
			in.Messages = e.Messages // what a client keeps
		case *agui.RunFinished:
			asked = e.Outcome.Interrupts[0]
		}
	}
	fmt.Println(asked.Message)

	in.RunID = "run-2"
	in.Resume = []agui.ResumeEntry{{InterruptID: asked.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true}`)}}
	show(chat.Events(context.Background(), agent(aguitest.Text("Done.")), in, nil))
	// Output:
	// Remove it for good? {"name":"old.txt"}
	// RUN_STARTED
	// TOOL_CALL_RESULT old.txt is gone
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT Done.
	// TEXT_MESSAGE_END
	// RUN_FINISHED
}

// Work on another goroutine meets a stream in Run.
func ExampleRun() {
	updates := chat.Run(context.Background(), func(ctx context.Context) error {
		for _, word := range []string{"one", "two"} {
			if err := chat.Emit(ctx, &chat.Update{Text: word}); err != nil {
				return err
			}
		}
		return nil
	})
	for u, err := range updates {
		fmt.Println(u.Text, err)
	}
	// Output:
	// one <nil>
	// two <nil>
}
