package aguiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

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
	t.take(messages)
	return nil
}

// take puts messages into the conversation, results behind their calls.
func (t *Thread[S]) take(messages []agui.Message) {
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
	t.running, t.live = false, false
}

// run is a Send or a Resume: calls of ours that wait, the agent, and the calls
// that it leaves to us, until it leaves none.
func (t *Thread[S]) run(ctx context.Context, messages []agui.Message, answers []agui.ResumeEntry, yield func(*Change, error) bool) {
	if err := t.begin(messages, answers); err != nil {
		yield(nil, err)
		return
	}
	defer t.end()
	if calls, _ := t.mine(); len(calls) > 0 {
		// Whatever a tool says of the end: this run was asked for.
		if _, ok := t.invoke(chat.WithInput(ctx, t.input(answers)), calls, yield); !ok {
			return
		}
	}
	for n := 0; ; n++ {
		in := t.launch(answers)
		ok := t.prepare(ctx, in, yield) && t.once(ctx, in, yield)
		t.land()
		if !ok {
			return
		}
		answers = nil
		calls, rest := t.mine()
		if len(calls) == 0 {
			return
		}
		if n >= t.o.MaxContinuations {
			yield(nil, &chat.Error{
				Code: chat.CodeAgent, Message: "The agent called this client's tools too many times.",
				Err: fmt.Errorf("aguiclient: calls are still pending after %d continuations", n),
			})
			return
		}
		more, ok := t.invoke(chat.WithInput(ctx, in), calls, yield)
		if !ok || !more || rest || len(t.Interrupts()) > 0 {
			return
		}
	}
}

// launch returns what the next run is sent. Until it has landed, the state is
// the agent's to change.
func (t *Thread[S]) launch(answers []agui.ResumeEntry) *agui.RunAgentInput {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live = true
	return t.inputLocked(answers)
}

func (t *Thread[S]) land() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live = false
}

// prepare gives the input to the hook, and reports whether it is to be sent.
func (t *Thread[S]) prepare(ctx context.Context, in *agui.RunAgentInput, yield func(*Change, error) bool) bool {
	if t.o.Input == nil {
		return true
	}
	err := t.o.Input(ctx, in)
	if err == nil && ctx.Err() == nil {
		err = t.adopt(in.State)
	}
	if err != nil {
		yield(nil, fmt.Errorf("aguiclient: the input: %w", err))
	}
	return err == nil
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
	begun, ended := false, false
	defer func() {
		if begun && !ended {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.mirror.MarkStale()
		}
	}()
	if ctx.Err() != nil { // nothing is sent
		yield(nil, stopped(ctx))
		return false
	}
	for e, err := range run(ctx, t.transport, in, t.o.SkipVerify) {
		if err != nil {
			begun = begun || answered(err)
			if ctx.Err() != nil {
				err = stopped(ctx)
			} else {
				err = failed(err)
			}
			yield(nil, err)
			return false
		}
		err = t.apply(e)
		begun, ended = true, terminal(e)
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

// apply takes an event in. Beside a question of the agent's, calls of this
// client's tools wait too.
func (t *Thread[S]) apply(e agui.Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.mirror.Apply(e)
	if _, ok := e.(*agui.RunFinished); ok && len(t.mirror.interrupts) > 0 {
		var ours []string
		for _, id := range t.mirror.started.list() {
			if c := t.mirror.talk.lastCall(id); c != nil && t.leftToUs(c.call, t.mirror.interrupts) {
				ours = append(ours, id)
			}
		}
		t.mirror.pending = newIDSet(ours)
	}
	return err
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

// input is what a run would be sent now.
func (t *Thread[S]) input(answers []agui.ResumeEntry) *agui.RunAgentInput {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inputLocked(answers)
}

func (t *Thread[S]) inputLocked(answers []agui.ResumeEntry) *agui.RunAgentInput {
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
