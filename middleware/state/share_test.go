package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

type ctxt = context.Context

type addTask struct {
	Title string `json:"title"`
}

// addTool adds a task to the board, as a user's tool does.
var addTool = chat.NewTool("add_task", "Adds a task.", func(ctx ctxt, in addTask) (string, error) {
	return "added", state.Update(ctx, func(b *Board) error {
		b.Tasks = append(b.Tasks, Task{ID: len(b.Tasks) + 1, Title: in.Title})
		return nil
	})
})

func board(m chat.Client, o ...state.Option) chat.Client {
	return chat.NewBuilder(m).
		Use(state.Share[Board](o...)).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTool}})).
		Build()
}

// boardOf is a board whose patches are smaller than itself when large.
func boardOf(n int) string {
	b := Board{Name: "board", Tasks: []Task{}}
	for i := range n {
		b.Tasks = append(b.Tasks, Task{ID: i + 1, Title: fmt.Sprint("task ", i+1)})
	}
	raw, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// lines is a board so small that a patch is no smaller.
func lines(m chat.Client) chat.Client {
	type lines struct {
		L []string `json:"l"`
	}
	add := state.Tool("add_task", "Adds a task.", func(_ ctxt, l *lines, in addTask) (string, error) {
		l.L = append(l.L, in.Title)
		return "added", nil
	})
	return chat.NewBuilder(m).Use(state.Share[lines]()).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add}})).Build()
}

// byHand announces a tool call by hand and publishes inside it.
var byHand = layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
	s, err := state.Of[Board](ctx)
	if err != nil {
		yield(nil, err)
		return
	}
	call := chat.ToolCallDelta{ID: "call", Name: "rename", Arguments: `{"to":"x"}`, Held: true}
	if !yield(&chat.Update{ToolCalls: []chat.ToolCallDelta{call}}, nil) {
		return
	}
	if err := s.Update(func(b *Board) error { b.Name = "x"; return nil }); err != nil {
		yield(nil, err)
		return
	}
	_ = yield(&chat.Update{}, nil) && yield(&chat.Update{ToolResult: &chat.ToolResult{ToolCallID: "call", Content: agui.Text("ok")}}, nil)
})

func TestGoldenStreams(t *testing.T) {
	twoTasks := aguitest.Turn{}.Call("a", "add_task", `{"title":"milk"}`).Call("b", "add_task", `{"title":"eggs"}`)
	done := aguitest.Text("Added.")
	share := func(l chat.Middleware, o ...state.Option) chat.Client {
		return chat.NewBuilder(aguitest.NewModel(aguitest.Text("one", "two"))).Use(state.Share[Board](o...)).Use(l).Build()
	}
	passing := func(f func(ctx ctxt, n int, yield func(*chat.Update, error) bool)) chat.Middleware {
		return layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			n := 0
			for u, err := range next.Stream(ctx, req) {
				if !yield(u, err) {
					return
				}
				f(ctx, n, yield)
				n++
			}
		})
	}
	events := func(yield func(*chat.Update, error) bool, e ...agui.Event) { yield(&chat.Update{Events: e}, nil) }
	for name, run := range map[string]struct {
		client chat.Client
		state  string
	}{
		"call_by_hand":      {share(byHand), `{}`},
		"two_tasks_small":   {lines(aguitest.NewModel(twoTasks, done)), `{"l":[]}`},
		"two_tasks_large":   {board(aguitest.NewModel(twoTasks, done)), boardOf(20)},
		"announce":          {board(aguitest.NewModel(done), state.Announce()), boardOf(1)},
		"nothing_changes":   {board(aguitest.NewModel(done)), boardOf(1)},
		"state_null":        {board(aguitest.NewModel(twoTasks, done), state.Default(Board{Name: "default"})), `null`},
		"state_absent":      {board(aguitest.NewModel(twoTasks, done)), ``},
		"state_partial":     {board(aguitest.NewModel(aguitest.Call("a", "add_task", `{"title":"x"}`), done)), `{"theme":"dark"}`},
		"does_not_fit":      {board(aguitest.NewModel()), `{"name":"x","tasks":[{"id":"one"}]}`},
		"scalar_state":      {board(aguitest.NewModel()), `"hello"`},
		"duplicate_members": {board(aguitest.NewModel()), `{"name":"x","name":"y"}`},
		"publish_inside_text": {share(passing(func(ctx ctxt, n int, _ func(*chat.Update, error) bool) {
			if err := state.Update(ctx, func(b *Board) error { b.Name += "!"; return nil }); err != nil {
				panic(err)
			}
		})), boardOf(1)},
		"events_by_hand": {share(passing(func(_ ctxt, n int, yield func(*chat.Update, error) bool) {
			switch n {
			case 0:
				events(yield, &agui.StateDelta{Delta: agui.Patch{{Op: agui.OpReplace, Path: "/name", Value: json.RawMessage(`"first"`)}}},
					&agui.StateSnapshot{Snapshot: json.RawMessage(strings.Replace(boardOf(20), "board", "second", 1))},
					&agui.StateSnapshot{Snapshot: json.RawMessage(strings.Replace(boardOf(20), "board", "second", 1))})
			case 1:
				events(yield, &agui.StateSnapshot{Tag: agui.Tag{SubagentRunID: new("sub")}, Snapshot: json.RawMessage(strings.Replace(boardOf(20), "board", "third", 1))},
					&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpAdd, Path: "/tasks/-", Value: json.RawMessage(`{"id":21,"title":"last"}`)}}})
			}
		})), boardOf(20)},
		"delta_does_not_apply": {share(passing(func(_ ctxt, n int, yield func(*chat.Update, error) bool) {
			events(yield, &agui.StateDelta{Delta: agui.Patch{{Op: agui.OpRemove, Path: "/nothing"}}})
		})), boardOf(1)},
		"snapshot_does_not_fit": {share(passing(func(_ ctxt, n int, yield func(*chat.Update, error) bool) {
			events(yield, &agui.StateSnapshot{Snapshot: json.RawMessage(`{"tasks":5}`)})
		})), boardOf(1)},
		"interrupt_after_snapshot": {share(passing(func(ctx ctxt, n int, yield func(*chat.Update, error) bool) {
			if n == 1 {
				_ = state.Update(ctx, func(b *Board) error { b.Name = "asked"; return nil })
				yield(&chat.Update{Interrupts: []agui.Interrupt{{ID: "i", Reason: "ask"}}}, nil)
			}
		})), boardOf(20)},
		"published_before_a_failure": {share(layer(func(ctx ctxt, _ chat.Client, _ *chat.Request, yield func(*chat.Update, error) bool) {
			_ = state.Update(ctx, func(b *Board) error { b.Name = "kept"; return nil })
			yield(nil, errors.New("later"))
		})), boardOf(1)},
		"published_at_the_end": {share(layer(func(ctx ctxt, _ chat.Client, _ *chat.Request, yield func(*chat.Update, error) bool) {
			_ = state.Update(ctx, func(b *Board) error { b.Name = "last"; return nil })
		})), boardOf(1)},
	} {
		t.Run(name, func(t *testing.T) {
			got := runChain(t, run.client, inputWith(run.state))
			aguitest.Verify(t, got)
			aguitest.Golden(t, filepath.Join("testdata", "events", name+".jsonl"), got)
			m := &mirror{t: t, doc: []byte(`{}`)}
			m.see(got...)
		})
	}
}

// State law 10: the model sees the current document at every call, and it
// never enters the history.
func TestModelSeesTheCurrentDocument(t *testing.T) {
	model := aguitest.NewModel(
		aguitest.Call("a", "add_task", `{"title":"milk"}`),
		aguitest.Call("b", "add_task", `{"title":"eggs"}`),
		aguitest.Text("ok"))
	runChain(t, board(model, state.Hide("/name", "/nothing")), inputWith(`{"name":"secret","tasks":[],"extra":1.10}`))
	var seen []string
	for _, r := range model.Requests() {
		out := r.Outgoing
		carriers := 0
		for _, m := range out {
			if strings.Contains(m.Content.Text(), "```json") {
				carriers++
			}
			if strings.Contains(m.Content.Text(), "secret") {
				t.Error("a hidden member was told")
			}
		}
		if carriers != 1 {
			t.Errorf("%d messages tell the state", carriers)
		}
		last := out[len(out)-1]
		if last.Role != agui.RoleUser {
			t.Errorf("the state is told as %s", last.Role)
		}
		_, doc, _ := strings.Cut(last.Content.Text(), "```json\n")
		doc, _, _ = strings.Cut(doc, "\n```")
		seen = append(seen, doc)
	}
	want := []string{
		`{"tasks":[],"extra":1.10}`,
		`{"tasks":[{"id":1,"title":"milk"}],"extra":1.10}`,
		`{"tasks":[{"id":1,"title":"milk"},{"id":2,"title":"eggs"}],"extra":1.10}`,
	}
	if asJSON(t, seen) != asJSON(t, want) {
		t.Errorf("the model saw\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	model = aguitest.NewModel(aguitest.Text("ok"))
	runChain(t, board(model, state.Silent()), inputWith(`{"name":"b"}`))
	if n := len(model.Requests()[0].Outgoing); n != 1 {
		t.Errorf("Silent: %d messages", n)
	}
}

// Parallel tools never lose or reorder an update.
func TestParallelToolsLoseNothing(t *testing.T) {
	const tools, updates = 8, 200
	type counts struct {
		N   map[string]int `json:"n"`
		Log []string       `json:"log"`
	}
	turn := aguitest.Turn{}
	var all []chat.Tool
	for i := range tools {
		name := fmt.Sprintf("tool%d", i)
		turn = turn.Call(name, name)
		all = append(all, chat.NewTool(name, "", func(ctx ctxt, _ struct{}) (string, error) {
			for range updates {
				err := state.Update(ctx, func(c *counts) error {
					c.N[name]++
					c.Log = append(c.Log, name)
					return nil
				})
				if err != nil {
					return "", err
				}
			}
			return "ok", nil
		}))
	}
	client := chat.NewBuilder(aguitest.NewModel(turn, aguitest.Text("ok"))).
		Use(state.Share[counts]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: all, Concurrent: true})).
		Build()
	m := &mirror{t: t, doc: []byte(`{}`)}
	published := 0
	for e := range chat.Events(t.Context(), client, inputWith(""), quiet) {
		if e.Type() == agui.TypeRunError {
			t.Fatal(asJSON(t, e))
		}
		if len(stateEvents([]agui.Event{e})) == 0 {
			continue
		}
		published++
		m.see(e)
		var c counts
		if err := json.Unmarshal(m.doc, &c); err != nil {
			t.Fatal(err)
		}
		if len(c.Log) != published {
			t.Fatalf("event %d shows %d updates", published, len(c.Log))
		}
	}
	if published != tools*updates {
		t.Errorf("%d events for %d updates", published, tools*updates)
	}
	var c counts
	must(t, json.Unmarshal(m.doc, &c))
	for i := range tools {
		if n := c.N[fmt.Sprintf("tool%d", i)]; n != updates {
			t.Errorf("tool %d: %d of %d", i, n, updates)
		}
	}
}

// An outer layer may publish from its own loop body while a tool publishes.
func TestOuterLayerPublishesMeanwhile(t *testing.T) {
	const n = 300
	busy := chat.NewTool("busy", "", func(ctx ctxt, _ struct{}) (string, error) {
		for i := range n {
			if err := state.Update(ctx, func(b *Board) error { b.Tasks = append(b.Tasks, Task{ID: i}); return nil }); err != nil {
				return "", err
			}
		}
		return "ok", nil
	})
	outer := 0
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "busy"), aguitest.Text("ok"))).
		Use(state.Share[Board]()).
		Use(layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			for u, err := range next.Stream(ctx, req) {
				if err == nil {
					err = state.Update(ctx, func(b *Board) error { outer++; b.Name = fmt.Sprint(outer); return nil })
				}
				if !yield(u, err) {
					return
				}
			}
		})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{busy}})).
		Build()
	events := runChain(t, client, inputWith(""))
	m := &mirror{t: t, doc: []byte(`{}`)}
	m.see(events...)
	var b Board
	must(t, json.Unmarshal(m.doc, &b))
	if len(b.Tasks) != n || b.Name != fmt.Sprint(outer) {
		t.Errorf("%d tasks, name %s of %d", len(b.Tasks), b.Name, outer)
	}
	for i, task := range b.Tasks {
		if task.ID != i {
			t.Fatalf("task %d has id %d", i, task.ID)
		}
	}
}

// State law 2: what an inner layer yields by hand while a tool publishes is
// taken in, and the tool's edits are put upon it.
func TestSnapshotByHandWhileAToolPublishes(t *testing.T) {
	tool := chat.NewTool("edit", "", func(ctx ctxt, _ struct{}) (string, error) {
		return "ok", state.Update(ctx, func(b *Board) error { b.Tasks = append(b.Tasks, Task{ID: 9, Title: "tool"}); return nil })
	})
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "edit"), aguitest.Text("ok"))).
		Use(state.Share[Board]()).
		Use(layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			for u, err := range next.Stream(ctx, req) {
				if len(u.Events) > 0 {
					// The tool's document is in hand and has not passed yet.
					byHand := &agui.StateSnapshot{Snapshot: json.RawMessage(`{"name":"by hand","tasks":[{"id":1,"title":"task 1"},{"id":2,"title":"by hand"}],"more":true}`)}
					if !yield(&chat.Update{Events: []agui.Event{byHand}}, nil) {
						return
					}
				}
				if !yield(u, err) {
					return
				}
			}
		})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}})).
		Build()
	events := runChain(t, client, inputWith(boardOf(2)))
	m := &mirror{t: t, doc: []byte(`{}`)}
	m.see(events...)
	m.holds(`{"name":"by hand","tasks":[{"id":1,"title":"task 1"},{"id":2,"title":"by hand"},{"id":9,"title":"tool"}],"more":true}`)
}

func TestOfNamesWhatIsWrong(t *testing.T) {
	if _, err := state.Of[Board](t.Context()); !errors.Is(err, state.ErrNoSession) {
		t.Error(err)
	}
	if err := state.Update(t.Context(), func(*Board) error { return nil }); !errors.Is(err, state.ErrNoSession) {
		t.Error(err)
	}
	var wrong, inside, after error
	var kept *state.Session[Board]
	tool := state.Tool("t", "", func(ctx ctxt, b *Board, _ struct{}) (string, error) {
		_, inside = state.Of[Board](ctx)
		b.Name = "changed"
		return b.Name, nil
	})
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "t"), aguitest.Text("ok"))).
		Use(state.Share[Board]()).
		Use(layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			_, wrong = state.Of[Doc](ctx)
			kept, _ = state.Of[Board](ctx)
			for u, err := range next.Stream(ctx, req) {
				if !yield(u, err) {
					return
				}
			}
		})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}})).
		Build()
	events := runChain(t, client, inputWith(boardOf(1)))
	wantTypes(t, stateEvents(events), agui.TypeStateSnapshot)
	if wrong == nil || !strings.Contains(wrong.Error(), "state_test.Board") || !strings.Contains(wrong.Error(), "state_test.Doc") {
		t.Error(wrong)
	}
	if !errors.Is(inside, state.ErrEditing) {
		t.Error(inside)
	}
	if after = kept.Publish(); !errors.Is(after, state.ErrEnded) {
		t.Error(after)
	}
}

func TestTwoSharesPanic(t *testing.T) {
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, "second Share") {
			t.Errorf("panicked with %q", s)
		}
	}()
	chat.NewBuilder(aguitest.NewModel()).Use(state.Share[Board]()).Use(chat.InvokeFunctions(chat.FunctionInvocation{})).Use(state.Share[Board]()).Build()
}

func TestNothingAskedRestoresTheState(t *testing.T) {
	in := inputWith(boardOf(1))
	in.Messages = nil
	events := runChain(t, board(aguitest.NewModel()), in)
	wantTypes(t, events, agui.TypeRunStarted, agui.TypeStateSnapshot, agui.TypeRunFinished)
}
