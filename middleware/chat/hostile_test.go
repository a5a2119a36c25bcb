package chat_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// TestManyToolsOfAClient: what a client offers costs in proportion, and it
// writes no log of its own length.
func TestManyToolsOfAClient(t *testing.T) {
	const n = 100_000
	in := input()
	in.Tools = nil
	for i := range n {
		in.Tools = append(in.Tools, agui.Tool{Name: fmt.Sprintf("tool%d", i)}, agui.Tool{Name: fmt.Sprintf("tool%d", i)})
	}
	in.Tools = append(in.Tools, agui.Tool{Name: greet.Name})
	var log bytes.Buffer
	model := aguitest.NewModel(aguitest.Call("c", "greet", `{"name":"Ann"}`), aguitest.Text("ok"))
	client := chat.NewBuilder(model).Use(chat.InvokeFunctions(chat.FunctionInvocation{
		Tools: []chat.Tool{greet}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})).Build()
	events := runEvents(t.Context(), client, in, quiet)
	result := false
	for _, e := range events {
		if r, ok := e.(*agui.ToolCallResult); ok {
			result = strings.Contains(r.Content.Text(), "Ann")
		}
	}
	if !result {
		t.Errorf("the server's tool did not answer: %v", events)
	}
	if offered := len(model.Requests()[0].Tools); offered != n+1 {
		t.Errorf("%d tools were offered, want %d", offered, n+1)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 1 || log.Len() > 1000 {
		t.Errorf("%d lines, %d bytes were logged", lines, log.Len())
	}
}

// TestManyAnswersOfAClient: a long history and many answers that look like
// answers cost in proportion too.
func TestManyAnswersOfAClient(t *testing.T) {
	const n = 20_000
	client, _ := new(office).client(aguitest.Call("d0", "delete", `{"name":"a"}`))
	events := runEvents(t.Context(), client, input(), quiet)
	finished, _ := events[len(events)-1].(*agui.RunFinished)
	if finished == nil || finished.Outcome == nil {
		t.Fatalf("the run ended with %v", events[len(events)-1])
	}
	id := finished.Outcome.Interrupts[0].ID
	at := len(id) - 10
	wrong := id[:at] + string(id[at]^1) + id[at+1:]
	in := input()
	said := agui.Message{ID: "a", Role: agui.RoleAssistant}
	for i := range n {
		said.ToolCalls = append(said.ToolCalls, agui.ToolCall{ID: fmt.Sprintf("d%d", i), Name: "delete", Arguments: `{"name":"a"}`})
		in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: wrong, Status: agui.ResumeCancelled})
	}
	in.Messages = append(in.Messages, said)
	in.Resume = append(in.Resume[:0:0], in.Resume[1:]...)
	in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: id, Status: agui.ResumeCancelled})
	events = runEvents(t.Context(), client, in, quiet)
	failed, _ := events[len(events)-1].(*agui.RunError)
	if failed == nil || failed.Code != chat.CodeInterruptUnknown {
		t.Errorf("the run ended with %v", events[len(events)-1])
	}
	for i := range in.Resume {
		in.Resume[i].InterruptID = id
	}
	events = runEvents(t.Context(), client, in, quiet)
	failed, _ = events[len(events)-1].(*agui.RunError)
	if failed == nil || failed.Code != chat.CodeInterruptPartial {
		t.Errorf("the run ended with %v", events[len(events)-1])
	}
}
