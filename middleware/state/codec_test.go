package state_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// A state that cannot be told ends the run of a layer that hands the error on
// by its code.
func TestStatesThatCannotBeTold(t *testing.T) {
	type free struct {
		Any any `json:"any"`
	}
	cycle := map[string]any{}
	cycle["again"] = cycle
	own := &chat.Error{Code: "MINE", Message: "Mine."}
	for name, tt := range map[string]struct {
		value any
		code  string
	}{
		"NaN":                 {math.NaN(), chat.CodeSerialization},
		"a channel":           {make(chan int), chat.CodeSerialization},
		"a cycle":             {cycle, chat.CodeSerialization},
		"too large":           {strings.Repeat("x", 500), chat.CodeSerialization},
		"no JSON":             {json.RawMessage(`{`), chat.CodeSerialization},
		"a name twice":        {json.RawMessage(`{"a":1,"a":2}`), chat.CodeSerialization},
		"an error of its own": {marshalError{own}, own.Code},
		"what Validate says":  {"refused", own.Code},
	} {
		for way, change := range map[string]func(*state.Session[free]) error{
			"Update": func(s *state.Session[free]) error {
				return s.Update(func(f *free) error { f.Any = tt.value; return nil })
			},
			"Set":  func(s *state.Session[free]) error { return s.Set(free{Any: tt.value}) },
			"Edit": func(s *state.Session[free]) error { s.Edit(func(f *free) { f.Any = tt.value }); return s.Publish() },
		} {
			client := chat.NewBuilder(aguitest.NewModel()).
				Use(state.Share[free](state.MaxBytes(200), state.Validate(func(f free) error {
					if f.Any == "refused" {
						return own
					}
					return nil
				}))).
				Use(layer(func(ctx context.Context, _ chat.Client, _ *chat.Request, yield func(*chat.Update, error) bool) {
					s, err := state.Of[free](ctx)
					must(t, err)
					yield(nil, change(s))
				})).Build()
			events := runChain(t, client, inputWith(`{"any":1}`))
			if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != tt.code {
				t.Errorf("%s, by %s: ended by %+v", name, way, events[len(events)-1])
			}
		}
	}
}

type marshalError struct{ err error }

func (m marshalError) MarshalJSON() ([]byte, error) { return nil, m.err }
