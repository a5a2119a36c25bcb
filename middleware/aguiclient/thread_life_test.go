package aguiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// One null, one document: the first state is the same after Reset.
func TestTheFirstState(t *testing.T) {
	for first, want := range map[string]string{"": "{}", "null": "{}", " null ": "{}", `{"a": 1}`: `{"a": 1}`, "[]": "[]", "0": "0"} {
		th := aguiclient.NewThread[any](aguiclient.NewReplay(), &aguiclient.ThreadOptions{State: json.RawMessage(first)})
		for _, when := range []string{"at first", "after Reset", "after another state and Reset"} {
			if got := string(th.Document()); got != want {
				t.Errorf("%s: %q is %s, want %s", when, first, got, want)
			}
			must(t, th.Reset())
			if when == "after Reset" {
				must(t, th.SetDocument(json.RawMessage(`{"b":2}`)))
				must(t, th.Reset())
			}
		}
	}
	// What is no JSON is said where it is used, before Reset and behind it.
	bad := aguiclient.NewThread[any](aguiclient.NewReplay(), &aguiclient.ThreadOptions{State: json.RawMessage(`{"a":`)})
	for range 2 {
		var e *aguiclient.StateError
		if _, err := bad.State(); !errors.As(err, &e) {
			t.Errorf("the state: %v", err)
		}
		if err := aguiclient.Drain(bad.Send(t.Context())); err == nil || bad.Stale() {
			t.Errorf("sent: %v, stale %v", err, bad.Stale())
		}
		must(t, bad.Reset())
	}
	// A state that is null stays null when it is stored.
	th := aguiclient.NewThread[any](aguiclient.NewReplay(aRun(&agui.StateSnapshot{Snapshot: json.RawMessage("null")})), nil)
	must(t, aguiclient.Drain(th.Send(t.Context())))
	other := restored(t, th.History(), aguiclient.NewReplay())
	if got := string(other.Document()); got != "null" {
		t.Errorf("null is stored as %s", got)
	}
}

func TestRestoringWhatIsNone(t *testing.T) {
	th := aguiclient.NewThread[any](aguiclient.NewReplay(aRun()), &aguiclient.ThreadOptions{ID: "a", State: json.RawMessage(`{"n":1}`)})
	var input *agui.InputError
	var s *aguiclient.StateError
	for name, err := range map[string]error{
		"nil":       th.Restore(nil),
		"a state":   th.Restore(&aguiclient.History{State: json.RawMessage("{")}),
		"a message": th.Restore(&aguiclient.History{Messages: []agui.Message{agui.UserMessage("go"), {ID: "x", Role: "critic"}}}),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "aguiclient: ") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "a message" && (!errors.As(err, &input) || !strings.HasPrefix(input.Pointer, "/messages/1")) || name == "a state" && !errors.As(err, &s) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if th.ID() != "a" || string(th.Document()) != `{"n":1}` {
		t.Errorf("the thread is %+v", th.History())
	}
	must(t, aguiclient.Drain(th.Send(t.Context())))
}

// A run of which nothing came leaves the state as it was: it is in doubt where
// events were lost, and only there.
func TestWhatMakesAStateStale(t *testing.T) {
	refuse := func(status int) aguiclient.Transport {
		return aguiclient.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }), "/", nil)
	}
	says := func(body string) aguiclient.Transport {
		return aguiclient.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(body))
		}), "/", nil)
	}
	failing := func(events int, err error) aguiclient.Transport {
		return aguiclient.TransportFunc(func(context.Context, *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
			return func(yield func(agui.Event, error) bool) {
				for _, e := range aRun()[:events] {
					if !yield(e, nil) {
						return
					}
				}
				yield(nil, err)
			}
		})
	}
	begun := `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n"
	broke := errors.New("it broke")
	for name, c := range map[string]struct {
		transport aguiclient.Transport
		want      bool
	}{
		"503":                       {refuse(503), false},
		"401":                       {refuse(401), false},
		"no connection":             {aguiclient.HTTP("http://127.0.0.1:1", nil), false},
		"no address":                {aguiclient.HTTP("no\x00url", nil), false},
		"the hook refuses":          {aguiclient.HTTP("http://127.0.0.1:1", &aguiclient.HTTPOptions{Prepare: func(*http.Request) error { return broke }}), false},
		"nothing came":              {failing(0, broke), false},
		"an event came":             {failing(1, broke), true},
		"an empty stream":           {says(""), true},
		"half a run":                {says(begun), true},
		"a first frame that is bad": {says("data: x\n\n"), true},
		"an event out of order":     {says(`data: {"type":"STEP_STARTED","stepName":"s"}` + "\n\n"), true},
		"a failed run":              {says(begun + `data: {"type":"RUN_ERROR","message":"no"}` + "\n\n"), false},
	} {
		th := aguiclient.NewThread[any](c.transport, nil)
		if err := aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))); err == nil {
			t.Errorf("%s: no error", name)
		}
		if th.Stale() != c.want {
			t.Errorf("%s: stale is %v", name, th.Stale())
		}
		// The question is kept: Send without messages asks again.
		if got := roles(th.Messages()); got != "user:go" {
			t.Errorf("%s: the conversation is %s", name, got)
		}
	}
}

// busy is an agent that does a little of everything, twice: it asks for the
// client's tool, and then for its own.
func busy() aguiclient.Transport {
	add := state.Tool("add_ingredient", "Adds an ingredient.", func(_ context.Context, r *recipe, in ingredient) (string, error) {
		r.Ingredients = append(r.Ingredients, in)
		return "added", nil
	})
	model := chat.ClientFunc(func(_ context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			asked := map[string]bool{}
			for _, m := range req.Messages {
				for _, c := range m.ToolCalls {
					asked[c.Name] = true
				}
			}
			turn := []*chat.Update{{Text: "So. "}}
			switch {
			case !asked["where"]:
				turn = append(turn, &chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: agui.NewID(), Name: "where"}}}, &chat.Update{FinishReason: chat.FinishToolCalls})
			case !asked["add_ingredient"]:
				id := agui.NewID()
				turn = append(turn, &chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: id, Name: "add_ingredient"}}},
					&chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: id, Arguments: `{"name":"flour"}`}}}, &chat.Update{FinishReason: chat.FinishToolCalls})
			default:
				turn = append(turn, &chat.Update{Text: "Done."}, &chat.Update{FinishReason: chat.FinishStop})
			}
			for _, u := range turn {
				if !yield(u, nil) {
					return
				}
			}
		}
	})
	chain := chat.NewBuilder(model).Use(state.Share[recipe]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add}, Logger: quiet.Logger})).Build()
	return aguiclient.Handler(aguihttp.Handler(chain, &aguihttp.Options{Logger: quiet.Logger}), "/", nil)
}

// Wherever a Send is left, by break or by the end of its context, the thread is
// whole: it can be stored, the next Send ends well, and each call of the
// client's tool has run once.
func TestStoppingAnywhere(t *testing.T) {
	var calls []string
	where := chat.Tool{Name: "where", Invoke: func(context.Context, json.RawMessage) (agui.Content, error) {
		calls = append(calls, "where")
		return agui.Text("here"), nil
	}}
	o := &aguiclient.ThreadOptions{Tools: []chat.Tool{where}, State: json.RawMessage(`{"title":"Bread","kept":[1]}`)}
	agent := busy()
	whole := 0
	for range aguiclient.NewThread[recipe](agent, o).Send(t.Context(), agui.UserMessage("go")) {
		whole++
	}
	if whole < 20 {
		t.Fatalf("only %d changes", whole)
	}
	for at := range whole {
		for _, way := range []string{"break", "cancel", "break and restore"} {
			calls = nil
			th := aguiclient.NewThread[recipe](agent, o)
			ctx, cancel := context.WithCancel(t.Context())
			n := 0
			var failure error
			for c, err := range th.Send(ctx, agui.UserMessage("go")) {
				if failure = err; err != nil {
					continue
				}
				if n++; n <= at {
					continue
				}
				if way == "cancel" {
					cancel()
					continue
				}
				_ = c
				break
			}
			cancel()
			if way == "cancel" && at < whole-1 && !errors.Is(failure, context.Canceled) || way != "cancel" && failure != nil {
				t.Errorf("%s at %d: %v", way, at, failure)
			}
			if way == "break and restore" {
				other := aguiclient.NewThread[recipe](agent, o)
				must(t, other.Restore(th.History()))
				th = other
			}
			if err := aguiclient.Drain(th.Send(t.Context())); err != nil || len(th.PendingToolCalls()) > 0 {
				t.Errorf("%s at %d: then %v, pending %v", way, at, err, th.PendingToolCalls())
			}
			if len(calls) > 1 {
				t.Errorf("%s at %d: the tool ran %d times", way, at, len(calls))
			}
			if got := stateOf(t, th); got.Title != "Bread" || !strings.Contains(string(th.Document()), `"kept":[1]`) || len(got.Ingredients) > 1 {
				t.Errorf("%s at %d: the state is %s", way, at, th.Document())
			}
			if got := roles(th.Messages()); !strings.HasPrefix(got, "user:go | assistant") {
				t.Errorf("%s at %d: the conversation is %s", way, at, got)
			}
		}
	}
}

// Threads are used from many goroutines at once: what cannot be done now is
// refused, and nothing else goes wrong.
func TestAThreadThatIsSharedByMany(t *testing.T) {
	var th *aguiclient.Thread[recipe]
	where := chat.NewTool("where", "Where.", func(context.Context, struct{}) (string, error) {
		return "here", th.UpdateState(func(r *recipe) error {
			r.Title += "."
			return nil
		})
	})
	th = aguiclient.NewThread[recipe](busy(), &aguiclient.ThreadOptions{Tools: []chat.Tool{where}})
	var wg sync.WaitGroup
	for seed := range uint64(6) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 5))
			for range 60 {
				var err error
				switch r.IntN(8) {
				case 0, 1:
					ctx, cancel := context.WithCancel(t.Context())
					left := r.IntN(40)
					for _, e := range th.Send(ctx, agui.UserMessage("go")) {
						if left--; left == 0 && seed%2 == 0 {
							break
						}
						if left == 0 {
							cancel()
						}
						if e != nil && !errors.Is(e, context.Canceled) {
							err = e
						}
					}
					cancel()
				case 2:
					err = th.Reset()
				case 3:
					err = th.SetState(recipe{Title: fmt.Sprint(seed)})
				case 4:
					err = th.UpdateState(func(r *recipe) error {
						r.Ingredients = append(r.Ingredients, ingredient{"salt"})
						return nil
					})
				case 5:
					err = th.Restore(th.History())
				case 6:
					_, err = th.State()
				default:
					_, _, _, _ = th.PendingToolCalls(), th.Messages(), th.Stale(), th.Usage()
				}
				if err != nil && !errors.Is(err, aguiclient.ErrRunning) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	must(t, th.Reset())
	must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))))
	if got := stateOf(t, th); got.Title != "." || len(got.Ingredients) != 1 {
		t.Errorf("the state is %+v", got)
	}
}

// A stream that is cut at any byte is no success, and leaves one of the states
// that the agent has told, which is in doubt then.
func TestAStreamCutAnywhere(t *testing.T) {
	events := aRun(
		&agui.StateSnapshot{Snapshot: json.RawMessage(`{"n":1,"text":"naïve 🍮"}`)},
		&agui.TextMessageStart{MessageID: "m", Role: agui.RoleAssistant}, &agui.TextMessageContent{MessageID: "m", Delta: "ü\u2028"}, &agui.TextMessageEnd{MessageID: "m"},
		&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpReplace, Path: "/n", Value: []byte(`2`)}, {Op: agui.OpRemove, Path: "/text"}}},
	)
	var stream []byte
	for _, e := range events {
		var err error
		stream, err = agui.AppendFrame(stream, e)
		must(t, err)
	}
	whole := len(strings.TrimRight(string(stream), "\n"))
	for cut := range len(stream) + 1 {
		th := aguiclient.NewThread[any](aguiclient.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(stream[:cut])
		}), "/", nil), &aguiclient.ThreadOptions{State: json.RawMessage(`{"n":0}`)})
		err := aguiclient.Drain(th.Send(t.Context()))
		var e *chat.Error
		if cut >= whole && err != nil || cut < whole && !errors.As(err, &e) || th.Stale() != (err != nil) {
			t.Errorf("cut at %d: %v, stale %v", cut, err, th.Stale())
		}
		if e != nil && e.Code != chat.CodeIncomplete {
			t.Errorf("cut at %d: %v is no cut", cut, err)
		}
		switch got := string(th.Document()); got {
		case `{"n":0}`, `{"n":1,"text":"naïve 🍮"}`, `{"n":2}`:
		default:
			t.Errorf("cut at %d: the state is %s", cut, got)
		}
	}
}
