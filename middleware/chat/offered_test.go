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
