package state_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/state"
)

func TestManagerDecides(t *testing.T) {
	notes := `["` + strings.Repeat("n", 264) + `"]`
	type publish struct {
		doc  string
		want string // the event, or "" for none
	}
	for name, steps := range map[string][]publish{
		"first is a snapshot, then deltas, then nothing": {
			{`{"step":1,"notes":` + notes + `}`, `{"type":"STATE_SNAPSHOT","snapshot":{"step":1,"notes":` + notes + `}}`},
			{`{"step":2,"notes":` + notes + `}`, `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/step","value":2}]}`},
			{`{"step":2,"notes":` + notes + `}`, ``},
			{` { "notes" : ` + notes + `, "step": 2 } `, ``},
		},
		"a patch that is no smaller": {
			{`{"a":1}`, `{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`},
			{`{"b":2}`, `{"type":"STATE_SNAPSHOT","snapshot":{"b":2}}`},
		},
		"scalar roots": {
			{`null`, `{"type":"STATE_SNAPSHOT","snapshot":null}`},
			{`{"a":1}`, `{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`},
			{`5`, `{"type":"STATE_SNAPSHOT","snapshot":5}`},
			{`5`, ``},
			{`false`, `{"type":"STATE_SNAPSHOT","snapshot":false}`},
		},
		"tokens that implementations disagree on": {
			{`{"":{"a":` + notes + `},"x":1}`, `{"type":"STATE_SNAPSHOT","snapshot":{"":{"a":` + notes + `},"x":1}}`},
			{`{"":{"a":` + notes + `,"b":1},"x":1}`, `{"type":"STATE_SNAPSHOT","snapshot":{"":{"a":` + notes + `,"b":1},"x":1}}`},
			{`{"":{"a":` + notes + `,"b":1},"x":2}`, `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/x","value":2}]}`},
			{`{"":{"a":` + notes + `,"b":1},"x":2,"__proto__":3}`, `{"type":"STATE_SNAPSHOT","snapshot":{"":{"a":` + notes + `,"b":1},"x":2,"__proto__":3}}`},
		},
		"digits beyond 2^53": {
			{`{"id":9007199254740993,"n":` + notes + `}`, `{"type":"STATE_SNAPSHOT","snapshot":{"id":9007199254740993,"n":` + notes + `}}`},
			{`{"id":9007199254740992,"n":` + notes + `}`, `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/id","value":9007199254740992}]}`},
			{`{"id":1e400,"n":` + notes + `}`, `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/id","value":1e400}]}`},
		},
		"null is a value": {
			{`{"a":1,"n":` + notes + `}`, `{"type":"STATE_SNAPSHOT","snapshot":{"a":1,"n":` + notes + `}}`},
			{`{"a":null,"n":` + notes + `}`, `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/a","value":null}]}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var m state.Manager
			for i, s := range steps {
				e, err := m.Publish(json.RawMessage(s.doc))
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if e != nil {
					got = asJSON(t, e)
				}
				if got != s.want {
					t.Errorf("publish %d of %s:\n got %s\nwant %s", i, s.doc, got, s.want)
				}
			}
		})
	}
}

func TestManagerResetMakesASnapshot(t *testing.T) {
	var m state.Manager
	doc := json.RawMessage(`{"a":1}`)
	for range 2 {
		if e, err := m.Publish(doc); err != nil || e == nil || e.Type() != agui.TypeStateSnapshot {
			t.Fatalf("got %v, %v", e, err)
		}
		if string(m.Published()) != `{"a":1}` {
			t.Fatalf("published %s", m.Published())
		}
		m.Reset()
		if m.Published() != nil {
			t.Fatal("published something after Reset")
		}
	}
}

func TestManagerKeepsItsOwnMemory(t *testing.T) {
	var m state.Manager
	doc := json.RawMessage(`{"a":1,"pad":"` + strings.Repeat("x", 100) + `"}`)
	e, err := m.Publish(doc)
	if err != nil {
		t.Fatal(err)
	}
	doc[5] = '2'
	if s := string(e.(*agui.StateSnapshot).Snapshot); !strings.Contains(s, `"a":1`) {
		t.Errorf("the event changed with the caller's bytes: %s", s)
	}
	e, err = m.Publish(doc)
	if err != nil || e == nil || asJSON(t, e) != `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/a","value":2}]}` {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestManagerSnapshotsOnly(t *testing.T) {
	m := state.Manager{SnapshotsOnly: true}
	pad := strings.Repeat("x", 100)
	for i, doc := range []string{`{"a":1,"p":"` + pad + `"}`, `{"a":2,"p":"` + pad + `"}`} {
		if e, err := m.Publish(json.RawMessage(doc)); err != nil || e.Type() != agui.TypeStateSnapshot {
			t.Errorf("publish %d: %v, %v", i, e, err)
		}
	}
}

func TestManagerRefusesWhatIsNoDocument(t *testing.T) {
	for doc, pointer := range map[string]string{
		``:                        "",
		`{"a":`:                   "",
		`{"a":{"b":1,"b":2}}`:     "/a/b",
		"{\"a\":\"\xff\"}":        "",
		`{"a":1} {"a":1}`:         "",
		`{"a":[1,2,{"x":NaN}]}`:   "",
		`{"a":01}`:                "",
		"{\"a\":\"line\nbreak\"}": "",
	} {
		var m state.Manager
		_, err := m.Publish(json.RawMessage(doc))
		var d *state.DocumentError
		if !errors.As(err, &d) {
			t.Errorf("%q: got %v, want a DocumentError", doc, err)
			continue
		}
		if pointer != "" && d.Pointer != pointer {
			t.Errorf("%q: pointer %q, want %q", doc, d.Pointer, pointer)
		}
		if m.Published() != nil {
			t.Errorf("%q was published", doc)
		}
	}
}
