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
	threadID, runID  string // as RUN_STARTED says them: an input may leave them empty
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
	defer r.close()
	begin(w)
	r.out.open()
	for e := range chat.Events(r.ctx, r.e.client, in, &r.e.events) {
		if !r.send(e) {
			break
		}
	}
}

// begin writes the header of a stream.
func begin(w http.ResponseWriter) {
	h := w.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform") // no proxy gathers or compresses
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
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
	case *agui.RunStarted:
		r.threadID, r.runID = e.ThreadID, e.RunID
		nameSpan(r)
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
	r.ended = true
	r.outcome, r.outCode = "error", err.Code
	if r.out.send(&agui.RunError{Message: err.Message, Code: err.Code}) == nil {
		r.sent++
	}
	r.report(err)
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
	defer func() {
		if v == http.ErrAbortHandler {
			panic(v)
		}
	}()
	defer r.finish()
	if r.ended || v == http.ErrAbortHandler {
		return
	}
	err := errors.New("aguihttp: the run ended without a terminal event")
	if v != nil {
		err = &chat.PanicError{Value: v, Stack: debug.Stack()}
	}
	r.abort(&chat.Error{Code: chat.CodeAgent, Message: generalMessage, Err: err})
}

// finish ends the stream and tells the log and the span how it went.
func (r *run) finish() {
	gone := r.out.close()
	r.cancel(nil)
	endSpan(r, gone)
	if !r.e.o.Logger.Enabled(r.ctx, slog.LevelDebug) {
		return
	}
	attrs := append(r.ids(), slog.String("outcome", r.outcome), slog.Int("events", r.sent), slog.Duration("took", time.Since(r.began)))
	if gone != nil {
		attrs = append(attrs, slog.Any("client", gone))
	}
	r.e.o.Logger.LogAttrs(r.ctx, slog.LevelDebug, "run ended", attrs...)
}

// report tells an error that did not pass chat.Events.
func (r *run) report(err *chat.Error) {
	attrs := append(r.ids(), slog.String("code", err.Code), slog.Any("error", err))
	var p *chat.PanicError
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	r.e.o.Logger.LogAttrs(r.ctx, slog.LevelError, "run failed", attrs...)
	if r.e.o.OnError == nil {
		return
	}
	hook := chat.Protect(func() error { r.e.o.OnError(r.ctx, err); return nil })
	if hook != nil {
		r.e.o.Logger.LogAttrs(r.ctx, slog.LevelError, "OnError failed", append(r.ids(), slog.Any("error", hook))...)
	}
}

func (r *run) ids() []slog.Attr {
	return []slog.Attr{slog.String("thread", r.threadID), slog.String("run", r.runID)}
}
