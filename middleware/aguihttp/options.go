package aguihttp

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/aguistate/aguistate/middleware/agui"
)

// The values of an [Options] whose fields are zero.
const (
	DefaultMaxBody      = 8 << 20
	DefaultReadTimeout  = 30 * time.Second
	DefaultWriteTimeout = 30 * time.Second
	DefaultHeartbeat    = 15 * time.Second
	DefaultFlushWindow  = time.Millisecond
)

// Options are the settings of an endpoint. The zero value is ready; nil means
// the same. They are copied when the handler is made.
type Options struct {
	// OnError is told the whole of an error that ended a run, of which the
	// client sees only a code and a safe text. Errors of one run come one
	// after the other; those of several runs at once.
	OnError func(ctx context.Context, err error)
	// Logger is told the same, with the ids of thread and run, and the end of
	// every run at debug level. Nil is slog.Default.
	Logger *slog.Logger
	// Tracer gives each run a span "agui.run"; [TraceModel] and [TraceTool]
	// give it children. Nil is the global provider of OpenTelemetry, which
	// does nothing unless the program has set one.
	Tracer trace.TracerProvider
	// SkipVerify sends events that break the order rules of AG-UI: see
	// chat.EventOptions.
	SkipVerify bool

	// Runs counts and limits the runs, and shuts them down. Several endpoints
	// may share one. Nil is one of the handler's own, without a limit.
	Runs *Runs
	// MaxRunTime ends a run with RUN_ERROR TIMEOUT: its context ends, and a run
	// that has not obeyed 2.5 seconds later goes on unheard. 0 is no limit.
	MaxRunTime time.Duration
	// Detach lets a run finish without its client: its context does not end
	// when the client leaves. The events are then dropped. A deadline that a
	// middleware has set stays. Without it, a run is cancelled as soon as
	// nobody reads it.
	Detach bool

	// MaxBody is the size of a request body, in bytes, above which the answer
	// is 413. 0 is [DefaultMaxBody], less is no limit.
	MaxBody int64
	// ReadTimeout is the time in which a body has to arrive, 408 if it does
	// not, and after which a refusal waits for it no longer. The server's own
	// goes before it. 0 is [DefaultReadTimeout], less is no limit.
	ReadTimeout time.Duration
	// WriteTimeout is the time in which the connection has to take what is
	// written, at most 64 KiB at once; else the client is dropped and the run
	// cancelled. A system tells of room in its buffers late, so a client that
	// is megabytes behind has to take more than a trickle. It replaces
	// http.Server.WriteTimeout, which limits a response as a whole and would
	// end long runs. 0 is [DefaultWriteTimeout], less leaves it to the server.
	WriteTimeout time.Duration
	// Heartbeat is the silence after which an SSE comment is sent, so that
	// proxies keep the connection. 0 is [DefaultHeartbeat], less sends none.
	Heartbeat time.Duration
	// FlushWindow is the least time between two flushes: an event that comes
	// sooner after the last one shares a later flush with those around it. 0
	// is [DefaultFlushWindow], less flushes every event.
	FlushWindow time.Duration

	// System says what becomes of system and developer messages in a request.
	// The protocol has them, so they are kept by default, behind the server's
	// own instructions. Drop or refuse them where clients are not trusted to
	// instruct the model.
	System SystemMessages
	// Capabilities is what GET …/capabilities answers. Echo's Map routes it;
	// on net/http route [Capabilities] yourself.
	Capabilities *agui.Capabilities
}

// SystemMessages says what becomes of system and developer messages that a
// client sends.
type SystemMessages int

const (
	// KeepSystem hands them on as they came.
	KeepSystem SystemMessages = iota
	// DropSystem keeps them from the chain, and so from every model; the client
	// keeps them: see chat.EventOptions.
	DropSystem
	// RefuseSystem answers 400 and points at the first.
	RefuseSystem
)

// withDefaults returns a copy with the defaults filled in; what is off is 0.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Runs == nil {
		c.Runs = new(Runs)
	}
	c.MaxBody = max(orDefault(c.MaxBody, DefaultMaxBody), 0)
	c.ReadTimeout = max(orDefault(c.ReadTimeout, DefaultReadTimeout), 0)
	c.WriteTimeout = max(orDefault(c.WriteTimeout, DefaultWriteTimeout), 0)
	c.Heartbeat = max(orDefault(c.Heartbeat, DefaultHeartbeat), 0)
	c.FlushWindow = max(orDefault(c.FlushWindow, DefaultFlushWindow), 0)
	c.MaxRunTime = max(c.MaxRunTime, 0)
	return c
}

func orDefault[T ~int64](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}
