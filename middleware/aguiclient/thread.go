package aguiclient

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// ThreadOptions are the settings of [NewThread]. The zero value is ready; nil
// means the same.
type ThreadOptions struct {
	// ID of the thread; empty is a new one.
	ID string
	// State is the first document, also after [Thread.Reset]; absent or null
	// is {}.
	State json.RawMessage
	// Tools are offered to the agent with every run. Calls of those with
	// Invoke are run here, one after the other, and the thread goes on with
	// their results by itself; the others are the caller's, see
	// [Thread.PendingToolCalls]. While tools run the agent does not, so they
	// may read and set the thread's state: the next run carries it.
	Tools []chat.Tool
	// ShowErrors tells the agent what a failing tool's error says. Otherwise it
	// is told only that the tool failed, or a [chat.Error]'s Message.
	ShowErrors bool
	// MaxContinuations bounds how often one Send goes on by itself; 0 is 20.
	// With less no tool is run here: all calls are the caller's.
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
	running bool // a Send or Resume goes on
	live    bool // the agent runs, or is about to: the state is its to change
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
// on the conversation as it is, which also tries again what has failed.
// Messages without an id get one.
//
// Calls of tools that run here and still have no result, because the thread was
// restored or a Send was left among its tools, are run first. The result of a
// tool is a Local change, and so is a STATE_SNAPSHOT of what the tool has made
// of the thread's state, just before it.
//
// Each range is a run of its own, and sends the messages once more. An error
// is the last pair: a [*PendingError], [ErrRunning], or a [*chat.Error] with an
// [*agui.InputError] for a message that has no JSON, and nothing was sent or
// added; a [*chat.Error] with a [*PeerError] in it when the agent failed, which
// comes behind the change with its RUN_ERROR; the cause of ctx's end, or the
// error of [ThreadOptions].Input, wrapped; otherwise a [*chat.Error] for what was
// concluded here, with the cause in it. What came before an error is kept,
// and so are the messages. When a run that has begun ends without its terminal
// event, also by break or by the end of ctx, the state is stale.
func (t *Thread[S]) Send(ctx context.Context, messages ...agui.Message) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) { t.run(ctx, messages, nil, yield) }
}

// Resume answers the interrupts of the last run, all at once, and runs the
// agent. They are pending until a run has told how it ended. See [Thread.Send]
// for the sequence.
func (t *Thread[S]) Resume(ctx context.Context, answers ...agui.ResumeEntry) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		t.run(ctx, nil, append([]agui.ResumeEntry{}, answers...), yield)
	}
}

// AddMessages puts messages into the conversation and runs nothing: for results
// of [Thread.PendingToolCalls] that are to be sent with the answers of a
// [Thread.Resume]. The error is [ErrRunning] during a Send, or an
// [*agui.InputError] for a message that has no JSON, and nothing is added.
func (t *Thread[S]) AddMessages(messages ...agui.Message) error {
	if err := sendable(messages...); err != nil {
		return fmt.Errorf("aguiclient: the messages: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running {
		return ErrRunning
	}
	t.take(messages)
	return nil
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
