package state

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

// Option is a setting of [Share] or [NewSession].
type Option func(*settings)

type settings struct {
	initial       any    // S, or nil
	start         []byte // the text of initial, from when it was first needed
	announce      bool
	snapshotsOnly bool
	maxBytes      int
	validate      any // func(S) error, or nil
	hidden        []string
	prompt        func(doc json.RawMessage) (agui.Message, error)
	silent        bool
	keys          []jsonpatch.Key
}

// newSettings panics on options that can never do what they say.
func newSettings(of string, o []Option) *settings {
	s := &settings{}
	for _, f := range o {
		if f != nil {
			f(s)
		}
	}
	if s.prompt == nil {
		s.prompt = Prompt
	}
	for _, p := range s.hidden {
		mustBePointer(of+": Hide", p)
	}
	for _, k := range s.keys {
		mustBePointer(of+": Key", k.Path)
	}
	return s
}

// mustBePointer panics for what is no JSON Pointer.
func mustBePointer(what, p string) {
	if !jsontext.Pointer(p).IsValid() {
		panic(fmt.Sprintf("state: %s: %q is no JSON Pointer", what, p))
	}
}

// Default is the state where the client sends none: absent, null or {}. Its
// type is the S of the session; without it the zero value is the default.
func Default[S any](v S) Option { return func(s *settings) { s.initial = v } }

// Announce sends a snapshot of the state at the start of the run, before
// anything else.
func Announce() Option { return func(s *settings) { s.announce = true } }

// SnapshotsOnly sends every change as a snapshot, for clients that do not know
// JSON Patch.
func SnapshotsOnly() Option { return func(s *settings) { s.snapshotsOnly = true } }

// MaxBytes bounds the document, as compact JSON; 0 is no bound. A larger one
// from the client ends the run before any model call; a change that would make
// it larger is refused with an error and undone, before anything is sent.
func MaxBytes(n int) Option { return func(s *settings) { s.maxBytes = n } }

// Validate checks the state: the client's at the start of the run, and every
// change, which its error or panic refuses and undoes. The zero value, where
// the client sent nothing and there is no [Default], need not be valid, and
// what a model is still writing is not checked until it has finished. f must
// not change or keep the value. The text of a [chat.Error] may reach the
// client.
func Validate[S any](f func(S) error) Option { return func(s *settings) { s.validate = f } }

// Hide keeps members from the model: the JSON Pointers name what is left out
// of the document that the model is told. A * in one stands for any member or
// element: Hide("/users/*/token"). What is hidden may still be in the answer of
// a tool, and an agent at the end of the chain is sent it (see [Share]). A
// [Generate] keeps it as it is.
func Hide(pointers ...string) Option {
	return func(s *settings) { s.hidden = append(s.hidden, pointers...) }
}

// PromptWith replaces [Prompt]: f makes the message by which the model is told
// the current document at every call.
func PromptWith(f func(doc json.RawMessage) (agui.Message, error)) Option {
	return func(s *settings) { s.prompt = f }
}

// Silent does not tell the model the state.
func Silent() Option { return func(s *settings) { s.silent = true } }

// Key names the member that identifies the elements of an array, so that an
// element that an edit both moves and changes keeps the members that S does
// not know: Key("/recipe/ingredients", "name"). A * in the path stands for any
// index or member name, and an element keeps them also when it moves from one
// of those arrays to another: Key("/columns/*/cards", "id"). Elements that
// share their key are told apart as if there were none.
func Key(path, member string) Option {
	return func(s *settings) { s.keys = append(s.keys, jsonpatch.Key{Path: path, Member: member}) }
}

// typed returns an option's value as a T. It panics when the option was made
// for another state's type.
func typed[T any](name string, v any) (T, bool) {
	if v == nil {
		var zero T
		return zero, false
	}
	t, ok := v.(T)
	if !ok {
		panic(fmt.Sprintf("state: %s is for %T, the session holds %s", name, v, reflect.TypeFor[T]()))
	}
	return t, true
}
