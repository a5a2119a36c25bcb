package aguiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// PendingToolCalls returns the calls that the agent left to this client and
// that have no result yet: send a tool message for each ([agui.ToolMessage]),
// or add it ([Thread.AddMessages]) where the agent has asked something too.
func (t *Thread[S]) PendingToolCalls() []agui.ToolCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mirror.pendingCalls()
}

// pendingCalls are the calls that the last run left to the client, without
// those that have a result behind them by now. An agent may use an id again, so
// the last call with it counts, and of its arguments what this run has told.
func (m *Mirror) pendingCalls() []agui.ToolCall {
	ids := m.pending.list()
	if len(ids) == 0 {
		return nil
	}
	answered := map[string]bool{}
	for n := range m.talk.all() {
		if c := m.talk.lastCall(n.msg.ToolCallID); isResult(n) && c != nil && c.owner.place.before(n.place) {
			answered[n.msg.ToolCallID] = true
		}
	}
	var out []agui.ToolCall
	for _, id := range ids {
		c := m.talk.lastCall(id)
		if c == nil || !c.again && answered[id] {
			continue
		}
		call := c.call
		call.Arguments, call.Metadata = c.args.String()[c.from:], c.metadata.get()
		out = append(out, call)
	}
	return out
}

// addAnswer puts the client's result behind the call that it is of, and the
// results that are there, or at the end.
func (m *Mirror) addAnswer(msg agui.Message) { m.addBehind(m.talk.lastCall(msg.ToolCallID), msg) }

// mine returns the pending calls of tools that run here, and whether there are
// others.
func (t *Thread[S]) mine() (calls []agui.ToolCall, rest bool) {
	for _, call := range t.PendingToolCalls() {
		if tool, ok := t.tool(call.Name); ok && tool.Invoke != nil && t.o.MaxContinuations > 0 {
			calls = append(calls, call)
		} else {
			rest = true
		}
	}
	return calls, rest
}

// leftToUs reports whether a call without a result is of a tool of the thread,
// and none that the agent asks about.
func (t *Thread[S]) leftToUs(c agui.ToolCall, interrupts []agui.Interrupt) bool {
	_, offered := t.tool(c.Name)
	return offered && !slices.ContainsFunc(interrupts, func(i agui.Interrupt) bool { return i.ToolCallID == c.ID })
}

func (t *Thread[S]) tool(name string) (chat.Tool, bool) {
	for _, tool := range t.o.Tools {
		if tool.Name == name {
			return tool, true
		}
	}
	return chat.Tool{}, false
}

// invoke runs calls and takes their results in. more says that the agent is
// to hear of them.
func (t *Thread[S]) invoke(ctx context.Context, calls []agui.ToolCall, yield func(*Change, error) bool) (more, ok bool) {
	more = true
	for _, call := range calls {
		if ctx.Err() != nil {
			yield(nil, stopped(ctx))
			return false, false
		}
		before := t.Document()
		m, end := t.invokeOne(ctx, call)
		more = more && !end
		t.mu.Lock()
		t.mirror.addAnswer(m)
		after := t.mirror.State()
		t.mu.Unlock()
		if !bytes.Equal(before, after) && !yield(&Change{Event: &agui.StateSnapshot{Snapshot: after}, Local: true}, nil) {
			return false, false
		}
		e := &agui.ToolCallResult{MessageID: m.ID, ToolCallID: m.ToolCallID, Content: m.Content, Role: agui.RoleTool}
		if !yield(&Change{Event: e, Local: true}, nil) {
			return false, false
		}
	}
	return more, true
}

// invokeOne runs one call. Whatever happens becomes its result.
func (t *Thread[S]) invokeOne(ctx context.Context, call agui.ToolCall) (m agui.Message, end bool) {
	tool, _ := t.tool(call.Name)
	var content agui.Content
	arguments := json.RawMessage(bytes.TrimSpace([]byte(call.Arguments)))
	if isNull(arguments) {
		arguments = json.RawMessage("{}")
	}
	err := error(&chat.ArgumentsError{Err: errors.New("not a JSON object")})
	if json.Valid(arguments) && isObject(arguments) {
		err = chat.Protect(func() (err error) {
			content, err = tool.Invoke(ctx, arguments)
			return err
		})
	}
	if errors.Is(err, chat.ErrEndLoop) {
		end, err = true, nil
	}
	m = agui.Message{ID: agui.NewID(), Role: agui.RoleTool, ToolCallID: call.ID, Content: orEmpty(content)}
	if err == nil {
		err = sendable(m)
	}
	if err != nil {
		m.Error = t.tell(err)
		m.Content = agui.Text("Error: " + m.Error)
	}
	return m, end
}

// tell is what the agent may know of a tool's error.
func (t *Thread[S]) tell(err error) string {
	var args *chat.ArgumentsError
	if t.o.ShowErrors || errors.As(err, &args) {
		return err.Error()
	}
	var e *chat.Error
	if errors.As(err, &e) && e.Message != "" {
		return e.Message
	}
	return "the tool failed"
}
