package chat_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// An update that is faulty in the middle: what it says before the fault is
// told, all of it ends, and one error is reported.
func TestFaultyUpdates(t *testing.T) {
	nameless := []chat.ToolCallDelta{{}}
	tests := map[string]struct {
		updates []*chat.Update
		told    agui.Event // the type and the text of the last thing said
	}{
		"text, call":            {[]*chat.Update{{Text: "a", ToolCalls: nameless}}, &agui.TextMessageContent{Delta: "a"}},
		"more text, call":       {[]*chat.Update{{Text: "a"}, {Text: "b", ToolCalls: nameless}}, &agui.TextMessageContent{Delta: "b"}},
		"another message, call": {[]*chat.Update{{Text: "a", MessageID: "1"}, {Text: "b", MessageID: "2", ToolCalls: nameless}}, &agui.TextMessageContent{Delta: "b"}},
		"reasoning, call":       {[]*chat.Update{{Reasoning: "a", ToolCalls: nameless}}, &agui.ReasoningMessageContent{Delta: "a"}},
		"call, call":            {[]*chat.Update{{ToolCalls: []chat.ToolCallDelta{{ID: "1", Name: "f", Arguments: "{}"}, {}}}}, &agui.ToolCallArgs{Delta: "{}"}},
		"held call, call":       {[]*chat.Update{{ToolCalls: []chat.ToolCallDelta{{ID: "1", Name: "f", Arguments: "{}", Held: true}, {}}}}, &agui.ToolCallArgs{Delta: "{}"}},
		"text, event":           {[]*chat.Update{{Text: "a", Events: []agui.Event{nil}}}, &agui.TextMessageContent{Delta: "a"}},
		"text, RUN_FINISHED":    {[]*chat.Update{{Text: "a", Events: []agui.Event{&agui.RunFinished{}}}}, &agui.TextMessageContent{Delta: "a"}},
		"text, chunk":           {[]*chat.Update{{Text: "a", Events: []agui.Event{&agui.TextMessageChunk{}}}}, &agui.TextMessageContent{Delta: "a"}},
		"chunk, call": {[]*chat.Update{{Events: []agui.Event{&agui.TextMessageChunk{MessageID: new("1"), Delta: new("a")}}}, {Text: "b", ToolCalls: nameless}},
			&agui.TextMessageContent{Delta: "b"}},
	}
	for name, tt := range tests {
		for _, skip := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unverified %t", name, skip), func(t *testing.T) {
				var errs []error
				all := runEvents(t.Context(), by(tt.updates...), input(), &chat.EventOptions{
					Logger: quiet.Logger, SkipVerify: skip, OnError: func(_ context.Context, err error) { errs = append(errs, err) },
				})
				if len(errs) != 1 {
					t.Errorf("told of %v", errs)
				}
				var v agui.Verifier
				told := false
				for i, e := range all {
					if i == len(all)-1 && len(v.Open()) > 0 {
						t.Errorf("%d things are open at the end", len(v.Open()))
					}
					if err := v.Observe(e); err != nil {
						t.Error(err)
					}
					told = told || says(e) == says(tt.told)
				}
				if !told {
					t.Errorf("what came before the fault is not told: %v", all)
				}
				if e, ok := all[len(all)-1].(*agui.RunError); !ok {
					t.Errorf("ended by %v", e)
				}
			})
		}
	}
}

// says is the type and the text of an event.
func says(e agui.Event) string {
	switch e := e.(type) {
	case *agui.TextMessageContent:
		return fmt.Sprint(e.Type(), e.Delta)
	case *agui.ReasoningMessageContent:
		return fmt.Sprint(e.Type(), e.Delta)
	case *agui.ToolCallArgs:
		return fmt.Sprint(e.Type(), e.Delta)
	}
	return string(e.Type())
}
