package state_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// forward passes a stream on, each update as f makes it; nil drops it.
func forward(f func(ctx ctxt, u *chat.Update) *chat.Update) chat.Middleware {
	return layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
		for u, err := range next.Stream(ctx, req) {
			if err == nil {
				if u = f(ctx, u); u == nil {
					continue
				}
			}
			if !yield(u, err) {
				return
			}
		}
	})
}

func rename(ctx ctxt, name string) error {
	return state.Update(ctx, func(b *Board) error { b.Name = name; return nil })
}

func addTo(ctx ctxt, id int) error {
	return state.Update(ctx, func(b *Board) error { b.Tasks = append(b.Tasks, Task{ID: id}); return nil })
}

// chainOf is a board's chain with the layers given, the first outermost, and
// three tools' calls.
func chainOf(share chat.Middleware, tool chat.Tool, layers ...chat.Middleware) chat.Client {
	turn := aguitest.Turn{}.Call("a", tool.Name).Call("b", tool.Name).Call("c", tool.Name)
	b := chat.NewBuilder(aguitest.NewModel(turn, aguitest.Text("ok"))).Use(share)
	for _, l := range layers {
		b.Use(l)
	}
	return b.Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}, Logger: quiet.Logger})).Build()
}

// Whatever a layer between the tools and Share does with the updates that
// carry documents, nothing is lost and nothing comes back.
func TestLaw2LayersThatTouchCarriers(t *testing.T) {
	add := chat.NewTool("add", "", func(ctx ctxt, _ struct{}) (string, error) {
		for id := range 3 {
			if err := addTo(ctx, id); err != nil {
				return "", err
			}
		}
		return "ok", nil
	})
	edit := func(ctx ctxt, u *chat.Update, f func(agui.Event) agui.Event) *chat.Update {
		n := *u
		n.Events = nil
		for _, e := range u.Events {
			if e = f(e); e != nil {
				n.Events = append(n.Events, e)
			}
		}
		return &n
	}
	isState := func(e agui.Event) bool { return len(stateEvents([]agui.Event{e})) > 0 }
	copied := func(e agui.Event) agui.Event {
		if s, ok := e.(*agui.StateSnapshot); ok {
			c := *s
			c.SubagentRunID = new("sub")
			return &c
		}
		return e
	}
	for name, c := range map[string]struct {
		layers []chat.Middleware
		names  int // edits of the layer
	}{
		"dropped": {layers: []chat.Middleware{forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			if len(u.Events) > 0 {
				return nil
			}
			return u
		})}},
		"dropped, and the layer publishes": {names: 3, layers: []chat.Middleware{forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			if len(u.Events) > 0 {
				return nil
			}
			if u.ToolResult != nil {
				must(t, state.Update(ctx, func(b *Board) error { b.Name += "x"; return nil }))
			}
			return u
		})}},
		"every other one is dropped": {layers: []chat.Middleware{func() chat.Middleware {
			n := 0
			return forward(func(ctx ctxt, u *chat.Update) *chat.Update {
				if len(u.Events) > 0 {
					if n++; n%2 == 0 {
						return nil
					}
				}
				return u
			})
		}()}},
		"copied": {layers: []chat.Middleware{forward(func(ctx ctxt, u *chat.Update) *chat.Update { return edit(ctx, u, copied) })}},
		"copied, and the layer publishes first": {names: 9, layers: []chat.Middleware{forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			if len(u.Events) > 0 {
				must(t, state.Update(ctx, func(b *Board) error { b.Name += "x"; return nil }))
			}
			return edit(ctx, u, copied)
		})}},
		"taken out of the update": {layers: []chat.Middleware{forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			return edit(ctx, u, func(e agui.Event) agui.Event {
				if isState(e) {
					return nil
				}
				return e
			})
		})}},
		"gathered and sent at the end": {layers: []chat.Middleware{layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			var all []*chat.Update
			for u, err := range next.Stream(ctx, req) {
				if err != nil {
					yield(nil, err)
					return
				}
				all = append(all, u)
			}
			for _, u := range all {
				if !yield(u, nil) {
					return
				}
			}
		})}},
		"sent twice": {layers: []chat.Middleware{layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			for u, err := range next.Stream(ctx, req) {
				if !yield(u, err) || err == nil && len(u.Events) > 0 && !yield(&chat.Update{Events: u.Events}, nil) {
					return
				}
			}
		})}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &mirror{t: t, doc: []byte(boardOf(0))}
			events := runChain(t, chainOf(state.Share[Board](), add, c.layers...), inputWith(boardOf(0)))
			m.see(events...)
			if tagged := strings.Contains(asJSON(t, stateEvents(events)), `"subagentRunId":"sub"`); tagged != (name == "copied") {
				t.Errorf("tagged: %v", tagged)
			}
			task := `{"id":0,"title":""},{"id":1,"title":""},{"id":2,"title":""}`
			m.holds(`{"name":"board` + strings.Repeat("x", c.names) + `","tasks":[` + task + "," + task + "," + task + `]}`)
		})
	}
}

// What was decided before a by-hand event that is at fault reaches the client
// before the error.
func TestLaw2WhatIsDecidedIsSentBeforeAnError(t *testing.T) {
	client := chainOf(state.Share[Board](), addTool, forward(func(ctx ctxt, u *chat.Update) *chat.Update {
		must(t, rename(ctx, "edited"))
		return &chat.Update{Text: "text", Events: []agui.Event{
			&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpAdd, Path: "/more", Value: json.RawMessage(`1`)}}},
			&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpRemove, Path: "/nothing"}}},
			&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpRemove, Path: "/more"}}},
		}}
	}))
	events := runChain(t, client, inputWith(boardOf(1)))
	m := &mirror{t: t, doc: []byte(boardOf(1))}
	m.see(events...)
	m.holds(`{"name":"edited","tasks":[{"id":1,"title":"task 1"}],"more":1}`)
	if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != chat.CodeProtocolViolation {
		t.Errorf("ended in %s", asJSON(t, events[len(events)-1]))
	}
}

// A change by hand while a generation shows is one of the settled document:
// what is only shown goes when the generation fails, and shows on meanwhile.
func TestLaw9ByHandWhileAGenerationShows(t *testing.T) {
	for name, byHand := range map[string]agui.Event{
		"delta":    &agui.StateDelta{Delta: agui.Patch{{Op: agui.OpReplace, Path: "/notes", Value: json.RawMessage(`"by hand"`)}}},
		"snapshot": &agui.StateSnapshot{Snapshot: json.RawMessage(strings.Replace(oldKitchen, "keep", "by hand", 1))},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			yields := forward(func(ctx ctxt, u *chat.Update) *chat.Update {
				if n++; n == 3 {
					return &chat.Update{Text: u.Text, Events: []agui.Event{byHand}}
				}
				return u
			})
			model := aguitest.NewModel(aguitest.Text(`{"dish":{"title":"Half`, ` a title","lev`, `el":"Hard"`, `,"time":9`).Finish(chat.FinishLength))
			// Outside the generation, whose model call is private.
			client := chat.NewBuilder(model).Use(state.Share[Kitchen]()).Use(yields).Use(state.Generate(state.Generation[Kitchen]{Every: -1})).Build()
			m := &mirror{t: t, doc: []byte(oldKitchen)}
			both := false
			for _, e := range runChain(t, client, inputWith(oldKitchen)) {
				m.see(e)
				both = both || strings.Contains(string(m.doc), "Half a title") && strings.Contains(string(m.doc), "by hand")
				if strings.Contains(string(m.doc), "by hand") && strings.Contains(string(m.doc), `"Old"`) && !both {
					t.Errorf("what shows was wiped: %s", m.doc)
				}
			}
			if !both {
				t.Error("the title and the note never showed together")
			}
			m.holds(strings.Replace(oldKitchen, "keep", "by hand", 1))
		})
	}
}

// Two answers at once would reach the client in an order that nobody knows.
func TestLaw2OneShareIsNotAskedTwiceAtOnce(t *testing.T) {
	var second error
	twice := layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
		for u, err := range next.Stream(ctx, req) {
			for _, err := range next.Stream(ctx, req) {
				second = err
			}
			if !yield(u, err) {
				return
			}
		}
	})
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("a"))).Use(twice).Use(state.Share[Board]()).Build()
	events := runChain(t, client, inputWith(boardOf(0)))
	if events[len(events)-1].Type() != agui.TypeRunFinished || second == nil || !strings.Contains(second.Error(), "asked twice") {
		t.Errorf("the second answer ended in %v", second)
	}
}

// What was shown is taken back also when something further in panics, and a
// panic of the consumer is left alone.
func TestLaw9APanicTakesBackWhatWasShown(t *testing.T) {
	n := 0
	explode := forward(func(_ ctxt, u *chat.Update) *chat.Update {
		if n++; n == 3 {
			panic("boom")
		}
		return u
	})
	model := aguitest.NewModel(aguitest.Text(pieces(newKitchen[:60], 12)...))
	m := &mirror{t: t, doc: []byte(oldKitchen)}
	events := runChain(t, kitchen(model, state.Generation[Kitchen]{}, explode), inputWith(oldKitchen))
	m.see(events...)
	m.holds(oldKitchen)
	if len(stateEvents(events)) < 2 || events[len(events)-1].Type() != agui.TypeRunError {
		t.Errorf("events: %v", types(events))
	}

	// Documents are waiting when the consumer panics.
	three := chat.NewTool("three", "", func(ctx ctxt, _ struct{}) (string, error) {
		return "ok", errors.Join(addTo(ctx, 1), addTo(ctx, 2), addTo(ctx, 3))
	})
	func() {
		defer func() {
			if v := recover(); v != "the consumer's" {
				t.Errorf("recovered %v", v)
			}
		}()
		for u := range chainOf(state.Share[Board](), three).Stream(t.Context(), &chat.Request{}) {
			if u != nil && len(u.Events) > 0 {
				panic("the consumer's")
			}
		}
		t.Error("nothing was published")
	}()
}

// Documents whose updates a layer dropped are not kept.
func TestDroppedCarriersAreNotKept(t *testing.T) {
	const n, size = 400, 64 << 10
	var before, after runtime.MemStats
	add := chat.NewTool("add", "", func(ctx ctxt, _ struct{}) (string, error) {
		return "ok", state.Update(ctx, func(b *Board) error {
			b.Name = strings.Repeat("x", size)
			b.Tasks = append(b.Tasks, Task{})
			return nil
		})
	})
	turn := aguitest.Turn{}
	for i := range n {
		turn = turn.Call(fmt.Sprint(i), "add")
	}
	calls := 0
	client := chat.NewBuilder(aguitest.NewModel(turn, aguitest.Text("ok"))).Use(state.Share[Board]()).
		Use(forward(func(ctx ctxt, u *chat.Update) *chat.Update {
			if len(u.Events) > 0 {
				return nil
			}
			if u.ToolResult != nil {
				if calls++; calls == n {
					runtime.GC()
					runtime.ReadMemStats(&after)
				}
				must(t, state.Update(ctx, func(b *Board) error { b.Tasks[0].ID = calls; return nil }))
			}
			return u
		})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add}})).Build()
	runtime.GC()
	runtime.ReadMemStats(&before)
	for e := range chat.Events(t.Context(), client, inputWith(boardOf(0)), quiet) {
		if e.Type() == agui.TypeRunError {
			t.Fatal(asJSON(t, e))
		}
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > n*size/4 {
		t.Errorf("%d bytes are kept of %d", grown, n*size)
	}
}

// A layer that tags what a tool publishes while a prediction shows does not
// settle the prediction.
func TestLaw9CopiedCarriersWhileAPredictionShows(t *testing.T) {
	tool := state.Tool("write_document", "", func(_ ctxt, p *Paper, in write) (string, error) {
		p.Words = len(strings.Fields(in.Document))
		return "ok", nil
	})
	tag := forward(func(_ ctxt, u *chat.Update) *chat.Update {
		n := *u
		n.Events = nil
		for _, e := range u.Events {
			if s, ok := e.(*agui.StateSnapshot); ok {
				c := *s
				c.SubagentRunID = new("sub")
				e = &c
			}
			n.Events = append(n.Events, e)
		}
		return &n
	})
	const before = `{"document":"as it was","words":0}`
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "write_document", `{"document":"a guess of `, `five words"}`), aguitest.Text("ok"))).
		Use(state.Share[Paper]()).Use(tag).
		Use(state.Predict("write_document", state.Prediction[Paper]{Argument: "document", Target: "/document", Every: -1})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}})).Build()
	m := &mirror{t: t, doc: []byte(before)}
	together := false
	for _, e := range runChain(t, client, inputWith(before)) {
		m.see(e)
		together = together || strings.Contains(string(m.doc), `"document":"a guess of five words","words":5`)
	}
	if !together {
		t.Error("the guess and the tool's edit never showed together")
	}
	m.holds(`{"document":"as it was","words":5}`)
}
