package chat_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"testing"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestCancelledRunsSayWhy(t *testing.T) {
	shutdown := &chat.Error{Code: chat.CodeShutdown, Message: "The server is shutting down."}
	for name, c := range map[string]struct {
		end  func(context.Context) (context.Context, func())
		code string
	}{
		"cancelled": {func(ctx context.Context) (context.Context, func()) { return context.WithCancel(ctx) }, chat.CodeCancelled},
		"timeout": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
			return ctx, func() { <-ctx.Done(); cancel() }
		}, chat.CodeTimeout},
		"shutdown": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(shutdown) }
		}, chat.CodeShutdown},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, end := c.end(t.Context())
			var told error
			o := &chat.EventOptions{Logger: quiet.Logger, OnError: func(_ context.Context, err error) { told = err }}
			model := aguitest.NewModel(aguitest.Text("one").Pause(nil).Text("two"))
			var events []agui.Event
			for e := range chat.Events(ctx, withTools(chat.FunctionInvocation{}, model), input(), o) {
				events = append(events, e)
				if e.Type() == agui.TypeTextMessageContent {
					end()
				}
			}
			aguitest.Verify(t, events)
			last, ok := events[len(events)-1].(*agui.RunError)
			if !ok || last.Code != c.code || last.Message == "" {
				t.Errorf("ended in %+v", events[len(events)-1])
			}
			if told == nil {
				t.Error("OnError was not told")
			}
		})
	}
}

// A client that ignores its context and says that all went well does not make
// a cancelled run a success.
func TestCancelledRunIsNoSuccess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	events := runEvents(ctx, by(&chat.Update{Text: "x", FinishReason: chat.FinishStop}), input(), quiet)
	if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeCancelled {
		t.Errorf("ended in %+v", events[len(events)-1])
	}
}

func TestCancelStopsTools(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped := make(chan error, 2)
	slow := chat.NewTool("slow", "", func(ctx context.Context, _ noArguments) (string, error) {
		defer func() { stopped <- ctx.Err() }()
		if err := chat.Emit(ctx, &chat.Update{Text: "working"}); err != nil {
			return "", err
		}
		<-ctx.Done()
		return "", ctx.Err()
	})
	model := aguitest.NewModel(aguitest.Turn{}.Call("a", "slow").Call("b", "slow"))
	client := withTools(chat.FunctionInvocation{Tools: []chat.Tool{slow}, Concurrent: true}, model)
	for e := range chat.Events(ctx, client, input(), quiet) {
		if e.Type() == agui.TypeTextMessageContent {
			cancel()
		}
	}
	for range 2 {
		if err := <-stopped; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if model.Left() != 0 {
		t.Error("the script was not played")
	}
}

func TestBreakJoinsTools(t *testing.T) {
	ended := false
	slow := chat.NewTool("slow", "", func(ctx context.Context, _ noArguments) (string, error) {
		defer func() { ended = true }()
		_ = chat.Emit(ctx, &chat.Update{Text: "working"})
		<-ctx.Done()
		return "", ctx.Err()
	})
	client := withTools(chat.FunctionInvocation{Tools: []chat.Tool{slow}}, aguitest.NewModel(aguitest.Call("a", "slow")))
	for e := range chat.Events(t.Context(), client, input(), quiet) {
		if e.Type() == agui.TypeTextMessageContent {
			break
		}
	}
	if !ended {
		t.Error("the tool still runs after break")
	}
}

func TestPanicOfTheConsumerPasses(t *testing.T) {
	defer func() {
		if v := recover(); v != "mine" {
			t.Errorf("recovered %v", v)
		}
	}()
	for e := range chat.Events(t.Context(), by(&chat.Update{Text: "x"}), input(), quiet) {
		if e.Type() == agui.TypeTextMessageContent {
			panic("mine")
		}
	}
}

func TestOlderClientsGetNothingNew(t *testing.T) {
	in := input()
	in.ProtocolVersion = ""
	client := by(
		&chat.Update{Events: []agui.Event{&agui.SubagentStarted{SubagentRunID: "s", Name: "n"}, &agui.SubagentFinished{SubagentRunID: "s"}}},
		calls(delta("a", "confirm", "{}")),
		&chat.Update{ToolResult: &chat.ToolResult{ToolCallID: "z", Content: agui.Parts(agui.Part{Type: agui.PartText, Text: "t"})}},
	)
	for _, e := range runEvents(t.Context(), client, in, quiet) {
		switch e := e.(type) {
		case *agui.SubagentStarted, *agui.SubagentFinished:
			t.Errorf("%s was sent", e.Type())
		case *agui.RunStarted:
			if e.ProtocolVersion != "" {
				t.Error("RUN_STARTED names a version")
			}
		case *agui.ToolCallResult:
			if e.Content.IsParts() {
				t.Error("a result has parts")
			}
		case *agui.RunFinished:
			if e.Outcome != nil && e.Outcome.PendingToolCallIDs != nil {
				t.Error("pending ids were sent")
			}
		}
	}
}

func TestRunStartedComesBeforeTheChainIsAsked(t *testing.T) {
	asked := false
	client := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		asked = true
		return func(func(*chat.Update, error) bool) {}
	})
	for e := range chat.Events(t.Context(), client, &agui.RunAgentInput{Messages: input().Messages}, quiet) {
		if s, ok := e.(*agui.RunStarted); ok {
			if asked {
				t.Error("the chain was asked first")
			}
			if s.ThreadID == "" || s.RunID == "" {
				t.Error("RUN_STARTED without ids")
			}
		}
	}
	if !asked {
		t.Error("the chain was not asked")
	}
}

func TestNothingAskedCallsNoModel(t *testing.T) {
	in := input()
	in.Messages = nil
	events := runEvents(t.Context(), aguitest.NewModel(), in, quiet)
	if len(events) != 2 || events[1].Type() != agui.TypeRunFinished {
		t.Errorf("%v", events)
	}
}

// Around is called for every invocation, and may refuse it.
func TestAroundSeesEveryInvocation(t *testing.T) {
	var seen []string
	o := chat.FunctionInvocation{Tools: []chat.Tool{greet}, Around: func(ctx context.Context, call *chat.Invocation, next func(context.Context) (agui.Content, error)) (agui.Content, error) {
		seen = append(seen, call.Call.ID)
		if call.Call.ID == "b" {
			return agui.Content{}, &chat.Error{Message: "not allowed"}
		}
		return next(ctx)
	}, Logger: quiet.Logger}
	model := aguitest.NewModel(aguitest.Turn{}.Call("a", "greet", `{"name":"A"}`).Call("b", "greet", `{"name":"B"}`), aguitest.Text("ok"))
	runEvents(t.Context(), withTools(o, model), input(), quiet)
	if len(seen) != 2 {
		t.Error(seen)
	}
	out := model.Requests()[1].Outgoing
	if got := out[len(out)-1].Content.Text(); got != "Error: not allowed" {
		t.Error(got)
	}
}

// What a failing tool says stays on the server unless it is allowed out.
func TestToolErrorsAreToldWithCare(t *testing.T) {
	for show, want := range map[bool]string{false: "Error: the tool failed", true: "Error: the password is 12345"} {
		model := aguitest.NewModel(aguitest.Call("a", "broken"), aguitest.Text("ok"))
		runEvents(t.Context(), withTools(chat.FunctionInvocation{ShowErrors: show, Logger: quiet.Logger}, model), input(), quiet)
		out := model.Requests()[1].Outgoing
		if got := out[len(out)-1].Content.Text(); got != want {
			t.Errorf("ShowErrors %v: %q", show, got)
		}
	}
}

// A private call passes: no tool is added and nothing loops.
func TestToolsNonePasses(t *testing.T) {
	model := aguitest.NewModel(aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
		if len(req.Tools) != 0 {
			return aguitest.Turn{}, errors.New("tools were added")
		}
		return aguitest.Text("private"), nil
	}))
	res, err := chat.Collect(withTools(chat.FunctionInvocation{}, model).Stream(t.Context(), &chat.Request{ToolChoice: chat.ToolChoice{Mode: chat.ToolsNone}}))
	if err != nil || res.Text() != "private" {
		t.Error(res, err)
	}
}

// A choice that forces a call holds for the first model call only.
func TestForcedCallDoesNotLoopForEver(t *testing.T) {
	model := aguitest.NewModel(aguitest.Call("a", "announce"), aguitest.Reply(func(_ context.Context, req *chat.Request) (aguitest.Turn, error) {
		if req.ToolChoice.Mode != chat.ToolsAuto {
			return aguitest.Turn{}, errors.New("the call is still forced")
		}
		return aguitest.Text("ok"), nil
	}))
	req := &chat.Request{ToolChoice: chat.ToolChoice{Mode: chat.ToolsRequired}}
	if _, err := chat.Collect(withTools(chat.FunctionInvocation{}, model).Stream(t.Context(), req)); err != nil {
		t.Error(err)
	}
}

// A tool that ends its goroutine has failed; the run goes on, or ends in an
// error, and never stands still.
func TestToolThatEndsItsGoroutine(t *testing.T) {
	for concurrent, want := range map[bool]agui.EventType{false: agui.TypeRunError, true: agui.TypeRunFinished} {
		exit := chat.NewTool("exit", "", func(context.Context, noArguments) (string, error) { runtime.Goexit(); return "", nil })
		model := aguitest.NewModel(aguitest.Turn{}.Call("a", "exit").Call("b", "exit"), aguitest.Text("ok"))
		events := runEvents(t.Context(), withTools(chat.FunctionInvocation{Tools: []chat.Tool{exit}, Concurrent: concurrent}, model), input(), quiet)
		aguitest.Verify(t, events)
		if got := events[len(events)-1].Type(); got != want {
			t.Errorf("concurrent %v: ended in %s", concurrent, got)
		}
	}
}
