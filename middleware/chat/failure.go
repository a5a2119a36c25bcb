package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// generalMessage is shown when an error has no text of its own that may be.
const generalMessage = "The agent failed. The server's log has the details."

// fail ends the run with RUN_ERROR, and tells the server's side the rest.
func (r *run) fail(err error) {
	code, message := CodeAgent, generalMessage
	// An error's methods are code of the chain, too.
	if p := Protect(func() error {
		err = endedBy(r.ctx, err)
		code, message = public(err)
		return nil
	}); p != nil {
		err = p
	}
	r.report(code, err)
	_ = r.sendOwed()
	if closeErr := r.close(); closeErr != nil && !r.stopped {
		r.report(CodeProtocolViolation, fmt.Errorf("chat: closing a failed run: %w", closeErr))
	}
	if !r.stopped {
		_ = r.send(&agui.RunError{Message: message, Code: code, Usage: r.usage})
	}
}

// endedBy is the error that ended a run under ctx. What a layer makes of a
// context that has ended varies: the cause of that counts, and comes first.
func endedBy(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	var counts, found *Error
	if errors.As(cause, &counts) {
		if errors.As(err, &found) && found == counts {
			return err
		}
		return errors.Join(cause, err)
	}
	if !errors.Is(err, cause) {
		err = errors.Join(cause, err)
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Code: CodeTimeout, Message: "The run took too long and was stopped.", Err: err}
	}
	return &Error{Code: CodeCancelled, Message: "The run was cancelled.", Err: err}
}

// public returns the code and the text that a client sees of an error.
func public(err error) (code, message string) {
	var e *Error
	if !errors.As(err, &e) || e == nil {
		return CodeAgent, generalMessage
	}
	code, message = e.Code, e.Message
	if code == "" {
		code = CodeAgent
	}
	if message == "" {
		message = generalMessage
	}
	return code, message
}

// report tells the log and OnError, in this order: the first does not need
// the second.
func (r *run) report(code string, err error) {
	level := slog.LevelError
	if code == CodeCancelled || code == CodeShutdown {
		level = slog.LevelInfo
	}
	r.log(level, "run failed", err, slog.String("code", code))
	if r.o.OnError == nil {
		return
	}
	if p := Protect(func() error { r.o.OnError(r.ctx, err); return nil }); p != nil {
		r.log(slog.LevelError, "OnError failed", p)
	}
}

// log writes a line about an error, with what its kinds have to say.
func (r *run) log(level slog.Level, msg string, err error, attrs ...slog.Attr) {
	attrs = append(attrs, slog.Any("error", err))
	_ = Protect(func() error {
		var order *agui.OrderError
		if errors.As(err, &order) {
			attrs = append(attrs, slog.String("rule", string(order.Rule)), slog.String("event", string(order.Type)), slog.String("id", order.ID))
		}
		var p *PanicError
		if errors.As(err, &p) {
			attrs = append(attrs, slog.String("stack", string(p.Stack)))
		}
		return nil
	})
	runlog.Log(r.ctx, r.o.Logger, level, msg, attrs...)
}
