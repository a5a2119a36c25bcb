package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/schema"
)

// ResumeStore makes answers to interrupts count once.
type ResumeStore interface {
	// Claim reports whether this is the first claim of an interrupt's id. It
	// must be atomic among all processes that take answers.
	Claim(ctx context.Context, interruptID string) (bool, error)
}

// resume takes the answers that a run brings to the calls that wait for them.
// It reports whether the loop may begin, in a context without them.
func (l *loop) resume(ctx context.Context, yield func(*Update, error) bool) (context.Context, bool) {
	in, ok := InputFrom(ctx)
	if !ok {
		return ctx, true
	}
	run, q := resumeFrom(ctx, in), l.questions(l.req.Messages)
	answers, err := l.answersTo(ctx, q, run)
	if err != nil {
		yield(nil, err)
		return ctx, false
	}
	// What is ours is no business of a layer further in, or of a tool.
	others := slices.DeleteFunc(slices.Clone(run.left), func(e agui.ResumeEntry) bool {
		_, ours := q.find(ctx, l, e.InterruptID)
		if ours {
			run.answers.take(e.InterruptID)
		}
		return ours
	})
	if len(others) < len(run.left) {
		ctx = run.with(ctx, others)
	}
	if len(answers) == 0 {
		return ctx, true
	}
	if edited := l.edit(ctx, in, answers); edited != nil && !yield(&Update{Events: []agui.Event{edited}}, nil) {
		return ctx, false
	}
	end, ok := l.answer(ctx, answers, yield)
	return ctx, ok && !end
}

// answerTo is what a person said to one call.
type answerTo struct {
	entry agui.ResumeEntry
	call  agui.ToolCall
	tool  Tool
	// One of three: the arguments to run the call with, the answer to a
	// question, or what the model is told instead.
	arguments json.RawMessage
	edited    bool
	answer    json.RawMessage
	instead   string
}

// answersTo pairs a run's answers with the calls that they answer, in the order
// of the calls. Of several answers to one call the last counts. One that this
// layer has not asked for is left to the others of the run, while no call here
// lacks one.
func (l *loop) answersTo(ctx context.Context, q *questions, run *resume) ([]*answerTo, error) {
	answers := make([]*answerTo, len(q.pending))
	stranger := "" // the first answer that nobody may have asked for
	some := false  // of the answers are ours
	// A layer around may ask us something else first, by a request of its own.
	conversation := sync.OnceValue(func() *questions { return l.questions(run.of.Messages) })
	for _, entry := range run.left {
		call, ours := q.find(ctx, l, entry.InterruptID)
		some = some || ours
		i, waits := q.waits[call.ID]
		switch {
		case ours && waits:
			a, err := l.take(ctx, entry, q.pending[i])
			if err != nil {
				return nil, err
			}
			answers[i] = a
		case ours && q.answered[call.ID], l.forOthers(ctx, entry.InterruptID):
		case ours:
			return nil, unknownAnswer(entry.InterruptID)
		default:
			if l.made(entry.InterruptID) {
				if _, there := conversation().find(ctx, l, entry.InterruptID); !there {
					return nil, unknownAnswer(entry.InterruptID)
				}
			}
			stranger = cmp.Or(stranger, entry.InterruptID)
		}
	}
	i := slices.Index(answers, nil)
	switch {
	case i < 0:
		return answers, nil
	case stranger != "":
		return nil, unknownAnswer(stranger)
	case !some:
		return nil, &Error{Code: CodeInterruptPending, Message: fmt.Sprintf("A question is open (%s): answer it first.", q.pending[0].Name)}
	}
	call := q.pending[i]
	return nil, &Error{Code: CodeInterruptPartial, Message: fmt.Sprintf("The question about %s (%s) has no answer: all open questions are answered at once.", call.Name, call.ID)}
}

// Resumer is a client that takes the run's answers to interrupts of its own,
// as an agent behind a wire does. [InvokeFunctions] leaves those alone that it
// has not asked for when there is one further in.
type Resumer interface{ TakesResume() }

// forOthers reports whether an answer may be to a question of a layer further
// in.
func (l *loop) forOthers(ctx context.Context, id string) bool {
	if vouchedFor(ctx, id) {
		return true
	}
	// An id like ours may be that of an agent that is built like us.
	_, ok := Find[Resumer](l.Client)
	return ok
}

// take reads one answer.
func (l *loop) take(ctx context.Context, entry agui.ResumeEntry, call agui.ToolCall) (*answerTo, error) {
	a := &answerTo{entry: entry, call: call}
	a.tool, _ = l.tool(call.Name)
	q := a.tool.Question
	if entry.Status == agui.ResumeCancelled {
		a.instead = "The person cancelled this."
		return a, nil
	}
	id, _ := interruptID(entry.InterruptID)
	unchanged := id.unchanged(call.Arguments)
	if t := id.expires(); !t.IsZero() && time.Now().After(t) {
		return nil, &Error{Code: CodeInterruptExpired, Message: fmt.Sprintf("The question about %s has expired.", call.Name)}
	}
	if err := q.check(entry.Payload); err != nil {
		return nil, &Error{Code: CodeInterruptPayload, Message: fmt.Sprintf("The answer about %s does not fit: %v", call.Name, err), Err: err}
	}
	altered := &Error{Code: CodeInterruptUnknown, Message: fmt.Sprintf("The question about %s was about other arguments.", call.Name)}
	if !q.approval {
		if !unchanged {
			return nil, altered
		}
		a.answer = entry.Payload
		return a, nil
	}
	var p struct {
		Approval
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(entry.Payload, &p); err != nil {
		return nil, &Error{Code: CodeInterruptPayload, Message: fmt.Sprintf("The answer about %s does not fit.", call.Name), Err: err}
	}
	switch {
	case !p.Approved:
		a.instead = "The person denied this call."
		if p.Reason != "" {
			a.instead += " Their reason: " + p.Reason
		}
	// A replay finds the arguments that the answer has put there.
	case p.Arguments != nil && (unchanged || sameJSON(p.Arguments, call.Arguments)):
		a.arguments, a.edited = p.Arguments, true
	case !unchanged:
		return nil, altered
	default:
		a.arguments = json.RawMessage(call.Arguments)
	}
	return a, nil
}

// sameJSON reports whether two texts are the same JSON but for white space.
func sameJSON(a json.RawMessage, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// check holds a payload against the question's schema.
func (q *Question) check(payload json.RawMessage) error {
	if len(payload) == 0 {
		return errors.New("it has no payload")
	}
	if q.resolved == nil {
		return nil
	}
	v, err := schema.Decode(payload)
	if err != nil {
		return err
	}
	return schema.Validate(q.resolved, v)
}

// edit puts edited arguments into the history. The client learns of them by a
// snapshot of its messages: the calls are not sent again, which would double
// their arguments there.
func (l *loop) edit(ctx context.Context, in *agui.RunAgentInput, answers []*answerTo) *agui.MessagesSnapshot {
	edited := map[string]string{}
	for _, a := range answers {
		if a.edited {
			edited[a.call.ID] = string(a.arguments)
		}
	}
	if len(edited) == 0 {
		return nil
	}
	l.req.Messages = withArguments(l.req.Messages, edited)
	s := &agui.MessagesSnapshot{Messages: conversation(withArguments(in.Messages, edited))}
	if r := runFrom(ctx); r != nil {
		r.edits.add(s, edited)
	}
	return s
}

func withArguments(messages []agui.Message, edited map[string]string) []agui.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		for j, call := range m.ToolCalls {
			if arguments, ok := edited[call.ID]; ok {
				out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
				out[i].ToolCalls[j].Arguments = arguments
			}
		}
	}
	return out
}

// answer runs what was approved and tells the model the rest.
func (l *loop) answer(ctx context.Context, answers []*answerTo, yield func(*Update, error) bool) (end, ok bool) {
	var run []*turnCall
	for _, a := range answers {
		call := &turnCall{ToolCall: a.call, instead: a.instead, entry: &a.entry}
		if a.answer != nil {
			call.instead = string(a.answer)
		}
		call.Arguments = string(a.arguments)
		run = append(run, call)
	}
	return l.invoke(ctx, run, yield)
}

// claim reports whether an answer is the first to its question.
func (l *loop) claim(ctx context.Context, entry *agui.ResumeEntry) (bool, error) {
	if l.o.Claims == nil || entry == nil {
		return true, nil
	}
	first, err := l.o.Claims.Claim(ctx, entry.InterruptID)
	if err != nil {
		return false, fmt.Errorf("chat: claiming an answer: %w", err)
	}
	return first, nil
}
