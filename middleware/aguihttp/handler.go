package aguihttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// Handler returns the endpoint of a chain: it answers a POST with a
// RunAgentInput by the run's events. Any path may lead to it. It panics when c
// is nil.
//
// The context of the chain descends from the request's, and [RequestFrom]
// finds the request in it. The handler returns when the chain has.
func Handler(c chat.Client, o *Options) http.Handler {
	if c == nil {
		panic("aguihttp: Handler of a nil client")
	}
	e := &endpoint{client: c, o: o.withDefaults()}
	e.tracer = tracer(e.o.Tracer)
	e.events = chat.EventOptions{Logger: e.o.Logger, SkipVerify: e.o.SkipVerify, ReuseEvents: true}
	if e.o.OnError != nil {
		e.events.OnError = e.told
	}
	e.events.DropSystem = e.o.System == DropSystem
	return e
}

type endpoint struct {
	client chat.Client
	o      Options
	events chat.EventOptions
	tracer trace.Tracer
	warned sync.Once // of a server's limit that will cut runs
}

// ServeHTTP serves one request. What is on the stack here stays there for as
// long as the run, so what is large is done elsewhere.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in, ref := e.decode(w, r)
	if ref == nil {
		ref = e.start(w, r, in)
	}
	if ref != nil {
		e.refuse(w, r, ref)
	}
}

// told passes on the error of a run, with what became of its client: the
// server ends the request's context before it lets us know.
func (e *endpoint) told(ctx context.Context, err error) {
	if r := runFrom(ctx); r != nil {
		if gone := r.out.failure(); gone != nil && !errors.Is(err, gone) {
			err = errors.Join(err, fmt.Errorf("aguihttp: the client is gone: %w", gone))
		}
	}
	e.o.OnError(ctx, err)
}

// refuse answers with a refusal.
func (e *endpoint) refuse(w http.ResponseWriter, r *http.Request, ref *refusal) {
	runlog.Log(r.Context(), e.o.Logger, slog.LevelDebug, "request refused",
		slog.Int("status", ref.status), slog.String("code", ref.code), slog.String("reason", ref.message), slog.String("pointer", ref.pointer))
	if e.o.WriteTimeout > 0 {
		// The server's own may have passed while the body was awaited.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(e.o.WriteTimeout))
	}
	ref.write(w)
}

// decode returns the request's input. Nothing has been written yet, so a panic
// can still be told by a status.
func (e *endpoint) decode(w http.ResponseWriter, r *http.Request) (in *agui.RunAgentInput, ref *refusal) {
	defer func() {
		v := recover()
		switch v {
		case nil:
		case http.ErrAbortHandler:
			panic(v)
		default:
			err := &chat.PanicError{Value: v, Stack: debug.Stack()}
			runlog.Log(r.Context(), e.o.Logger, slog.LevelError, "request could not be read",
				slog.Any("error", err), slog.String("stack", string(err.Stack)))
			in, ref = nil, errPanic
		}
	}()
	e.lift(w, r)
	done := e.limitReading(w, r)
	if ref = e.check(w, r); ref == nil {
		in, ref = e.input(w, r)
	}
	if ref == nil {
		done()
	}
	return in, ref
}

// start enters the run and serves it, unless there is no place for it.
func (e *endpoint) start(w http.ResponseWriter, r *http.Request, in *agui.RunAgentInput) *refusal {
	one := &run{e: e, request: r, began: time.Now()}
	ctx := r.Context()
	if e.o.Detach {
		var stop context.CancelFunc
		ctx, stop = detached(ctx)
		defer stop()
	}
	ctx = context.WithValue(ctx, runKey{}, one)
	ctx, one.cancel = context.WithCancelCause(ctx)
	defer one.cancel(nil)
	if e.o.MaxRunTime > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, e.o.MaxRunTime, errTimeout)
		defer stop()
	}
	one.out.init(w, &e.o, one.lost)
	one.out.limit.alarms = r.ProtoMajor >= 2
	if ref := e.o.Runs.add(one); ref != nil {
		return ref
	}
	defer e.o.Runs.remove(one)
	begin(w)
	if at, limited := ctx.Deadline(); limited {
		late := time.AfterFunc(time.Until(at)+obedience, func() { one.overdue(context.Cause(ctx)) })
		defer late.Stop()
	}
	one.ctx, one.span = startSpan(ctx, e.tracer)
	one.serve(in)
	return nil
}

// detached returns a context that does not end with ctx, but by its deadline:
// a middleware's time limit is not the client's doing.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	at, limited := ctx.Deadline()
	ctx = context.WithoutCancel(ctx)
	if !limited {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, at)
}

// Capabilities returns a handler that answers GET and HEAD with the agent's
// capabilities as JSON (AG-UI 1.0, "Capabilities"). The document is encoded
// here, once; it panics when a value in one of its open objects has no JSON.
func Capabilities(c *agui.Capabilities) http.Handler {
	body, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Errorf("aguihttp: Capabilities: %w", err))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			(&refusal{
				status: http.StatusMethodNotAllowed, code: "METHOD_NOT_ALLOWED",
				message: "Capabilities are read with GET.", header: [2]string{"Allow", "GET, HEAD"},
			}).write(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // a client that left is no news here
	})
}
