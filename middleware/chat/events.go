package chat

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/flow"
	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// EventOptions are the settings of [Events]. The zero value is ready.
type EventOptions struct {
	// OnError is told the whole of an error that ended a run, of which the
	// client sees only a code and a safe text. Where ctx has ended, that is an
	// [Error] with the code, why it has, and what the chain made of it. A panic
	// in it is logged, and changes nothing.
	OnError func(ctx context.Context, err error)
	// Logger is told the same before, and is the logger of the run's layers
	// that have none of their own: each line names the thread and the run. Nil
	// is that of the run around, or slog.Default. One that panics is not heard.
	Logger *slog.Logger
	// SkipVerify sends events that break the order rules of AG-UI, which end
	// the run at a client, instead of ending it here with a clear error.
	SkipVerify bool
	// ReuseEvents lets the run overwrite an event that carries a piece of text,
	// reasoning or arguments once the loop's body has returned: for a consumer
	// that is done with each event by then, as one that encodes it is.
	ReuseEvents bool
	// DropSystem keeps the input's system and developer messages from the chain:
	// no layer has them in its request or by [InputFrom], so no model is told
	// what they say. The client keeps them: what a MESSAGES_SNAPSHOT lacks would
	// be gone there, so each is sent with them.
	DropSystem bool
}

// Restorer is a layer that can tell a client the current state without a
// model. [Events] asks the first one of the chain when the input has no
// messages, or none that a model is sent.
type Restorer interface {
	Restore(ctx context.Context, req *Request) iter.Seq2[*Update, error]
}

// Events runs a chain for one input and returns its events. It puts the
// input's messages and tools into the request, and the input into the context.
//
// RUN_STARTED comes first and at once, before the chain is asked. An input that
// names no thread or run gets new ids, for the chain too. The sequence always
// ends in exactly one RUN_FINISHED or RUN_ERROR, unless the consumer breaks;
// every message, call and step that is open is closed before it. An error or a
// panic in the chain becomes RUN_ERROR: with the code and message of the [Error]
// in it, or [CodeAgent] and a general text. When ctx has ended the code is that
// of an [Error] that is its cause, or [CodeTimeout] or [CodeCancelled]. What a
// layer shows of a state that nobody will finish is taken back before, however
// its stream ends. A panic in the loop's body passes.
//
// A run that is interrupted sends the conversation as a MESSAGES_SNAPSHOT
// before it ends, unless the chain has just done so.
//
// A client that names no protocol version predates AG-UI 1.0 and gets no event
// that would end its run. An input without messages, or with none that a model
// is sent, and without answers asks no chain: see [Restorer].
//
// The input's answers to interrupts are for the layers that asked. One that no
// layer has taken when the chain has answered ends the run with
// [CodeInterruptUnknown]. An input that brings nothing but answers calls no model
// while one of them is left. When all are taken it does, with what its layers
// make of an empty conversation.
func Events(ctx context.Context, c Client, in *agui.RunAgentInput, o *EventOptions) iter.Seq[agui.Event] {
	if o == nil {
		o = &EventOptions{}
	}
	return func(yield func(agui.Event) bool) {
		in := withIDs(in)
		seen, sent := in, (*agui.RunAgentInput)(nil)
		if o.DropSystem {
			seen, sent = withoutSystem(in), in
		}
		r := &run{
			outer: ctx, ctx: WithInput(ctx, seen), sent: sent,
			threadID: in.ThreadID, runID: in.RunID,
			older: in.ProtocolVersion == "",
			o:     o, yield: yield,
			transcript: transcript{base: in.Messages},
		}
		r.brackets.pieces.keep = !o.ReuseEvents
		r.run(c, newRequest(seen))
	}
}

// withIDs is the input with an id for its thread and its run, which the client
// learns from RUN_STARTED: what layers keep by them is of nobody else.
func withIDs(in *agui.RunAgentInput) *agui.RunAgentInput {
	if in.ThreadID != "" && in.RunID != "" {
		return in
	}
	out := *in
	out.ThreadID = cmp.Or(in.ThreadID, agui.NewID())
	out.RunID = cmp.Or(in.RunID, agui.NewID())
	return &out
}

func newRequest(in *agui.RunAgentInput) *Request {
	req := &Request{Messages: in.Messages}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Metadata: t.Metadata})
	}
	return req
}

// run is one run of a chain.
type run struct {
	outer    context.Context // what ctx descends from: its end is a shorter way away
	yield    func(agui.Event) bool
	yielding bool // the consumer's loop body is running
	stopped  bool // the consumer broke
	older    bool
	sent     *agui.RunAgentInput // by the client; nil when the chain sees all of it

	brackets   brackets
	transcript transcript
	verifier   agui.Verifier

	ctx             context.Context
	threadID, runID string
	o               *EventOptions
	first           error
	interrupts      []agui.Interrupt
	usage           []agui.TokenUsage
	result          []byte
	pending         []string // calls without a result
	answers         *answers // of the client; nil when there are none
	ending          ending
	edits           edits
}

// errStopped unwinds the run when the consumer has left.
var errStopped = errors.New("chat: the consumer stopped")

func (r *run) run(c Client, req *Request) {
	flow.ScopeFrom(r.ctx).RunBy(r)
	r.ctx = runlog.With(r.ctx, r.o.Logger, r.threadID, r.runID)
	err := r.send(&agui.RunStarted{ThreadID: r.threadID, RunID: r.runID, ProtocolVersion: r.version()})
	if err == nil {
		err = r.stream(c, req)
	}
	if r.stopped {
		return
	}
	if err == nil && r.ctx.Err() != nil {
		err = context.Cause(r.ctx)
	}
	if err == nil {
		err = r.answers.untaken()
	}
	if err == nil {
		err = r.finish()
	}
	if err != nil && !r.stopped {
		r.fail(err)
	}
}

// version is what RUN_STARTED says: nothing to a client that does not know
// the member.
func (r *run) version() string {
	if r.older {
		return ""
	}
	return agui.ProtocolVersion
}

// stream sends what the chain yields. A panic of the chain becomes an error;
// one of the consumer's loop body passes through.
func (r *run) stream(c Client, req *Request) (err error) {
	normal := false
	defer func() {
		if normal || r.yielding {
			return
		}
		if v := recover(); v != nil {
			// A layer that goes on after an error may well panic: the error
			// that came first is the cause.
			err = errors.Join(r.first, &PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	for u, err := range r.source(c, req) {
		if err == nil {
			err = r.pass(u)
		}
		if err != nil {
			r.first = err
			break
		}
	}
	normal = true
	return r.first
}

// source is the chain's answer, or what a [Restorer] tells when nothing was
// asked.
func (r *run) source(c Client, req *Request) iter.Seq2[*Update, error] {
	in, _ := InputFrom(r.ctx)
	if len(in.Resume) > 0 {
		r.answers = newAnswers(in, c)
		return c.Stream(r.answers.context(r.ctx), req)
	}
	if slices.ContainsFunc(in.Messages, reachesModel) {
		return c.Stream(r.ctx, req)
	}
	if s, ok := Find[Restorer](c); ok {
		return s.Restore(r.ctx, req)
	}
	return func(func(*Update, error) bool) {}
}

// pass sends what one update says.
func (r *run) pass(u *Update) error {
	if r.outer.Err() != nil {
		return context.Cause(r.outer)
	}
	if u == nil {
		return nil
	}
	if u.Usage != nil {
		if !countable(u.Usage) {
			runlog.Log(r.ctx, r.o.Logger, slog.LevelWarn, "a count of tokens cannot be one: it is left out", slog.Any("usage", *u.Usage))
		}
		r.usage = AddUsage(r.usage, *u.Usage)
	}
	if u.Result != nil {
		r.result = u.Result
	}
	if len(u.Interrupts) > 0 {
		r.interrupts = append(r.interrupts, u.Interrupts...)
	}
	events, err := r.brackets.add(u)
	for _, e := range events {
		if err := r.send(e); err != nil {
			return err
		}
	}
	return err
}

// send verifies an event and yields it.
func (r *run) send(e agui.Event) error {
	if r.stopped {
		return errStopped
	}
	if s, ok := e.(*agui.MessagesSnapshot); ok {
		if s = r.edits.whole(s, &r.transcript); s == nil {
			return nil
		}
		if r.sent != nil {
			s = restore(s, r.sent.Messages)
		}
		e = s
	}
	if err := r.verifier.Observe(e); err != nil && !r.o.SkipVerify {
		return &Error{Code: CodeProtocolViolation, Message: generalMessage, Err: err}
	}
	r.transcript.observe(e)
	switch e := e.(type) {
	case *agui.ToolCallStart:
		if !slices.Contains(r.pending, e.ToolCallID) {
			r.pending = append(r.pending, e.ToolCallID)
		}
	case *agui.ToolCallResult:
		r.pending = slices.DeleteFunc(r.pending, func(id string) bool { return id == e.ToolCallID })
	}
	if _, text := e.(*agui.TextMessageContent); r.older && !text { // nearly all are text
		if e = agui.Downgrade(e); e == nil {
			return nil
		}
	}
	r.yielding = true
	ok := r.yield(e)
	r.yielding = false
	if !ok {
		r.stopped = true
		return errStopped
	}
	return nil
}

// finish closes what is open and ends the run well.
func (r *run) finish() error {
	if err := r.sendOwed(); err != nil {
		return err
	}
	if err := r.close(); err != nil {
		return err
	}
	if len(r.interrupts) > 0 && !r.transcript.known() {
		// Whoever answers later may have nothing else to start from.
		if err := r.send(&agui.MessagesSnapshot{Messages: r.transcript.messages()}); err != nil {
			return err
		}
	}
	e := &agui.RunFinished{ThreadID: r.threadID, RunID: r.runID, Result: r.result, Usage: r.usage}
	switch {
	case len(r.interrupts) > 0:
		e.Outcome = &agui.RunOutcome{Type: agui.OutcomeInterrupt, Interrupts: r.interrupts}
		e.Result = nil
	case len(r.pending) > 0:
		e.Outcome = &agui.RunOutcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: r.pending}
	}
	if err := r.ending.run(r.ctx, r.interrupts); err != nil {
		return err
	}
	return r.send(e)
}

// sendOwed tells what layers owe whose consumers have left them.
func (r *run) sendOwed() error {
	for _, left := range flow.ScopeFrom(r.ctx).Left() {
		owed, _ := left.(func() []agui.Event)
		if owed == nil {
			continue
		}
		for _, e := range owed() {
			if err := r.send(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// close ends what the chain left open.
func (r *run) close() error {
	b := &r.brackets
	b.out = b.out[:0]
	b.endTurn()
	events := b.out
	if b.expansion != nil {
		var err error
		if events, err = b.expanded(); err != nil {
			return err
		}
	}
	for _, e := range events {
		if err := r.send(e); err != nil {
			return err
		}
	}
	for _, e := range r.verifier.Open() {
		if err := r.send(e); err != nil {
			return err
		}
	}
	return nil
}
