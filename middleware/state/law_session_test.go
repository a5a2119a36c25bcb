package state_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// A call of the session from inside an edit of it says so; it does not wait
// for itself.
func TestAnEditInsideAnEditSaysSo(t *testing.T) {
	inEdit := func(s *state.Session[Board], ctx ctxt) map[string]func() error {
		panics := func(f func()) func() error {
			return func() (err error) {
				defer func() { err, _ = recover().(error) }()
				f()
				return nil
			}
		}
		calls := map[string]func() error{
			"Update":   func() error { return s.Update(func(*Board) error { return nil }) },
			"Publish":  s.Publish,
			"Set":      func() error { return s.Set(Board{}) },
			"State":    panics(func() { s.State() }),
			"Document": panics(func() { s.Document() }),
			"Edit":     panics(func() { s.Edit(func(*Board) {}) }),
			"Reset":    panics(s.Reset),
		}
		if ctx != nil {
			calls["state.Update"] = func() error { return state.Update(ctx, func(*Board) error { return nil }) }
		}
		return calls
	}
	check := func(s *state.Session[Board], ctx ctxt) {
		t.Helper()
		for name := range inEdit(s, ctx) {
			err := s.Update(func(b *Board) error {
				b.Name = "inside"
				return inEdit(s, ctx)[name]()
			})
			if !errors.Is(err, state.ErrEditing) {
				t.Errorf("%s inside an Update: %v", name, err)
			}
			s.Edit(func(*Board) { err = inEdit(s, ctx)[name]() })
			if !errors.Is(err, state.ErrEditing) {
				t.Errorf("%s inside an Edit: %v", name, err)
			}
		}
	}
	s, events := session[Board](t, boardOf(1))
	check(s, nil)
	wantTypes(t, *events)

	tool := chat.NewTool("t", "", func(ctx ctxt, _ struct{}) (string, error) {
		s, err := state.Of[Board](ctx)
		check(s, ctx)
		return "ok", err
	})
	runChain(t, chainOf(state.Share[Board](), tool), inputWith(boardOf(1)))

	var inside error
	nested := state.FromResult(chat.NewTool("t", "", func(ctx ctxt, _ struct{}) (string, error) { return `{}`, nil }),
		func(doc json.RawMessage, _ string) (json.RawMessage, error) {
			inside = s.Update(func(*Board) error { return nil }) // another session's: free, so it runs
			return doc, nil
		})
	runChain(t, chainOf(state.Share[Board](), nested), inputWith(boardOf(1)))
	if inside != nil {
		t.Error(inside)
	}
}

// Only the caller that waits for itself is told so: others wait their turn.
func TestEditsWaitForEachOther(t *testing.T) {
	s, _ := session[Board](t, boardOf(0))
	inEdit, goOn := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Update(func(b *Board) error { close(inEdit); <-goOn; b.Name += "1"; return nil })
	})
	<-inEdit
	for range 4 {
		wg.Go(func() {
			if err := s.Update(func(b *Board) error { b.Name += "2"; return nil }); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() { s.State() })
	}
	close(goOn)
	wg.Wait()
	if got := s.State().Name; got != "board12222" {
		t.Error(got)
	}
}

// Edit, Update and Publish in every mixture: each undoes its own and no other.
func TestLaw5EditsAreUndoneOneByOne(t *testing.T) {
	no := errors.New("no")
	valid := state.Validate(func(b Board) error {
		switch b.Name {
		case "bad":
			return no
		case "panic":
			panic("validate")
		}
		return nil
	})
	name := func(n string) func(*Board) { return func(b *Board) { b.Name = n } }
	task := func(b *Board) { b.Tasks = append(b.Tasks, Task{ID: len(b.Tasks)}) }
	fine := func(f func(*Board)) func(*Board) error { return func(b *Board) error { f(b); return nil } }
	for title, c := range map[string]struct {
		f    func(s *state.Session[Board])
		name string
		n    int // tasks
		sent int // events
	}{
		"edit, failing update, publish": {func(s *state.Session[Board]) {
			s.Edit(task)
			wantErr(t, s.Update(func(b *Board) error { task(b); return no }), "no")
			must(t, s.Publish())
		}, "board", 1, 1},
		"a failed update, then one that is fine": {func(s *state.Session[Board]) {
			wantErr(t, s.Update(func(b *Board) error { task(b); return no }), "no")
			must(t, s.Update(fine(task)))
		}, "board", 1, 1},
		"an update that panics, then one that is fine": {func(s *state.Session[Board]) {
			func() {
				defer func() { _ = recover() }()
				_ = s.Update(func(b *Board) error { task(b); panic("boom") })
			}()
			must(t, s.Update(fine(task)))
		}, "board", 1, 1},
		"an edit that panics, then one that is fine": {func(s *state.Session[Board]) {
			func() {
				defer func() { _ = recover() }()
				s.Edit(func(b *Board) { task(b); panic("boom") })
			}()
			s.Edit(task)
			must(t, s.Publish())
		}, "board", 1, 1},
		"edit, update": {func(s *state.Session[Board]) {
			s.Edit(task)
			must(t, s.Update(fine(task)))
			must(t, s.Publish())
		}, "board", 2, 1},
		"an edit, and an update that changes nothing": {func(s *state.Session[Board]) {
			s.Edit(task)
			must(t, s.Update(fine(func(*Board) {})))
		}, "board", 1, 1},
		"a refused edit does not take the next one along": {func(s *state.Session[Board]) {
			s.Edit(name("bad"))
			s.Edit(task)
			wantErr(t, s.Publish(), "no")
			must(t, s.Publish())
		}, "board", 1, 1},
		"a refused edit is not the fault of another's update": {func(s *state.Session[Board]) {
			s.Edit(name("bad"))
			must(t, s.Update(fine(task)))
			wantErr(t, s.Publish(), "no")
			must(t, s.Publish())
		}, "board", 1, 1},
		"a refused edit, found by Document": {func(s *state.Session[Board]) {
			s.Edit(task)
			s.State()
			s.Edit(name("bad"))
			s.Document()
			wantErr(t, s.Publish(), "no")
			must(t, s.Publish())
		}, "board", 1, 1},
		"a panic in Validate": {func(s *state.Session[Board]) {
			wantErr(t, s.Update(fine(name("panic"))), "panic: validate")
			s.Edit(name("panic"))
			wantErr(t, s.Publish(), "panic: validate")
			must(t, s.Update(fine(task)))
		}, "board", 1, 1},
		"a set that is refused": {func(s *state.Session[Board]) {
			s.Edit(task)
			wantErr(t, s.Set(Board{Name: "bad"}), "no")
			must(t, s.Publish())
		}, "board", 1, 1},
		"an edit that is taken back by the next": {func(s *state.Session[Board]) {
			must(t, s.Publish())
			s.Edit(name("x"))
			s.Edit(name("board"))
			must(t, s.Publish())
			must(t, s.Update(fine(func(*Board) {})))
		}, "board", 0, 1},
	} {
		t.Run(title, func(t *testing.T) {
			s, events := session[Board](t, boardOf(0), valid)
			c.f(s)
			if b := s.State(); b.Name != c.name || len(b.Tasks) != c.n {
				t.Errorf("the state is %+v", b)
			}
			m := &mirror{t: t}
			m.see(*events...)
			m.holds(string(s.Document()))
			if len(*events) != c.sent {
				t.Errorf("%d events: %s", len(*events), asJSON(t, *events))
			}
		})
	}
}

func wantErr(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got the error %v, want …%s…", err, want)
	}
}

// What could not be sent is still to be sent, as a snapshot.
func TestWhatCouldNotBeSentIsSentAgain(t *testing.T) {
	var fail func() error
	m := &mirror{t: t}
	s, err := state.NewSession[Board]([]byte(boardOf(30)), func(e agui.Event) error {
		if fail != nil {
			return fail()
		}
		m.see(e)
		return nil
	})
	must(t, err)
	must(t, s.Publish())
	fail = func() error { return errors.New("lost") }
	wantErr(t, s.Update(func(b *Board) error { b.Name = "one"; return nil }), "lost")
	fail = func() error { panic("gone") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not pass")
			}
		}()
		_ = s.Update(func(b *Board) error { b.Name += " two"; return nil })
	}()
	fail = nil
	must(t, s.Publish())
	m.holds(string(s.Document()))
	if s.State().Name != "one two" {
		t.Errorf("%+v", s.State())
	}
}

// A session outlives its run for reading.
func TestASessionAfterItsRun(t *testing.T) {
	var kept *state.Session[Board]
	var keptCtx ctxt
	tool := chat.NewTool("t", "", func(ctx ctxt, _ struct{}) (_ string, err error) {
		keptCtx = ctx
		kept, err = state.Of[Board](ctx)
		return "ok", err
	})
	runChain(t, chainOf(state.Share[Board](), tool), inputWith(boardOf(2)))
	kept.Edit(func(b *Board) { b.Name = "later" })
	for what, err := range map[string]error{
		"Publish":      kept.Publish(),
		"Update":       kept.Update(func(b *Board) error { b.Name = "x"; return nil }),
		"Set":          kept.Set(Board{}),
		"state.Update": rename(keptCtx, "x"),
	} {
		if !errors.Is(err, state.ErrEnded) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if b := kept.State(); len(b.Tasks) != 2 || !strings.Contains(string(kept.Document()), "task 2") {
		t.Errorf("%+v", b)
	}
}
