package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// invoked is what became of one call.
type invoked struct {
	result *ToolResult
	end    bool
	err    error // ends the run
}

func newInvoked(call *turnCall) *invoked {
	return &invoked{result: &ToolResult{MessageID: agui.NewID(), ToolCallID: call.ID, ofAnswer: call.entry != nil}}
}

// invokeAll runs the calls and emits their results in the order of the calls,
// also of those that have run beside one that ends the run.
func (l *loop) invokeAll(ctx context.Context, calls []*turnCall, results []*invoked) error {
	if !l.o.Concurrent {
		for i, call := range calls {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if results[i] = l.invokeOne(ctx, call); results[i].err != nil {
				return results[i].err
			}
			if err := Emit(ctx, &Update{ToolResult: new(*results[i].result)}); err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	}
	done := make(chan int, len(calls))
	for i, call := range calls {
		go func() {
			// Written before the channel is, read after: no lock is needed. A
			// tool may end its goroutine; it has failed then.
			results[i] = newInvoked(call).fail(toolFailed)
			defer func() { done <- i }()
			results[i] = l.invokeOne(ctx, call)
		}()
	}
	ready := make([]bool, len(calls))
	next := 0
	var failed, err error
	for range calls {
		ready[<-done] = true
		for ; err == nil && next < len(calls) && ready[next]; next++ {
			if results[next].err != nil { // beside it, what has run has
				failed = cmp.Or(failed, results[next].err)
				continue
			}
			err = Emit(ctx, &Update{ToolResult: new(*results[next].result)})
		}
	}
	return cmp.Or(failed, err, context.Cause(ctx))
}

// invokeOne runs one call, or finds what became of it when its answer was taken
// before in this run: the same result then, which [Events] sends once.
func (l *loop) invokeOne(ctx context.Context, call *turnCall) *invoked {
	if call.entry == nil {
		return l.invokeNow(ctx, call)
	}
	return outcomesOfRun(ctx).once(ctx, call, func() *invoked { return l.invokeNow(ctx, call) })
}

// invokeNow runs one call. What its tool does becomes a result; a panic of
// what else is called for it ends the run.
func (l *loop) invokeNow(ctx context.Context, call *turnCall) *invoked {
	var r *invoked
	if err := Protect(func() error { r = l.invokeCall(ctx, call); return nil }); err != nil {
		r = newInvoked(call)
		r.err = err
	}
	return r
}

func (l *loop) invokeCall(ctx context.Context, call *turnCall) *invoked {
	r := newInvoked(call)
	// Claimed right before it counts: what a failed run has claimed and not
	// done would be lost.
	if first, err := l.claim(ctx, call.entry); err != nil {
		r.err = err
		return r
	} else if !first {
		r.result.Content = agui.Text("(an answer was taken before, in another run: the call has not run again)")
		return r
	}
	if call.instead != "" {
		r.result.Content = agui.Text(call.instead)
		return r
	}
	if call.cut {
		return r.fail("the call was cut off before its arguments were whole")
	}
	tool, known := l.tool(call.Name)
	if !known {
		return r.fail(fmt.Sprintf("there is no tool named %q", call.Name))
	}
	arguments, err := objectArguments(call.Arguments)
	if err != nil {
		return r.fail(err.Error())
	}
	if tool.Question != nil {
		// A question's Invoke never sees the arguments of the call.
		if err := tool.Question.fits(arguments); err != nil {
			return r.fail(l.tell(err))
		}
	}
	inv := &Invocation{Call: call.ToolCall, Tool: tool, Iteration: l.iteration}
	ctx = context.WithValue(ctx, invocationKey{}, inv)
	next := func(ctx context.Context) (agui.Content, error) { return tool.Invoke(ctx, arguments) }
	var content agui.Content
	err = Protect(func() (err error) {
		if l.o.Around != nil {
			content, err = l.o.Around(ctx, inv, next)
		} else {
			content, err = next(ctx)
		}
		return err
	})
	why := toolFailed
	// An error's methods are the tool's code too.
	if p := Protect(func() error {
		if errors.Is(err, ErrEndLoop) {
			r.end, err = true, nil
		} else if err != nil {
			why = l.tell(err)
		}
		return nil
	}); p != nil {
		err = p
	}
	if err != nil {
		l.warn(ctx, call, err)
		return r.fail(why)
	}
	if content.IsZero() {
		content = agui.Text("")
	}
	if n := len(content.Text()); l.o.MaxResultBytes > 0 && n > l.o.MaxResultBytes {
		content = agui.Text(fmt.Sprintf("(the result was left out: it has %d bytes, more than the %d that are allowed)", n, l.o.MaxResultBytes))
	}
	r.result.Content = content
	return r
}

// maxWhy bounds what a failure says, which may quote what the model wrote.
const maxWhy = 2000

func (r *invoked) fail(why string) *invoked {
	if len(why) > maxWhy {
		why = strings.ToValidUTF8(why[:maxWhy], "") + "…"
	}
	r.result.Error = why
	r.result.Content = agui.Text("Error: " + why)
	return r
}

// tell is what the model may know of a tool's error.
func (l *loop) tell(err error) string {
	var args *ArgumentsError
	if errors.As(err, &args) {
		return args.Error()
	}
	if l.o.ShowErrors {
		return err.Error()
	}
	var e *Error
	if errors.As(err, &e) && e.Message != "" {
		return e.Message
	}
	return toolFailed
}

// toolFailed is what the model is told of a failure that says nothing to it.
const toolFailed = "the tool failed"

// warn tells the log that a tool failed. Where the run has ended, tools fail of
// that, which is no news.
func (l *loop) warn(ctx context.Context, call *turnCall, err error) {
	level := slog.LevelWarn
	if ctx.Err() != nil {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("tool", call.Name), slog.String("call", call.ID), slog.Any("error", err)}
	var p *PanicError
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	runlog.Log(ctx, l.o.Logger, level, "a tool failed", attrs...)
}
