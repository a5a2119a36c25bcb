package state_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// object is a state without a Go type, as a tool meets it at run time.
type object = map[string]any

// What was published stays what it was when the value goes on to change in
// place.
func TestAnEventIsFrozen(t *testing.T) {
	var docs []string
	m := &mirror{t: t}
	s, err := state.NewSession[object]([]byte(`{"recipe":{"steps":["one"],"tags":{"a":1}},"pad":"`+strings.Repeat("p", 200)+`"}`), func(e agui.Event) error {
		m.see(e)
		docs = append(docs, string(m.doc))
		return nil
	})
	must(t, err)
	var events [][]byte
	for range 5 {
		must(t, s.Update(func(o *object) error {
			recipe := (*o)["recipe"].(object)
			recipe["steps"] = append(recipe["steps"].([]any), "more")
			recipe["tags"].(object)["a"] = recipe["tags"].(object)["a"].(float64) + 1
			return nil
		}))
		events = append(events, s.Document())
	}
	for i, doc := range docs {
		if want := `"a":` + string('2'+rune(i)); !strings.Contains(doc, want) || strings.Count(doc, "more") != i+1 {
			t.Errorf("event %d made %s", i, doc)
		}
		if !strings.Contains(string(events[i]), `"a":`+string('2'+rune(i))) {
			t.Errorf("the document of event %d is now %s", i, events[i])
		}
	}
}

// Publishes that wait share no memory with those behind them, nor with what
// comes when they have been told: each is what it was, also where S does not
// spell the document as the client does.
func TestPublishesThatWait(t *testing.T) {
	for name, doc := range map[string]string{
		"as S spells it":   `{"name":"` + strings.Repeat("n", 300) + `","tasks":[{"id":1,"title":"a"}]}`,
		"in another order": `{"tasks":[{"title":"a","id":1}],"name":"` + strings.Repeat("n", 300) + `"}`,
		"with more in it":  `{"tasks":[{"title":"a","id":1,"x":1.00}],"name":"` + strings.Repeat("n", 300) + `","own":[1,2]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			edit := func(ctx ctxt, n int) {
				must(t, state.Update(ctx, func(b *Board) error {
					b.Tasks[0].Title = strings.Repeat(string(rune('a'+n%26)), 2+n%40)
					if n%7 == 3 {
						b.Tasks = append(b.Tasks, Task{ID: n, Title: "added"})
					}
					if n%11 == 5 {
						b.Name = strings.Repeat("N", 200+n)
					}
					return nil
				}))
				s, err := state.Of[Board](ctx)
				must(t, err)
				want = append(want, string(s.Document()))
			}
			client := chat.NewBuilder(aguitest.NewModel()).Use(state.Share[Board]()).Use(layer(func(ctx ctxt, _ chat.Client, _ *chat.Request, yield func(*chat.Update, error) bool) {
				n := 0
				for range 6 {
					for range 9 {
						edit(ctx, n)
						n++
					}
					if !yield(&chat.Update{Text: "x"}, nil) {
						return
					}
				}
			})).Build()
			m := &mirror{t: t, doc: []byte(doc)}
			events := stateEvents(runChain(t, client, inputWith(doc)))
			if len(events) != len(want) {
				t.Fatalf("%d events, %d changes", len(events), len(want))
			}
			for i, e := range events {
				m.see(e)
				m.holds(want[i])
			}
		})
	}
}

// One tool adds, the next removes what it added, the last sends the whole: the
// base of each is what was sent before it.
func TestOneToolRemovesWhatAnotherAdded(t *testing.T) {
	edit := func(name string, f func(list []any) []any) chat.Tool {
		return state.Tool(name, "", func(_ ctxt, o *object, _ struct{}) (string, error) {
			(*o)["list"] = f((*o)["list"].([]any))
			return "ok", nil
		})
	}
	tools := []chat.Tool{
		edit("add", func(l []any) []any { return append(l, object{"name": "egg", "n": 2}) }),
		edit("remove", func(l []any) []any { return slices.Delete(l, 0, 1) }),
		chat.NewTool("all", "", func(ctx ctxt, _ struct{}) (string, error) {
			s, err := state.Of[object](ctx)
			if err != nil {
				return "", err
			}
			s.Reset()
			return "ok", s.Publish()
		}),
	}
	turn := aguitest.Turn{}.Call("1", "add").Call("2", "remove").Call("3", "remove").Call("4", "add").Call("5", "all")
	client := chat.NewBuilder(aguitest.NewModel(turn, aguitest.Text("ok"))).Use(state.Share[object]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: tools})).Build()
	const doc = `{"list":[{"name":"milk","n":1}],"theme":"dark theme of the user, kept as it is"}`
	m := &mirror{t: t, doc: []byte(doc)}
	events := stateEvents(runChain(t, client, inputWith(doc)))
	m.see(events...)
	m.holds(`{"list":[{"name":"egg","n":2}],"theme":"dark theme of the user, kept as it is"}`)
	if last := events[len(events)-1]; len(events) != 5 || last.Type() != agui.TypeStateSnapshot {
		t.Errorf("%v", types(events))
	}
}

// What a user has removed between two runs stays removed, and what the user
// has changed is what the model is told.
func TestLaw7TheClientsDocumentCounts(t *testing.T) {
	model := aguitest.NewModel(aguitest.Call("a", "add_task", `{"title":"one"}`), aguitest.Text("ok"),
		aguitest.Call("b", "add_task", `{"title":"two"}`), aguitest.Text("ok"))
	client := board(model)
	first := &mirror{t: t, doc: []byte(`{"name":"old","tasks":[{"id":1,"title":"gone"}],"note":"cleared"}`)}
	first.see(runChain(t, client, inputWith(string(first.doc)))...)
	// The user removes a task and a member, and renames the board.
	second := &mirror{t: t, doc: []byte(`{"name":"new","tasks":[{"id":2,"title":"one"}]}`)}
	second.see(runChain(t, client, inputWith(string(second.doc)))...)
	second.holds(`{"name":"new","tasks":[{"id":2,"title":"one"},{"id":2,"title":"two"}]}`)
	told := model.Requests()[2].Outgoing
	if last := told[len(told)-1].Content.Text(); strings.Contains(last, "gone") || !strings.Contains(last, `"name":"new"`) {
		t.Errorf("the model is told %s", last)
	}
}

// A string that grows is sent again and again: all in all at most six times
// its final length, at any pace.
func TestAGrowingStringIsSentAtMostSixTimes(t *testing.T) {
	type paper struct {
		Document string `json:"document"`
	}
	text := strings.Repeat("The model goes on to write. ", 360)
	whole := mustJSON(paper{text})
	for _, every := range []time.Duration{-1, 0, 200 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			slow := forward(func(_ ctxt, u *chat.Update) *chat.Update {
				time.Sleep(20 * time.Millisecond)
				return u
			})
			client := chat.NewBuilder(paced(whole, 2500)).Use(state.Share[paper]()).
				Use(state.Generate(state.Generation[paper]{Order: state.Instead, Every: every})).Use(slow).Build()
			m := &mirror{t: t}
			sent, events := 0, 0
			for e := range chat.Events(t.Context(), client, inputWith(`{}`), quiet) {
				m.see(e)
				switch e := e.(type) {
				case *agui.StateSnapshot:
					sent, events = sent+len(e.Snapshot), events+1
				case *agui.StateDelta:
					events++
					for _, op := range e.Delta {
						sent += len(op.Value)
					}
				}
			}
			m.holds(whole)
			if sent > 6*len(text) || events < 10 {
				t.Errorf("every %v: %d bytes in %d events for a string of %d", every, sent, events, len(text))
			}
		})
	}
}

// What of a model's pace reaches the client: a document of 10 KB at 50 pieces
// a second. The figures of the package's documentation.
func TestWhatAStreamedStateCosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		doc := report()
		slow := forward(func(_ ctxt, u *chat.Update) *chat.Update {
			time.Sleep(20 * time.Millisecond)
			return u
		})
		client := chat.NewBuilder(paced(doc, 2500)).Use(state.Share[Report]()).
			Use(state.Generate(state.Generation[Report]{Order: state.Instead})).Use(slow).Build()
		m := &mirror{t: t}
		wire, events := 0, 0
		for e := range chat.Events(t.Context(), client, inputWith(`{}`), quiet) {
			if len(stateEvents([]agui.Event{e})) > 0 {
				m.see(e)
				b, err := json.Marshal(e)
				must(t, err)
				wire, events = wire+len(b), events+1
			}
		}
		m.holds(doc)
		if wire > 10*len(doc) {
			t.Errorf("%d bytes on the wire for a document of %d", wire, len(doc))
		}
		t.Logf("%d bytes on the wire in %d events for a document of %d", wire, events, len(doc))
	})
}
