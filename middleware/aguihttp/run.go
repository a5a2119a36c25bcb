package aguihttp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// generalMessage is shown of an error that has no text of its own that may be.
const generalMessage = "The agent failed. The server's log has the details."

// run is one run of an endpoint.
type run struct {
	e                *endpoint
	threadID, runID  string
	ctx              context.Context
	cancel           context.CancelCauseFunc
	span             trace.Span
	began            time.Time
	out              stream
	sent             int
	ended            bool // a terminal event has been sent
	outcome, outCode string
}

// serve runs the chain and writes its events. The header has not been written.
func (r *run) serve(w http.ResponseWriter, in *agui.RunAgentInput) {
	r.out.open()
	defer r.close()

	h := w.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)

	o := chat.EventOptions{OnError: r.e.o.OnError, Logger: r.e.o.Logger, SkipVerify: r.e.o.SkipVerify}
	for e := range chat.Events(r.ctx, r.e.client, in, &o) {
		if !r.send(e) {
			break
		}
	}
	if !r.ended {
		r.abort(&chat.Error{Code: chat.CodeAgent, Message: generalMessage, Err: errors.New("aguihttp: the events ended without a terminal one")})
	}
}

// send sends one event of the chain. False says that it could not be written
// and that the run has ended with RUN_ERROR instead.
func (r *run) send(e agui.Event) bool {
	if err := r.out.send(e); err != nil {
		r.cancel(err)
		r.abort(&chat.Error{
			Code: chat.CodeSerialization, Message: "The agent sent an event that cannot be written.",
			Err: fmt.Errorf("aguihttp: %w", err),
		})
		return false
	}
	r.sent++
	switch e := e.(type) {
	case *agui.RunFinished:
		r.ended = true
		r.outcome = string(agui.OutcomeSuccess)
		if e.Outcome != nil {
			r.outcome = string(e.Outcome.Type)
		}
	case *agui.RunError:
		r.ended = true
		r.outcome, r.outCode = "error", e.Code
	}
	return true
}

// abort ends the run with RUN_ERROR from here: what is open stays open, which
// the protocol allows before a RUN_ERROR.
func (r *run) abort(err *chat.Error) {
	r.report("run failed", err)
	r.ended = true
	r.outcome, r.outCode = "error", err.Code
	if r.out.send(&agui.RunError{Message: err.Message, Code: err.Code}) == nil {
		r.sent++
	}
}

// lost ends the run because its client can no longer be written to. It is
// called with the stream locked.
func (r *run) lost(err error) {
	if r.e.o.Detach {
		return
	}
	r.cancel(&chat.Error{Code: chat.CodeCancelled, Message: "The run was cancelled.", Err: fmt.Errorf("aguihttp: the client is gone: %w", err)})
}

// close ends the run, whatever happened, and passes on only the panic that
// asks for it.
func (r *run) close() {
	v := recover()
	if v != nil && v != http.ErrAbortHandler && !r.ended {
		r.abort(&chat.Error{Code: chat.CodeAgent, Message: generalMessage, Err: &chat.PanicError{Value: v, Stack: debug.Stack()}})
	}
	err := r.out.close()
	r.cancel(nil)
	r.finish(err)
	if v == http.ErrAbortHandler {
		panic(v)
	}
}

// finish tells the log and the span how it went.
func (r *run) finish(writeErr error) {
	endSpan(r, writeErr)
	if !r.e.o.Logger.Enabled(r.ctx, slog.LevelDebug) {
		return
	}
	attrs := append(r.ids(), slog.String("outcome", r.outcome), slog.Int("events", r.sent), slog.Duration("took", time.Since(r.began)))
	if writeErr != nil {
		attrs = append(attrs, slog.Any("client", writeErr))
	}
	r.e.o.Logger.LogAttrs(r.ctx, slog.LevelDebug, "run ended", attrs...)
}

// report tells an error that did not pass chat.Events.
func (r *run) report(what string, err *chat.Error) {
	if r.e.o.OnError != nil {
		r.e.o.OnError(r.ctx, err)
	}
	attrs := append(r.ids(), slog.String("code", err.Code), slog.Any("error", err))
	var p *chat.PanicError
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	r.e.o.Logger.LogAttrs(r.ctx, slog.LevelError, what, attrs...)
}

func (r *run) ids() []slog.Attr {
	return []slog.Attr{slog.String("thread", r.threadID), slog.String("run", r.runID)}
}
