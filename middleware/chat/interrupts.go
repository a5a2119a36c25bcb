package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguistate/aguistate/middleware/agui"
)

// InterruptStore keeps the interrupts that are open in a thread. Its methods
// are called by one run of a thread at a time.
type InterruptStore interface {
	// Open returns what was saved last; nil when nothing was.
	Open(ctx context.Context, threadID string) ([]agui.Interrupt, error)
	// Save replaces it; nil is nothing.
	Save(ctx context.Context, threadID string, open []agui.Interrupt) error
}

// KeepInterrupts is the middleware for interrupts that layers inside it raise
// by hand, in Update.Interrupts: it stores them, and holds the next run of the
// thread to them, in whatever process that is. A run that does not answer them
// all, answers one that is not open, too late, or with a payload that does not
// fit its schema, ends with the INTERRUPT_… code that says so, before any model
// call. An answer that is taken is for the layer that asked: it gets it by
// [TakeResume].
//
// The store is written right before RUN_FINISHED, by which the client learns
// what was asked. A run that fails, or that its consumer leaves, has used up no
// answer and asked nothing: the client may send its answers again. What the
// store was told and the client was not, because the process or the connection
// died in between, stays open: the store's owner may drop it.
//
// It stands outside [InvokeFunctions], as the layers that ask do. The interrupts
// of InvokeFunctions need no store: they pass.
func KeepInterrupts(store InterruptStore) Middleware {
	if store == nil {
		panic("chat: KeepInterrupts without a store")
	}
	return func(next Client) Client { return &interruptKeeper{Delegating{next}, store} }
}

type interruptKeeper struct {
	Delegating
	store InterruptStore
}

// Stream checks the run's answers and notes what it asks.
func (k *interruptKeeper) Stream(ctx context.Context, req *Request) iter.Seq2[*Update, error] {
	in, ok := InputFrom(ctx)
	if !ok {
		return k.Client.Stream(ctx, req)
	}
	return func(yield func(*Update, error) bool) {
		ctx, answered, err := k.admit(ctx, in)
		if err != nil {
			yield(nil, err)
			return
		}
		kept := k.keptOf(ctx, in)
		if answered {
			kept.answer()
		}
		var asked []agui.Interrupt
		for u, err := range k.Client.Stream(ctx, req) {
			if err == nil && u != nil && len(u.Interrupts) > 0 {
				asked = append(asked, u.Interrupts...)
				kept.ask(u.Interrupts)
			}
			if !yield(u, err) || err != nil {
				return
			}
		}
		// Events does it for all streams of the run.
		if runFrom(ctx) == nil && ctx.Err() == nil {
			if err := kept.save(ctx, asked); err != nil {
				yield(nil, err)
			}
		}
	}
}

// signedByFunctions reports whether an interrupt is one of InvokeFunctions.
func signedByFunctions(i agui.Interrupt) bool {
	_, ok := interruptID(i.ID)
	return ok
}

// admit holds the run's answers against what is open. The context tells the
// layers below which answers are good; answered says that there are some.
func (k *interruptKeeper) admit(ctx context.Context, in *agui.RunAgentInput) (_ context.Context, answered bool, err error) {
	open, err := k.store.Open(ctx, in.ThreadID)
	if err != nil {
		return nil, false, fmt.Errorf("chat: reading open interrupts: %w", err)
	}
	run := resumeFrom(ctx, in)
	good := map[string]bool{}
	for _, e := range run.left {
		if _, functions := interruptID(e.InterruptID); functions {
			continue
		}
		i := slices.IndexFunc(open, func(o agui.Interrupt) bool { return o.ID == e.InterruptID })
		if i < 0 {
			if _, ok := Find[Resumer](k.Client); ok {
				continue
			}
			return nil, false, unknownAnswer(e.InterruptID)
		}
		if err := takes(open[i], e); err != nil {
			return nil, false, err
		}
		good[e.InterruptID] = true
		run.answers.take(e.InterruptID) // its asker may not need it
	}
	for _, o := range open {
		switch {
		case good[o.ID]:
		case len(good) == 0:
			return nil, false, &Error{Code: CodeInterruptPending, Message: "A question is open: answer it first."}
		default:
			return nil, false, &Error{Code: CodeInterruptPartial, Message: fmt.Sprintf("The question %q has no answer: all open questions are answered at once.", o.ID)}
		}
	}
	if len(open) == 0 {
		return ctx, false, nil
	}
	return context.WithValue(ctx, goodKey{}, good), true, nil
}

// goodKey marks the answers that a store has vouched for.
type goodKey struct{}

func vouchedFor(ctx context.Context, id string) bool {
	good, _ := ctx.Value(goodKey{}).(map[string]bool)
	return good[id]
}

// takes reports why an answer to an interrupt cannot be taken.
func takes(i agui.Interrupt, e agui.ResumeEntry) error {
	if e.Status == agui.ResumeCancelled {
		return nil
	}
	// What is no date never expires.
	if t, err := time.Parse(time.RFC3339, i.ExpiresAt); err == nil && time.Now().After(t) {
		return &Error{Code: CodeInterruptExpired, Message: fmt.Sprintf("The question %q has expired.", i.ID)}
	}
	if len(i.ResponseSchema) == 0 {
		return nil
	}
	q := Question{}
	var s jsonschema.Schema
	err := json.Unmarshal(i.ResponseSchema, &s)
	if err == nil {
		q.resolved, err = s.Resolve(nil)
	}
	if err != nil {
		return fmt.Errorf("chat: the response schema of interrupt %q: %w", i.ID, err)
	}
	if err := q.check(e.Payload); err != nil {
		return &Error{Code: CodeInterruptPayload, Message: fmt.Sprintf("The answer to %q does not fit: %v", i.ID, err), Err: err}
	}
	return nil
}
