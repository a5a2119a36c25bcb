package state_test

import (
	"bytes"
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

// keeping keeps the bytes that it decodes, against encoding/json's contract.
type keeping struct{ text []byte }

func (k keeping) MarshalJSON() ([]byte, error) { return k.text, nil }

func (k *keeping) UnmarshalJSON(text []byte) error {
	k.text = text
	return nil
}

// A type that keeps the bytes it decodes has its own: neither do later
// publishes change a value that was returned, nor edits in place what was sent.
func TestATypeThatKeepsWhatItDecodes(t *testing.T) {
	type doc struct {
		Title string   `json:"title"`
		Kept  *keeping `json:"kept"`
	}
	for _, client := range []string{
		`{"title":"a","kept":"long kept thing"}`,
		`{"unknown":1,"title":"a","kept":"long kept thing"}`,
	} {
		var sent, copies [][]byte
		s, err := state.NewSession[doc](json.RawMessage(client), func(e agui.Event) error {
			if e, ok := e.(*agui.StateSnapshot); ok {
				sent, copies = append(sent, e.Snapshot), append(copies, bytes.Clone(e.Snapshot))
			}
			return nil
		})
		must(t, err)
		must(t, s.Publish())
		returned := s.State().Kept.text
		for _, title := range []string{"b", "bb", "bbb"} {
			must(t, s.Update(func(d *doc) error { d.Title = title; return nil }))
			s.Reset()
			must(t, s.Publish())
		}
		must(t, s.Update(func(d *doc) error { copy(d.Kept.text[1:], "LONG"); return nil }))
		if string(returned) != `"long kept thing"` {
			t.Errorf("%s: what State returned has become %s", client, returned)
		}
		for i := range sent {
			if !bytes.Equal(sent[i], copies[i]) {
				t.Errorf("%s: a snapshot that was sent has changed: %s, was %s", client, sent[i], copies[i])
			}
		}
	}
}
