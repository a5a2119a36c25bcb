package main

import (
	"testing"

	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func TestAddTask(t *testing.T) {
	model := aguitest.NewModel(aguitest.Call("c1", "add_task", `{"title":"buy milk"}`), aguitest.Text("Done."))
	client := chat.NewBuilder(model).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTask}})).
		Build()
	events := try.Play(t, client, try.Wish("Milk", `{"tasks":["call home"],"theme":"dark"}`))
	try.Expect(t, try.States(events), `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["call home","buy milk"],"theme":"dark"}}`+"\n")
}
