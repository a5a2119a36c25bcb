package state_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Doc is the state of a small agent.
type Doc struct {
	Step  uint32   `json:"step"`
	Notes []string `json:"notes"`
}

// session returns a session outside any run and the events that it publishes.
func session[S any](t *testing.T, doc string, o ...state.Option) (*state.Session[S], *[]agui.Event) {
	t.Helper()
	events := &[]agui.Event{}
	s, err := state.NewSession[S]([]byte(doc), func(e agui.Event) error { *events = append(*events, e); return nil }, o...)
	if err != nil {
		t.Fatal(err)
	}
	return s, events
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUpdateEditPublish(t *testing.T) {
	s, events := session[Doc](t, "")
	must(t, s.Update(func(d *Doc) error {
		d.Step = 1
		d.Notes = append(d.Notes, strings.Repeat("n", 264))
		return nil
	}))
	s.Edit(func(d *Doc) { d.Step = 2 })
	must(t, s.Publish())
	must(t, s.Publish())
	wantTypes(t, *events, agui.TypeStateSnapshot, agui.TypeStateDelta)
	if got := asJSON(t, (*events)[1]); got != `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/step","value":2}]}` {
		t.Error(got)
	}
	if got := s.State().Step; got != 2 {
		t.Errorf("step %d", got)
	}
}

func TestFirstPublishIsASnapshotEvenUnchanged(t *testing.T) {
	s, events := session[Doc](t, `{"step":1}`)
	must(t, s.Update(func(*Doc) error { return nil }))
	wantTypes(t, *events)
	must(t, s.Publish())
	must(t, s.Publish())
	wantTypes(t, *events, agui.TypeStateSnapshot)
	s.Reset()
	must(t, s.Set(s.State()))
	wantTypes(t, *events, agui.TypeStateSnapshot, agui.TypeStateSnapshot)
}

func TestFailedEditIsUndone(t *testing.T) {
	s, events := session[Board](t, `{"name":"b","tasks":[{"id":1,"title":"one"}]}`)
	s.Edit(func(b *Board) { b.Name = "edited" })
	cause := errors.New("no")
	if err := s.Update(func(b *Board) error { b.Tasks[0].Title = "lost"; b.Name = "lost"; return cause }); !errors.Is(err, cause) {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not pass")
			}
		}()
		_ = s.Update(func(b *Board) error { b.Tasks = nil; panic("boom") })
	}()
	func() {
		defer func() { _ = recover() }()
		s.Edit(func(b *Board) { b.Tasks = nil; panic("boom") })
	}()
	wantTypes(t, *events)
	must(t, s.Publish())
	if got := asJSON(t, (*events)[0]); got != `{"type":"STATE_SNAPSHOT","snapshot":{"name":"edited","tasks":[{"id":1,"title":"one"}]}}` {
		t.Error(got)
	}
}

func TestStateIsACopy(t *testing.T) {
	s, events := session[Board](t, `{"name":"b","tasks":[{"id":1,"title":"one"}]}`)
	c := s.State()
	c.Tasks[0].Title = "changed outside"
	must(t, s.Publish())
	if got := asJSON(t, (*events)[0]); strings.Contains(got, "outside") {
		t.Error(got)
	}
	v := Board{Name: "set", Tasks: []Task{{ID: 7, Title: "seven"}}}
	must(t, s.Set(v))
	v.Tasks[0].Title = "changed outside"
	if got := s.State().Tasks[0].Title; got != "seven" {
		t.Error(got)
	}
}

func TestNilSlicesAndMapsAreEmpty(t *testing.T) {
	type inner struct {
		L []int          `json:"l"`
		M map[string]int `json:"m"`
		O []int          `json:"o,omitempty"`
		Z []int          `json:"z,omitzero"`
		P *[]int         `json:"p"`
		B []byte         `json:"b"`
	}
	type outer struct {
		inner
		A  any              `json:"a"`
		In []inner          `json:"in"`
		Mi map[string]inner `json:"mi"`
		Ar [1][]int         `json:"ar"`
		N  *outer           `json:"n"`
	}
	s, events := session[outer](t, "")
	must(t, s.Update(func(o *outer) error {
		o.A = map[string]any{"x": []string(nil), "y": []any{map[string]int(nil)}}
		o.In = []inner{{}}
		o.Mi = map[string]inner{"k": {}}
		o.N = &outer{}
		return nil
	}))
	const in = `"l":[],"m":{},"p":null,"b":""`
	want := `{"type":"STATE_SNAPSHOT","snapshot":{` + in + `,"a":{"x":[],"y":[{}]},"in":[{` + in + `}],"mi":{"k":{` + in + `}},"ar":[[]],` +
		`"n":{` + in + `,"a":null,"in":[],"mi":{},"ar":[[]],"n":null}}}`
	if got := asJSON(t, (*events)[0]); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestDefaultWhereTheClientSendsNothing(t *testing.T) {
	def := Board{Name: "new", Tasks: []Task{{ID: 1}}}
	for _, doc := range []string{"", "null", "{}", " { } "} {
		s, events := session[Board](t, doc, state.Default(def))
		must(t, s.Publish())
		if got := asJSON(t, (*events)[0]); got != `{"type":"STATE_SNAPSHOT","snapshot":{"name":"new","tasks":[{"id":1,"title":""}]}}` {
			t.Errorf("%q: %s", doc, got)
		}
		must(t, s.Update(func(b *Board) error { b.Tasks[0].Title = "mine"; return nil }))
	}
	if def.Tasks[0].Title != "" {
		t.Error("a session changed the default value")
	}
}

func TestDocumentThatDoesNotFit(t *testing.T) {
	type clicks struct {
		Clicks int `json:"clicks"`
	}
	type deep struct {
		List []struct {
			N uint8 `json:"n"`
		} `json:"list"`
	}
	check := func(doc, pointer, reason string, open func(string) error) {
		t.Helper()
		var d *state.DocumentError
		err := open(doc)
		if !errors.As(err, &d) || d.Pointer != pointer || !strings.Contains(d.Reason, reason) {
			t.Errorf("%s: got %v, want %s: …%s…", doc, err, pointer, reason)
		}
	}
	intoClicks := func(doc string) error { _, err := state.NewSession[clicks]([]byte(doc), nil); return err }
	intoDeep := func(doc string) error { _, err := state.NewSession[deep]([]byte(doc), nil); return err }
	check(`{"clicks":"three"}`, "/clicks", "has a string where a whole number is wanted", intoClicks)
	check(`{"clicks":1.5}`, "/clicks", "number", intoClicks)
	check(`"hello"`, "", "has a string where an object is wanted", intoClicks)
	check(`[]`, "", "has an array where an object is wanted", intoClicks)
	check(`{"list":[{"n":1},{"n":300}]}`, "/list/1/n", "out of range", intoDeep)
	check(`{"list":{"a":1}}`, "/list", "has an object where an array is wanted", intoDeep)
	check(`{"list":[],"list":[]}`, "/list", "", intoDeep)
	type keyed struct {
		M map[int]map[uint8]int `json:"m"`
	}
	intoKeyed := func(doc string) error { _, err := state.NewSession[keyed]([]byte(doc), nil); return err }
	check(`{"m":{ "1":{}, "x" : {}}}`, "/m/x", "is a key, which has to be a whole number", intoKeyed)
	check(`{"m":{"1":{"-1":1}}}`, "/m/1/-1", "is a key, which has to be a non-negative whole number", intoKeyed)
	check(`{"m":{"1":{"300":1}}}`, "/m/1/300", "is a key that is out of range", intoKeyed)
	check(`{"m":{"1":"x"}}`, "/m/1", "has a string where an object is wanted", intoKeyed)
	check(`{"m":{"1":{"2":"2"}}}`, "/m/1/2", "has a string where a whole number is wanted", intoKeyed)
	check(`{"a":`, "/a", "ends early", intoDeep)
	s, _ := session[clicks](t, "{}")
	if s.State().Clicks != 0 {
		t.Error("the default is not zero")
	}
}

func TestMaxBytesAndValidate(t *testing.T) {
	if _, err := state.NewSession[Board]([]byte(`{"name":"`+strings.Repeat("x", 100)+`"}`), nil, state.MaxBytes(50)); err == nil || !strings.Contains(err.Error(), "more than the 50") {
		t.Error(err)
	}
	refused := errors.New("no empty name")
	valid := state.Validate(func(b Board) error {
		if b.Name == "" {
			return refused
		}
		return nil
	})
	if _, err := state.NewSession[Board]([]byte(`{"name":"","tasks":[]}`), nil, valid); !errors.Is(err, refused) {
		t.Error(err)
	}
	s, events := session[Board](t, `{"name":"ok","tasks":[]}`, valid, state.MaxBytes(50))
	if err := s.Update(func(b *Board) error { b.Name = ""; return nil }); !errors.Is(err, refused) {
		t.Error(err)
	}
	if err := s.Update(func(b *Board) error { b.Name = strings.Repeat("x", 60); return nil }); err == nil {
		t.Error("a document that is too large was accepted")
	}
	if got := s.State().Name; got != "ok" {
		t.Errorf("a refused edit stayed: %q", got)
	}
	wantTypes(t, *events)
}

func TestEditThatIsNoJSON(t *testing.T) {
	type num struct {
		F float64 `json:"f"`
	}
	s, events := session[num](t, `{"f":1}`)
	if err := s.Update(func(n *num) error { n.F = math.NaN(); return nil }); err == nil {
		t.Error("NaN was published")
	}
	s.Edit(func(n *num) { n.F = math.Inf(1) })
	if err := s.Publish(); err == nil {
		t.Error("Inf was published")
	}
	must(t, s.Update(func(n *num) error { n.F++; return nil }))
	if got := asJSON(t, *events); got != `[{"type":"STATE_SNAPSHOT","snapshot":{"f":2}}]` {
		t.Error(got)
	}
}

func TestFailedPublishIsFollowedByASnapshot(t *testing.T) {
	lost := errors.New("connection lost")
	fail := false
	var events []agui.Event
	s, err := state.NewSession[Doc](nil, func(e agui.Event) error {
		if fail {
			return lost
		}
		events = append(events, e)
		return nil
	})
	must(t, err)
	set := func(n uint32) error { return s.Update(func(d *Doc) error { d.Step = n; return nil }) }
	must(t, set(1))
	fail = true
	if err := set(2); !errors.Is(err, lost) {
		t.Fatal(err)
	}
	fail = false
	must(t, set(3))
	wantTypes(t, events, agui.TypeStateSnapshot, agui.TypeStateSnapshot)
}

func TestTypesThatCannotBeAState(t *testing.T) {
	type hidden struct {
		Ch chan int `json:"-"`
		c  chan int
	}
	_, _ = session[hidden](t, "")
	_ = hidden{}.c
	panics := func(name, want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got, _ := recover().(string); !strings.Contains(got, want) {
				t.Errorf("%s: panicked with %q, want …%s…", name, got, want)
			}
		}()
		f()
		t.Errorf("%s: did not panic", name)
	}
	panics("chan", "bad.Inner.C: a chan", func() {
		type bad struct{ Inner struct{ C chan int } }
		state.Share[bad]()
	})
	panics("func", "bad.F: a func", func() {
		type bad struct{ F func() }
		state.Share[bad]()
	})
	panics("complex", "bad.L: a complex128", func() {
		type bad struct{ L []complex128 }
		state.Share[bad]()
	})
	panics("interface", "bad.E", func() {
		type bad struct{ E error }
		state.Share[bad]()
	})
	panics("duplicate names", `the JSON name "X"`, func() {
		type bad struct {
			X int
			B int `json:"X"`
		}
		state.Share[bad]()
	})
	panics("map key", "bad.M", func() {
		type bad struct{ M map[[2]int]string }
		state.Share[bad]()
	})
	panics("tool", "bad.C", func() {
		type bad struct{ C chan int }
		state.Tool("t", "", func(_ ctxt, _ *bad, _ struct{}) (string, error) { return "", nil })
	})
	panics("tool arguments", "args.C", func() {
		type args struct{ C chan int }
		chat.NewTool("t", "", func(_ ctxt, _ args) (string, error) { return "", nil })
	})
	panics("default of another type", "Default is for", func() { state.Share[Doc](state.Default(Board{})) })
}
