package state_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// What a layer sends of the state by hand is held to the same law as what a
// session publishes: the client gets it right, or the run ends and says why.
func TestLaw2StateEventsByHand(t *testing.T) {
	whole := func(doc string) agui.Event { return &agui.StateSnapshot{Snapshot: json.RawMessage(doc)} }
	change := func(op agui.Op, path, value string) agui.Event {
		o := agui.Operation{Op: op, Path: path}
		if value != "" {
			o.Value = json.RawMessage(value)
		}
		return &agui.StateDelta{Delta: agui.Patch{o}}
	}
	const before = `{"name":"old","tasks":[],"x":1}`
	for name, c := range map[string]struct {
		events []agui.Event
		want   string
		code   string
	}{
		"a document, then a change of it": {[]agui.Event{whole(`{"name":"a","y":1}`), change(agui.OpReplace, "/y", `2`)}, `{"name":"a","y":2}`, ""},
		"a change as the first":           {[]agui.Event{change(agui.OpAdd, "/tasks/-", `{"id":7,"y":1}`)}, `{"name":"old","tasks":[{"id":7,"y":1}],"x":1}`, ""},
		"of the root":                     {[]agui.Event{change(agui.OpReplace, "", `{"name":"r"}`)}, `{"name":"r"}`, ""},
		"of what is not there":            {[]agui.Event{change(agui.OpReplace, "/none", `1`)}, before, chat.CodeProtocolViolation},
		"a test that holds":               {[]agui.Event{change(agui.OpTest, "/name", `"old"`)}, before, ""},
		"a test that fails":               {[]agui.Event{change(agui.OpTest, "/name", `"new"`)}, before, chat.CodeProtocolViolation},
		"a good one, then a bad one":      {[]agui.Event{whole(`{"name":"a"}`), change(agui.OpRemove, "/none", "")}, `{"name":"a"}`, chat.CodeProtocolViolation},
		"what does not fit":               {[]agui.Event{change(agui.OpReplace, "/name", `1`)}, before, chat.CodeSerialization},
		"nothing at all":                  {[]agui.Event{&agui.StateSnapshot{}}, before, chat.CodeSerialization},
		"a name twice":                    {[]agui.Event{whole(`{"name":"a","name":"b"}`)}, before, chat.CodeSerialization},
		"the same in another order":       {[]agui.Event{whole(`{"x":1,"tasks":[],"name":"old"}`)}, before, ""},
		"a name that differs in case":     {[]agui.Event{whole(`{"name":"a","Name":"b"}`)}, `{"name":"a","Name":"b"}`, ""},
		"an unsafe name":                  {[]agui.Event{whole(`{"name":"a","__proto__":{"y":1}}`), change(agui.OpReplace, "/__proto__/y", `2`)}, `{"name":"a","__proto__":{"y":2}}`, ""},
		"an unsafe pair of names":         {[]agui.Event{whole(`{"constructor":{"prototype":1}}`), change(agui.OpReplace, "/constructor/prototype", `2`)}, `{"constructor":{"prototype":2}}`, ""},
		"an empty name":                   {[]agui.Event{whole(`{"":1}`), change(agui.OpReplace, "/", `2`)}, `{"":2}`, ""},
		"digits beyond a float64":         {[]agui.Event{whole(`{"y":9007199254740993}`), change(agui.OpReplace, "/y", `9007199254740992`)}, `{"y":9007199254740992}`, ""},
	} {
		for _, together := range []bool{true, false} {
			byHand := layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
				if together {
					if !yield(&chat.Update{Events: c.events}, nil) {
						return
					}
				} else {
					for _, e := range c.events {
						if !yield(&chat.Update{Events: []agui.Event{e}}, nil) {
							return
						}
					}
				}
				next.Stream(ctx, req)(yield)
			})
			client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("ok"))).Use(state.Share[Board]()).Use(byHand).Build()
			events := runChain(t, client, inputWith(before))
			aguitest.Verify(t, events)
			m := &mirror{t: t, doc: []byte(before)}
			m.see(events...)
			m.holds(c.want)
			code := ""
			if e, failed := events[len(events)-1].(*agui.RunError); failed {
				code = e.Code
			}
			if code != c.code {
				t.Errorf("%s: ended with %q, want %q", name, code, c.code)
			}
		}
	}
}

// Documents that are hard for a client, each after each.
func TestManagerTellsOddDocuments(t *testing.T) {
	docs := []string{
		`{}`, `null`, `5`, `"x"`, `[]`, `[[]]`, `[{}]`, `{"a":{}}`, `{"a":[]}`, `{"":1}`, `{"":{"":2}}`, `{"a/b":1,"c~d":2}`, `{"a/b":2,"c~d":1}`,
		`{"toString":1,"hasOwnProperty":{}}`, `{"toString":2,"hasOwnProperty":[]}`, `{"n":9007199254740993}`, `{"n":9007199254740992}`,
		`{"n":1e400}`, `{"n":-0}`, `{"n":1.10}`, `{"s":"\u0000"}`, `{"s":"🍮"}`, `{"\u0000":1}`, `{"🍮":1}`, `{"a":[1,2,3,4,5]}`, `{"a":[5,4,3,2,1]}`,
	}
	for _, a := range docs {
		for _, b := range docs {
			// Large enough for a patch to be worth it.
			pad := func(doc string) string { return `{"pad":"` + strings.Repeat("x", 160) + `","doc":` + doc + `}` }
			var manager state.Manager
			m := &mirror{t: t}
			for _, doc := range []string{a, b, pad(a), pad(b), pad(b), a} {
				e, err := manager.Publish(json.RawMessage(doc))
				if err != nil {
					t.Fatalf("%s: %v", doc, err)
				}
				if e != nil {
					m.see(e)
				}
				m.holds(doc)
			}
		}
	}
}
