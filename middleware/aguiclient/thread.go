package aguiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// ThreadOptions are the settings of [NewThread]. The zero value is ready; nil
// means the same.
type ThreadOptions struct {
	// ID of the thread; empty is a new one.
	ID string
	// State is the first document; nil is {}.
	State json.RawMessage
	// Tools are offered to the agent with every run. Calls of those with
	// Invoke are run here, one after the other, and the thread goes on with
	// their results by itself; the others are the caller's, see
	// [Thread.PendingToolCalls].
	Tools []chat.Tool
	// ShowErrors tells the agent what a failing tool's error says. Otherwise it
	// is told only that the tool failed, or a [chat.Error]'s Message.
	ShowErrors bool
	// MaxContinuations bounds how often one Send goes on by itself; 0 is 20,
	// less is never.
	MaxContinuations int
	// Context and ForwardedProps go along with every run.
	Context        []agui.Context
	ForwardedProps json.RawMessage
	// Input is called with each input before it is sent, to change it. Its
	// error ends the run, and nothing is sent. Another state that it puts there
	// is the thread's from then on; one that is no JSON is a [*StateError].
	Input func(ctx context.Context, in *agui.RunAgentInput) error
	// SkipVerify takes events that break the order rules of AG-UI, instead of
	// ending the run with an [*agui.OrderError].
	SkipVerify bool
}

// Thread is a conversation with an agent, and the state that they share. It
// has one run at a time; its methods may be called from any goroutine, also
// during a run.
type Thread[S any] struct {
	transport Transport
	o         ThreadOptions

	mu      sync.Mutex
	id      string
	mirror  *Mirror
	running bool
}

// NewThread returns a conversation with the agent behind a transport. It
// panics when the transport is nil, two tools have one name, or a tool has a
// Question ([chat.RequireApproval], [chat.NewQuestion]): a call that is run here
// would be run without it.
func NewThread[S any](transport Transport, o *ThreadOptions) *Thread[S] {
	if transport == nil {
		panic("aguiclient: NewThread with a nil transport")
	}
	t := &Thread[S]{transport: transport}
	if o != nil {
		t.o = *o
	}
	t.o.Tools = slices.Clone(t.o.Tools)
	for i, tool := range t.o.Tools {
		if tool.Name == "" || slices.ContainsFunc(t.o.Tools[:i], func(u chat.Tool) bool { return u.Name == tool.Name }) {
			panic(fmt.Sprintf("aguiclient: NewThread: a tool named %q twice, or not at all", tool.Name))
		}
		if tool.Question != nil {
			panic(fmt.Sprintf("aguiclient: NewThread: the tool %q asks a person first, which only an agent does: put the question into Invoke", tool.Name))
		}
	}
	if t.o.MaxContinuations == 0 {
		t.o.MaxContinuations = 20
	}
	if t.id = t.o.ID; t.id == "" {
		t.id = agui.NewID()
	}
	t.mirror = NewMirror(t.o.State, nil)
	return t
}

// Change is one step of a run, which the thread has taken in by the time that
// it is yielded.
type Change struct {
	// Event is what the agent sent, with chunks expanded, or the result of a
	// tool that ran here.
	Event agui.Event
	// Local says that the event was made here.
	Local bool
	// Err is an [*ApplyError] when the event could not be taken in as it was
	// meant. The run goes on.
	Err error
}

// State reports whether the change is one of the state.
func (c *Change) State() bool {
	t := c.Event.Type()
	return c.Err == nil && (t == agui.TypeStateSnapshot || t == agui.TypeStateDelta)
}

// Send adds messages to the conversation and runs the agent. The changes come
// as the agent sends them; the sequence ends with the run, and with the runs
// that follow because of tools that ran here. Without messages the agent runs
// on the conversation as it is. Messages without an id get one.
//
// Each range is a run of its own, and sends the messages once more. An error
// is the last pair: a [*PendingError], [ErrRunning], or a [*chat.Error] with an
// [*agui.InputError] for a message that has no JSON, and nothing was sent or
// added; a
// [*chat.Error] with a [*PeerError] in it when the agent failed, which comes
// behind the change with its RUN_ERROR; otherwise a [*chat.Error] for what was
// concluded here, with the cause in it. What came before an error is kept.
// When a run ends without its terminal event, also by break or by the end of
// ctx, the state is stale.
func (t *Thread[S]) Send(ctx context.Context, messages ...agui.Message) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) { t.run(ctx, messages, nil, yield) }
}

// Resume answers the interrupts of the last run, all at once, and runs the
// agent. See [Thread.Send] for the sequence.
func (t *Thread[S]) Resume(ctx context.Context, answers ...agui.ResumeEntry) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		t.run(ctx, nil, append([]agui.ResumeEntry{}, answers...), yield)
	}
}

// Drain ranges over the changes of a run to its end and returns its error.
func Drain(changes iter.Seq2[*Change, error]) error {
	for _, err := range changes {
		if err != nil {
			return err
		}
	}
	return nil
}

// begin takes the thread for a run.
func (t *Thread[S]) begin(messages []agui.Message, answers []agui.ResumeEntry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running {
		return ErrRunning
	}
	if err := pending(t.mirror.interrupts, answers, time.Now()); err != nil {
		return err
	}
	if err := sendable(messages...); err != nil {
		return failed(err)
	}
	t.running = true
	for _, m := range messages {
		if m.ID == "" {
			m.ID = agui.NewID()
		}
		if m.Role == agui.RoleTool {
			t.mirror.addAnswer(m)
		} else {
			t.mirror.AddMessages(m)
		}
	}
	return nil
}

// sendable checks messages before they are of the conversation: one that has
// no JSON would keep every later run from being sent. The error is an
// [*agui.InputError] that counts from the first of them.
func sendable(messages ...agui.Message) error {
	in := &agui.RunAgentInput{ProtocolVersion: agui.ProtocolVersion, Messages: slices.Clone(messages)}
	for i := range in.Messages {
		in.Messages[i].Extra = nil // is not sent
	}
	_, err := reread(in)
	return err
}

func (t *Thread[S]) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = false
}

func (t *Thread[S]) run(ctx context.Context, messages []agui.Message, answers []agui.ResumeEntry, yield func(*Change, error) bool) {
	if err := t.begin(messages, answers); err != nil {
		yield(nil, err)
		return
	}
	defer t.end()
	for n := 0; ; n++ {
		in := t.input(answers)
		answers = nil
		if t.o.Input != nil {
			if err := t.o.Input(ctx, in); err != nil {
				yield(nil, fmt.Errorf("aguiclient: the input: %w", err))
				return
			}
			if ctx.Err() == nil {
				if err := t.adopt(in.State); err != nil {
					yield(nil, fmt.Errorf("aguiclient: the input: %w", err))
					return
				}
			}
		}
		if !t.once(ctx, in, yield) {
			return
		}
		calls, rest := t.mine()
		if len(calls) == 0 {
			return
		}
		if n >= t.o.MaxContinuations {
			if t.o.MaxContinuations > 0 {
				yield(nil, &chat.Error{
					Code: chat.CodeAgent, Message: "The agent called this client's tools too many times.",
					Err: fmt.Errorf("aguiclient: calls are still pending after %d continuations", n),
				})
			}
			return
		}
		more, ok := t.invoke(chat.WithInput(ctx, in), calls, yield)
		if !ok || !more || rest {
			return
		}
	}
}

// adopt makes the state that is sent the thread's, when a hook has made it
// another one: the agent's deltas apply to that.
func (t *Thread[S]) adopt(state json.RawMessage) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if bytes.Equal(state, t.mirror.State()) {
		return nil
	}
	if isNull(state) {
		t.mirror.SetState(nil)
		return nil
	}
	doc, err := jsonpatch.Compact(nil, state)
	if err != nil {
		return stateError(err)
	}
	t.mirror.SetState(doc)
	return nil
}

// once runs the agent once, and reports whether the run ended well and the
// caller goes on.
func (t *Thread[S]) once(ctx context.Context, in *agui.RunAgentInput, yield func(*Change, error) bool) bool {
	ended := false
	defer func() {
		if !ended {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.mirror.MarkStale()
		}
	}()
	if ctx.Err() != nil {
		ended = true // nothing was sent
		yield(nil, stopped(ctx))
		return false
	}
	for e, err := range run(ctx, t.transport, in, t.o.SkipVerify) {
		if err != nil {
			if ctx.Err() != nil {
				err = stopped(ctx)
			} else {
				err = failed(err)
			}
			yield(nil, err)
			return false
		}
		t.mu.Lock()
		err = t.mirror.Apply(e)
		t.mu.Unlock()
		ended = terminal(e)
		if !yield(&Change{Event: e, Err: err}, nil) {
			return false
		}
		if peer := peerError(e); peer != nil {
			yield(nil, &chat.Error{Code: peer.Code, Message: peer.Message, Err: peer})
			return false
		}
	}
	return ended
}

// peerError is the failure that a terminal event tells, or nil.
func peerError(e agui.Event) *PeerError {
	switch e := e.(type) {
	case *agui.RunError:
		return &PeerError{Code: e.Code, Message: e.Message, Usage: e.Usage}
	case *agui.RunFinished:
		if e.Outcome != nil && e.Outcome.Type == agui.OutcomeCancelled {
			return &PeerError{Code: chat.CodeCancelled, Message: "The run was cancelled.", Usage: e.Usage}
		}
	}
	return nil
}

// input is what the next run is sent.
func (t *Thread[S]) input(answers []agui.ResumeEntry) *agui.RunAgentInput {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := &agui.RunAgentInput{
		ThreadID: t.id, RunID: agui.NewID(), ProtocolVersion: agui.ProtocolVersion,
		State: t.mirror.State(), Messages: []agui.Message{}, Tools: []agui.Tool{},
		Context: append([]agui.Context{}, t.o.Context...), ForwardedProps: t.o.ForwardedProps, Resume: answers,
	}
	if isNull(in.ForwardedProps) {
		in.ForwardedProps = json.RawMessage("{}")
	}
	for _, m := range t.mirror.Messages() {
		if m.Role != agui.RoleActivity {
			m.Extra = nil
			in.Messages = append(in.Messages, m)
		}
	}
	for _, tool := range t.o.Tools {
		in.Tools = append(in.Tools, agui.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters, Metadata: tool.Metadata})
	}
	return in
}

// pending checks that answers cover the interrupts that are pending, as the
// reference client does before it sends.
func pending(interrupts []agui.Interrupt, answers []agui.ResumeEntry, now time.Time) error {
	for _, i := range interrupts {
		at := slices.IndexFunc(answers, func(a agui.ResumeEntry) bool { return a.InterruptID == i.ID })
		if at < 0 {
			return &PendingError{InterruptID: i.ID}
		}
		if expired(i.ExpiresAt, now) && answers[at].Status != agui.ResumeCancelled {
			return &PendingError{InterruptID: i.ID, Expired: true}
		}
	}
	return nil
}

// expired reports whether a date is past; what is no date never is.
func expired(date string, now time.Time) bool {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.Parse(layout, date); err == nil {
			return !now.Before(at)
		}
	}
	return false
}
