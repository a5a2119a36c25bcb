package chat_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// A tool takes the arguments that its type encodes to, whatever the type.
func TestNewToolTakesWhatItsTypeEncodes(t *testing.T) {
	type point struct {
		X int `json:"x"`
	}
	type arguments struct {
		point
		N     json.Number     `json:"n,omitempty"`
		Raw   json.RawMessage `json:"raw,omitempty"`
		Bytes []byte          `json:"bytes,omitempty"`
		Rows  map[int]point   `json:"rows,omitempty"`
		Text  int             `json:"text,omitempty,string"`
	}
	tool := chat.NewTool("x", "", func(_ context.Context, a arguments) (arguments, error) { return a, nil })
	for _, text := range []string{
		`{"x":1,"n":1e400}`,
		`{"x":1,"n":-9007199254740993.10}`,
		`{"x":1,"raw":{"deep":[1e400,-1e400]}}`,
		`{"x":1,"bytes":"AQI="}`,
		`{"x":1,"rows":{"-7":{"x":2}}}`,
		`{"x":1,"text":"5"}`,
	} {
		got, err := tool.Invoke(t.Context(), json.RawMessage(text))
		if err != nil || got.Text() != text {
			t.Errorf("%s became %q, %v", text, got.Text(), err)
		}
	}
}

// A result whose call was cut from the history keeps its call's id to itself.
func TestCallIDsKnowResultsWithoutACall(t *testing.T) {
	ids := chat.NewCallIDs([]agui.Message{{ID: "t", Role: agui.RoleTool, ToolCallID: "call_0", Content: agui.Text("old")}})
	if id := ids.New("call_0"); id == "call_0" {
		t.Error("the id of an older result is given to a new call")
	}
}

// An agent that is a tool may pass its answer on: its calls are told from those
// around it, though every provider counts from the same name.
func TestCallIDsOfAnAgentInATool(t *testing.T) {
	greeting := chat.NewTool("greet", "", func(context.Context, struct{}) (string, error) { return "hello", nil })
	model := func(tool string) *aguitest.Model {
		return aguitest.NewModel(aguitest.Call("call_0", tool, `{}`).Call("call_1", tool, `{}`), aguitest.Text("done"))
	}
	agent := chat.NewTool("agent", "", func(ctx context.Context, _ struct{}) (string, error) {
		inner := chat.NewBuilder(model("greet")).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{greeting}})).Build()
		for u, err := range inner.Stream(ctx, &chat.Request{Messages: []agui.Message{agui.UserMessage("go")}}) {
			if err != nil {
				return "", err
			}
			if err := chat.Emit(ctx, u); err != nil {
				return "", err
			}
		}
		return "the agent's", nil
	})
	outer := chat.NewBuilder(model("agent")).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{agent}, Concurrent: true})).Build()
	events := runEvents(t.Context(), outer, input(), quiet)
	aguitest.Verify(t, events)
	begun, results := map[string]string{}, map[string]string{}
	for _, e := range events {
		switch e := e.(type) {
		case *agui.ToolCallStart:
			if begun[e.ToolCallID] != "" {
				t.Errorf("two calls are %q", e.ToolCallID)
			}
			begun[e.ToolCallID] = e.ToolCallName
		case *agui.ToolCallResult:
			results[e.ToolCallID] = e.Content.Text()
		}
	}
	if len(begun) != 6 || len(results) != 6 {
		t.Errorf("calls %v, results %v", begun, results)
	}
	for id, name := range begun {
		if want := map[string]string{"agent": "the agent's", "greet": "hello"}[name]; results[id] != want {
			t.Errorf("%s %s has the result %q", name, id, results[id])
		}
	}
}
