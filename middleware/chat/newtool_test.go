package chat_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
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
