package state_test

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

type note struct {
	Notes string `json:"notes"`
}

// Nil updates say nothing in any layer, and a nil event is the fault of who
// made it in all of them.
func TestNilUpdatesAndEvents(t *testing.T) {
	same := func(_ context.Context, u *chat.Update) ([]*chat.Update, error) {
		return []*chat.Update{nil, u, nil}, nil
	}
	emits := chat.NewTool("emits", "Emits nothing.", func(ctx context.Context, _ struct{}) (string, error) { return "ok", chat.Emit(ctx, nil) })
	functions := chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{emits}})
	for name, layers := range map[string][]chat.Middleware{
		"none":            {},
		"Share":           {state.Share[note]()},
		"Generate":        {state.Share[note](), state.Generate(state.Generation[note]{Order: state.After})},
		"Predict":         {state.Share[note](), state.Predict("write", state.Prediction[note]{})},
		"Map":             {chat.Map(same), chat.MapText(func(_ context.Context, s string) string { return s })},
		"MapCall":         {chat.MapCall(func(context.Context, agui.ToolCall) []agui.Event { return nil })},
		"MapResult":       {chat.MapResult(func(context.Context, *chat.ToolResult) []agui.Event { return nil })},
		"Step":            {chat.Step("step")},
		"KeepInterrupts":  {chat.KeepInterrupts(emptyShelf{})},
		"InvokeFunctions": {functions},
		"all":             {state.Share[note](), chat.Map(same), chat.Step("step"), chat.KeepInterrupts(emptyShelf{}), functions},
	} {
		for _, nilEvent := range []bool{false, true} {
			turns := 0
			c := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
				turns++
				updates := []*chat.Update{nil, {Text: `{"notes":"a"}`}, nil, {FinishReason: chat.FinishStop}, nil}
				if name == "InvokeFunctions" && turns == 1 {
					updates[1] = &chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: "a", Name: "emits", Arguments: "{}"}}}
				}
				if nilEvent {
					updates[2] = &chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: json.RawMessage(`{}`)}, nil}}
				}
				return func(yield func(*chat.Update, error) bool) {
					for _, u := range updates {
						if !yield(u, nil) {
							return
						}
					}
				}
			})
			b := chat.NewBuilder(c)
			for _, m := range layers {
				b.Use(m)
			}
			all := runChain(t, b.Build(), inputWith(`{"notes":"a"}`))
			aguitest.Verify(t, all)
			switch last := all[len(all)-1].(type) {
			case *agui.RunError:
				if !nilEvent || last.Code != chat.CodeProtocolViolation {
					t.Errorf("%s, a nil event %t: ended by %+v", name, nilEvent, last)
				}
			default:
				if nilEvent {
					t.Errorf("%s: a nil event is ended by %+v", name, last)
				}
			}
		}
	}
}

type emptyShelf struct{}

func (emptyShelf) Open(context.Context, string) ([]agui.Interrupt, error) { return nil, nil }
func (emptyShelf) Save(context.Context, string, []agui.Interrupt) error   { return nil }
