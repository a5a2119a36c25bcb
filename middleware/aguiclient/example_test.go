package aguiclient_test

import (
	"context"
	"fmt"
	"log"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// A conversation with an agent, and the state that both share. Over the
// network the transport is aguiclient.HTTP("https://example.com/agent", nil).
func Example() {
	type Board struct {
		Tasks []string `json:"tasks"`
	}
	type Task struct {
		Title string `json:"title"`
	}
	add := state.Tool("add_task", "Adds a task.", func(_ context.Context, b *Board, in Task) (string, error) {
		b.Tasks = append(b.Tasks, in.Title)
		return "added", nil
	})
	model := aguitest.NewModel(
		aguitest.Call("call_1", "add_task", `{"title":"buy flour"}`),
		aguitest.Text("It is on ", "the board."),
	)
	agent := chat.NewBuilder(model).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add}})).
		Build()

	thread := aguiclient.NewThread[Board](aguiclient.Handler(aguihttp.Handler(agent, nil), "/agent", nil), nil)
	if err := thread.SetState(Board{Tasks: []string{"wash up"}}); err != nil {
		log.Fatal(err)
	}
	for c, err := range thread.Send(context.Background(), agui.UserMessage("We need flour.")) {
		if err != nil {
			log.Fatal(err)
		}
		if text, ok := c.Event.(*agui.TextMessageContent); ok {
			fmt.Print(text.Delta)
		}
		if c.State() {
			board, _ := thread.State()
			fmt.Println(board.Tasks)
		}
	}
	fmt.Println()
	fmt.Println(len(thread.Messages()), "messages")
	// Output:
	// [wash up buy flour]
	// It is on the board.
	// 4 messages
}

// An agent behind a wire is a chat client like any other: here at the end of
// a chain that has a layer of its own.
func ExampleNew() {
	remote := aguiclient.Local(aguitest.NewModel(aguitest.Text("Hello ", "from afar.")), nil)
	client := chat.NewBuilder(aguiclient.New(remote, nil)).
		Use(chat.MapText(func(_ context.Context, piece string) string { return "«" + piece + "»" })).
		Build()
	res, err := chat.Collect(client.Stream(context.Background(), &chat.Request{Messages: []agui.Message{agui.UserMessage("Hi.")}}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	// Output: «Hello »«from afar.»
}

// A tool of the client: the agent calls it, it runs here, and the thread goes
// on with its result by itself.
func ExampleThreadOptions_tools() {
	locate := chat.NewTool("locate", "Where the person is.", func(context.Context, struct{}) (string, error) {
		return "Oslo", nil
	})
	agent := aguitest.NewModel(
		aguitest.Call("call_1", "locate"),
		aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
			last := req.Messages[len(req.Messages)-1]
			return aguitest.Text("You are in " + last.Content.Text() + "."), nil
		}),
	)
	thread := aguiclient.NewThread[any](aguiclient.Local(agent, nil), &aguiclient.ThreadOptions{Tools: []chat.Tool{locate}})
	if err := aguiclient.Drain(thread.Send(context.Background(), agui.UserMessage("Where am I?"))); err != nil {
		log.Fatal(err)
	}
	messages := thread.Messages()
	fmt.Println(messages[len(messages)-1].Content.Text())
	// Output: You are in Oslo.
}

// Events from anywhere fold into a state and a conversation.
func ExampleMirror() {
	var m aguiclient.Mirror
	for _, e := range []agui.Event{
		&agui.StateSnapshot{Snapshot: []byte(`{"n":1}`)},
		&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpReplace, Path: "/n", Value: []byte(`2`)}}},
		&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpRemove, Path: "/m"}}},
	} {
		if err := m.Apply(e); err != nil {
			fmt.Println("not applied, stale:", m.Stale())
		}
	}
	fmt.Println(string(m.State()))
	// Output:
	// not applied, stale: true
	// {"n":2}
}
