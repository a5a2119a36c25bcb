package chat_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// asks returns a layer that asks its chain n times one after the other, and
// goes on after an error, as one does that tries again.
func asks(n int) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				for range n {
					for u, err := range next.Stream(ctx, req) {
						if err == nil && !yield(u, nil) {
							return
						}
					}
				}
			}
		})
	}
}

// asksAtOnce asks its chain twice at the same time.
func asksAtOnce(next chat.Client) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return chat.Run(ctx, func(ctx context.Context) error {
			done := make(chan error, 2)
			for range 2 {
				go func() {
					for u, err := range next.Stream(ctx, req) {
						if err == nil {
							err = chat.Emit(ctx, u)
						}
						if err != nil {
							done <- err
							return
						}
					}
					done <- nil
				}()
			}
			return errors.Join(<-done, <-done)
		})
	})
}

// shaky is a ResumeStore whose first claim fails.
type shaky struct {
	once
	failed bool
}

func (f *shaky) Claim(ctx context.Context, key string) (bool, error) {
	if !f.failed {
		f.failed = true
		return false, errors.New("the database is down")
	}
	return f.once.Claim(ctx, key)
}

// What was approved runs once in a run, however often a layer asks the chain:
// each model call is told the result, the client once.
func TestAnswerRunsOnceInARun(t *testing.T) {
	ok := aguitest.Text("ok")
	for name, tt := range map[string]struct {
		around chat.Middleware
		claims chat.ResumeStore
		turns  []aguitest.Turn
		told   int
	}{
		"two steps":           {asks(2), nil, []aguitest.Turn{ok, ok}, 2},
		"two steps, claimed":  {asks(2), new(once), []aguitest.Turn{ok, ok}, 2},
		"a try that fails":    {asks(2), nil, []aguitest.Turn{aguitest.Fail(errors.New("busy")), ok}, 2},
		"a claim that fails":  {asks(2), new(shaky), []aguitest.Turn{ok}, 1},
		"at once":             {asksAtOnce, nil, []aguitest.Turn{ok, ok}, 2},
		"at once, claimed":    {asksAtOnce, new(once), []aguitest.Turn{ok, ok}, 2},
		"at once, one fails":  {asksAtOnce, new(shaky), nil, 0},
		"one step, as always": {asks(1), nil, []aguitest.Turn{ok}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := &office{claims: tt.claims}
			in, interrupts, _ := o.asked(t, aguitest.Call("d", "delete", `{"name":"a"}`))
			in.Resume = []agui.ResumeEntry{resolved(interrupts[0], `{"approved":true}`)}
			worker, model := o.client(tt.turns...)
			events := runEvents(t.Context(), tt.around(worker), in, quiet)
			aguitest.Verify(t, events)
			results := 0
			for _, e := range events {
				if e.Type() == agui.TypeToolCallResult {
					results++
				}
			}
			if name == "at once, one fails" { // then the other may have come first, or not
				if len(o.deleted) > 1 || results != len(o.deleted) {
					t.Errorf("ran for %v, %d results", o.deleted, results)
				}
				return
			}
			if len(o.deleted) != 1 || results != 1 || len(model.Requests()) != tt.told {
				t.Errorf("ran for %v, %d results, %d model calls", o.deleted, results, len(model.Requests()))
			}
			for _, r := range model.Requests() {
				if !slices.ContainsFunc(r.Outgoing, func(m agui.Message) bool {
					return m.Role == agui.RoleTool && strings.Contains(m.Content.Text(), "deleted a")
				}) {
					t.Errorf("a model call is told %+v", r.Outgoing)
				}
			}
		})
	}
}

// unclaimed is a ResumeStore that fails for one interrupt.
type unclaimed struct {
	once
	id string
}

func (u *unclaimed) Claim(ctx context.Context, id string) (bool, error) {
	if id == u.id {
		return false, errors.New("the database is down")
	}
	return u.once.Claim(ctx, id)
}

// What has run beside a call that ends the run is told: its answer is used up.
func TestResultsBesideACallThatEndsTheRun(t *testing.T) {
	key := []byte("a key of thirty-two bytes, secret")
	for _, concurrent := range []bool{true, false} {
		for fails := range 3 {
			ran := make(chan string, 3)
			tools := []chat.Tool{chat.RequireApproval(chat.NewTool("delete", "Deletes.", func(ctx context.Context, _ struct {
				Name string `json:"name"`
			}) (string, error) {
				call, _ := chat.InvocationFrom(ctx)
				ran <- call.Call.ID
				return "deleted", nil
			}), nil, 0)}
			store := &unclaimed{}
			agent := func(turn aguitest.Turn) chat.Client {
				return chat.NewBuilder(aguitest.NewModel(turn)).Use(chat.InvokeFunctions(chat.FunctionInvocation{
					Tools: tools, Key: key, Claims: store, Concurrent: concurrent, Logger: quiet.Logger,
				})).Build()
			}
			in := input()
			turn := aguitest.Turn{}
			for _, id := range []string{"a", "b", "c"} {
				turn = turn.Call(id, "delete", `{"name":"x"}`)
			}
			for _, e := range runEvents(t.Context(), agent(turn), in, quiet) {
				switch e := e.(type) {
				case *agui.MessagesSnapshot:
					in.Messages = e.Messages
				case *agui.RunFinished:
					for _, i := range e.Outcome.Interrupts {
						in.Resume = append(in.Resume, resolved(i, `{"approved":true}`))
					}
				}
			}
			store.id = in.Resume[fails].InterruptID
			events := runEvents(t.Context(), agent(aguitest.Text("ok")), in, quiet)
			aguitest.Verify(t, events)
			if events[len(events)-1].Type() != agui.TypeRunError {
				t.Errorf("ended in %+v", events[len(events)-1])
			}
			var told, all []string
			for _, e := range events {
				if r, ok := e.(*agui.ToolCallResult); ok {
					told = append(told, r.ToolCallID)
				}
			}
			close(ran)
			for id := range ran {
				all = append(all, id)
			}
			slices.Sort(all)
			if want := map[bool]int{true: 2, false: fails}[concurrent]; len(all) != want || !slices.Equal(told, all) {
				t.Errorf("concurrent %v, %d fails: told %v, ran %v", concurrent, fails, told, all)
			}
		}
	}
}
