package state_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/state"
)

// celsius marshals itself to another kind of JSON than it is.
type celsius float64

func (c celsius) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"%g°C"`, float64(c)), nil }
func (c *celsius) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	_, err := fmt.Sscanf(s, "%g°C", (*float64)(c))
	return err
}

// tags are a set that is written as one string.
type tags map[string]bool

func (s tags) MarshalText() ([]byte, error) {
	var names []string
	for _, n := range []string{"a", "b", "c"} {
		if s[n] {
			names = append(names, n)
		}
	}
	return []byte(strings.Join(names, ",")), nil
}
func (s *tags) UnmarshalText(b []byte) error {
	*s = tags{}
	for n := range strings.SplitSeq(string(b), ",") {
		(*s)[n] = true
	}
	return nil
}

type page[T any] struct {
	Items []T `json:"items"`
	Next  *T  `json:"next,omitempty"`
}

type base struct {
	ID   int    `json:"id"`
	Kind string `json:"kind"`
}

type embedding struct {
	base
	*Embedded
	Name string `json:"name"`
}

type Embedded struct {
	Note string `json:"note"`
}

// edited is one edit of a document of type S: what the client then holds must
// be want, byte for byte.
func edited[S any](doc, want string, f func(*S), o ...state.Option) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		s, events := session[S](t, doc, o...)
		must(t, s.Publish())
		must(t, s.Update(func(v *S) error { f(v); return nil }))
		if got := string(s.Document()); got != want {
			t.Errorf("\n doc %s\n got %s\nwant %s", doc, got, want)
		}
		m := &mirror{t: t}
		m.see(*events...)
		m.holds(want)
		// A client that sends the document back gets the same value.
		again, _ := session[S](t, string(s.Document()), o...)
		if a, b := asJSON(t, again.State()), asJSON(t, s.State()); a != b {
			t.Errorf("the value is %s, and %s when it comes back", b, a)
		}
	}
}

func TestLaw4AnEditChangesTheDocument(t *testing.T) {
	type row struct {
		N int    `json:"n"`
		S string `json:"s,omitempty"`
	}
	type doc struct {
		Rows []row          `json:"rows"`
		One  row            `json:"one"`
		By   map[string]row `json:"by"`
		F    float64        `json:"f"`
		P    *row           `json:"p"`

		Lists map[string][]row `json:"lists,omitempty"`
	}
	for name, test := range map[string]func(*testing.T){
		"unknown members at every depth": edited(
			`{"x":1,"rows":[{"n":1,"y":[{}]},{"n":2,"y":2}],"one":{"z":null,"n":3},"by":{"k":{"w":"w","n":4}},"f":1.10,"p":{"n":1,"q":1}}`,
			`{"x":1,"rows":[{"n":1,"y":[{}]},{"n":9,"y":2}],"one":{"z":null,"n":8},"by":{"k":{"w":"w","n":7}},"f":1.10,"p":{"n":6,"q":1}}`,
			func(d *doc) { d.Rows[1].N, d.One.N, d.By["k"], d.P.N = 9, 8, row{N: 7}, 6 }),
		"elements that moved": edited(
			`{"rows":[{"n":1,"y":1},{"n":2,"y":2},{"n":3,"y":3}]}`,
			`{"rows":[{"n":3,"y":3},{"n":1,"y":1},{"n":2,"y":2}]}`,
			func(d *doc) { d.Rows = []row{d.Rows[2], d.Rows[0], d.Rows[1]} }),
		"neighbours that were removed": edited(
			`{"rows":[{"n":1,"y":1},{"n":2,"y":2},{"n":3,"y":3},{"n":4,"y":4}]}`,
			`{"rows":[{"n":2,"y":2},{"n":4,"y":4}]}`,
			func(d *doc) { d.Rows = []row{d.Rows[1], d.Rows[3]} }),
		"a key names who moved and changed": edited(
			`{"rows":[{"n":1,"s":"a","y":1},{"n":2,"s":"b","y":2},{"n":3,"s":"c","y":3}]}`,
			`{"rows":[{"n":3,"s":"new","y":3},{"n":1,"s":"a","y":1},{"n":2,"s":"b","y":2}]}`,
			func(d *doc) { d.Rows = []row{{3, "new"}, d.Rows[0], d.Rows[1]} }, state.Key("/rows", "n")),
		"a key names who moved to another list": edited(
			`{"lists":{"todo":[{"n":1,"y":1},{"n":2,"y":2}],"done":[{"n":3,"y":3}]},"x":1}`,
			`{"lists":{"todo":[{"n":2,"y":2}],"done":[{"n":1,"y":1,"s":"moved"}]},"x":1}`,
			func(d *doc) {
				todo := d.Lists["todo"]
				d.Lists["todo"], d.Lists["done"] = todo[1:], []row{{N: 1, S: "moved"}}
			}, state.Key("/lists/*", "n")),
		"new members are last, also where S covers the document": edited(
			`{"rows":[{"n":1}],"one":{"n":0},"by":{"b":{"n":1},"d":{"n":2}},"f":1,"p":null}`,
			`{"rows":[{"n":1}],"one":{"n":0},"by":{"b":{"n":1},"d":{"n":2},"a":{"n":3},"c":{"n":4}},"f":1,"p":null}`,
			func(d *doc) { d.By["c"], d.By["a"] = row{N: 4}, row{N: 3} }),
		"order is kept, new members are last, in S's order": edited(
			`{"p":null,"f":2,"z":0,"rows":[]}`,
			`{"p":null,"f":3,"z":0,"rows":[],"one":{"n":1},"by":{"k":{"n":2}}}`,
			func(d *doc) { d.By, d.One.N, d.F = map[string]row{"k": {N: 2}}, 1, 3 }),
		"a member that the client lacks is not added untouched": edited(
			`{"f":1.50}`, `{"f":1.50,"one":{"n":1}}`, func(d *doc) { d.One.N = 1 }),
		"digits": edited(
			`{"f":1.10,"x":[9007199254740993,1e400,-0,0.10],"rows":[{"n":1,"big":18446744073709551615}]}`,
			`{"f":1.10,"x":[9007199254740993,1e400,-0,0.10],"rows":[{"n":2,"big":18446744073709551615}]}`,
			func(d *doc) { d.Rows[0].N = 2 }),
		"omitempty leaves and comes": edited(
			`{"rows":[{"s":"a","n":1,"y":1},{"n":2}]}`, `{"rows":[{"n":1,"y":1},{"n":2,"s":"b"}]}`,
			func(d *doc) { d.Rows[0].S, d.Rows[1].S = "", "b" }),
		"nil slices and maps are empty": edited(
			`{"rows":[{"n":1}],"by":{"k":{"n":1}},"x":1}`, `{"rows":[],"by":{},"x":1}`,
			func(d *doc) { d.Rows, d.By = nil, nil }),
		"null where the type has a list": edited(
			`{"rows":null,"by":null,"f":1}`, `{"rows":null,"by":null,"f":2}`, func(d *doc) { d.F = 2 }),
		"a pointer is set and taken away": edited(
			`{"p":{"n":1,"q":1},"f":1}`, `{"p":null,"f":1}`, func(d *doc) { d.P = nil }),
		"names match exactly": edited(
			`{"F":1,"ROWS":[],"f":2}`, `{"F":1,"ROWS":[],"f":3}`, func(d *doc) { d.F = 3 }),
		"a name in another case is another member": edited(
			`{"F":0}`, `{"F":0,"f":3}`, func(d *doc) { d.F = 3 }),
		"names that are escaped": edited(
			`{"\u0066":1,"a\/b":1}`, `{"\u0066":2,"a\/b":1}`, func(d *doc) { d.F = 2 }),
		"custom JSON": edited(
			`{"temp":"21.50°C","x":1}`, `{"temp":"22°C","x":1}`,
			func(d *struct {
				Temp celsius `json:"temp"`
			}) {
				d.Temp = 22
			}),
		"custom JSON untouched keeps its bytes": edited(
			`{"temp":"21.50°C","n":1}`, `{"temp":"21.50°C","n":2}`,
			func(d *struct {
				Temp celsius `json:"temp"`
				N    int     `json:"n"`
			}) {
				d.N = 2
			}),
		"custom text": edited(
			`{"tags":"c,a","n":1}`, `{"tags":"a,b,c","n":1}`,
			func(d *struct {
				Tags tags `json:"tags"`
			}) {
				d.Tags["b"] = true
			}),
		"time": edited(
			`{"at":"2024-01-02T03:04:05.000Z","n":1,"x":1}`, `{"at":"2024-01-02T03:04:05.000Z","n":2,"x":1}`,
			func(d *struct {
				At time.Time `json:"at"`
				N  int       `json:"n"`
			}) {
				d.N = 2
			}),
		"embedded structs": edited(
			`{"kind":"k","note":"n","id":1,"x":1,"name":"a"}`, `{"kind":"k","note":"m","id":2,"x":1,"name":"b"}`,
			func(d *embedding) { d.ID, d.Note, d.Name = 2, "m", "b" }),
		"an embedded pointer that comes to be": edited(
			`{"x":1,"id":1}`, `{"x":1,"id":1,"note":"n"}`, func(d *embedding) { d.Embedded = &Embedded{"n"} }),
		"map[string]any": edited(
			`{"b":9007199254740993,"a":[1.10,{"z":1,"y":2}],"c":1}`, `{"b":9007199254740993,"a":[1.10,{"z":1,"y":3}],"c":1,"d":[]}`,
			func(d *map[string]any) {
				(*d)["a"].([]any)[1].(map[string]any)["y"] = 3
				(*d)["d"] = []string(nil)
			}),
		"any": edited(
			`{"b":1,"a":{"x":1.10}}`, `{"b":1,"a":{"x":1.10,"y":true}}`,
			func(d *any) { (*d).(map[string]any)["a"].(map[string]any)["y"] = true }),
		"json.RawMessage": edited(
			`{"raw":{"b":1.10,"a": [ 1 ]},"n":1}`, `{"raw":{"b":1.10,"a":[1]},"n":2}`,
			func(d *struct {
				Raw json.RawMessage `json:"raw"`
				N   int             `json:"n"`
			}) {
				d.N = 2
			}),
		"json.RawMessage changed": edited(
			`{"raw":{"b":1.10,"a":[1]},"n":1}`, `{"raw":{"b":1.10,"a":[2]},"n":1}`,
			func(d *struct {
				Raw json.RawMessage `json:"raw"`
			}) {
				d.Raw = json.RawMessage(` { "b" : 1.10 , "a" : [ 2 ] } `)
			}),
		"json.Number": edited(
			`{"n":1.10,"m":9007199254740993}`, `{"n":1.10,"m":9007199254740994}`,
			func(d *struct {
				M json.Number `json:"m"`
			}) {
				d.M = "9007199254740994"
			}),
		"a number as a string": edited(
			`{"n":"1","x":1}`, `{"n":"2","x":1}`,
			func(d *struct {
				N int `json:"n,string"`
			}) {
				d.N++
			}),
		"a generic type": edited(
			`{"items":[{"id":1,"x":1}],"next":{"id":2,"kind":"","y":1}}`, `{"items":[{"id":1,"x":1},{"id":3,"kind":""}],"next":{"id":4,"kind":"","y":1}}`,
			func(p *page[base]) { p.Items, p.Next.ID = append(p.Items, base{ID: 3}), 4 }),
		"a pointer as S": edited(
			`{"items":[],"x":1}`, `{"items":[1],"x":1}`, func(p **page[int]) { (*p).Items = []int{1} }),
		"a list as S":   edited(`[{"n":1,"y":1},{"n":2,"y":2}]`, `[{"n":2,"y":2}]`, func(r *[]row) { *r = (*r)[1:] }),
		"a string as S": edited(`"a"`, `"b"`, func(s *string) { *s = "b" }),
		"text is written as it is": edited(
			`{"name":"a","tasks":[]}`, `{"name":"<a href=\"é\">&</a>","tasks":[]}`, func(b *Board) { b.Name = `<a href="é">&</a>` }),
		"unicode, HTML and odd names": edited(
			`{"a/b~<é>":{"n":1,"y":"<\u00e9>"}}`, `{"a/b~<é>":{"n":2,"y":"<\u00e9>"},"":{"n":1}}`,
			func(m *map[string]row) { (*m)["a/b~<é>"], (*m)[""] = row{N: 2}, row{N: 1} }),
	} {
		t.Run(name, test)
	}
}

// What an edit finds is the same whether the value comes from an edit before
// it or from the client.
func TestLaw4TheValueIsAViewOfTheDocument(t *testing.T) {
	s, _ := session[map[string]any](t, `{"n":1}`)
	for range 2 {
		must(t, s.Update(func(m *map[string]any) error {
			(*m)["n"] = int((*m)["n"].(float64)) + 1 // an int now, a float64 when it comes back
			return nil
		}))
	}
	type local struct {
		N     int `json:"n"`
		Cache int `json:"-"`
	}
	l, _ := session[local](t, `{"n":1}`)
	must(t, l.Update(func(v *local) error { v.N, v.Cache = 2, 7; return nil }))
	must(t, l.Update(func(v *local) error {
		if v.Cache != 0 {
			t.Errorf("what is not in the document is in the value: %d", v.Cache)
		}
		return nil
	}))
}

// oneWay marshals itself to what it does not decode.
type oneWay int

func (oneWay) MarshalJSON() ([]byte, error) { return []byte(`"one way"`), nil }

type panicky struct{ V int }

func (p panicky) MarshalJSON() ([]byte, error) {
	if p.V > 1 {
		panic("no more than one")
	}
	return fmt.Appendf(nil, "%d", p.V), nil
}

func (p *panicky) UnmarshalJSON(b []byte) error {
	if string(b) == "2" {
		panic("no two")
	}
	return json.Unmarshal(b, &p.V)
}

type node struct {
	Next *node          `json:"next"`
	Any  any            `json:"any,omitempty"`
	M    map[string]any `json:"m,omitempty"`
	L    []int          `json:"l"`
}

// A value that cannot be told is refused and undone, whatever is the matter
// with it, and the session goes on.
func TestLaw5ValuesThatCannotBeTold(t *testing.T) {
	type holder struct {
		N    int             `json:"n"`
		Raw  json.RawMessage `json:"raw"`
		One  []oneWay        `json:"one"`
		P    panicky         `json:"p"`
		Node node            `json:"node"`
		Any  any             `json:"any"`
		Keys map[string]int  `json:"keys"`
		Num  json.Number     `json:"num"`
	}
	for name, c := range map[string]struct {
		f    func(*holder)
		want string
	}{
		"raw text that is no JSON":         {func(h *holder) { h.Raw = json.RawMessage(`{`) }, "RawMessage"},
		"raw text with a name twice":       {func(h *holder) { h.Raw = json.RawMessage(`{"a":1,"a":2}`) }, "/raw/a"},
		"what it does not decode":          {func(h *holder) { h.One = []oneWay{1} }, "does not decode what it encodes"},
		"a panic while it is marshalled":   {func(h *holder) { h.P.V = 5 }, "no more than one"},
		"a pointer to itself":              {func(h *holder) { h.Node.Next = &h.Node }, "cycle"},
		"an interface that holds itself":   {func(h *holder) { m := map[string]any{}; m["m"] = m; h.Any = m }, "cycle"},
		"a list that holds itself":         {func(h *holder) { l := make([]any, 1); l[0] = l; h.Any = l }, "cycle"},
		"a channel in an interface":        {func(h *holder) { h.Any = make(chan int) }, "chan"},
		"keys that become the same":        {func(h *holder) { h.Keys = map[string]int{"\xff": 1, "\xfe": 2} }, "keys"},
		"a number that is none":            {func(h *holder) { h.Num = "1x" }, "number"},
		"keys in an interface, the same":   {func(h *holder) { h.Any = map[string]int{"\xff": 1, "\xfe": 2} }, "any"},
		"a panic while it is decoded":      {func(h *holder) { h.Raw = json.RawMessage(`1`); h.P.V = 9 }, "panic"},
		"a struct of raw text in an any":   {func(h *holder) { h.Any = struct{ R json.RawMessage }{json.RawMessage(`]`)} }, "RawMessage"},
		"a map with a key of another kind": {func(h *holder) { h.Any = map[float64]int{1: 1} }, "map"},
	} {
		t.Run(name, func(t *testing.T) {
			s, events := session[holder](t, `{"n":1,"x":1}`)
			update := func(h *holder) error { h.N = 2; c.f(h); return nil }
			if err := s.Update(update); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Update: %v, want …%s…", err, c.want)
			}
			v := s.State()
			_ = update(&v)
			if err := s.Set(v); err == nil {
				t.Error("Set took it")
			}
			s.Edit(func(h *holder) { _ = update(h) })
			if n := s.State().N; n != 1 {
				t.Errorf("n is %d after a refused edit", n)
			}
			if err := s.Publish(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Publish: %v, want …%s…", err, c.want)
			}
			wantTypes(t, *events)
			must(t, s.Update(func(h *holder) error { h.N++; return nil }))
			if got := string(s.Document()); got != `{"n":2,"x":1}` {
				t.Error(got)
			}
			wantTypes(t, *events, agui.TypeStateSnapshot)
		})
	}
	if _, err := state.NewSession[panicky]([]byte(`2`), nil); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("a panic while decoding the client's state: %v", err)
	}
}

// The patch of an edit is used where the client holds what the edit was made
// of, and only there: also beyond the size up to which patches are checked.
func TestLaw3TheBaseOfADeltaIsWhatTheClientHolds(t *testing.T) {
	doc := strings.ReplaceAll(boardOf(200), `"title"`, `"x":1,"title"`)
	s, events := session[Board](t, doc)
	must(t, s.Publish())
	m := &mirror{t: t}
	title := func(i int, title string) func(b *Board) error {
		return func(b *Board) error { b.Tasks[i].Title = title; return nil }
	}
	edit := func(i int, to string) { s.Edit(func(b *Board) { _ = title(i, to)(b) }) }
	for name, f := range map[string]func(){
		"one edit":                func() { must(t, s.Update(title(1, "a"))) },
		"two, settled one by one": func() { edit(2, "b"); s.State(); edit(3, "b"); must(t, s.Publish()) },
		"an edit and an update":   func() { edit(4, "c"); must(t, s.Update(title(5, "c"))) },
		"an edit that is undone":  func() { edit(6, "d"); s.State(); edit(6, "task 7"); must(t, s.Publish()) },
		"an update after a reset": func() { s.Reset(); must(t, s.Update(title(7, "e"))) },
		"a patch that is no smaller": func() {
			must(t, s.Update(func(b *Board) error {
				for i := range b.Tasks {
					b.Tasks[i].Title += "!"
				}
				return nil
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			*events = nil
			if len(m.doc) == 0 {
				m.doc = []byte(doc)
			}
			f()
			m.see(*events...)
			m.holds(string(s.Document()))
		})
	}
}
