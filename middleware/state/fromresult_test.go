package state_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func TestFromResult(t *testing.T) {
	plain := func(name, result string) chat.Tool {
		return chat.NewTool(name, "", func(ctxt, struct{}) (string, error) { return result, nil })
	}
	tools := []chat.Tool{
		state.FromResult(plain("whole", `{"name":"whole","tasks":[],"kept":1.10}`), state.Whole),
		state.FromResult(plain("at", `[{"id":1,"title":"at"}]`), state.At("/tasks")),
		state.FromResult(plain("patch", `[{"op":"replace","path":"/tasks/0/title","value":"patched"}]`), state.Patch),
		state.FromResult(plain("prose", `Done!`), state.Whole),
		state.FromResult(plain("unfit", `{"tasks":1}`), state.Whole),
		state.FromResult(plain("same", `{"kept":1.10,"tasks":[{"id":1,"title":"patched"}],"name":"whole"}`), state.Whole),
	}
	turn := aguitest.Turn{}
	for _, tool := range tools {
		turn = turn.Call(tool.Name, tool.Name)
	}
	model := aguitest.NewModel(turn, aguitest.Text("ok"))
	client := chat.NewBuilder(model).Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools, Logger: quiet.Logger})).Build()
	events := runChain(t, client, inputWith(boardOf(30)))
	m := &mirror{t: t, doc: []byte(`{}`)}
	m.see(events...)
	m.holds(`{"name":"whole","tasks":[{"id":1,"title":"patched"}],"kept":1.10}`)
	// The same document in another order changes nothing of it.
	out := model.Requests()[1].Outgoing
	if last := out[len(out)-1].Content.Text(); !strings.Contains(last, `{"name":"whole","tasks":[{"id":1,"title":"patched"}],"kept":1.10}`) {
		t.Errorf("the document is %s", last)
	}
	if n := len(stateEvents(events)); n != 3 {
		t.Errorf("%d state events", n)
	}
	failed := 0
	for _, msg := range model.Requests()[1].Outgoing {
		if msg.Error != "" {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d calls failed, want those of prose and unfit", failed)
	}
}

// A tool that ends the loop has not failed: what it did to the state stays.
func TestToolsThatEndTheLoop(t *testing.T) {
	for name, tool := range map[string]chat.Tool{
		"Tool": state.Tool("end", "", func(_ ctxt, b *Board, _ struct{}) (string, error) {
			b.Name = "new"
			return "bye", fmt.Errorf("enough: %w", chat.ErrEndLoop)
		}),
		"FromResult": state.FromResult(chat.NewTool("end", "", func(ctxt, struct{}) (string, error) {
			return `"new"`, chat.ErrEndLoop
		}), state.At("/name")),
	} {
		t.Run(name, func(t *testing.T) {
			client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "end"))).Use(state.Share[Board]()).
				Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}, Logger: quiet.Logger})).Build()
			m := &mirror{t: t}
			events := runChain(t, client, inputWith(`{"name":"old","x":1}`))
			wantTypes(t, events[len(events)-1:], agui.TypeRunFinished)
			m.see(events...)
			m.holds(`{"name":"new","x":1}`)
		})
	}
}
