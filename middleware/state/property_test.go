package state_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// tree is a value of every kind that a state is made of.
type tree struct {
	Name string          `json:"name"`
	N    int64           `json:"n,omitempty"`
	F    float64         `json:"f"`
	On   *bool           `json:"on,omitempty"`
	List []tree          `json:"list"`
	By   map[string]tree `json:"by,omitempty"`
	Tags []string        `json:"tags"`
	Any  any             `json:"any,omitempty"`
}

// randomDocument is a document that a tree fits, with members that it does not
// know, in any order.
func randomDocument(r *rand.Rand, depth int) string {
	var members []string
	add := func(name, value string) {
		if r.IntN(3) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, value))
		}
	}
	list := func(n int, f func() string) string {
		var all []string
		for range r.IntN(n) {
			all = append(all, f())
		}
		return strings.Join(all, ",")
	}
	word := func() string {
		return []string{`"a"`, `"b"`, `""`, `"é🍮"`, `"\u0061\/\n"`, `"<&>"`, `"a/b~c"`}[r.IntN(7)]
	}
	number := func() string {
		return []string{"0", "-0", "1", "1.10", "9007199254740993", "-7", "1e2", "0.5"}[r.IntN(8)]
	}
	add("name", word())
	add("n", []string{"0", "5", "9007199254740993", "-3"}[r.IntN(4)])
	add("f", number())
	add("on", []string{"true", "false", "null"}[r.IntN(3)])
	add("tags", "["+list(5, word)+"]")
	add("unknown", number())
	add("Name", word())
	add("note", `{"x":[`+list(3, number)+`],"":null}`)
	add("any", []string{number(), word(), "[" + list(4, number) + "]", `{"k":` + number() + `}`, "null"}[r.IntN(5)])
	if depth > 0 {
		add("list", "["+list(6, func() string { return randomDocument(r, depth-1) })+"]")
		i := 0
		add("by", "{"+list(4, func() string {
			i++
			return fmt.Sprintf(`"k/%d~":%s`, i, randomDocument(r, depth-1))
		})+"}")
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// change edits a tree somewhere, as a choice of numbers says.
func change(v *tree, choose func(n int) int, depth int) {
	if depth > 0 && len(v.List) > 0 && choose(3) > 0 {
		change(&v.List[choose(len(v.List))], choose, depth-1)
		return
	}
	switch choose(14) {
	case 0:
		v.Name += "x"
	case 1:
		v.N += 1
	case 2:
		v.F /= 3
	case 3:
		v.On = new(choose(2) == 0)
	case 4:
		v.On, v.Any = nil, nil
	case 5:
		v.List = append(v.List, tree{Name: "new", N: int64(choose(1000))})
	case 6:
		v.List = append([]tree{{Name: "first"}}, v.List...)
	case 7:
		if n := len(v.List); n > 0 {
			i := choose(n)
			v.List = append(v.List[:i:i], v.List[i+1:]...)
		}
	case 8:
		for i := len(v.List) - 1; i > 0; i-- {
			j := choose(i + 1)
			v.List[i], v.List[j] = v.List[j], v.List[i]
		}
	case 9:
		if v.By == nil {
			v.By = map[string]tree{}
		}
		v.By[[]string{"k/1~", "k/2~", "", "__proto__", "é"}[choose(5)]] = tree{Name: "by"}
	case 10:
		clear(v.By)
	case 11:
		v.Tags = append(v.Tags, []string{"a", "b", "<c>"}[choose(3)])
	case 12:
		v.Any = []any{"a", 1, nil, map[string]int{"z": choose(9)}}[choose(4)]
	case 13:
		v.Name, v.List, v.Tags, v.By = "", nil, nil, nil
	}
}

func sameTree(t *testing.T, s *state.Session[tree], m *mirror) {
	t.Helper()
	m.holds(string(s.Document()))
	again, err := state.NewSession[tree](s.Document(), nil)
	if err != nil {
		t.Fatalf("the document does not fit: %v", err)
	}
	if isNothing := string(s.Document()) == "{}"; !isNothing && !reflect.DeepEqual(again.State(), s.State()) {
		t.Errorf("%s\n comes back as %s\n and was %s", s.Document(), asJSON(t, again.State()), asJSON(t, s.State()))
	}
}

// Edits of every kind from many goroutines: each delta applies, by another
// implementation than ours, and the client holds the document at the end.
func TestPropertyTheMirrorIsTheDocument(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		doc := randomDocument(r, 2)
		m := &mirror{t: t}
		s, err := state.NewSession[tree]([]byte(doc), func(e agui.Event) error { m.see(e); return nil })
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		must(t, s.Publish())
		var wg sync.WaitGroup
		for g := range uint64(8) {
			wg.Go(func() { mess(t, s, rand.New(rand.NewPCG(seed, g)), 12) })
		}
		wg.Wait()
		must(t, s.Publish())
		sameTree(t, s, m)
	}
}

// mess edits in every way that a session has.
func mess(t *testing.T, s *state.Session[tree], r *rand.Rand, n int) {
	edit := func(v *tree) { change(v, r.IntN, 2) }
	for range n {
		var err error
		switch r.IntN(8) {
		case 0:
			s.Edit(edit)
		case 1:
			v := s.State()
			edit(&v) // of a copy
			err = s.Set(v)
		case 2:
			no := errors.New("no")
			if err = s.Update(func(v *tree) error { edit(v); return no }); errors.Is(err, no) {
				err = nil
			}
		case 3:
			err = s.Publish()
		case 4:
			s.Reset()
		default:
			err = s.Update(func(v *tree) error { edit(v); return nil })
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// The same by tools that run at once inside a chain, with a layer that edits
// and sends by hand.
func TestPropertyTheMirrorIsTheDocumentOfARun(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 11))
		doc := randomDocument(r, 2)
		var last *state.Session[tree]
		tool := chat.NewTool("mess", "", func(ctx ctxt, in struct{ Seed uint64 }) (string, error) {
			s, err := state.Of[tree](ctx)
			if err == nil {
				mess(t, s, rand.New(rand.NewPCG(seed, in.Seed)), 10)
			}
			return "ok", err
		})
		tool2 := tool
		tool2.Name = "mess2"
		turn := aguitest.Turn{}
		for g := range 8 {
			turn = turn.Call(fmt.Sprint(g), []string{"mess", "mess2"}[g%2], fmt.Sprintf(`{"Seed":%d}`, g))
		}
		n := 0
		client := chat.NewBuilder(aguitest.NewModel(turn, aguitest.Text("ok"))).Use(state.Share[tree]()).
			Use(layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
				last, _ = state.Of[tree](ctx)
				for u, err := range next.Stream(ctx, req) {
					if !yield(u, err) {
						return
					}
				}
				must(t, last.Publish()) // what Edit left at the very end
			})).
			Use(forward(func(ctx ctxt, u *chat.Update) *chat.Update {
				if n++; n%5 == 0 {
					s, err := state.Of[tree](ctx)
					must(t, err)
					mess(t, s, r, 1)
				}
				if n%7 == 0 {
					c := *u
					c.Events = append([]agui.Event{&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpAdd, Path: "/hand", Value: json.RawMessage(fmt.Sprint(n))}}}}, u.Events...)
					return &c
				}
				return u
			})).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool, tool2}, Concurrent: true, Logger: quiet.Logger})).
			Build()
		m := &mirror{t: t, doc: []byte(doc)}
		for e := range chat.Events(t.Context(), client, inputWith(doc), quiet) {
			if e.Type() == agui.TypeRunError {
				t.Fatal(asJSON(t, e))
			}
			m.see(e)
		}
		m.holds(string(last.Document()))
	}
}

// FuzzSession edits any document as the script says.
func FuzzSession(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 20 {
		script := make([]byte, 30)
		for i := range script {
			script[i] = byte(r.IntN(256))
		}
		f.Add([]byte(randomDocument(r, 2)), script)
	}
	f.Add([]byte(`{"name":"\ud800","list":[{},{}],"any":{"a":1e99}}`), []byte{6, 8, 12, 3})
	f.Add([]byte(` [ ] `), []byte{1})
	f.Add([]byte(`{"by":{"__proto__":{},"":{"":1}}}`), []byte{0, 9, 3, 9, 4})
	f.Fuzz(func(t *testing.T, doc, script []byte) {
		m := &mirror{t: t}
		s, err := state.NewSession[tree](doc, func(e agui.Event) error { m.see(e); return nil })
		if err != nil {
			var d *state.DocumentError
			if !errors.As(err, &d) {
				t.Fatalf("%q: %v", doc, err)
			}
			return
		}
		must(t, s.Publish())
		before := string(s.Document())
		must(t, s.Update(func(*tree) error { return nil }))
		if got := string(s.Document()); got != before {
			t.Fatalf("nothing changed %s to %s", before, got)
		}
		choose := func(n int) int {
			if len(script) == 0 {
				return 0
			}
			c := int(script[0])
			script = script[1:]
			return c % n
		}
		for n := 0; len(script) > 0 && n < 40; n++ {
			var want tree
			err := s.Update(func(v *tree) error {
				change(v, choose, 3)
				want = *v
				return nil
			})
			var d *state.DocumentError
			if err != nil && !errors.As(err, &d) {
				t.Fatal(err)
			}
			if err == nil && asJSON(t, s.State()) != asJSON(t, filled(t, want)) {
				t.Fatalf("the edit made %s\n of which %s is left", asJSON(t, want), asJSON(t, s.State()))
			}
		}
		// Not every reader takes these: the mirror's applier among them.
		if !strings.Contains(string(s.Document()), `"":`) {
			sameTree(t, s, m)
		}
	})
}

// filled is a value as it comes back.
func filled(t *testing.T, v tree) tree {
	t.Helper()
	s, _ := session[tree](t, "", state.Default(v))
	return s.State()
}
