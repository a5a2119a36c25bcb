package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
)

// turn is one model call of the loop and the calls that it made.
type turn struct {
	*loop
	id       string // of the assistant message
	text     strings.Builder
	enc      string
	finished bool
	cut      bool // the model was cut off: calls may not be whole
	asked    bool // a layer further in has put a question to the person
	calls    []*turnCall
	renamed  map[string]*turnCall // by the id that the inner client uses
	foreign  map[string]bool      // calls that the inner client answers itself
}

type turnCall struct {
	agui.ToolCall
	args    strings.Builder
	held    bool
	cut     bool              // its arguments were cut off
	instead string            // the result, without running the tool
	entry   *agui.ResumeEntry // the person's answer that it is run for
}

// stream calls the model and yields its updates on, with the turn's message
// id, unique call ids and held calls. It reports whether the loop may go on.
func (t *turn) stream(ctx context.Context, yield func(*Update, error) bool) bool {
	for u, err := range t.Client.Stream(ctx, t.req) {
		if err != nil {
			yield(nil, err)
			return false
		}
		if u == nil {
			continue
		}
		if !yield(t.pass(u), nil) {
			return false
		}
	}
	if err := ctx.Err(); err != nil {
		yield(nil, context.Cause(ctx))
		return false
	}
	if len(t.calls) > 0 && !t.finished {
		yield(nil, &Error{
			Code: CodeAgent, Message: "The model's answer was cut off.",
			Err: fmt.Errorf("chat: the model's stream ended inside tool calls, without a finish reason: %w", io.ErrUnexpectedEOF),
		})
		return false
	}
	return true
}

// pass notes what an update adds to the turn and returns what goes on: u
// itself when nothing in it changes.
func (t *turn) pass(u *Update) *Update {
	t.text.WriteString(u.Text)
	if u.EncryptedReasoning != "" {
		t.enc = u.EncryptedReasoning
	}
	if u.FinishReason != "" {
		t.finished = true
		t.cut = u.FinishReason == FinishLength || u.FinishReason == FinishContentFilter
	}
	t.asked = t.asked || len(u.Interrupts) > 0
	speaks := u.Text != "" || u.Reasoning != "" || u.EncryptedReasoning != "" || len(u.ToolCalls) > 0
	if !speaks {
		return u
	}
	out := *u
	if u.MessageID == "" {
		out.MessageID = t.id
	} else {
		t.id = u.MessageID
	}
	if len(u.ToolCalls) > 0 {
		out.ToolCalls = make([]ToolCallDelta, len(u.ToolCalls))
		for i, d := range u.ToolCalls {
			out.ToolCalls[i] = t.passCall(d)
		}
	}
	return &out
}

func (t *turn) passCall(d ToolCallDelta) ToolCallDelta {
	if t.foreign[d.ID] {
		return d
	}
	call := t.renamed[d.ID]
	if call == nil {
		if d.Held {
			// A layer further in has announced it and answers it.
			if t.foreign == nil {
				t.foreign = map[string]bool{}
			}
			t.foreign[d.ID] = true
			return d
		}
		call = &turnCall{held: t.answers(d.Name)}
		call.ID, call.Name = t.ids.New(d.ID), d.Name
		if t.renamed == nil {
			t.renamed = map[string]*turnCall{}
		}
		t.renamed[d.ID] = call
		t.calls = append(t.calls, call)
	}
	call.args.WriteString(d.Arguments)
	if d.EncryptedReasoning != "" {
		call.EncryptedValue = d.EncryptedReasoning
	}
	d.ID, d.Held = call.ID, call.held
	return d
}

// invoke runs the turn's server calls and yields their results, then adds the
// turn to the history. end says that the model is not to be called again.
func (t *turn) invoke(ctx context.Context, yield func(*Update, error) bool) (end, ok bool) {
	m := agui.Message{ID: t.id, Role: agui.RoleAssistant, EncryptedValue: t.enc}
	if t.text.Len() > 0 {
		m.Content = agui.Text(t.text.String())
	}
	var held, asked []*turnCall
	for _, call := range t.calls {
		call.Arguments = call.args.String()
		call.cut = t.cut && !whole(call.Arguments)
		m.ToolCalls = append(m.ToolCalls, call.ToolCall)
		switch {
		case call.held, t.broken(call):
			held = append(held, call)
		case t.asks(call):
			asked = append(asked, call)
		default:
			end = true
		}
	}
	t.req.Messages = append(t.req.Messages, m)
	if stop, ok := t.loop.invoke(ctx, held, yield); stop || !ok {
		end = end || stop
		if !ok {
			return false, false
		}
	}
	end = end || t.asked
	if len(asked) > 0 {
		return true, yield(&Update{Interrupts: t.ask(ctx, asked)}, nil)
	}
	return end, true
}

// invoke runs calls, yields their results and adds them to the history. end says
// that a tool ended the loop.
func (l *loop) invoke(ctx context.Context, held []*turnCall, yield func(*Update, error) bool) (end, ok bool) {
	results := make([]*invoked, len(held))
	failed := false
	for u, err := range Run(ctx, func(ctx context.Context) error { return l.invokeAll(ctx, held, results) }) {
		if err != nil {
			yield(nil, err)
			return false, false
		}
		end = end || len(u.Interrupts) > 0
		if !yield(u, nil) {
			return false, false
		}
	}
	for _, r := range results {
		failed = failed || r.result.Error != ""
		end = end || r.end
		l.req.Messages = append(l.req.Messages, agui.Message{
			ID: r.result.MessageID, Role: agui.RoleTool, ToolCallID: r.result.ToolCallID,
			Content: r.result.Content, Error: r.result.Error,
		})
	}
	if failed {
		l.errors++
	} else {
		l.errors = 0
	}
	return end, true
}

// invoked is what became of one call.
type invoked struct {
	result *ToolResult
	end    bool
	err    error // ends the run
}

func newInvoked(call *turnCall) *invoked {
	return &invoked{result: &ToolResult{MessageID: agui.NewID(), ToolCallID: call.ID}}
}

// invokeAll runs the calls and emits their results in the order of the calls.
func (l *loop) invokeAll(ctx context.Context, calls []*turnCall, results []*invoked) error {
	if !l.o.Concurrent {
		for i, call := range calls {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if results[i] = l.invokeOne(ctx, call); results[i].err != nil {
				return results[i].err
			}
			if err := Emit(ctx, &Update{ToolResult: results[i].result}); err != nil {
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
			results[i] = newInvoked(call).fail("the tool failed")
			defer func() { done <- i }()
			results[i] = l.invokeOne(ctx, call)
		}()
	}
	ready := make([]bool, len(calls))
	next := 0
	var err error
	for range calls {
		ready[<-done] = true
		for err == nil && next < len(calls) && ready[next] {
			if err = results[next].err; err != nil {
				break
			}
			err = Emit(ctx, &Update{ToolResult: results[next].result})
			next++
		}
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// invokeOne runs one call. Whatever happens becomes a result.
func (l *loop) invokeOne(ctx context.Context, call *turnCall) *invoked {
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
	if errors.Is(err, ErrEndLoop) {
		r.end, err = true, nil
	}
	if err != nil {
		l.o.Logger.WarnContext(ctx, "a tool failed", slog.String("tool", call.Name), slog.String("call", call.ID), slog.Any("error", err))
		return r.fail(l.tell(err))
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
	return "the tool failed"
}
