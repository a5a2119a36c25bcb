package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/flow"
	"github.com/aguistate/aguistate/middleware/state"
)

// remote is an agent at the end of a chain: it notes the documents that it is
// handed, and answers each time with the next update.
type remote struct {
	t      *testing.T
	says   []*chat.Update
	handed []string
}

func (r *remote) Stream(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		doc, err := flow.DocumentFrom(ctx)
		must(r.t, err)
		r.handed = append(r.handed, string(doc))
		if len(r.says) > 0 {
			u := r.says[0]
			r.says = r.says[1:]
			if !yield(u, nil) {
				return
			}
		}
		yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
	}
}

func (r *remote) want(docs ...string) {
	r.t.Helper()
	if !slices.Equal(r.handed, docs) {
		r.t.Errorf("handed %q, want %q", r.handed, docs)
	}
}

// What an agent makes of the document that it was handed is what the client
// holds then, however what was handed came about.
func TestLaw2AnAgentGoesOnFromTheDocument(t *testing.T) {
	edit := func(f func(*Board)) func(ctxt) {
		return func(ctx ctxt) {
			s, err := state.Of[Board](ctx)
			must(t, err)
			s.Edit(f)
		}
	}
	addTask := func(b *Board) { b.Tasks = append(b.Tasks, Task{ID: 2}) }
	nothing := func(ctxt) {}
	whole := func(doc string) agui.Event { return &agui.StateSnapshot{Snapshot: json.RawMessage(doc)} }
	change := func(op agui.Op, path, value string) agui.Event {
		return &agui.StateDelta{Delta: agui.Patch{{Op: op, Path: path, Value: json.RawMessage(value)}}}
	}
	const (
		head   = `{"x":9007199254740993.10,"name":`
		before = head + `"old","tasks":[{"y":{"b":1,"a":2},"id":1,"title":"one"}]}`
		added  = head + `"old","tasks":[{"y":{"b":1,"a":2},"id":1,"title":"one"},{"id":2,"title":""}]}`
		empty  = `{"name":"","tasks":[]}`
	)
	for name, c := range map[string]struct {
		in     string
		option state.Option
		before func(ctxt) // what a layer does before it asks the agent
		says   agui.Event
		handed string
		want   string
	}{
		"nothing is done":                {before, nil, nothing, nil, before, before},
		"hidden from a model":            {before, state.Hide("/x"), nothing, nil, before, before},
		"left by Edit":                   {before, nil, edit(addTask), nil, added, added},
		"left by Edit, changed":          {before, nil, edit(addTask), change(agui.OpReplace, "/tasks/1/title", `"two"`), added, head + `"old","tasks":[{"y":{"b":1,"a":2},"id":1,"title":"one"},{"id":2,"title":"two"}]}`},
		"left by Edit, kept":             {before, nil, edit(addTask), whole(added), added, added},
		"left by Edit, undone":           {before, nil, edit(func(b *Board) { b.Name = "new" }), whole(before), head + `"new","tasks":[{"y":{"b":1,"a":2},"id":1,"title":"one"}]}`, before},
		"published, changed":             {before, nil, func(ctx ctxt) { must(t, addTo(ctx, 2)) }, change(agui.OpRemove, "/tasks/0", ""), added, head + `"old","tasks":[{"id":2,"title":""}]}`},
		"published, undone":              {before, nil, func(ctx ctxt) { must(t, rename(ctx, "new")) }, whole(before), head + `"new","tasks":[{"y":{"b":1,"a":2},"id":1,"title":"one"}]}`, before},
		"no state":                       {`{}`, nil, nothing, whole(`{"name":"theirs"}`), "", `{"name":"theirs"}`},
		"no state, an edit":              {`{ }`, nil, edit(addTask), nil, `{"name":"","tasks":[{"id":2,"title":""}]}`, `{"name":"","tasks":[{"id":2,"title":""}]}`},
		"no state, an edit of nothing":   {`{}`, nil, edit(func(*Board) {}), nil, "", `{}`},
		"no state, told all the same":    {`{}`, state.Announce(), nothing, nil, empty, empty},
		"no state, but a default":        {`null`, state.Default(Board{Name: "new"}), nothing, change(agui.OpReplace, "/name", `"newer"`), `{"name":"new","tasks":[]}`, `{"name":"newer","tasks":[]}`},
		"left by Edit, and refused then": {before, state.MaxBytes(len(before)), edit(addTask), change(agui.OpReplace, "/name", `"new"`), before, head + `"new","tasks":[{"y":{"b":1,"a":2},"id":1,"title":"one"}]}`},
	} {
		for where, asks := range map[string]func(ctx ctxt, agent chat.Client, req *chat.Request, yield func(*chat.Update, error) bool){
			"in a Stream method": func(ctx ctxt, agent chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
				c.before(ctx)
				agent.Stream(ctx, req)(yield)
			},
			"in a Run": func(ctx ctxt, agent chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
				chat.Run(ctx, func(ctx ctxt) error {
					c.before(ctx)
					for u, err := range agent.Stream(ctx, req) {
						if err = errors.Join(err, chat.Emit(ctx, u)); err != nil {
							return err
						}
					}
					return nil
				})(yield)
			},
			"behind a Run whose updates are lost": func(ctx ctxt, agent chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
				for range chat.Run(ctx, func(ctx ctxt) error { c.before(ctx); return nil }) {
				}
				agent.Stream(ctx, req)(yield)
			},
		} {
			t.Run(name+"/"+where, func(t *testing.T) {
				agent := &remote{t: t}
				if c.says != nil {
					agent.says = []*chat.Update{{Events: []agui.Event{c.says}}}
				}
				client := chat.NewBuilder(agent).Use(state.Share[Board](c.option)).Use(layer(asks)).Build()
				events := runChain(t, client, inputWith(c.in))
				aguitest.Verify(t, events)
				m := &mirror{t: t, doc: []byte(c.in)}
				m.see(events...)
				m.holds(c.want)
				agent.want(c.handed)
			})
		}
	}
}

// What a model is still writing is not handed over; what it has written is.
func TestLaw9AnAgentIsHandedWhatIsSettled(t *testing.T) {
	const made = `{"name":"made","tasks":[]}`
	agent := &remote{t: t, says: []*chat.Update{{Text: made[:15]}, {Text: made}}}
	var inside *remote
	client := chat.NewBuilder(agent).Use(state.Share[Board]()).
		Use(state.Generate(state.Generation[Board]{Every: -1, Retries: 1})).
		Use(layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			for u, err := range next.Stream(ctx, req) {
				if !yield(u, err) {
					return
				}
				if u.Text != "" && inside == nil { // it shows
					inside = &remote{t: t}
					_, _ = chat.Collect(inside.Stream(ctx, req))
				}
			}
		})).Build()
	m := &mirror{t: t}
	m.see(runChain(t, client, inputWith(boardOf(1)))...)
	m.holds(made)
	agent.want(boardOf(1), boardOf(1), made)
	inside.want(boardOf(1))
}

// An agent that is asked by a tool is handed the nearest state of the run, and
// none in a run of its own.
func TestLaw2AnAgentAsAToolIsHandedTheStateAround(t *testing.T) {
	told := &chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: json.RawMessage(`{"name":"theirs","tasks":[]}`)}}}
	for name, c := range map[string]struct {
		share  chat.Middleware // of the agent's own chain
		own    bool            // in a run of its own
		handed string
		want   string
	}{
		"the one around":            {nil, false, boardOf(1), `{"name":"theirs","tasks":[]}`},
		"its own":                   {state.Share[inner](state.Default(inner{7})), false, `{"inner":7}`, boardOf(1)},
		"none, in a run of its own": {nil, true, "", `{"name":"theirs","tasks":[]}`},
		"its own, in such a run":    {state.Share[inner](state.Default(inner{7})), true, `{"inner":7}`, boardOf(1)},
	} {
		t.Run(name, func(t *testing.T) {
			agent := &remote{t: t, says: []*chat.Update{told}}
			chain := chat.NewBuilder(agent).Use(c.share).Build()
			ask := chat.NewTool("ask", "", func(ctx ctxt, _ struct{}) (string, error) {
				if c.own {
					ctx = chat.WithInput(ctx, inputWith(""))
				}
				for u, err := range chain.Stream(ctx, &chat.Request{}) {
					if err = errors.Join(err, chat.Emit(ctx, &chat.Update{Events: u.Events})); err != nil {
						return "", err
					}
				}
				return "ok", nil
			})
			client := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "ask"), aguitest.Text("ok"))).Use(state.Share[Board]()).
				Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{ask}})).Build()
			m := &mirror{t: t, doc: []byte(boardOf(1))}
			m.see(runChain(t, client, inputWith(boardOf(1)))...)
			m.holds(c.want)
			agent.want(c.handed)
		})
	}
}

// Inside an edit there is nothing to hand over yet.
func TestAnAgentAskedInsideAnEdit(t *testing.T) {
	tool := state.Tool("edit", "", func(ctx ctxt, b *Board, _ struct{}) (string, error) {
		b.Name = "half"
		_, err := flow.DocumentFrom(ctx)
		if !errors.Is(err, state.ErrEditing) {
			t.Errorf("got %v", err)
		}
		return "ok", err
	})
	m := &mirror{t: t, doc: []byte(boardOf(1))}
	m.see(runChain(t, chainOf(state.Share[Board](), tool), inputWith(boardOf(1)))...)
	m.holds(boardOf(1))
}
