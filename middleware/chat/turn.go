package chat

import (
	"context"
	"fmt"
	"io"
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
	for u, err := range t.Client.Stream(t.ids.Context(ctx), t.req) {
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
			t.ids.know(d.ID)
			return d
		}
		_, known := t.tool(d.Name)
		call = &turnCall{held: t.answers(d.Name) && (known || !t.ids.left(d.ID))}
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
