package partialjson

import (
	"encoding/json"
	"math/big"
	"reflect"
	"testing"
	"time"
)

type level string

func (l *level) UnmarshalText(b []byte) error { *l = level(b); return nil }

type duration struct{ Value, Unit string }

func (d *duration) UnmarshalJSON([]byte) error { return nil }

type unit string

type base struct {
	ID     string `json:"id" enum:"a,b"`
	Hidden string `json:"note"`
	Twice  string
}

type other struct{ Twice string }

type Named struct{ Name string }

type node struct {
	Text     string           `json:"text"`
	Children []*node          `json:"children"`
	ByName   map[string]*node `json:"byName"`
}

type everything struct {
	base
	*other
	Named `json:"named"`

	Title    string            `json:"title"`
	Pointer  **string          `json:"pointer"`
	Unit     unit              `json:"unit"`
	Choice   string            `json:"choice" enum:"low,high"`
	ChoiceP  *string           `json:"choiceP" enum:"low,high"`
	Choices  []string          `json:"choices" enum:"low,high"`
	ChoiceBy map[string]*unit  `json:"choiceBy" enum:"low,high"`
	Labels   map[string]string `json:"labels"`
	Level    level             `json:"level"`
	Levels   []level           `json:"levels"`
	LevelsE  []level           `json:"levelsE" enum:"low,high"`
	Took     *duration         `json:"took"`
	When     time.Time         `json:"when"`
	Big      *big.Int          `json:"big"`
	Quoted   string            `json:"quoted,string"`
	QuotedP  *string           `json:"quotedP,omitempty,string"`
	Bytes    []byte            `json:"bytes"`
	Count    int               `json:"count"`
	Number   json.Number       `json:"number"`
	Any      any               `json:"any"`
	Raw      json.RawMessage   `json:"raw"`
	Custom   json.Unmarshaler  `json:"custom"`
	Tree     node              `json:"tree"`
	Plain    string
	Skipped  string         `json:"-"`
	Note     map[string]any `json:"note"`
	private  string
}

// TestShapeOf lays one document on a type twice: with every string left open
// it shows which of them grow.
func TestShapeOf(t *testing.T) {
	s := ShapeOf(reflect.TypeFor[everything]())
	tests := map[string]string{
		`{"title":"x`:                  `{"title":"x"}`,
		`{"pointer":"x`:                `{"pointer":"x"}`,
		`{"unit":"x`:                   `{"unit":"x"}`,
		`{"choice":"x`:                 `{}`,
		`{"choice":"x"`:                `{"choice":"x"}`,
		`{"choiceP":"x`:                `{}`,
		`{"choices":["x","y`:           `{"choices":["x"]}`,
		`{"choiceBy":{"k":"x","l":"y`:  `{"choiceBy":{"k":"x"}}`,
		`{"labels":{"k":"x`:            `{"labels":{"k":"x"}}`,
		`{"level":"x`:                  `{}`,
		`{"level":{"deep":"x","y":[]`:  `{}`,
		`{"level":{"deep":"x","y":[]}`: `{"level":{"deep":"x","y":[]}}`,
		`{"levels":["x","y`:            `{"levels":["x"]}`,
		`{"levelsE":["x",["y"],["z"`:   `{"levelsE":["x",["y"]]}`,
		`{"took":{"value":"x","unit":"y","more":[{"a":"b`:    `{}`,
		`{"took":{"value":"x","unit":"y","more":[{}]},`:      `{"took":{"value":"x","unit":"y","more":[{}]}}`,
		`{"title":"t","took":{"value":{"title":"x"}},"a":"b`: `{"title":"t","took":{"value":{"title":"x"}},"a":"b"}`,
		`{"when":"2026-01-0`:                                 `{}`,
		`{"big":[1,`:                                         `{}`,
		`{"quoted":"\"x`:                                     `{}`,
		`{"quotedP":"\"x`:                                    `{}`,
		`{"bytes":"aGk`:                                      `{}`,
		`{"bytes":[1,2`:                                      `{"bytes":[1]}`,
		`{"count":"x`:                                        `{}`,
		`{"number":"1`:                                       `{}`,
		`{"any":{"deep":["x`:                                 `{"any":{"deep":["x"]}}`,
		`{"raw":{"deep":["x`:                                 `{"raw":{"deep":["x"]}}`,
		`{"custom":{"deep":["x`:                              `{}`,
		`{"tree":{"children":[{"text":"a"},{"text":"x`:       `{"tree":{"children":[{"text":"a"},{"text":"x"}]}}`,
		`{"tree":{"byName":{"k":{"children":["x`:             `{"tree":{"byName":{"k":{"children":[]}}}}`,
		`{"Plain":"x`:                                        `{"Plain":"x"}`,
		`{"unknown":{"deep":["x`:                             `{"unknown":{"deep":["x"]}}`,
		`{"id":"x`:                                           `{}`,                     // promoted, an enum
		`{"note":"x`:                                         `{}`,                     // the outer map, where no string belongs
		`{"note":{"k":"x`:                                    `{"note":{"k":"x"}}`,     // and not the embedded one
		`{"named":{"Name":"x`:                                `{"named":{"Name":"x"}}`, // embedded with a name is a member
		`{"title":["x`:                                       `{"title":["x"]}`,        // what does not fit shows
		`["x`:                                                `["x"]`,
		`"x`:                                                 `nothing`,
	}
	for text, want := range tests {
		r := Reader{Shape: s}
		if _, err := r.WriteString(text); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, _ := r.Value()
		if got == nil {
			got = []byte("nothing")
		}
		if string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	known := s.(*shape).members
	for _, name := range []string{"Skipped", "private", "Twice", "base", "other", "Named"} {
		if _, ok := known[name]; ok {
			t.Errorf("%s is taken for a member", name)
		}
	}
	_ = everything{}.private
}

func TestFieldsThatShareAName(t *testing.T) {
	type deep struct {
		A string `enum:"x"`
	}
	type left struct {
		A int
		B string `json:"B" enum:"x"`
		C string
		deep
	}
	type right struct {
		A string
		B string
	}
	type both struct {
		left
		right
		C string `enum:"x"`
	}
	s := ShapeOf(reflect.TypeFor[both]())
	if s.Member("A") != nil {
		t.Error("two fields A of one depth: both are dropped, and what is deeper is hidden")
	}
	if b := s.Member("B"); b == nil || b.Grows() {
		t.Error("the B with a tag wins")
	}
	if c := s.Member("C"); c == nil || c.Grows() {
		t.Error("the outer C wins")
	}
}

func TestFieldNamedDash(t *testing.T) {
	typ := reflect.StructOf([]reflect.StructField{{Name: "Dash", Type: reflect.TypeFor[string](), Tag: `json:"-,"`}})
	if s := ShapeOf(typ).Member("-"); s == nil || !s.Grows() {
		t.Error("a tag of a dash and a comma names the member -")
	}
}

type loop *loop
type list []list
type tree map[string]tree

func TestTypesThatHoldThemselves(t *testing.T) {
	if ShapeOf(reflect.TypeFor[loop]()) != nil {
		t.Error("a pointer to itself has a shape")
	}
	l := ShapeOf(reflect.TypeFor[list]())
	if l.Element() != l || l.Whole() || l.Grows() {
		t.Error("a list of lists is not its own element")
	}
	m := ShapeOf(reflect.TypeFor[tree]())
	if m.Member("any") != m {
		t.Error("a tree is not its own member")
	}
	var s Shape = ShapeOf(reflect.TypeFor[struct {
		L list   `enum:"x"`
		P []loop `enum:"x"`
	}]())
	if s.Member("L") == nil || s.Member("P").Element() != nil {
		t.Error("an enum on what holds no strings")
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[*any](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[*json.RawMessage]()} {
		if ShapeOf(typ) != nil {
			t.Errorf("%v has a shape", typ)
		}
	}
}

func TestWhatWaits(t *testing.T) {
	r := Reader{Shape: ShapeOf(reflect.TypeFor[[]duration]())}
	for _, s := range []struct {
		piece, want string
		step        Step
	}{
		{`[`, `[] 1`, Finished},
		{`{"Value":"1","Unit":["`, `[] 1`, Unchanged},
		{`a"]`, `[] 1`, Unchanged},
		{`}`, `[{"Value":"1","Unit":["a"]}] 1`, Finished},
		{`,{"Value":`, `[{"Value":"1","Unit":["a"]}] 1`, Unchanged},
		{`"2"}]`, `[{"Value":"1","Unit":["a"]},{"Value":"2"}] 0`, Finished},
	} {
		step, err := r.WriteString(s.piece)
		if err != nil {
			t.Fatal(err)
		}
		if got := seen(&r); got != s.want || step != s.step {
			t.Errorf("after %q: %s (step %d), want %s (step %d)", s.piece, got, step, s.want, s.step)
		}
	}
	// The root itself.
	r = Reader{Shape: ShapeOf(reflect.TypeFor[duration]())}
	r.WriteString(`{"Value":{}`)
	if got := seen(&r); got != "nothing" {
		t.Errorf("got %s", got)
	}
	r.WriteString(`}`)
	if got := seen(&r); got != `{"Value":{}} 0` {
		t.Errorf("got %s", got)
	}
}
