package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/partialjson"
	"github.com/aguistate/aguistate/middleware/internal/schema"
)

// generation is one run's use of a generator.
type generation[S any] struct {
	*generator[S]
	wanted wanted
	core   *core[S]
	yield  func(*chat.Update, error) bool
}

// answer passes the answer on. It reports whether that ended well.
func (r *generation[S]) answer(ctx context.Context, req *chat.Request) bool {
	for u, err := range r.Client.Stream(ctx, req) {
		if !r.yield(u, err) || err != nil {
			return false
		}
	}
	return ctx.Err() == nil
}

// errStopped says that the consumer has left.
var errStopped = errors.New("state: the consumer stopped")

// notAState is an answer that is no state, which another try may mend.
type notAState struct {
	wrote  string
	reason string // may be shown to the client
	detail string // more, for the model
	err    error
}

// refused is an answer that S, Validate or MaxBytes does not take.
func refused(wrote string, err error) *notAState {
	e := &notAState{wrote: wrote, reason: "it was refused", detail: ": " + err.Error(), err: err}
	var panicked *chat.PanicError
	var document *DocumentError
	var public *chat.Error
	switch {
	case errors.As(err, &panicked):
		e.detail = ""
	case errors.As(err, &document):
		e.reason, e.detail = "it does not fit: "+document.Error(), ""
	case errors.As(err, &public):
		e.reason, e.detail = "it was refused: "+public.Message, ""
	}
	return e
}

func (e *notAState) Error() string { return e.reason }
func (e *notAState) Unwrap() error { return e.err }

// generate asks for the state until it has one. It reports whether the run
// goes on.
func (r *generation[S]) generate(ctx context.Context, req *chat.Request) bool {
	ask := r.asking(req)
	for try := 0; ; try++ {
		err := r.try(ctx, ask)
		var wrong *notAState
		switch {
		case err == nil:
			return true
		case errors.Is(err, errStopped):
			return false
		case errors.As(err, &wrong) && try < r.o.Retries && ctx.Err() == nil:
			ask = ask.Clone()
			ask.Messages = append(ask.Messages, agui.AssistantMessage(wrong.wrote),
				// Not as the user, whose last message is what is wished.
				agui.SystemMessage("That is not the state: "+wrong.reason+wrong.detail+". Write it again, whole."))
			continue
		}
		return r.failed(ctx, err)
	}
}

// failed tells of a failure. The run ends here in any case.
func (r *generation[S]) failed(ctx context.Context, err error) bool {
	var wrong *notAState
	if errors.As(err, &wrong) {
		err = &chat.Error{Code: CodeGeneration, Message: "The state stayed as it was: " + wrong.reason + ".", Err: err}
	}
	// What was shown and taken back goes out before the error.
	if !r.yield(&chat.Update{}, nil) {
		return false
	}
	if r.o.Say != nil && ctx.Err() == nil {
		r.yield(&chat.Update{Text: r.o.Say(err), FinishReason: chat.FinishStop}, nil)
		return false
	}
	r.yield(nil, err)
	return false
}

// try asks once. The overlay is gone when it returns: committed, or dropped.
func (r *generation[S]) try(ctx context.Context, ask *chat.Request) (err error) {
	w := &writing[S]{generation: r, overlay: &overlay{}, reader: &partialjson.Reader{Shape: r.readerShape(), Prose: true}}
	committed := false
	defer func() {
		if !committed {
			r.core.drop(w.overlay)
		}
	}()
	var finish chat.FinishReason
	for u, err := range r.Client.Stream(ctx, ask) {
		if err != nil {
			return err
		}
		if u == nil {
			continue
		}
		if pass := r.passes(u); pass != nil && !r.yield(pass, nil) {
			return errStopped
		}
		if u.FinishReason != "" {
			finish = u.FinishReason
		}
		if u.Text != "" && w.write(u.Text) && !r.yield(&chat.Update{}, nil) {
			return errStopped
		}
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	value, err := w.result(finish)
	if err != nil {
		return err
	}
	committed = true
	if err := r.core.commit(w.overlay, r.joined(value)); err != nil {
		return refused(w.text.String(), err)
	}
	if !r.yield(&chat.Update{}, nil) {
		return errStopped
	}
	return nil
}

// passes is what of a private update goes on.
func (r *generation[S]) passes(u *chat.Update) *chat.Update {
	p := &chat.Update{Usage: u.Usage}
	if r.o.Reasoning {
		p.Reasoning = u.Reasoning
	}
	if p.Usage == nil && p.Reasoning == "" {
		return nil
	}
	return p
}

// joined lays a whole value upon the state.
func (r *generation[S]) joined(value json.RawMessage) func([]byte) ([]byte, error) {
	if r.o.Join == nil {
		return r.replaced(value, 0)
	}
	return func(text []byte) ([]byte, error) {
		s, err := r.core.codec.decode(text)
		if err != nil {
			return nil, err
		}
		if err := r.o.Join(s, value); err != nil {
			return nil, err
		}
		return r.core.codec.encode(s, nil)
	}
}

// replaced lays a value upon the target, of which open containers are still
// being written.
func (r *generation[S]) replaced(value json.RawMessage, open int) func([]byte) ([]byte, error) {
	if r.o.Merge {
		open = max(open, 1)
	}
	return func(text []byte) ([]byte, error) {
		next, err := put(text, r.o.Target, partialjson.Merge(lookup(text, r.o.Target), value, open))
		if err != nil {
			return nil, err
		}
		return keepHidden(text, next, r.core.hidden, r.core.rebasing())
	}
}

// readerShape is the shape of what the model writes.
func (r *generation[S]) readerShape() partialjson.Shape {
	if r.wanted.wrapped {
		return wrappedShape{r.shape}
	}
	return r.shape
}

// wrappedShape is that of an object whose member "value" has the inner one.
type wrappedShape struct{ inner partialjson.Shape }

func (w wrappedShape) Member(name string) partialjson.Shape { return w.inner }
func (w wrappedShape) Element() partialjson.Shape           { return nil }
func (w wrappedShape) Grows() bool                          { return false }
func (w wrappedShape) Whole() bool                          { return false }

// writing is one answer as it is written.
type writing[S any] struct {
	*generation[S]
	overlay *overlay
	reader  *partialjson.Reader
	text    strings.Builder
	broken  error // what the reader did not take
	pace    pace
}

// write takes the next piece. It reports whether something was published.
func (w *writing[S]) write(piece string) bool {
	w.text.WriteString(piece)
	if w.o.Buffered || w.o.Join != nil || w.broken != nil {
		return false
	}
	step, err := w.reader.WriteString(piece)
	w.broken = err
	if w.reader.Done() { // whole: it is shown when it is known to fit
		return false
	}
	if step == partialjson.Unchanged || !w.pace.due(w.reader, step, w.o.Every) {
		return false
	}
	value, open := w.visible()
	return value != nil && w.core.lay(w.overlay, w.replaced(value, open))
}

// visible is what of the value can be shown.
func (w *writing[S]) visible() (value []byte, open int) {
	value, open = w.reader.Value()
	if w.generation.wanted.wrapped && value != nil {
		return lookup(value, "/value"), max(open-1, 0)
	}
	return value, open
}

// result is the whole value, or why there is none.
func (w *writing[S]) result(finish chat.FinishReason) (json.RawMessage, error) {
	wrote := w.text.String()
	switch finish {
	case chat.FinishStop:
	case chat.FinishLength:
		return nil, &notAState{wrote: wrote, reason: "the model was cut off by its token limit"}
	case chat.FinishContentFilter:
		return nil, &notAState{wrote: wrote, reason: "the model's answer was withheld by a content filter"}
	case "":
		return nil, &notAState{wrote: wrote, reason: "the model's answer was cut off"}
	default:
		return nil, &notAState{wrote: wrote, reason: fmt.Sprintf("the model stopped with %q", finish)}
	}
	value, err := partialjson.Extract(wrote)
	if err != nil {
		return nil, &notAState{wrote: wrote, reason: "the model's answer is no JSON object", detail: " (" + err.Error() + ")", err: err}
	}
	if w.generation.wanted.wrapped {
		if value = lookup(value, "/value"); value == nil {
			return nil, &notAState{wrote: wrote, reason: `the model's answer has no member "value"`}
		}
	}
	v, err := schema.Decode(value)
	if err != nil {
		return nil, &notAState{wrote: wrote, reason: "the model's answer is no JSON", err: err}
	}
	wanted := w.generation.wanted
	if kept := w.withoutEchoes(value, v); len(kept) != len(value) {
		if v, err = schema.Decode(kept); err == nil {
			value = kept
		}
	}
	if w.o.Merge {
		value = withoutAbsent(value, v, wanted.schema)
	}
	if err := schema.Validate(wanted.resolved, withoutNulls(v, wanted.schema)); err != nil {
		return nil, &notAState{wrote: wrote, reason: "it does not fit the schema: " + err.Error(), err: err}
	}
	return value, nil
}

// withoutAbsent takes the members out of an object that are null where they
// cannot be: a model that does not write a member may say so.
func withoutAbsent(object json.RawMessage, v any, s *jsonschema.Schema) json.RawMessage {
	members, _ := v.(map[string]any)
	for name, m := range members {
		p := s.Properties[name]
		if m != nil || p == nil || p.Type == "" && (len(p.Types) == 0 || slices.Contains(p.Types, "null")) {
			continue
		}
		if next, err := jsonpatch.Apply(object, agui.Patch{{Op: agui.OpRemove, Path: memberPointer(name)}}); err == nil {
			object = next
		}
	}
	return object
}

// withoutNulls leaves out the null of members that may be absent: the strict
// form of a schema has null for that.
func withoutNulls(v any, s *jsonschema.Schema) any {
	if s == nil {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			p := s.Properties[name]
			switch {
			case p == nil:
				v[name] = withoutNulls(m, s.AdditionalProperties)
			case m == nil && !slices.Contains(s.Required, name):
				delete(v, name)
			default:
				v[name] = withoutNulls(m, p)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = withoutNulls(e, s.Items)
		}
	}
	return v
}

// pace decides when a growing string is published again. RFC 6902 cannot
// append to a string: each publish sends it whole, so it must have become a
// quarter longer, which bounds the sum by five times its final length.
type pace struct {
	pointer string
	length  int
	at      time.Time
}

func (p *pace) due(r *partialjson.Reader, step partialjson.Step, every time.Duration) bool {
	if step == partialjson.Finished {
		p.pointer, p.length = "", 0
		if pointer, length, ok := r.Growing(); ok {
			p.pointer, p.length = pointer, length
		}
		p.at = time.Now()
		return true
	}
	pointer, length, _ := r.Growing()
	if pointer == p.pointer && (length*4 < p.length*5 || every > 0 && time.Since(p.at) < every) {
		return false
	}
	p.pointer, p.length, p.at = pointer, length, time.Now()
	return true
}
