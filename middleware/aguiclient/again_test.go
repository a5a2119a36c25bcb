package aguiclient_test

import (
	"context"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// askedTwice is a run of ours that asks an agent twice: each answer begins with what
// it is given, and the first ends with a call of a tool of ours.
func askedTwice(t *testing.T, answer func() []agui.Event) []agui.Event {
	t.Helper()
	note := chat.NewTool("note", "", func(context.Context, struct{}) (string, error) { return "noted", nil })
	agent := aguiclient.New(aguiclient.NewReplay(
		aRun(append(answer(), &agui.ToolCallStart{ToolCallID: "n", ToolCallName: "note"}, &agui.ToolCallEnd{ToolCallID: "n"})...),
		aRun(append(answer(), &agui.TextMessageStart{MessageID: "end"}, &agui.TextMessageContent{MessageID: "end", Delta: "done"}, &agui.TextMessageEnd{MessageID: "end"})...),
	), nil)
	chain := chat.NewBuilder(agent).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{note}})).Build()
	var events []agui.Event
	for e := range chat.Events(t.Context(), chain, &agui.RunAgentInput{ThreadID: "t", RunID: "r", Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")}}}, quiet) {
		events = append(events, e)
	}
	aguitest.Verify(t, events)
	if _, ok := events[len(events)-1].(*agui.RunFinished); !ok {
		t.Errorf("the run ends in %+v", events[len(events)-1])
	}
	return events
}

// An agent's runs may use the ids of calls again; in our one run they are told
// apart.
func TestAskedAgainWithTheSameCalls(t *testing.T) {
	events := askedTwice(t, func() []agui.Event {
		return []agui.Event{
			&agui.ToolCallStart{ToolCallID: "call_0", ToolCallName: "search"}, &agui.ToolCallArgs{ToolCallID: "call_0", Delta: "{}"},
			&agui.ToolCallEnd{ToolCallID: "call_0"}, &agui.ToolCallResult{MessageID: "r-" + agui.NewID(), ToolCallID: "call_0", Content: agui.Text("found")},
		}
	})
	calls, results := map[string]string{}, map[string]string{}
	for _, e := range events {
		switch e := e.(type) {
		case *agui.ToolCallStart:
			calls[e.ToolCallID] = e.ToolCallName
		case *agui.ToolCallResult:
			results[e.ToolCallID] = e.Content.Text()
		}
	}
	if len(calls) != 3 || calls["call_0-2"] != "search" || results["call_0"] != "found" || results["call_0-2"] != "found" || results["n"] != "noted" {
		t.Errorf("calls %v, results %v", calls, results)
	}
}
