package chat

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// ErrEndLoop, returned by a tool beside its result (also wrapped), ends the loop
// after this turn: the result goes out and the model is not called again.
var ErrEndLoop = errors.New("chat: end the loop")

// FunctionInvocation are the settings of [InvokeFunctions]. The zero value
// runs the tools of the request one after the other.
type FunctionInvocation struct {
	// Tools are offered to the model with those of the request. On a name
	// clash the tool with Invoke wins, and Tools over the request's.
	Tools []Tool
	// MaxIterations bounds the model calls of one run; 0 is 40. The last one
	// is made without tools, so that the model must answer; calls that it makes
	// all the same are not run, and end the run with an error.
	MaxIterations int
	// MaxConsecutiveErrors is how many turns in a row may have a failing tool;
	// 0 is 3, negative is no bound. One more ends the run with an error.
	MaxConsecutiveErrors int
	// Concurrent runs the calls of one turn at the same time. Their results
	// still go out in the order of the calls.
	Concurrent bool
	// StopOnUnknown ends the loop at a call of a tool that nobody offered, and
	// leaves it unanswered. Otherwise the model is told.
	StopOnUnknown bool
	// ShowErrors tells the model what a failing tool's error says. Otherwise
	// it is told only that the tool failed, or an [Error]'s Message.
	ShowErrors bool
	// MaxResultBytes bounds a result's text; a longer one is replaced by a
	// text that says so. 0 is 1 MiB, negative is no bound.
	MaxResultBytes int
	// Around is called for every invocation and calls next, or not: timing,
	// authorisation, audit. What it returns is the result.
	Around func(ctx context.Context, call *Invocation, next func(ctx context.Context) (agui.Content, error)) (agui.Content, error)
	// Key signs the ids of interrupts, so that an answer is taken only to a
	// question that was asked, with the arguments that the person saw. Give
	// every process the same one, 32 random bytes or more, and keep it secret.
	// Nil is a random key of this process alone.
	Key []byte
	// Claims makes each answer count once, also when a client sends it again.
	// Nil takes it each time: an approved call may then run twice.
	Claims ResumeStore
	// Logger is told of failing tools and name clashes: at Warn, and at Debug
	// of tools that fail after their run has ended. Nil is the logger of the
	// run, see [EventOptions].
	Logger *slog.Logger
}

// Invocation is one call of a server tool.
type Invocation struct {
	Call agui.ToolCall
	Tool Tool
	// Iteration counts the model calls of the run, from 1.
	Iteration int
}

type invocationKey struct{}

// InvocationFrom returns the call that a tool is running for.
func InvocationFrom(ctx context.Context) (*Invocation, bool) {
	call, ok := ctx.Value(invocationKey{}).(*Invocation)
	return call, ok
}

// InvokeFunctions is the middleware that runs the tools the model calls, and
// calls the model again with their results, until it calls none.
//
// Calls of tools with Invoke are held: on the wire each stays open until its
// result, and what its tool publishes or emits lies between. Calls of the
// client's tools (without Invoke) go out and end the loop unanswered, also
// when server tools were called beside them; the next run's history brings
// their results. A call whose arguments are no JSON object, or do not fit, and
// a tool that fails or panics, are told to the model as a failed result.
//
// Calls of a tool with a [Question] end the loop too, and the run with an
// interrupt for each. The next run must answer them all; the calls that were
// approved run then, and the loop goes on. History comes from the client and
// may be forged: an answer is taken only to a call that carries this layer's
// signature, unchanged. It counts for the whole run: a layer around may ask the
// chain again, and gets the result without another call. Answers to other layers
// are left to them.
//
// Of several such layers in one chain the innermost that knows a tool runs it;
// one with a Question is the outermost's that knows it.
//
// A request with [ToolsNone] passes through: no tool is added, nothing loops.
// [ToolsRequired] and [ToolsNamed] hold for the first model call only.
func InvokeFunctions(o FunctionInvocation) Middleware {
	o.Tools = slices.Clone(o.Tools)
	for i, t := range o.Tools {
		if t.Name == "" {
			panic("chat: InvokeFunctions: a tool without a name")
		}
		if slices.ContainsFunc(o.Tools[:i], func(u Tool) bool { return u.Name == t.Name }) {
			panic(fmt.Sprintf("chat: InvokeFunctions: two tools are named %q", t.Name))
		}
	}
	if o.MaxIterations <= 0 {
		o.MaxIterations = 40
	}
	if o.MaxConsecutiveErrors == 0 {
		o.MaxConsecutiveErrors = 3
	}
	if o.MaxResultBytes == 0 {
		o.MaxResultBytes = 1 << 20
	}
	if n := len(o.Key); n > 0 && n < 32 {
		panic(fmt.Sprintf("chat: InvokeFunctions: a Key of %d bytes can be guessed: 32 are needed", n))
	}
	if len(o.Key) == 0 {
		o.Key = make([]byte, 32)
		_, _ = rand.Read(o.Key) // never fails
		if slices.ContainsFunc(o.Tools, func(t Tool) bool { return t.Question != nil }) {
			runlog.Log(context.Background(), o.Logger, slog.LevelWarn, "no Key for interrupts: their answers are taken by this process only")
		}
	}
	return func(next Client) Client {
		return &functions{Delegating: Delegating{next}, o: o}
	}
}

type functions struct {
	Delegating
	o FunctionInvocation
}

// Stream runs the loop.
func (f *functions) Stream(ctx context.Context, req *Request) iter.Seq2[*Update, error] {
	if req.ToolChoice.Mode == ToolsNone {
		return f.Client.Stream(ctx, req)
	}
	return func(yield func(*Update, error) bool) {
		l := &loop{
			functions: f, req: req.Clone(),
			ids: CallIDsFor(ctx, req.Messages),
		}
		l.ids.loop = l
		l.req.Tools = f.offered(ctx, req.Tools)
		if ctx, ok := l.resume(ctx, yield); ok {
			l.run(ctx, yield)
		}
	}
}

// offered merges the layer's tools with the request's.
func (f *functions) offered(ctx context.Context, requested []Tool) []Tool {
	tools := slices.Clone(f.o.Tools)
	at := make(map[string]int, len(tools)+len(requested))
	for i, t := range tools {
		at[t.Name] = i
	}
	var double []string
	for _, t := range requested {
		i, there := at[t.Name]
		if !there {
			at[t.Name] = len(tools)
			tools = append(tools, t)
			continue
		}
		if t.Invoke != nil && tools[i].Invoke == nil {
			tools[i] = t
		}
		if len(double) < 10 && !slices.Contains(double, t.Name) { // a client may send any number
			double = append(double, t.Name)
		}
	}
	if len(double) > 0 {
		runlog.Log(ctx, f.o.Logger, slog.LevelWarn, "two tools have one name: the server's is used", slog.Any("tools", double))
	}
	return tools
}

// loop is one run of the loop.
type loop struct {
	*functions
	req       *Request
	ids       *CallIDs
	iteration int
	errors    int // turns in a row with a failing tool
}

func (l *loop) run(ctx context.Context, yield func(*Update, error) bool) {
	for l.iteration = 1; ; l.iteration++ {
		if l.iteration == l.o.MaxIterations {
			l.req.ToolChoice = ToolChoice{Mode: ToolsNone}
		}
		t := &turn{loop: l, id: agui.NewID()}
		if !t.stream(ctx, yield) || len(t.calls) == 0 {
			return
		}
		if m := l.req.ToolChoice.Mode; m == ToolsRequired || m == ToolsNamed {
			l.req.ToolChoice = ToolChoice{}
		}
		if l.iteration == l.o.MaxIterations {
			yield(nil, &Error{
				Code: CodeAgent, Message: "The agent called tools too many times.",
				Err: fmt.Errorf("chat: the model still calls tools after %d iterations", l.iteration),
			})
			return
		}
		end, ok := t.invoke(ctx, yield)
		if !ok || end {
			return
		}
		if l.o.MaxConsecutiveErrors > 0 && l.errors > l.o.MaxConsecutiveErrors {
			yield(nil, &Error{
				Code: CodeAgent, Message: "The agent's tools failed too many times in a row.",
				Err: fmt.Errorf("chat: tools failed in %d turns in a row", l.errors),
			})
			return
		}
	}
}

func (l *loop) tool(name string) (Tool, bool) {
	for _, t := range l.req.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// answers reports whether this layer will answer calls of the tool.
func (l *loop) answers(name string) bool {
	t, known := l.tool(name)
	return known && t.Invoke != nil && t.Question == nil || !known && !l.o.StopOnUnknown
}
