package aguiclient

import (
	"encoding/json"
	"errors"
	"fmt"

	jsonx "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

// StateError says that the document does not fit the thread's type, or the
// type's value is no JSON.
type StateError struct {
	// Pointer names the place (RFC 6901); "" is the whole document.
	Pointer string
	Err     error
}

// Error names the place and the cause.
func (e *StateError) Error() string {
	at := e.Pointer
	if at == "" {
		at = "the document"
	}
	return fmt.Sprintf("aguiclient: the state: %s: %v", at, e.Err)
}

// Unwrap returns the cause.
func (e *StateError) Unwrap() error { return e.Err }

func stateError(err error) error {
	e := &StateError{Err: err}
	var s *jsonx.SemanticError
	if errors.As(err, &s) {
		e.Pointer = string(s.JSONPointer)
	}
	return e
}

// ID returns the thread's id.
func (t *Thread[S]) ID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// State returns the state, a value of its own each time. The error is a
// [*StateError] when the document does not fit S.
func (t *Thread[S]) State() (S, error) {
	v, err := decodeState[S](t.Document())
	if err != nil {
		var zero S
		return zero, err
	}
	return *v, nil
}

// Document returns the state as it is, byte for byte. Do not change it.
func (t *Thread[S]) Document() json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mirror.State()
}

// SetState changes the state to v, for the next run. It is a change of the
// document and not a new document: what v does not change, and members that S
// does not know, stay as they are. A document that does not fit S is replaced.
// The error is [ErrRunning] while the agent runs, but not while the client's
// tools do, or a [*StateError].
func (t *Thread[S]) SetState(v S) error {
	return t.edit(func(old *S) error {
		*old = v
		return nil
	}, true)
}

// UpdateState changes the state for the next run, as [Thread.SetState] does.
// An error of f changes nothing and is returned. Nobody else reads or changes
// the thread until f returns, so f must not call its methods.
func (t *Thread[S]) UpdateState(f func(v *S) error) error { return t.edit(f, false) }

func (t *Thread[S]) edit(f func(*S) error, replace bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live {
		return ErrRunning
	}
	doc, err := jsonpatch.Compact(nil, t.mirror.State())
	if err != nil {
		return stateError(err)
	}
	v, err := decodeState[S](doc)
	fits := err == nil
	if !fits {
		if !replace {
			return err
		}
		v = new(S)
	}
	before, err := encodeState(v)
	if err != nil {
		return err
	}
	if err := f(v); err != nil {
		return err
	}
	after, err := encodeState(v)
	if err != nil {
		return err
	}
	if fits {
		if after, err = jsonpatch.Rebase(doc, before, after, nil); err != nil {
			return stateError(err)
		}
	}
	t.mirror.SetState(after)
	return nil
}

// SetDocument makes doc the state, for the next run; absent or null is {}. The
// error is [ErrRunning] as for [Thread.SetState], or a [*StateError] when doc is
// no JSON.
func (t *Thread[S]) SetDocument(doc json.RawMessage) error {
	var compact json.RawMessage
	if len(doc) > 0 {
		var err error
		if compact, err = jsonpatch.Compact(nil, doc); err != nil {
			return stateError(err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live {
		return ErrRunning
	}
	t.mirror.SetState(compact)
	return nil
}

// Stale reports that the agent may hold another state than the thread: a patch
// did not apply, or a run that had begun ended without its terminal event. The
// next snapshot ends it, and so does setting the state. A run of which nothing
// came, because it was refused or never arrived, leaves the state as it was.
func (t *Thread[S]) Stale() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mirror.Stale()
}

// Messages returns the conversation, in a new slice.
func (t *Thread[S]) Messages() []agui.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mirror.Messages()
}

// Interrupts returns what the last run asks for: [Thread.Resume] answers it.
func (t *Thread[S]) Interrupts() []agui.Interrupt {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mirror.Interrupts()
}

// Result returns the result of the last run, or nil.
func (t *Thread[S]) Result() json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mirror.Result()
}

// Usage returns the tokens of the last run.
func (t *Thread[S]) Usage() []agui.TokenUsage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mirror.Usage()
}

// Reset begins a new thread: with a new id, the first state of the options and
// no messages. The error is [ErrRunning] during a Send.
func (t *Thread[S]) Reset() error { return t.replace(agui.NewID(), NewMirror(t.o.State, nil)) }

// replace makes the thread another one.
func (t *Thread[S]) replace(id string, m *Mirror) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running {
		return ErrRunning
	}
	t.id, t.mirror = id, m
	return nil
}

// decoding and encoding are encoding/json's way, except that names match
// exactly and that nil slices and maps are empty.
var (
	decoding = jsonx.JoinOptions(jsonv1.DefaultOptionsV1(), jsonx.MatchCaseInsensitiveNames(false), jsonv1.ReportErrorsWithLegacySemantics(false))
	encoding = jsonx.JoinOptions(jsonv1.DefaultOptionsV1(), jsonx.FormatNilSliceAsNull(false), jsonx.FormatNilMapAsNull(false), jsonx.Deterministic(true))
)

func decodeState[S any](doc []byte) (*S, error) {
	v := new(S)
	if err := jsonx.Unmarshal(doc, v, decoding); err != nil {
		return nil, stateError(err)
	}
	return v, nil
}

// encodeState returns compact JSON.
func encodeState[S any](v *S) ([]byte, error) {
	data, err := jsonx.Marshal(v, encoding)
	if err == nil {
		data, err = jsonpatch.Compact(nil, data)
	}
	if err != nil {
		return nil, stateError(err)
	}
	return data, nil
}
