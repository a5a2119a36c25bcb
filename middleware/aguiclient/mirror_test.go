package aguiclient

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

type applyCase struct {
	Name               string
	InitialState       json.RawMessage
	InitialMessages    []agui.Message
	Events             []json.RawMessage
	FinalState         json.RawMessage
	FinalMessages      json.RawMessage
	Warnings           int
	Quirk              string
	Rejected           *struct{ Reason string }
	Result             json.RawMessage
	PendingToolCallIDs []string
	PendingInterrupts  json.RawMessage
}

// rfc are the fixtures that depart from RFC 6902 and RFC 6901, with what the
// mirror holds at their end instead.
var rfc = map[string]struct {
	state  string
	errors int
}{
	"delta/on_number_state":               {`5`, 1},
	"delta/array_leading_zero_add":        {`{"l":[1,2,3]}`, 1},
	"delta/array_huge_index_add":          {`{"l":[1]}`, 1},
	"delta/proto_key":                     {`{"a":1,"__proto__":{"x":1}}`, 0},
	"delta/proto_key_child":               {`{"a":1}`, 1}, // there is no /__proto__ to add to
	"delta/proto_key_nested":              {`{"a":{}}`, 1},
	"delta/constructor_prototype_present": {`{"constructor":{"prototype":{"x":1}}}`, 0},
	"delta/inherited_replace":             {`{"a":1}`, 1},
	"delta/inherited_remove":              {`{"a":1}`, 1},
	"delta/inherited_copy":                {`{"a":1}`, 1},
}

func TestMirrorFollowsTheReference(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases[applyCase](t, "apply.json") {
		t.Run(c.Name, func(t *testing.T) {
			m := NewMirror(c.InitialState, c.InitialMessages)
			var decoder agui.Decoder
			warnings, rejected := 0, false
			for _, raw := range c.Events {
				e, err := decoder.Decode(raw)
				if err != nil {
					rejected = true
					break
				}
				if err := m.Apply(e); err != nil {
					var apply *ApplyError
					if !errors.As(err, &apply) || apply.Type == "" || apply.Reason == "" {
						t.Errorf("%s: the error says too little: %v", raw, err)
					}
					warnings++
				}
			}
			wantState, wantWarnings, wantRejected := c.FinalState, c.Warnings, c.Rejected != nil
			if want, ok := rfc[c.Name]; ok {
				seen[c.Name] = true
				wantState, wantWarnings, wantRejected = json.RawMessage(want.state), want.errors, false
			} else if c.Quirk != "" {
				t.Errorf("a quirk without a rule: %s", c.Quirk)
			}
			sameJSON(t, "state", m.State(), wantState)
			sameJSON(t, "messages", mustJSON(t, m.Messages()), c.FinalMessages)
			if warnings != wantWarnings {
				t.Errorf("%d errors, the reference warned %d times", warnings, wantWarnings)
			}
			if rejected != wantRejected {
				t.Errorf("rejected is %v, want %v", rejected, wantRejected)
			}
			if c.Result != nil {
				sameJSON(t, "result", m.Result(), c.Result)
			}
			if got := m.PendingToolCallIDs(); !rejected && len(got)+len(c.PendingToolCallIDs) > 0 && !reflect.DeepEqual(got, c.PendingToolCallIDs) {
				t.Errorf("pending calls %q, want %q", got, c.PendingToolCallIDs)
			}
			if c.PendingInterrupts != nil {
				sameJSON(t, "interrupts", mustJSON(t, m.Interrupts()), c.PendingInterrupts)
			} else if got := m.Interrupts(); len(got) > 0 {
				t.Errorf("interrupts %v, want none", got)
			}
		})
	}
	for name := range rfc {
		if !seen[name] {
			t.Errorf("the rule for %q names no case", name)
		}
	}
}
