package state_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Runs share nothing, also when one chain serves many at once.
func TestRunsShareNothing(t *testing.T) {
	const runs = 50
	tool := chat.NewTool("mark", "", func(ctx ctxt, _ struct{}) (string, error) {
		in, _ := chat.InputFrom(ctx)
		return "ok", state.Update(ctx, func(b *Board) error { b.Tasks[0].Title = in.ThreadID; return nil })
	})
	shared := state.Share[Board](state.Default(Board{Name: "default", Tasks: []Task{{ID: 1}}}))
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() {
			c := chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "mark"), aguitest.Text("ok"))).
				Use(shared).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}})).Build()
			in := inputWith("")
			in.ThreadID = fmt.Sprint("thread-", i)
			m := &mirror{t: t}
			for e := range chat.Events(context.Background(), c, in, quiet) {
				m.see(e)
			}
			m.holds(fmt.Sprintf(`{"name":"default","tasks":[{"id":1,"title":"thread-%d"}]}`, i))
		})
	}
	wg.Wait()
}

// A chain that is asked twice in one run goes on with the same state.
func TestTwoCallsOfOneRunShareTheState(t *testing.T) {
	client := chat.NewBuilder(aguitest.NewModel(
		aguitest.Call("a", "add_task", `{"title":"one"}`), aguitest.Text("ok"),
		aguitest.Call("b", "add_task", `{"title":"two"}`), aguitest.Text("ok"))).
		Use(layer(func(ctx ctxt, next chat.Client, req *chat.Request, yield func(*chat.Update, error) bool) {
			for range 2 {
				for u, err := range next.Stream(ctx, req) {
					if !yield(u, err) {
						return
					}
				}
			}
		})).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTool}})).
		Build()
	m := &mirror{t: t, doc: []byte(`{}`)}
	m.see(runChain(t, client, inputWith(boardOf(0)))...)
	m.holds(`{"name":"board","tasks":[{"id":1,"title":"one"},{"id":2,"title":"two"}]}`)
}

// The default is what it was when Share was made, and stays the caller's.
func TestTheDefaultIsACopy(t *testing.T) {
	type list struct {
		Tasks []Task           `json:"tasks"`
		By    []map[string]int `json:"by"`
	}
	mine := list{Tasks: []Task{{Title: "first"}}, By: []map[string]int{nil}}
	share := state.Share[list](state.Default(mine))
	if mine.By[0] != nil {
		t.Error("the caller's value was changed")
	}
	mine.Tasks[0].Title = "changed"
	client := chat.NewBuilder(aguitest.NewModel(aguitest.Text("ok"))).Use(share).Build()
	in := inputWith("")
	in.Messages = nil
	m := &mirror{t: t}
	m.see(runChain(t, client, in)...)
	m.holds(`{"tasks":[{"id":0,"title":"first"}],"by":[{}]}`)
}

// Chains that are asked one after the other in one run change one document,
// each with a type of its own.
func TestChainsOfOneRunHandTheStateOn(t *testing.T) {
	type counter struct {
		N int `json:"n"`
	}
	naming := chat.NewTool("t", "", func(ctx ctxt, _ struct{}) (string, error) {
		return "", state.Update(ctx, func(b *Board) error { b.Name += "!"; b.Tasks = append(b.Tasks, Task{ID: len(b.Tasks)}); return nil })
	})
	counting := state.Tool("t", "", func(_ ctxt, c *counter, _ struct{}) (string, error) { c.N++; return "", nil })
	chain := func(share chat.Middleware, tool chat.Tool) chat.Client {
		turns := []aguitest.Turn{aguitest.Call("call_0", "t"), aguitest.Text("ok"), aguitest.Call("call_0", "t"), aguitest.Text("ok")}
		return chat.NewBuilder(aguitest.NewModel(turns...)).Use(share).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{tool}, Logger: quiet.Logger})).Build()
	}
	one, other := chain(state.Share[Board](), naming), chain(state.Share[counter](), counting)
	both := chat.ClientFunc(func(ctx ctxt, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for _, c := range []chat.Client{one, other, one, other} {
				for u, err := range c.Stream(ctx, req) {
					if !yield(u, err) || err != nil {
						return
					}
				}
			}
		}
	})
	m := &mirror{t: t}
	events := runChain(t, both, inputWith(`{"name":"a","n":1,"x":1}`))
	aguitest.Verify(t, events)
	m.see(events...)
	m.holds(`{"name":"a!!","n":3,"x":1,"tasks":[{"id":0,"title":""},{"id":1,"title":""}]}`)
}
