package chat_test

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// shelf is an InterruptStore in memory.
type shelf struct{ m sync.Map }

func (s *shelf) Open(_ context.Context, thread string) ([]agui.Interrupt, error) {
	v, _ := s.m.Load(thread)
	open, _ := v.([]agui.Interrupt)
	return open, nil
}

func (s *shelf) Save(_ context.Context, thread string, open []agui.Interrupt) error {
	s.m.Store(thread, open)
	return nil
}

// asker raises two interrupts by hand when it has no answer, and says the
// first answer when it has.
func asker(next chat.Client) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			if entry, rest, ok := chat.TakeResume(ctx, "size"); ok {
				if !yield(&chat.Update{Text: "size " + string(entry.Payload) + " "}, nil) {
					return
				}
				for u, err := range next.Stream(rest, req) {
					if !yield(u, err) {
						return
					}
				}
				return
			}
			yield(&chat.Update{Interrupts: []agui.Interrupt{
				{ID: "size", Reason: "ask", ResponseSchema: json.RawMessage(`{"type":"integer","minimum":1}`), ExpiresAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339)},
				{ID: "sure", Reason: "ask", ExpiresAt: "no date"},
			}}, nil)
		}
	})
}

func TestKeepInterrupts(t *testing.T) {
	entry := func(id, payload string) agui.ResumeEntry {
		return agui.ResumeEntry{InterruptID: id, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}
	}
	both := []agui.ResumeEntry{entry("size", "3"), entry("sure", "true")}
	for name, c := range map[string]struct {
		resume []agui.ResumeEntry
		after  time.Duration
		code   string
	}{
		"answered":  {both, 0, ""},
		"pending":   {nil, 0, chat.CodeInterruptPending},
		"partial":   {both[:1], 0, chat.CodeInterruptPartial},
		"unknown":   {append([]agui.ResumeEntry{entry("nope", "1")}, both...), 0, chat.CodeInterruptUnknown},
		"payload":   {[]agui.ResumeEntry{entry("size", "0"), both[1]}, 0, chat.CodeInterruptPayload},
		"expired":   {both, 2 * time.Hour, chat.CodeInterruptExpired},
		"cancelled": {[]agui.ResumeEntry{{InterruptID: "size", Status: agui.ResumeCancelled}, both[1]}, 2 * time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &shelf{}
				agent := func() (chat.Client, *aguitest.Model) { // a fresh process each time
					m := aguitest.NewModel(aguitest.Text("ok"))
					return chat.NewBuilder(m).Use(chat.KeepInterrupts(store)).Use(asker).
						Use(chat.InvokeFunctions(chat.FunctionInvocation{Logger: quiet.Logger})).Build(), m
				}
				client, _ := agent()
				events := runEvents(t.Context(), client, input(), quiet)
				aguitest.Verify(t, events)
				if f, ok := events[len(events)-1].(*agui.RunFinished); !ok || f.Outcome == nil || len(f.Outcome.Interrupts) != 2 {
					t.Fatalf("ended in %+v", events[len(events)-1])
				}
				time.Sleep(c.after)
				in := input()
				in.Resume = c.resume
				client, model := agent()
				events = runEvents(t.Context(), client, in, quiet)
				aguitest.Verify(t, events)
				failed, _ := events[len(events)-1].(*agui.RunError)
				if c.code == "" {
					if open, _ := store.Open(t.Context(), "thread"); failed != nil || len(open) != 0 || model.Left() != 0 {
						t.Errorf("failed %+v, open %v, %d turns left", failed, open, model.Left())
					}
					return
				}
				if failed == nil || failed.Code != c.code || model.Left() != 1 {
					t.Errorf("failed %+v, want %s, before any model call", failed, c.code)
				}
				if open, _ := store.Open(t.Context(), "thread"); len(open) != 2 {
					t.Errorf("%d interrupts are open after a refused answer", len(open))
				}
			})
		})
	}
}

// A run that fails has used up no answer.
func TestFailedRunKeepsTheQuestions(t *testing.T) {
	store := &shelf{}
	agent := func(turn aguitest.Turn) chat.Client {
		return chat.NewBuilder(aguitest.NewModel(turn)).Use(chat.KeepInterrupts(store)).Use(asker).Build()
	}
	runEvents(t.Context(), agent(aguitest.Text("ok")), input(), quiet)
	in := input()
	in.Resume = []agui.ResumeEntry{
		{InterruptID: "size", Status: agui.ResumeResolved, Payload: json.RawMessage("3")},
		{InterruptID: "sure", Status: agui.ResumeCancelled},
	}
	for _, c := range []struct {
		turn aguitest.Turn
		want agui.EventType
	}{{aguitest.Text("half").Cut(), agui.TypeRunError}, {aguitest.Text("ok"), agui.TypeRunFinished}} {
		events := runEvents(t.Context(), agent(c.turn), in, quiet)
		if got := events[len(events)-1]; got.Type() != c.want {
			t.Errorf("ended in %+v", got)
		}
	}
	if open, _ := store.Open(t.Context(), "thread"); len(open) != 0 {
		t.Errorf("%d interrupts are open", len(open))
	}
}
