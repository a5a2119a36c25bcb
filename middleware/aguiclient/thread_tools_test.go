package aguiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// calling is a run that calls tools: an id and a name each.
func calling(pairs ...string) []agui.Event {
	var events []agui.Event
	for i := 0; i < len(pairs); i += 2 {
		events = append(events, &agui.ToolCallStart{ToolCallID: pairs[i], ToolCallName: pairs[i+1]}, &agui.ToolCallEnd{ToolCallID: pairs[i]})
	}
	return aRun(events...)
}

// A tool of the client changes the state that is shared: the caller sees it,
// the next run carries it, and while the agent runs nobody else may.
func TestAToolSetsTheState(t *testing.T) {
	var th *aguiclient.Thread[recipe]
	name := chat.NewTool("name_it", "Names it.", func(context.Context, struct{}) (string, error) {
		for what, err := range map[string]error{
			"Send": aguiclient.Drain(th.Send(t.Context())), "Reset": th.Reset(), "Restore": th.Restore(&aguiclient.History{}),
		} {
			if !errors.Is(err, aguiclient.ErrRunning) {
				t.Errorf("%s inside a tool: %v", what, err)
			}
		}
		return "named", th.UpdateState(func(r *recipe) error {
			r.Title += " and butter"
			return nil
		})
	})
	clear := chat.NewTool("clear", "Clears it.", func(context.Context, struct{}) (string, error) {
		return "cleared", th.SetDocument(json.RawMessage(`{"title":"","cleared":true}`))
	})
	look := chat.NewTool("look", "Looks.", func(context.Context, struct{}) (string, error) {
		r, err := th.State()
		return "it is " + r.Title, err
	})
	first := calling("c1", "name_it", "c2", "look")
	first = append(first[:1:1], append([]agui.Event{&agui.StateSnapshot{Snapshot: json.RawMessage(`{"title":"Bread","kept":1}`)}}, first[1:]...)...)
	replay := aguiclient.NewReplay(first, calling("c3", "clear"), aRun())
	th = aguiclient.NewThread[recipe](replay, &aguiclient.ThreadOptions{Tools: []chat.Tool{name, clear, look}})
	var seen []string
	for c, err := range th.Send(t.Context(), agui.UserMessage("go")) {
		must(t, err)
		if !c.Local {
			if err := th.SetState(recipe{}); !errors.Is(err, aguiclient.ErrRunning) {
				t.Errorf("the state is set while the agent runs, at %s: %v", c.Event.Type(), err)
			}
		}
		switch e := c.Event.(type) {
		case *agui.ToolCallResult:
			seen = append(seen, e.Content.Text())
		case *agui.StateSnapshot:
			seen = append(seen, fmt.Sprintf("%s local %v", e.Snapshot, c.Local))
			if !c.State() {
				t.Error("a snapshot that is no change of the state")
			}
		}
	}
	want := `{"title":"Bread","kept":1} local false | {"title":"Bread and butter","kept":1} local true | named | it is Bread and butter | {"title":"","cleared":true} local true | cleared`
	if got := strings.Join(seen, " | "); got != want {
		t.Errorf("seen\n%s\nwant\n%s", got, want)
	}
	sent := replay.Inputs()
	if got := string(sent[1].State); got != `{"title":"Bread and butter","kept":1}` {
		t.Errorf("the second run was sent %s", got)
	}
	if got := string(sent[2].State); got != `{"title":"","cleared":true}` || string(th.Document()) != got {
		t.Errorf("the third run was sent %s, the thread has %s", got, th.Document())
	}
	must(t, th.SetState(recipe{Title: "after"}))
}

// A state in doubt is what the tool makes of it: the next run is sent that.
func TestAToolEndsTheDoubt(t *testing.T) {
	var th *aguiclient.Thread[any]
	set := chat.NewTool("set", "Sets.", func(context.Context, struct{}) (string, error) {
		return "set", th.SetDocument(json.RawMessage(`{"n":1}`))
	})
	bad := &agui.StateDelta{Delta: agui.Patch{{Op: agui.OpRemove, Path: "/gone"}}}
	run := calling("c1", "set")
	replay := aguiclient.NewReplay(append([]agui.Event{run[0], bad}, run[1:]...), aRun())
	th = aguiclient.NewThread[any](replay, &aguiclient.ThreadOptions{Tools: []chat.Tool{set}})
	must(t, aguiclient.Drain(th.Send(t.Context())))
	if th.Stale() || string(replay.Inputs()[1].State) != `{"n":1}` {
		t.Errorf("stale %v, sent %s", th.Stale(), replay.Inputs()[1].State)
	}
}

// Whatever leaves calls of ours without results, the next Send runs them first.
func TestCallsThatWait(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, th *aguiclient.Thread[any], replay *aguiclient.Replay) *aguiclient.Thread[any]{
		"left at the run's end": func(t *testing.T, th *aguiclient.Thread[any], _ *aguiclient.Replay) *aguiclient.Thread[any] {
			for c, err := range th.Send(t.Context(), agui.UserMessage("go")) {
				must(t, err)
				if c.Event.Type() == agui.TypeRunFinished {
					break
				}
			}
			return th
		},
		"stopped between the tools": func(t *testing.T, th *aguiclient.Thread[any], _ *aguiclient.Replay) *aguiclient.Thread[any] {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for c, err := range th.Send(ctx, agui.UserMessage("go")) {
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if c != nil && c.Event.Type() == agui.TypeRunFinished {
					cancel()
				}
			}
			return th
		},
		"stored and restored": func(t *testing.T, th *aguiclient.Thread[any], replay *aguiclient.Replay) *aguiclient.Thread[any] {
			for c, err := range th.Send(t.Context(), agui.UserMessage("go")) {
				must(t, err)
				if c.Event.Type() == agui.TypeRunFinished {
					break
				}
			}
			return restored(t, th.History(), replay)
		},
		"restored from messages alone": func(t *testing.T, th *aguiclient.Thread[any], replay *aguiclient.Replay) *aguiclient.Thread[any] {
			for c, err := range th.Send(t.Context(), agui.UserMessage("go")) {
				must(t, err)
				if c.Event.Type() == agui.TypeRunFinished {
					break
				}
			}
			return restored(t, &aguiclient.History{ThreadID: th.ID(), Messages: th.Messages()}, replay)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ran = nil
			replay := aguiclient.NewReplay(calling("c1", "note", "c2", "pick", "c3", "note"), aRun(), aRun())
			th := leave(t, aguiclient.NewThread[any](replay, noting()), replay)
			if len(ran) > 0 || len(th.PendingToolCalls()) != 3 {
				t.Fatalf("ran %q, pending %+v", ran, th.PendingToolCalls())
			}
			var local []string
			for c, err := range th.Send(t.Context(), agui.UserMessage("and?")) {
				must(t, err)
				if c.Local {
					local = append(local, c.Event.(*agui.ToolCallResult).ToolCallID)
				}
			}
			if strings.Join(local, " ") != "c1 c3" || len(ran) != 2 {
				t.Errorf("results of %q, ran %q", local, ran)
			}
			// The agent was told the results, behind their calls, before the question.
			sent := replay.Inputs()
			if len(sent) != 2 {
				t.Fatalf("%d inputs", len(sent))
			}
			if got := roles(sent[1].Messages); got != "user:go | assistant note | tool:noted | assistant pick | assistant note | tool:noted | user:and?" {
				t.Errorf("sent %s", got)
			}
			must(t, aguiclient.Drain(th.Send(t.Context())))
			if len(ran) != 2 {
				t.Errorf("ran again: %q", ran)
			}
		})
	}
}

// ran are the calls of the tool note.
var ran []string

// noting are options with a tool that runs here and one that does not.
func noting() *aguiclient.ThreadOptions {
	note := chat.NewTool("note", "Notes.", func(ctx context.Context, _ struct{}) (string, error) {
		in, ok := chat.InputFrom(ctx)
		if !ok || in.ThreadID != "thread" {
			return "", errors.New("no input")
		}
		ran = append(ran, "note")
		return "noted", nil
	})
	return &aguiclient.ThreadOptions{ID: "thread", Tools: []chat.Tool{note, {Name: "pick"}}}
}

// restored is another thread that goes on with what was stored as JSON.
func restored(t *testing.T, h *aguiclient.History, transport aguiclient.Transport) *aguiclient.Thread[any] {
	t.Helper()
	stored, err := json.Marshal(h)
	must(t, err)
	var read aguiclient.History
	must(t, json.Unmarshal(stored, &read))
	th := aguiclient.NewThread[any](transport, noting())
	must(t, th.Restore(&read))
	return th
}

// Which calls of a stored conversation wait: those that the history names, and
// where it names none because nobody knows, those that the conversation ends
// with.
func TestWhatARestoredThreadWaitsFor(t *testing.T) {
	user := agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")}
	asks := func(id, name string) agui.Message {
		return agui.Message{ID: "m" + id, Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: id, Name: name, Arguments: "{}"}}}
	}
	says := agui.Message{ID: "s", Role: agui.RoleAssistant, Content: agui.Text("Done.")}
	result := func(call string) agui.Message {
		return agui.Message{ID: "r" + call, Role: agui.RoleTool, ToolCallID: call, Content: agui.Text("ok")}
	}
	both := agui.Message{ID: "b", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c1", Name: "note", Arguments: "{}"}, {ID: "c2", Name: "pick", Arguments: "{}"}}}
	plan := agui.Message{ID: "a", Role: agui.RoleActivity, ActivityType: "PLAN", Activity: json.RawMessage(`{}`)}
	for name, c := range map[string]struct {
		h    aguiclient.History
		want string
	}{
		"nothing":                             {aguiclient.History{}, ""},
		"a call":                              {aguiclient.History{Messages: []agui.Message{user, asks("c1", "note")}}, "c1"},
		"two of one message":                  {aguiclient.History{Messages: []agui.Message{user, both}}, "c1 c2"},
		"two of one message, one answered":    {aguiclient.History{Messages: []agui.Message{user, both, result("c2")}}, "c1"},
		"two messages":                        {aguiclient.History{Messages: []agui.Message{user, asks("c1", "note"), result("c1"), asks("c2", "note"), asks("c3", "pick"), plan}}, "c2 c3"},
		"answered":                            {aguiclient.History{Messages: []agui.Message{user, asks("c1", "note"), result("c1")}}, ""},
		"the agent's own":                     {aguiclient.History{Messages: []agui.Message{user, asks("c1", "search")}}, ""},
		"the conversation went on":            {aguiclient.History{Messages: []agui.Message{user, asks("c1", "note"), user}}, ""},
		"the agent went on":                   {aguiclient.History{Messages: []agui.Message{user, asks("c1", "note"), says}}, ""},
		"text before the call":                {aguiclient.History{Messages: []agui.Message{user, says, asks("c1", "note")}}, "c1"},
		"a question about it":                 {aguiclient.History{Messages: []agui.Message{user, asks("c1", "note")}, Interrupts: []agui.Interrupt{{ID: "i", Reason: "r", ToolCallID: "c1"}}}, ""},
		"a question about something else":     {aguiclient.History{Messages: []agui.Message{user, asks("c1", "note")}, Interrupts: []agui.Interrupt{{ID: "i", Reason: "r", ToolCallID: "c2"}}}, "c1"},
		"known to be none":                    {aguiclient.History{Messages: []agui.Message{user, asks("c1", "note")}, PendingToolCallIDs: []string{}}, ""},
		"known":                               {aguiclient.History{Messages: []agui.Message{user, both, user}, PendingToolCallIDs: []string{"c2"}}, "c2"},
		"known, and twice, and of no message": {aguiclient.History{Messages: []agui.Message{user, both}, PendingToolCallIDs: []string{"c2", "c2", "zz"}}, "c2"},
	} {
		th := aguiclient.NewThread[any](aguiclient.NewReplay(), noting())
		must(t, th.Restore(&c.h))
		var got []string
		for _, call := range th.PendingToolCalls() {
			got = append(got, call.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: pending are %q, want %q", name, got, c.want)
		}
	}
}

// A call that a run left half said is none to run, stored or not.
func TestAHistoryKnowsThatNothingWaits(t *testing.T) {
	replay := aguiclient.NewReplay(append(calling("c1", "note")[:3], &agui.RunError{Message: "no"}), aRun())
	th := aguiclient.NewThread[any](replay, noting())
	if err := aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))); err == nil {
		t.Fatal("no error")
	}
	ran = nil
	must(t, aguiclient.Drain(restored(t, th.History(), replay).Send(t.Context())))
	if len(ran) > 0 {
		t.Errorf("ran %q", ran)
	}
}

// A tool that says that it is the end ends a Send that it prolongs, not one
// that was asked for.
func TestToolsThatEndAndWait(t *testing.T) {
	last := chat.NewTool("note", "Notes.", func(context.Context, struct{}) (string, error) { return "bye", chat.ErrEndLoop })
	replay := aguiclient.NewReplay(aRun(), calling("c2", "note"))
	th := aguiclient.NewThread[any](replay, &aguiclient.ThreadOptions{Tools: []chat.Tool{last}})
	must(t, th.Restore(&aguiclient.History{Messages: []agui.Message{{ID: "m", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c1", Name: "note", Arguments: "{}"}}}}}))
	for want := range 2 {
		must(t, aguiclient.Drain(th.Send(t.Context())))
		if got := len(replay.Inputs()); got != want+1 {
			t.Errorf("%d runs", got)
		}
	}
	if got := roles(th.Messages()); got != "assistant note{} | tool:bye | assistant note | tool:bye" {
		t.Errorf("the conversation is %s", got)
	}
}

// With fewer than no continuations all calls are the caller's, also later.
func TestNoToolRunsHere(t *testing.T) {
	ran = nil
	o := noting()
	o.MaxContinuations = -1
	replay := aguiclient.NewReplay(calling("c1", "note"), aRun())
	th := aguiclient.NewThread[any](replay, o)
	must(t, aguiclient.Drain(th.Send(t.Context())))
	must(t, aguiclient.Drain(th.Send(t.Context(), agui.ToolMessage("c1", "mine"))))
	if len(ran) > 0 || roles(th.Messages()) != "assistant note | tool:mine" {
		t.Errorf("ran %q, %s", ran, roles(th.Messages()))
	}
}

// A turn that calls tools of both sides, and asks: what runs here runs at once,
// the rest is answered together, by this process or another.
func TestAMixedTurn(t *testing.T) {
	for _, way := range []string{"at once", "restored", "restored from messages"} {
		t.Run(way, func(t *testing.T) {
			ran = nil
			m := aguitest.NewModel(
				aguitest.Call("c1", "note").Call("c2", "throw_away", `{}`).Call("c3", "pick").Call("c4", "add_ingredient", `{"name":"salt"}`),
				aguitest.Text("Done."),
			)
			th := open(m, noting())
			must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))))
			if pending := th.PendingToolCalls(); len(ran) != 1 || len(pending) != 1 || pending[0].ID != "c3" || len(th.Interrupts()) != 1 {
				t.Fatalf("ran %q, pending %+v, asked %+v", ran, pending, th.Interrupts())
			}
			if way != "at once" {
				h := th.History()
				if way == "restored from messages" {
					h.PendingToolCallIDs = nil
				}
				th = open(m, noting())
				must(t, th.Restore(h))
				if pending := th.PendingToolCalls(); len(pending) != 1 || pending[0].ID != "c3" {
					t.Fatalf("restored, pending are %+v", pending)
				}
			}
			id := th.Interrupts()[0].ID
			var pending *aguiclient.PendingError
			if err := aguiclient.Drain(th.Send(t.Context(), agui.ToolMessage("c3", "two"))); !errors.As(err, &pending) {
				t.Errorf("an open question is passed over: %v", err)
			}
			must(t, th.AddMessages(agui.ToolMessage("c3", "two")))
			must(t, aguiclient.Drain(th.Resume(t.Context(), agui.ResumeEntry{InterruptID: id, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":false}`)})))
			if len(ran) != 1 || len(m.Requests()) != 2 || len(th.PendingToolCalls()) > 0 {
				t.Errorf("ran %q, %d model calls, pending %+v", ran, len(m.Requests()), th.PendingToolCalls())
			}
			answered := map[string]int{}
			for _, msg := range th.Messages() {
				if msg.Role == agui.RoleTool {
					answered[msg.ToolCallID]++
				}
			}
			for _, call := range []string{"c1", "c2", "c3", "c4"} {
				if answered[call] != 1 {
					t.Errorf("%s has %d results", call, answered[call])
				}
			}
			if got := stateOf(t, th); len(got.Ingredients) != 1 {
				t.Errorf("the state is %+v", got)
			}
		})
	}
}

func TestAddingMessages(t *testing.T) {
	replay := aguiclient.NewReplay(aRun())
	th := aguiclient.NewThread[any](replay, nil)
	var input *agui.InputError
	if err := th.AddMessages(agui.UserMessage("good"), agui.Message{ID: "x", Role: "critic"}); !errors.As(err, &input) || len(th.Messages()) > 0 {
		t.Errorf("%v, %s", err, roles(th.Messages()))
	}
	must(t, th.AddMessages(agui.Message{Role: agui.RoleUser, Content: agui.Text("hello")}))
	if m := th.Messages(); len(m) != 1 || m[0].ID == "" || len(replay.Inputs()) > 0 {
		t.Errorf("%+v", m)
	}
	for _, err := range th.Send(t.Context()) {
		must(t, err)
		if err := th.AddMessages(agui.UserMessage("and")); !errors.Is(err, aguiclient.ErrRunning) {
			t.Errorf("during a run: %v", err)
		}
	}
	if got := roles(replay.Inputs()[0].Messages); got != "user:hello" {
		t.Errorf("sent %s", got)
	}
}

// Arguments that are no JSON run no tool, whatever they begin with; none, and
// null, are an object without members.
func TestArgumentsThatAreNone(t *testing.T) {
	for arguments, want := range map[string]int{"": 1, " null\n": 1, "{}": 1, "nope": 0, "nul": 0, "{no": 0, "[]": 0} {
		ran := 0
		tool := chat.NewTool("go", "Goes.", func(context.Context, struct{}) (string, error) {
			ran++
			return "gone", nil
		})
		replay := aguiclient.NewReplay(aRun(
			&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "go"}, &agui.ToolCallArgs{ToolCallID: "c", Delta: arguments}, &agui.ToolCallEnd{ToolCallID: "c"},
		), aRun())
		th := aguiclient.NewThread[any](replay, &aguiclient.ThreadOptions{Tools: []chat.Tool{tool}})
		must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))))
		if ran != want {
			t.Errorf("%q: the tool ran %d times, want %d", arguments, ran, want)
		}
	}
}
