package chat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// quota is an error that cannot be read when it is nil.
type quota struct{ left int }

func (q *quota) Error() string { return fmt.Sprint("left: ", q.left) }

// untrue panics when it is asked what it is.
type untrue struct{}

func (untrue) Error() string        { return "untrue" }
func (untrue) Is(target error) bool { panic("what am I?") }

// unmade is a store whose map was never made.
type unmade map[string]bool

func (s unmade) Claim(_ context.Context, id string) (bool, error) {
	s[id] = true
	return true, nil
}

// unheard is a handler that panics.
type unheard struct{ slog.Handler }

func (unheard) Enabled(context.Context, slog.Level) bool  { return true }
func (unheard) Handle(context.Context, slog.Record) error { panic("the log is full") }

// failing is a tool that returns an error beside its result.
func failing(err func() error) chat.Tool {
	return chat.NewTool("work", "Works.", func(context.Context, noArguments) (string, error) { return "ok", err() })
}

func nilError() *chat.Error { return nil }

func nilQuota() *quota { return nil }

// What goes wrong around a call ends one run at most, as a result or as its
// error, in a call that runs beside others as in one that does not.
func TestPanicsAroundACall(t *testing.T) {
	approved := chat.RequireApproval(failing(func() error { return nil }), nil, 0)
	for name, tt := range map[string]struct {
		o    chat.FunctionInvocation
		tool chat.Tool
		told string // of the result; "" where the run ends in an error
	}{
		"a nil *Error":              {tool: failing(func() error { return nilError() }), told: "the tool failed"},
		"a nil *Error in another":   {tool: failing(func() error { return fmt.Errorf("work: %w", nilError()) }), told: "the tool failed"},
		"a nil *Error, shown":       {chat.FunctionInvocation{ShowErrors: true}, failing(func() error { return nilError() }), "chat: an error that says nothing"},
		"a nil error, shown":        {chat.FunctionInvocation{ShowErrors: true}, failing(func() error { return nilQuota() }), "the tool failed"},
		"an error's Is":             {tool: failing(func() error { return untrue{} }), told: "the tool failed"},
		"a panic with a nil *Error": {tool: failing(func() error { panic(nilError()) }), told: "the tool failed"},
		"a panic, shown":            {chat.FunctionInvocation{ShowErrors: true}, failing(func() error { panic("boom") }), "panic: boom"},
		"Around": {chat.FunctionInvocation{Around: func(context.Context, *chat.Invocation, func(context.Context) (agui.Content, error)) (agui.Content, error) {
			panic("around")
		}}, failing(func() error { return nil }), "the tool failed"},
		"the logger": {chat.FunctionInvocation{Logger: slog.New(unheard{})}, failing(func() error { return errors.New("no") }), "the tool failed"},
		"the store":  {o: chat.FunctionInvocation{Claims: unmade(nil)}, tool: approved},
	} {
		for _, concurrent := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, concurrent %t", name, concurrent), func(t *testing.T) {
				o := tt.o
				o.Tools, o.Concurrent, o.Key = []chat.Tool{tt.tool}, concurrent, bytes.Repeat([]byte{1}, 32)
				model := aguitest.NewModel(aguitest.Turn{}.Call("a", "work", "{}").Call("b", "work", "{}"), aguitest.Text("done"))
				client := withTools(o, model)
				in := input()
				all := runEvents(t.Context(), client, in, quiet)
				if f, ok := all[len(all)-1].(*agui.RunFinished); ok && f.Outcome != nil && len(f.Outcome.Interrupts) > 0 {
					for _, i := range f.Outcome.Interrupts {
						in.Resume = append(in.Resume, resolved(i, `{"approved":true}`))
					}
					in.Messages = all[len(all)-2].(*agui.MessagesSnapshot).Messages
					all = runEvents(t.Context(), client, in, quiet)
				}
				aguitest.Verify(t, all)
				var told []string
				for _, e := range all {
					if r, ok := e.(*agui.ToolCallResult); ok {
						told = append(told, r.Content.Text())
					}
				}
				if tt.told == "" {
					if e, ok := all[len(all)-1].(*agui.RunError); !ok || e.Code != chat.CodeAgent || len(told) > 0 {
						t.Errorf("told %q, ended by %+v", told, all[len(all)-1])
					}
					return
				}
				if want := "Error: " + tt.told; len(told) != 2 || told[0] != want || told[1] != want {
					t.Errorf("told %q, want %q twice", told, want)
				}
				if _, ok := all[len(all)-1].(*agui.RunFinished); !ok {
					t.Errorf("ended by %+v", all[len(all)-1])
				}
			})
		}
	}
}

// The log of a tool's failure says of which run, where the run's log goes, and
// warns of nothing that comes of the end of the run.
func TestLogOfFailingTools(t *testing.T) {
	for name, leave := range map[string]bool{"the tool fails": false, "the client leaves": true} {
		for _, own := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, own logger %t", name, own), func(t *testing.T) {
				var log bytes.Buffer
				logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				tool := chat.NewTool("work", "Works.", func(ctx context.Context, _ noArguments) (string, error) {
					if leave {
						cancel()
						<-ctx.Done()
					}
					return "", errors.New("no")
				})
				o := chat.FunctionInvocation{Tools: []chat.Tool{tool}}
				events := *quiet
				if own {
					o.Logger = logger
				} else {
					events.Logger = logger
				}
				in := input()
				in.ThreadID = "" // it gets one
				all := runEvents(ctx, withTools(o, aguitest.NewModel(aguitest.Call("a", "work"), aguitest.Text("ok"))), in, &events)
				line, _, _ := strings.Cut(log.String(), "\n")
				var got struct{ Level, Msg, Thread, Run, Tool, Call, Error string }
				if err := json.Unmarshal([]byte(line), &got); err != nil {
					t.Fatalf("%q: %v", log.String(), err)
				}
				want := got
				want.Level, want.Msg, want.Thread, want.Run = "WARN", "a tool failed", all[0].(*agui.RunStarted).ThreadID, "run"
				want.Tool, want.Error = "work", "no"
				if leave {
					want.Level = "DEBUG"
				}
				if got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			})
		}
	}
}
