package chat

import (
	"context"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
)

// ask returns the interrupts for calls that wait for a person.
func (l *loop) ask(ctx context.Context, calls []*turnCall) []agui.Interrupt {
	var out []agui.Interrupt
	for _, call := range calls {
		tool, _ := l.tool(call.Name)
		q := tool.Question
		i := agui.Interrupt{Reason: q.Reason, ToolCallID: call.ID, ResponseSchema: q.Schema}
		var expires time.Time
		if q.Expires > 0 {
			expires = time.Now().Add(q.Expires).Truncate(time.Second)
			i.ExpiresAt = expires.UTC().Format(time.RFC3339)
		}
		if q.Message != nil {
			i.Message = q.Message(call.ToolCall)
		}
		i.ID = l.sign(ctx, call.ToolCall, expires)
		out = append(out, i)
	}
	return out
}

// asks reports whether a call waits for a person. One whose arguments are
// broken does not: nobody could judge it, and the model is told instead.
func (l *loop) asks(call *turnCall) bool {
	if !l.isQuestion(call.ToolCall) {
		return false
	}
	tool, _ := l.tool(call.Name)
	arguments, err := objectArguments(call.Arguments)
	if err == nil {
		err = tool.Question.fits(arguments)
	}
	return err == nil && !call.cut
}

// broken reports whether a call waits for nobody because it cannot be asked.
func (l *loop) broken(call *turnCall) bool {
	return l.isQuestion(call.ToolCall) && !l.asks(call)
}
