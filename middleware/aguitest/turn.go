package aguitest

import (
	"context"
	"iter"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// Turn is the script of one call of a [Model]: what the model does, one step
// after the other. Build it with [Text], [Call], [Fail] or from the zero value,
// with the methods; each returns a longer turn and leaves its receiver as it
// was.
//
// A turn that neither finishes nor fails gets a finish reason at its end:
// tool_calls when it called a tool, otherwise stop.
type Turn struct {
	last  *link
	calls int
	ended bool
}

// link is a step and those before it. Turns that begin alike share their links,
// so that a long turn is not copied whenever it grows.
type link struct {
	step   step
	before *link
}

// step is what one method of Turn adds: data, or one of the others.
type step struct {
	data  Step
	pause *pause
	err   error
	more  func(context.Context, *chat.Request) (Turn, error)
}

type pause struct{ release <-chan struct{} }

// Step is one chunk of a model's answer, as a provider sends it. Zero fields
// say nothing.
type Step struct {
	// Reasoning and EncryptedReasoning are deltas.
	Reasoning          string
	EncryptedReasoning string
	// Text is a piece of text. It may be empty: providers send such pieces.
	Text string
	// Call is a piece of a tool call.
	Call *CallPiece
	// Usage counts the call's tokens.
	Usage *agui.TokenUsage
	// Finish ends the turn.
	Finish chat.FinishReason
	// Update is passed on as it is, and has no form on a provider's wire.
	Update *chat.Update
}

// CallPiece is a piece of a tool call.
type CallPiece struct {
	// Index is the call's place in the turn, from 0, in every piece.
	Index int
	// ID and Name come in the first piece. An empty ID was left out by the
	// provider.
	ID   string
	Name string
	// Arguments is a fragment.
	Arguments string
}

// Text returns a turn that says the pieces, one after the other.
func Text(pieces ...string) Turn { return Turn{}.Text(pieces...) }

// Call returns a turn that calls a tool: see [Turn.Call].
func Call(id, name string, arguments ...string) Turn {
	return Turn{}.Call(id, name, arguments...)
}

// Fail returns a turn that fails before anything was said.
func Fail(err error) Turn { return Turn{}.Fail(err) }

// Reply returns a turn that is computed from the request: see [Turn.Func].
func Reply(f func(ctx context.Context, req *chat.Request) (Turn, error)) Turn {
	return Turn{}.Func(f)
}

func (t Turn) add(s step) Turn {
	t.last = &link{step: s, before: t.last}
	return t
}

// steps ranges over the turn from its beginning.
func (t Turn) steps() iter.Seq[step] {
	return func(yield func(step) bool) {
		var links []*link
		for l := t.last; l != nil; l = l.before {
			links = append(links, l)
		}
		for _, l := range slices.Backward(links) {
			if !yield(l.step) {
				return
			}
		}
	}
}

// Text says the pieces, each in an update of its own. An empty piece is a
// piece like any other.
func (t Turn) Text(pieces ...string) Turn {
	for _, p := range pieces {
		t = t.add(step{data: Step{Text: p}})
	}
	return t
}

// Reasoning thinks the pieces aloud, each in an update of its own.
func (t Turn) Reasoning(pieces ...string) Turn {
	for _, p := range pieces {
		t = t.add(step{data: Step{Reasoning: p}})
	}
	return t
}

// EncryptedReasoning adds the provider's opaque form of its reasoning.
func (t Turn) EncryptedReasoning(value string) Turn {
	return t.add(step{data: Step{EncryptedReasoning: value}})
}

// Call calls a tool. The first piece has the name and no arguments; each
// fragment of the arguments follows in a piece of its own. With an empty id
// the provider names no call; the [Model] then mints one.
func (t Turn) Call(id, name string, arguments ...string) Turn {
	index := t.calls
	t = t.add(step{data: Step{Call: &CallPiece{Index: index, ID: id, Name: name}}})
	t.calls++
	return t.Arguments(index, arguments...)
}

// Arguments continues an earlier call of the turn, 0 being the first: calls
// may alternate.
func (t Turn) Arguments(index int, fragments ...string) Turn {
	if index < 0 || index >= t.calls {
		panic("aguitest: Arguments of a call that the turn has not made")
	}
	for _, f := range fragments {
		t = t.add(step{data: Step{Call: &CallPiece{Index: index, Arguments: f}}})
	}
	return t
}

// Usage reports the tokens of the call.
func (t Turn) Usage(u agui.TokenUsage) Turn {
	return t.add(step{data: Step{Usage: &u}})
}

// Finish ends the turn with a reason. What is added behind it comes after, as
// a provider's usage does.
func (t Turn) Finish(reason chat.FinishReason) Turn {
	t.ended = true
	return t.add(step{data: Step{Finish: reason}})
}

// Fail ends the turn with an error.
func (t Turn) Fail(err error) Turn {
	if err == nil {
		panic("aguitest: Fail with a nil error")
	}
	t.ended = true
	return t.add(step{err: err})
}

// Cut ends the turn as a broken connection does: with [ErrCut], and without a
// finish reason.
func (t Turn) Cut() Turn { return t.Fail(ErrCut) }

// Pause waits until something is received from release, or until it is
// closed, or the call's context ends, which ends the turn with the context's
// error. A nil channel waits for the context alone.
func (t Turn) Pause(release <-chan struct{}) Turn {
	return t.add(step{pause: &pause{release}})
}

// Func runs f when the turn comes to it, and goes on with the steps that it
// returns; an error ends the turn. The function may block: it is called on the
// goroutine of the model call, and must give up when the context ends.
//
// The request is the one that the model was asked, its Messages those that go
// out: live messages are among them. Do not change it.
func (t Turn) Func(f func(ctx context.Context, req *chat.Request) (Turn, error)) Turn {
	return t.add(step{more: f})
}

// Update yields u as it is, for what the other methods cannot say. It is not
// copied, so it should be used by one turn of one model only. No test server
// can play it.
func (t Turn) Update(u *chat.Update) Turn {
	if u.FinishReason != "" {
		t.ended = true
	}
	return t.add(step{data: Step{Update: u}})
}
