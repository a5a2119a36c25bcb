package aguiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

type recipe struct {
	Title       string       `json:"title"`
	Ingredients []ingredient `json:"ingredients"`
}

type ingredient struct {
	Name string `json:"name"`
}

// kitchen is an agent that shares a recipe: its tool adds an ingredient.
func kitchen(m *aguitest.Model) chat.Client {
	add := state.Tool("add_ingredient", "Adds an ingredient.", func(_ context.Context, r *recipe, in ingredient) (string, error) {
		r.Ingredients = append(r.Ingredients, in)
		return "added " + in.Name, nil
	})
	ask := chat.RequireApproval(chat.NewTool("throw_away", "Throws the recipe away.", func(ctx context.Context, _ struct{}) (string, error) {
		return "gone", state.Update(ctx, func(r *recipe) error { *r = recipe{}; return nil })
	}), func(agui.ToolCall) string { return "Really?" }, time.Minute)
	return chat.NewBuilder(m).Use(state.Share[recipe]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{add, ask}, Key: []byte("a key of thirty-two bytes, or so.")})).Build()
}

func open(m *aguitest.Model, o *aguiclient.ThreadOptions) *aguiclient.Thread[recipe] {
	return aguiclient.NewThread[recipe](aguiclient.Handler(aguihttp.Handler(kitchen(m), &aguihttp.Options{Logger: quiet.Logger}), "/agent", nil), o)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func stateOf[S any](t *testing.T, th *aguiclient.Thread[S]) S {
	t.Helper()
	s, err := th.State()
	must(t, err)
	return s
}

func roles(messages []agui.Message) string {
	var out []string
	for _, m := range messages {
		s := string(m.Role)
		if m.Content.Text() != "" {
			s += ":" + m.Content.Text()
		}
		for _, c := range m.ToolCalls {
			s += " " + c.Name + c.Arguments
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

// The three checks of the recipe: a change of the agent's arrives, a change of
// the person's is what the agent goes on with, and what neither touched stays.
func TestTheStateIsShared(t *testing.T) {
	m := aguitest.NewModel(
		aguitest.Text("Adding. ").Call("c1", "add_ingredient", `{"name":"flour"}`), aguitest.Text("Done."),
		aguitest.Call("c2", "add_ingredient", `{"name":"salt"}`), aguitest.Text("Again."),
	)
	th := open(m, &aguiclient.ThreadOptions{State: json.RawMessage(`{"note":{"by":"me","big":12345678901234567890},"title":"Bread"}`)})
	var kinds []string
	for c, err := range th.Send(t.Context(), agui.UserMessage("add flour")) {
		must(t, err)
		if c.State() {
			kinds = append(kinds, string(c.Event.Type()))
			if s := stateOf(t, th); len(s.Ingredients) != 1 {
				t.Errorf("at the change the state is %+v", s)
			}
		}
	}
	if got := strings.Join(kinds, " "); got != "STATE_SNAPSHOT" {
		t.Errorf("state events %s", got)
	}
	want := recipe{Title: "Bread", Ingredients: []ingredient{{"flour"}}}
	if got := stateOf(t, th); !reflect.DeepEqual(got, want) {
		t.Errorf("the state is %+v, want %+v", got, want)
	}
	must(t, th.UpdateState(func(r *recipe) error {
		r.Title = "Pizza"
		r.Ingredients = nil
		return nil
	}))
	if got, want := string(th.Document()), `{"note":{"by":"me","big":12345678901234567890},"title":"Pizza","ingredients":[]}`; got != want {
		t.Errorf("the document is %s, want %s", got, want)
	}
	must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("and salt"))))
	if got, want := string(th.Document()), `{"note":{"by":"me","big":12345678901234567890},"title":"Pizza","ingredients":[{"name":"salt"}]}`; got != want {
		t.Errorf("the document is %s, want %s", got, want)
	}
	if got, want := roles(th.Messages()), `user:add flour | assistant:Adding.  add_ingredient{"name":"flour"} | tool:added flour | assistant:Done. | user:and salt | assistant add_ingredient{"name":"salt"} | tool:added salt | assistant:Again.`; got != want {
		t.Errorf("the conversation is\n%s\nwant\n%s", got, want)
	}
	// What the second run was told is what the first one left, edited.
	if got := fmt.Sprint(m.Requests()[2].Outgoing); !strings.Contains(got, `"title":"Pizza"`) || strings.Contains(got, "Bread") {
		t.Errorf("the model was told %s", got)
	}
}

func TestSettingTheState(t *testing.T) {
	th := aguiclient.NewThread[recipe](aguiclient.NewReplay(), &aguiclient.ThreadOptions{State: json.RawMessage(`{"x": 1, "title": "A", "ingredients": [{"name":"a","extra":true}]}`)})
	must(t, th.SetState(recipe{Title: "B", Ingredients: []ingredient{{"a"}, {"b"}}}))
	if got, want := string(th.Document()), `{"x":1,"title":"B","ingredients":[{"name":"a","extra":true},{"name":"b"}]}`; got != want {
		t.Errorf("SetState made %s, want %s", got, want)
	}
	no := errors.New("no")
	if err := th.UpdateState(func(r *recipe) error { r.Title = "C"; return no }); err != no || stateOf(t, th).Title != "B" {
		t.Errorf("%v, and the state is %+v", err, stateOf(t, th))
	}
	var e *aguiclient.StateError
	if err := th.SetDocument(json.RawMessage(`{"title":`)); !errors.As(err, &e) {
		t.Errorf("half a document is taken: %v", err)
	}
	must(t, th.SetDocument(json.RawMessage(`{"title": 5}`)))
	if _, err := th.State(); !errors.As(err, &e) || e.Pointer != "/title" {
		t.Errorf("a document that does not fit: %v", err)
	}
	if err := th.UpdateState(func(*recipe) error { return nil }); !errors.As(err, &e) {
		t.Errorf("a document that does not fit is edited: %v", err)
	}
	must(t, th.SetState(recipe{Title: "D"}))
	if got, want := string(th.Document()), `{"title":"D","ingredients":[]}`; got != want {
		t.Errorf("SetState made %s, want %s", got, want)
	}
	must(t, th.SetDocument(json.RawMessage(`[1]`)))
	must(t, th.SetState(recipe{Title: "E"}))
	if got, want := string(th.Document()), `{"title":"E","ingredients":[]}`; got != want {
		t.Errorf("SetState made %s, want %s", got, want)
	}
	null := aguiclient.NewThread[recipe](aguiclient.NewReplay(aRun(&agui.StateSnapshot{})), nil)
	must(t, aguiclient.Drain(null.Send(t.Context())))
	if got := string(null.Document()); got != "null" {
		t.Errorf("null is %s", got)
	}
	must(t, null.UpdateState(func(r *recipe) error { r.Title = "F"; return nil }))
	if got, want := string(null.Document()), `{"title":"F","ingredients":[]}`; got != want {
		t.Errorf("UpdateState made %s, want %s", got, want)
	}
	must(t, th.SetDocument(nil))
	if got := string(th.Document()); got != "{}" {
		t.Errorf("no document is %s", got)
	}
}

func TestClientTools(t *testing.T) {
	where := chat.NewTool("where_am_i", "Where the person is.", func(context.Context, struct{}) (string, error) { return "Oslo", nil })
	fails := chat.NewTool("fails", "Fails.", func(_ context.Context, in ingredient) (string, error) {
		if in.Name == "panic" {
			panic("bang")
		}
		return "", errors.New("the disk of this machine is full")
	})
	pick := chat.Tool{Name: "pick", Description: "The caller picks."}
	m := aguitest.NewModel(
		aguitest.Text("Where?").Call("c1", "where_am_i").Call("c2", "fails", `{"name":"x"}`).Call("c3", "fails", `{"name":"panic"}`).Call("c4", "fails", `{"nam`).Call("c5", "fails", `{"name":5}`),
		aguitest.Call("c6", "pick", `{"of":3}`).Call("c7", "where_am_i"),
		aguitest.Text("Thanks."),
	)
	th := open(m, &aguiclient.ThreadOptions{Tools: []chat.Tool{where, fails, pick}})
	var local []string
	for c, err := range th.Send(t.Context(), agui.UserMessage("go")) {
		must(t, err)
		if c.Local {
			r := c.Event.(*agui.ToolCallResult)
			local = append(local, r.ToolCallID+" "+r.Content.Text())
		}
	}
	want := []string{"c1 Oslo", "c2 Error: the tool failed", "c3 Error: the tool failed",
		"c4 Error: the arguments do not fit: not a JSON object"}
	if len(local) != 6 || !reflect.DeepEqual(local[:4], want) || !strings.HasPrefix(local[4], "c5 Error: the arguments do not fit: ") || local[5] != "c7 Oslo" {
		t.Errorf("the results are %q", local)
	}
	// The run waits for the caller's own.
	pending := th.PendingToolCalls()
	if len(pending) != 1 || pending[0].ID != "c6" || pending[0].Arguments != `{"of":3}` {
		t.Fatalf("pending are %+v", pending)
	}
	must(t, aguiclient.Drain(th.Send(t.Context(), agui.ToolMessage("c6", "two"))))
	if p := th.PendingToolCalls(); len(p) > 0 {
		t.Errorf("pending are %+v", p)
	}
	if n := len(m.Requests()); n != 3 {
		t.Errorf("%d model calls", n)
	}
	last := m.Requests()[2].Messages
	if got := roles(last[len(last)-3:]); got != `assistant pick{"of":3} where_am_i | tool:Oslo | tool:two` {
		t.Errorf("the model was told %s", got)
	}
	for _, msg := range th.Messages() {
		if msg.ToolCallID == "c2" && msg.Error != "the tool failed" {
			t.Errorf("the failure is %q", msg.Error)
		}
	}
}

// An agent may use a call's id again in a later turn: the result of the first
// is none of the second, and the arguments of the second are its own.
func TestACallIDThatIsUsedAgain(t *testing.T) {
	call := func(message, arguments string) []agui.Event {
		return []agui.Event{
			&agui.ToolCallStart{ToolCallID: "call_0", ToolCallName: "note", ParentMessageID: message},
			&agui.ToolCallArgs{ToolCallID: "call_0", Delta: arguments}, &agui.ToolCallEnd{ToolCallID: "call_0"},
		}
	}
	asks := func(id, arguments string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "call_0", Name: "note", Arguments: arguments}}}
	}
	snapshot := &agui.MessagesSnapshot{Messages: []agui.Message{
		{ID: "u1", Role: agui.RoleUser, Content: agui.Text("go")}, asks("m1", `{"name":"a"}`),
		{ID: "r1", Role: agui.RoleTool, ToolCallID: "call_0", Content: agui.Text("noted a")},
		{ID: "u2", Role: agui.RoleUser, Content: agui.Text("again")}, asks("m2", `{"name":"b"}`),
	}}
	for name, c := range map[string]struct {
		first, second []agui.Event
		want          string // how the conversation ends
	}{
		"by events":            {call("m1", `{"name":"a"}`), call("m2", `{"name":"b"}`), ""},
		"without arguments":    {call("m1", ""), call("m2", `{"name":"b"}`), ""},
		"told by the snapshot": {call("m1", `{"name":"a"}`), append(call("m2", `{"name":"b"}`), snapshot), `assistant note{"name":"b"} | tool:noted b`},
	} {
		t.Run(name, func(t *testing.T) {
			var noted []string
			note := chat.NewTool("note", "Notes.", func(_ context.Context, in struct {
				Name string `json:"name,omitempty"`
			}) (string, error) {
				noted = append(noted, in.Name)
				return "noted " + in.Name, nil
			})
			replay := aguiclient.NewReplay(aRun(c.first...), aRun(), aRun(c.second...), aRun())
			th := aguiclient.NewThread[any](replay, &aguiclient.ThreadOptions{Tools: []chat.Tool{note}})
			must(t, aguiclient.Drain(th.Send(t.Context(), agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.Text("go")})))
			must(t, aguiclient.Drain(th.Send(t.Context(), agui.Message{ID: "u2", Role: agui.RoleUser, Content: agui.Text("again")})))
			if len(noted) != 2 || noted[1] != "b" || len(replay.Inputs()) != 4 {
				t.Errorf("noted %q in %d runs", noted, len(replay.Inputs()))
			}
			if p := th.PendingToolCalls(); len(p) > 0 {
				t.Errorf("pending are %+v", p)
			}
			if got := roles(th.Messages()); !strings.HasSuffix(got, c.want) {
				t.Errorf("the conversation is %s, which does not end with %s", got, c.want)
			}
		})
	}
}

func TestClientToolsEnd(t *testing.T) {
	again := aguitest.Call("", "again")
	tool := chat.NewTool("again", "Again.", func(context.Context, struct{}) (string, error) { return "ok", nil })
	last := chat.NewTool("again", "Again.", func(context.Context, struct{}) (string, error) { return "ok", chat.ErrEndLoop })
	for name, c := range map[string]struct {
		o    aguiclient.ThreadOptions
		runs int
		err  bool
	}{
		"too many":       {aguiclient.ThreadOptions{Tools: []chat.Tool{tool}, MaxContinuations: 3}, 4, true},
		"never":          {aguiclient.ThreadOptions{Tools: []chat.Tool{tool}, MaxContinuations: -1}, 1, false},
		"ends the loop":  {aguiclient.ThreadOptions{Tools: []chat.Tool{last}}, 1, false},
		"shows an error": {aguiclient.ThreadOptions{ShowErrors: true, Tools: []chat.Tool{last}}, 1, false},
	} {
		m := aguitest.NewModel(again, again, again, again, again)
		err := aguiclient.Drain(open(m, &c.o).Send(t.Context(), agui.UserMessage("go")))
		var e *chat.Error
		if errors.As(err, &e) != c.err || !c.err && err != nil || len(m.Requests()) != c.runs {
			t.Errorf("%s: %d runs, %v", name, len(m.Requests()), err)
		}
	}
}

func TestInterrupts(t *testing.T) {
	m := aguitest.NewModel(aguitest.Call("c1", "throw_away", `{}`), aguitest.Text("Gone."))
	th := open(m, &aguiclient.ThreadOptions{State: json.RawMessage(`{"title":"Bread"}`)})
	must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("throw it away"))))
	asked := th.Interrupts()
	if len(asked) != 1 || asked[0].Message != "Really?" || asked[0].ToolCallID != "c1" {
		t.Fatalf("interrupts %+v", asked)
	}
	var pending *aguiclient.PendingError
	if err := aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("well?"))); !errors.As(err, &pending) || pending.InterruptID != asked[0].ID {
		t.Errorf("an open question is passed over: %v", err)
	}
	// The thread is stored and goes on elsewhere.
	stored, err := json.Marshal(th.History())
	must(t, err)
	var history aguiclient.History
	must(t, json.Unmarshal(stored, &history))
	other := open(m, nil)
	must(t, other.Restore(&history))
	if other.ID() != th.ID() || !reflect.DeepEqual(other.Messages(), th.Messages()) || string(other.Document()) != string(th.Document()) {
		t.Errorf("restored %+v from %s", other.History(), stored)
	}
	must(t, aguiclient.Drain(other.Resume(t.Context(), agui.ResumeEntry{InterruptID: asked[0].ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`{"approved":true}`)})))
	if got := stateOf(t, other); got.Title != "" || len(other.Interrupts()) > 0 {
		t.Errorf("the state is %+v, interrupts %v", got, other.Interrupts())
	}
	if got := roles(other.Messages()); got != "user:throw it away | assistant throw_away{} | tool:gone | assistant:Gone." {
		t.Errorf("the conversation is %s", got)
	}
}

func TestAFailedRunKeepsWhatCame(t *testing.T) {
	m := aguitest.NewModel(aguitest.Text("Half an ans").Usage(agui.TokenUsage{InputTokens: 3}).Fail(&chat.Error{Code: "BROKEN", Message: "It broke.", Err: errors.New("secret")}))
	th := open(m, nil)
	var last agui.Event
	var failure error
	for c, err := range th.Send(t.Context(), agui.UserMessage("go")) {
		if failure = err; err == nil {
			last = c.Event
		}
	}
	var e *chat.Error
	var peer *aguiclient.PeerError
	if !errors.As(failure, &e) || !errors.As(failure, &peer) || e.Code != "BROKEN" || peer.Message != "It broke." || strings.Contains(failure.Error(), "secret") {
		t.Errorf("the error is %v", failure)
	}
	if last == nil || last.Type() != agui.TypeRunError {
		t.Errorf("the last change is %v", last)
	}
	if got := roles(th.Messages()); got != "user:go | assistant:Half an ans" || th.Stale() {
		t.Errorf("the conversation is %s, stale %v", got, th.Stale())
	}
	if u := th.Usage(); len(u) != 1 || u[0].InputTokens != 3 {
		t.Errorf("usage %v", u)
	}
}

func TestOneRunAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		th := open(aguitest.NewModel(aguitest.Text("a").Pause(release).Text("b"), aguitest.Text("c")), nil)
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Second) // all that can come has come
		for what, err := range map[string]error{
			"Send":        aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("too"))),
			"Resume":      aguiclient.Drain(th.Resume(t.Context())),
			"SetState":    th.SetState(recipe{}),
			"UpdateState": th.UpdateState(func(*recipe) error { return nil }),
			"SetDocument": th.SetDocument(json.RawMessage(`{}`)),
			"Restore":     th.Restore(&aguiclient.History{}),
			"Reset":       th.Reset(),
		} {
			if !errors.Is(err, aguiclient.ErrRunning) {
				t.Errorf("%s during a run: %v", what, err)
			}
		}
		if got := roles(th.Messages()); got != "user:go | assistant:a" {
			t.Errorf("during the run the conversation is %s", got)
		}
		close(release)
		wg.Wait()
		id := th.ID()
		must(t, th.Reset())
		if th.ID() == id || len(th.Messages()) > 0 {
			t.Errorf("reset to %s with %s", th.ID(), roles(th.Messages()))
		}
		must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))))
	})
}

// Break and the end of a context stop the agent, keep what came, and leave
// the state in doubt.
func TestLeavingARun(t *testing.T) {
	for name, leave := range map[string]func(ctx context.Context, cancel func(), th *aguiclient.Thread[recipe]) error{
		"break": func(ctx context.Context, _ func(), th *aguiclient.Thread[recipe]) error {
			for c := range th.Send(ctx, agui.UserMessage("go")) {
				if _, ok := c.Event.(*agui.TextMessageContent); ok {
					break
				}
			}
			return nil
		},
		"cancel": func(ctx context.Context, cancel func(), th *aguiclient.Thread[recipe]) error {
			for c, err := range th.Send(ctx, agui.UserMessage("go")) {
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						return err
					}
					return nil
				}
				if _, ok := c.Event.(*agui.TextMessageContent); ok {
					cancel()
				}
			}
			return errors.New("no error came")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				m := aguitest.NewModel(aguitest.Text("a").Pause(nil), aguitest.Text("b"))
				th := open(m, nil)
				must(t, leave(ctx, cancel, th))
				must(t, m.Idle(t.Context()))
				if got := roles(th.Messages()); got != "user:go | assistant:a" || !th.Stale() {
					t.Errorf("the conversation is %s, stale %v", got, th.Stale())
				}
				must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("again"))))
			})
		})
	}
}

func TestNothingIsSentUnderAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	replay := aguiclient.NewReplay()
	th := aguiclient.NewThread[any](replay, nil)
	if err := aguiclient.Drain(th.Send(ctx)); !errors.Is(err, context.Canceled) || len(replay.Inputs()) > 0 || th.Stale() {
		t.Errorf("%v, %d inputs, stale %v", err, len(replay.Inputs()), th.Stale())
	}
	no := errors.New("no")
	th = aguiclient.NewThread[any](replay, &aguiclient.ThreadOptions{Input: func(context.Context, *agui.RunAgentInput) error { return no }})
	if err := aguiclient.Drain(th.Send(t.Context())); !errors.Is(err, no) || len(replay.Inputs()) > 0 {
		t.Errorf("%v, %d inputs", err, len(replay.Inputs()))
	}
	if err := aguiclient.Drain(aguiclient.NewThread[any](replay, nil).Send(t.Context())); !errors.Is(err, aguiclient.ErrNoRuns) {
		t.Errorf("a replay without runs: %v", err)
	}
}

// A patch that does not apply is all or nothing, is reported, makes the state
// stale until the next snapshot, and ends nothing.
func TestAPatchThatDoesNotApply(t *testing.T) {
	delta := func(p ...agui.Operation) agui.Event { return &agui.StateDelta{Delta: p} }
	add := func(path string) agui.Operation {
		return agui.Operation{Op: agui.OpAdd, Path: path, Value: []byte(`1`)}
	}
	runs := []agui.Event{
		&agui.RunStarted{ThreadID: "t", RunID: "r"},
		&agui.StateSnapshot{Snapshot: json.RawMessage(`{}`)},
		delta(add("/a"), agui.Operation{Op: agui.OpRemove, Path: "/zz"}, add("/b")),
		delta(add("/c")),
		&agui.RunFinished{ThreadID: "t", RunID: "r"},
	}
	again := []agui.Event{runs[0], &agui.StateSnapshot{Snapshot: json.RawMessage(`{"d":1}`)}, runs[4]}
	th := aguiclient.NewThread[map[string]int](aguiclient.NewReplay(runs, again), nil)
	var reported []error
	for c, err := range th.Send(t.Context()) {
		must(t, err)
		if c.Err != nil {
			reported = append(reported, c.Err)
			if c.State() {
				t.Error("a change that changed nothing")
			}
		}
	}
	var e *aguiclient.ApplyError
	if len(reported) != 1 || !errors.As(reported[0], &e) || e.Type != agui.TypeStateDelta || !strings.Contains(e.Error(), `operation 1, remove at "/zz"`) {
		t.Errorf("reported %v", reported)
	}
	if string(th.Document()) != `{"c":1}` || !th.Stale() {
		t.Errorf("the state is %s, stale %v", th.Document(), th.Stale())
	}
	must(t, aguiclient.Drain(th.Send(t.Context())))
	if string(th.Document()) != `{"d":1}` || th.Stale() {
		t.Errorf("the state is %s, stale %v", th.Document(), th.Stale())
	}
}

func TestThreadPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"no transport": func() { aguiclient.NewThread[any](nil, nil) },
		"two tools": func() {
			aguiclient.NewThread[any](aguiclient.NewReplay(), &aguiclient.ThreadOptions{Tools: []chat.Tool{{Name: "a"}, {Name: "a"}}})
		},
		"New":     func() { aguiclient.New(nil, nil) },
		"Local":   func() { aguiclient.Local(nil, nil) },
		"Handler": func() { aguiclient.Handler(nil, "/", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// A question would be passed over here: the tool is refused by its name.
func TestToolsThatAsk(t *testing.T) {
	wipe := chat.NewTool("wipe_disk", "Wipes.", func(context.Context, struct{}) (string, error) { return "wiped", nil })
	for name, tool := range map[string]chat.Tool{
		"wipe_disk": chat.RequireApproval(wipe, nil, 0),
		"ask_color": chat.NewQuestion[struct{}, string]("ask_color", "Asks.", nil),
	} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.Contains(v, strconv.Quote(name)) {
					t.Errorf("%s: the panic is %s", name, v)
				}
			}()
			aguiclient.NewThread[any](aguiclient.NewReplay(), &aguiclient.ThreadOptions{Tools: []chat.Tool{tool}})
		}()
	}
}

// A message that cannot be sent is refused before it is of the conversation.
func TestOneBadMessageSpoilsNothing(t *testing.T) {
	replay := aguiclient.NewReplay(aRun(), aRun(
		&agui.ToolCallStart{ToolCallID: "c1", ToolCallName: "bad"}, &agui.ToolCallEnd{ToolCallID: "c1"}), aRun())
	bad := chat.Tool{Name: "bad", Invoke: func(context.Context, json.RawMessage) (agui.Content, error) {
		return agui.Parts(agui.Part{Type: "hologram"}), nil
	}}
	th := aguiclient.NewThread[any](replay, &aguiclient.ThreadOptions{Tools: []chat.Tool{bad}})
	for name, m := range map[string]agui.Message{
		"no role":  {ID: "x", Content: agui.Text("hello")},
		"a critic": {ID: "x", Role: "critic", Content: agui.Text("hello")},
		"metadata": {ID: "x", Role: agui.RoleUser, Content: agui.Text("hello"), Metadata: agui.Metadata{"f": func() {}}},
		"a part":   {ID: "x", Role: agui.RoleUser, Content: agui.Parts(agui.Part{Type: "hologram"})},
	} {
		err := aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("good"), m))
		var e *chat.Error
		var input *agui.InputError
		if !errors.As(err, &e) || e.Code != chat.CodeInvalidRequest || !errors.As(err, &input) || !strings.HasPrefix(input.Pointer, "/messages/1") {
			t.Errorf("%s: %v", name, err)
		}
		if got := roles(th.Messages()); got != "" || len(replay.Inputs()) > 0 || th.Stale() {
			t.Errorf("%s: the conversation is %s, stale %v", name, got, th.Stale())
		}
	}
	must(t, aguiclient.Drain(th.Send(t.Context(), agui.Message{Role: agui.RoleUser, Content: agui.Text("one")}, agui.Message{Role: agui.RoleUser, Content: agui.Text("two")})))
	if m := th.Messages(); len(m) != 2 || m[0].ID == "" || m[1].ID == "" || m[0].ID == m[1].ID {
		t.Errorf("the messages are %+v", m)
	}
	// The same of what a tool returns.
	must(t, aguiclient.Drain(th.Send(t.Context())))
	if got := roles(th.Messages()); got != "user:one | user:two | assistant bad | tool:Error: the tool failed" || len(replay.Inputs()) != 3 {
		t.Errorf("the conversation is %s", got)
	}
}

// Everything may be asked for from anywhere while a run goes on.
func TestReadersDuringARun(t *testing.T) {
	turn := aguitest.Turn{}
	for i := range 200 {
		turn = turn.Text(fmt.Sprint("word ", i, " ")).Update(&chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: fmt.Appendf(nil, `{"title":"%d"}`, i)}}})
	}
	th := open(aguitest.NewModel(turn), nil)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				_, err := th.State()
				if err != nil {
					t.Error(err)
				}
				for _, m := range th.Messages() {
					_ = m.Content.Text()
				}
				_ = th.History()
				_, _, _, _, _ = th.Stale(), th.Interrupts(), th.PendingToolCalls(), th.Usage(), th.Result()
			}
		})
	}
	must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("go"))))
	close(done)
	wg.Wait()
	if got := stateOf(t, th); got.Title != "199" {
		t.Errorf("the state is %+v", got)
	}
}
