package state_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func show(e agui.Event) error {
	line, err := agui.AppendEvent(nil, e)
	fmt.Println(string(line))
	return err
}

// A session outside any run: edits are told to a function.
func ExampleNewSession() {
	type Doc struct {
		Step  uint32   `json:"step"`
		Notes []string `json:"notes"`
	}
	s, err := state.NewSession[Doc](nil, show)
	if err != nil {
		log.Fatal(err)
	}
	err = s.Update(func(d *Doc) error {
		d.Step = 1
		d.Notes = append(d.Notes, strings.Repeat(".", 60))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	s.Edit(func(d *Doc) { d.Step = 2 }) // sends nothing
	for range 2 {
		if err := s.Publish(); err != nil { // the second time nothing is left to send
			log.Fatal(err)
		}
	}
	fmt.Println(s.State().Step)
	// Output:
	// {"type":"STATE_SNAPSHOT","snapshot":{"step":1,"notes":["............................................................"]}}
	// {"type":"STATE_DELTA","delta":[{"op":"replace","path":"/step","value":2}]}
	// 2
}

// The decision on its own: snapshot, delta, nothing.
func ExampleManager() {
	var m state.Manager
	publish := func(doc string) {
		e, err := m.Publish(json.RawMessage(doc))
		switch {
		case err != nil:
			fmt.Println(err)
		case e == nil:
			fmt.Println("nothing")
		default:
			_ = show(e)
		}
	}
	publish(`{"step":1,"notes":["a long note that a patch need not repeat"]}`)
	publish(`{"step":2,"notes":["a long note that a patch need not repeat"]}`)
	publish(`{"step":2,"notes":["a long note that a patch need not repeat"]}`)
	publish(`{"b":2}`)
	m.Reset()
	publish(`{"b":2}`)
	// Output:
	// {"type":"STATE_SNAPSHOT","snapshot":{"step":1,"notes":["a long note that a patch need not repeat"]}}
	// {"type":"STATE_DELTA","delta":[{"op":"replace","path":"/step","value":2}]}
	// nothing
	// {"type":"STATE_SNAPSHOT","snapshot":{"b":2}}
	// {"type":"STATE_SNAPSHOT","snapshot":{"b":2}}
}

// A tool changes the state while the model's call is open.
func ExampleShare() {
	type Tasks struct {
		Tasks []string `json:"tasks"`
	}
	add := chat.NewTool("add_task", "Adds a task.", func(ctx context.Context, in struct {
		Title string `json:"title"`
	}) (string, error) {
		return "added", state.Update(ctx, func(t *Tasks) error {
			t.Tasks = append(t.Tasks, in.Title)
			return nil
		})
	})
	// A scripted model stands at the end of the chain.
	model := aguitest.NewModel(
		aguitest.Call("call-1", "add_task", `{"title":"buy milk"}`),
		aguitest.Text("It is on the list."),
	)
	client := chat.NewBuilder(model).
		Use(state.Share[Tasks]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add}})).
		Build()

	in := &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion,
		State:    json.RawMessage(`{"tasks":["call home"],"theme":"dark"}`),
		Messages: []agui.Message{agui.UserMessage("I need milk")},
	}
	for e := range chat.Events(context.Background(), client, in, nil) {
		if s, ok := e.(*agui.StateSnapshot); ok {
			fmt.Println(e.Type(), string(s.Snapshot))
			continue
		}
		fmt.Println(e.Type())
	}
	// Output:
	// RUN_STARTED
	// TOOL_CALL_START
	// TOOL_CALL_ARGS
	// STATE_SNAPSHOT {"tasks":["call home","buy milk"],"theme":"dark"}
	// TOOL_CALL_END
	// TOOL_CALL_RESULT
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT
	// TEXT_MESSAGE_END
	// RUN_FINISHED
}
