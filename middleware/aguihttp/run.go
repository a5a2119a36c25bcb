package aguihttp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// generalMessage is shown of an error that has no text of its own that may be.
const generalMessage = "The agent failed. The server's log has the details."

// obedience is how long a run may go on after its context has ended, before its
// client is told without it.
const obedience = shutdownPatience / 2

// errTimeout is the cause of a context whose time is up.
var errTimeout = &chat.Error{Code: chat.CodeTimeout, Message: "The run took too long and was stopped."}

// run is one run of an endpoint.
type run struct {
	e                *endpoint
	request          *http.Request
	threadID, runID  string // as RUN_STARTED says them: an input may leave them empty
	ctx              context.Context
	cancel           context.CancelCauseFunc
	span             trace.Span
	began            time.Time
	out              stream
	sent             int
	ended            bool // a terminal event has been sent
	broken           bool // the client must not take the stream for a whole one
	outcome, outCode string
}

// serve runs the chain and writes its events. The header has been written.
func (r *run) serve(in *agui.RunAgentInput) {
	defer r.close()
	r.out.open()
	for e := range chat.Events(r.ctx, r.e.client, in, &r.e.events) {
		if !r.send(e) {
			break
		}
	}
}

// begin writes the header of a stream. A panic in it is that of a middleware's
// hook, and passes as it does on other routes.
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
		r.out.mu.Lock() // overdue reads them
		r.threadID, r.runID = e.ThreadID, e.RunID
		r.out.mu.Unlock()
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
	cause := &chat.Error{Code: chat.CodeCancelled, Message: "The run was cancelled.", Err: fmt.Errorf("aguihttp: the client is gone: %w", err)}
	if r.request.Context().Err() == nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		// It is still there: a middleware's writer failed.
		cause = &chat.Error{Code: chat.CodeAgent, Message: generalMessage, Err: fmt.Errorf("aguihttp: the response cannot be written: %w", err)}
	}
	r.cancel(cause)
}

// overdue tells the client that the run has ended, for it does not obey the end
// of its context, and ends the response, which a client waits for. What the run
// may still say is dropped. It is called on a goroutine that nobody recovers, and
// a middleware's writer may panic.
func (r *run) overdue(cause error) {
	_ = chat.Protect(func() error { r.cut(cause); return nil })
}

func (r *run) cut(cause error) {
	r.out.hurry(obedience / 5) // a write may be blocked
	said := errTimeout
	_ = errors.As(cause, &said)
	if !r.out.cut(&agui.RunError{Message: said.Message, Code: said.Code}) {
		return
	}
	r.out.mu.Lock()
	ids := r.ids()
	r.out.mu.Unlock()
	runlog.Log(context.Background(), r.e.o.Logger, slog.LevelError, "run ignores the end of its context", append(ids, slog.String("code", said.Code))...)
	r.out.hangUp(r.request.ProtoAtLeast(1, 1))
}

// close ends the run, whatever happened. Where the client is there and has not
// got what was sent, the connection is broken off: a stream that ends well is
// taken for a whole one.
func (r *run) close() {
	v := recover()
	defer func() {
		if r.broken {
			panic(http.ErrAbortHandler)
		}
	}()
	defer r.finish()
	if r.ended {
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
	r.broken = gone != nil && r.request.Context().Err() == nil
	r.cancel(nil)
	endSpan(r, gone)
	level := slog.LevelDebug
	if errors.Is(gone, os.ErrDeadlineExceeded) {
		level = slog.LevelInfo // it did not leave: it took nothing
	}
	attrs := append(r.ids(), slog.String("outcome", r.outcome), slog.Int("events", r.sent), slog.Duration("took", time.Since(r.began)))
	if gone != nil {
		attrs = append(attrs, slog.Any("client", gone))
	}
	runlog.Log(r.ctx, r.e.o.Logger, level, "run ended", attrs...)
}

// report tells an error that did not pass chat.Events.
func (r *run) report(err *chat.Error) {
	attrs := append(r.ids(), slog.String("code", err.Code), slog.Any("error", err))
	var p *chat.PanicError
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	runlog.Log(r.ctx, r.e.o.Logger, slog.LevelError, "run failed", attrs...)
	if r.e.o.OnError == nil {
		return
	}
	hook := chat.Protect(func() error { r.e.o.OnError(r.ctx, err); return nil })
	if hook != nil {
		runlog.Log(r.ctx, r.e.o.Logger, slog.LevelError, "OnError failed", append(r.ids(), slog.Any("error", hook))...)
	}
}

func (r *run) ids() []slog.Attr {
	return []slog.Attr{slog.String("thread", r.threadID), slog.String("run", r.runID)}
}
