package chat_test

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
)

// script is an agent: each call of it is one list of steps, each an id to ask, an
// error to end in, or what to call.
func script(calls ...[]any) chat.Client {
	n := 0
	return chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			n++
			for _, step := range calls[n-1] {
				switch step := step.(type) {
				case string:
					if !yield(&chat.Update{Interrupts: []agui.Interrupt{{ID: step, Reason: "ask"}}}, nil) {
						return
					}
				case error:
					yield(nil, step)
					return
				case context.CancelFunc:
					step()
				}
			}
		}
	})
}

// deaf is a store that takes nothing.
type deaf struct{ shelf }

func (*deaf) Save(context.Context, string, []agui.Interrupt) error {
	return errors.New("the disk is full")
}

// The store holds what RUN_FINISHED says, and what it held before when the run
// ends otherwise.
func TestTheStoreHoldsWhatTheClientKnows(t *testing.T) {
	down := errors.New("the model is down")
	keep := func(s chat.InterruptStore) chat.Middleware { return chat.KeepInterrupts(s) }
	fails := func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				for u, err := range next.Stream(ctx, req) {
					if !yield(u, err) {
						return
					}
				}
				yield(nil, down)
			}
		})
	}
	swallows := func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				_, err := chat.Collect(next.Stream(ctx, req))
				yield(&chat.Update{Text: "never mind"}, err)
			}
		})
	}
	for name, tt := range map[string]struct {
		outer chat.Middleware
		open  []string // before, all answered
		calls [][]any
		want  []string
	}{
		"asks":                           {nil, nil, [][]any{{"a", "b"}}, []string{"a", "b"}},
		"asks, fails":                    {nil, nil, [][]any{{"a", down}}, nil},
		"answered, asks":                 {nil, []string{"a"}, [][]any{{"b"}}, []string{"b"}},
		"answered, asks, fails":          {nil, []string{"a"}, [][]any{{"b", down}}, []string{"a"}},
		"answered":                       {nil, []string{"a"}, [][]any{{}}, nil},
		"answered, a layer around fails": {fails, []string{"a"}, [][]any{{"b"}}, []string{"a"}},
		"a layer around swallows it":     {swallows, nil, [][]any{{"b"}}, nil},
		"in two steps":                   {asks(2), []string{"a"}, [][]any{{"b"}, {"c"}}, []string{"b", "c"}},
		"in a try that fails":            {asks(2), nil, [][]any{{"b", down}, {}}, []string{"b"}}, // it has passed
		"an id like a signed one":        {nil, nil, [][]any{{"ask-color"}}, []string{"ask-color"}},
	} {
		t.Run(name, func(t *testing.T) {
			store := &shelf{}
			in := input()
			var before []agui.Interrupt
			for _, id := range tt.open {
				before = append(before, agui.Interrupt{ID: id})
				in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: id, Status: agui.ResumeCancelled})
			}
			_ = store.Save(t.Context(), in.ThreadID, before)
			b := chat.NewBuilder(script(tt.calls...))
			if tt.outer != nil {
				b.Use(tt.outer)
			}
			events := runEvents(t.Context(), b.Use(keep(store)).Build(), in, quiet)
			aguitest.Verify(t, events)
			open, _ := store.Open(t.Context(), in.ThreadID)
			var got []string
			for _, i := range open {
				got = append(got, i.ID)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("the store holds %q, want %q; ended in %+v", got, tt.want, events[len(events)-1])
			}
		})
	}
	t.Run("the consumer leaves", func(t *testing.T) {
		store := &shelf{}
		for range chat.Events(t.Context(), chat.NewBuilder(script([]any{"a"})).Use(keep(store)).Build(), input(), quiet) {
			break
		}
		for e := range chat.Events(t.Context(), chat.NewBuilder(script([]any{"a"})).Use(keep(store)).Build(), input(), quiet) {
			if e.Type() == agui.TypeMessagesSnapshot {
				break
			}
		}
		if open, _ := store.Open(t.Context(), "thread"); open != nil {
			t.Errorf("the store holds %v", open)
		}
	})
	t.Run("the context ends", func(t *testing.T) {
		store := &shelf{}
		ctx, cancel := context.WithCancel(t.Context())
		runEvents(ctx, chat.NewBuilder(script([]any{"a", cancel})).Use(keep(store)).Build(), input(), quiet)
		if open, _ := store.Open(t.Context(), "thread"); open != nil {
			t.Errorf("the store holds %v", open)
		}
	})
	t.Run("the store fails", func(t *testing.T) {
		events := runEvents(t.Context(), chat.NewBuilder(script([]any{"a"})).Use(keep(&deaf{})).Build(), input(), quiet)
		if aguitest.Verify(t, events); events[len(events)-1].Type() != agui.TypeRunError {
			t.Errorf("ended in %+v", events[len(events)-1])
		}
	})
	t.Run("without Events", func(t *testing.T) {
		store := &shelf{}
		c := chat.NewBuilder(script([]any{"a", down}, []any{"b"})).Use(keep(store)).Build()
		for range 2 {
			_, _ = chat.Collect(c.Stream(chat.WithInput(t.Context(), input()), &chat.Request{}))
		}
		if open, _ := store.Open(t.Context(), "thread"); len(open) != 1 || open[0].ID != "b" {
			t.Errorf("the store holds %v", open)
		}
	})
}

// An interrupt whose id only begins like one of InvokeFunctions is the keeper's.
func TestKeepAnIDLikeASignedOne(t *testing.T) {
	store := &shelf{}
	_ = store.Save(t.Context(), "thread", []agui.Interrupt{{ID: "ask-color", ResponseSchema: json.RawMessage(`{"type":"string"}`)}})
	for payload, code := range map[string]string{"": chat.CodeInterruptPending, "5": chat.CodeInterruptPayload} {
		in := input()
		if payload != "" {
			in.Resume = []agui.ResumeEntry{resolved(agui.Interrupt{ID: "ask-color"}, payload)}
		}
		events := runEvents(t.Context(), chat.NewBuilder(script([]any{})).Use(chat.KeepInterrupts(store)).Build(), in, quiet)
		if e, ok := events[len(events)-1].(*agui.RunError); !ok || e.Code != code {
			t.Errorf("%q: ended in %+v, want %s", payload, events[len(events)-1], code)
		}
	}
}
