package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/partialjson"
)

// Prediction are the settings of [Predict].
type Prediction[S any] struct {
	// Argument is the member of the call's arguments that is mirrored; "" is
	// the arguments as a whole.
	Argument string
	// Target is the JSON Pointer of the part of the state that it shows in.
	Target string
	// Map, if set, shows the arguments in another way: it changes the value as
	// the call, with these arguments, would. They are what the model has
	// written so far, closed into an object.
	Map func(s *S, arguments json.RawMessage) error
	// Keep makes what was shown the state when the tool has run without an
	// error. Otherwise only what the tool itself did to the state stays.
	Keep bool
	// Every is the least time between two publishes of a growing string; 0 is
	// 50 ms, negative is none.
	Every time.Duration
}

// Predict is the middleware that shows the arguments of a tool's calls in the
// state while the model writes them. It stands inside [Share] and outside
// [chat.InvokeFunctions].
//
// What it shows is a guess, and lies over the settled state like that of
// [Generate]. When the tool has run, the guess goes and what the tool did to
// the state stays; a failed call leaves nothing behind. A call that is not
// answered in this run, one of the client's tools, has no other result than
// its arguments: when it is whole, what was shown becomes the state. A call that
// waits for a person's approval shows nothing any more once they are asked. What
// is to become the state and does not fit, or is refused by [Validate], ends
// the run with [CodeGeneration].
//
// Predict panics when Target leads nowhere in S.
func Predict[S any](tool string, o Prediction[S]) chat.Middleware {
	p := predictor[S]{tool: tool, o: o}
	if o.Map == nil {
		t, err := typeAt(reflect.TypeFor[S](), o.Target)
		if err != nil {
			panic("state: Predict: " + err.Error())
		}
		p.shape = partialjson.ShapeOf(t)
		if o.Argument != "" {
			p.shape = argumentShape{o.Argument, p.shape}
		}
	}
	if p.o.Every == 0 {
		p.o.Every = 50 * time.Millisecond
	}
	return func(next chat.Client) chat.Client {
		n := p
		n.Delegating = chat.Delegating{Client: next}
		return &n
	}
}

type predictor[S any] struct {
	chat.Delegating
	tool  string
	o     Prediction[S]
	shape partialjson.Shape
}

// argumentShape is that of arguments of which one is shown.
type argumentShape struct {
	name  string
	inner partialjson.Shape
}

func (a argumentShape) Member(name string) partialjson.Shape {
	if name == a.name {
		return a.inner
	}
	return nil
}
func (a argumentShape) Element() partialjson.Shape { return nil }
func (a argumentShape) Grows() bool                { return false }
func (a argumentShape) Whole() bool                { return false }

// Stream passes the answer and shows what the calls in it will do.
func (p *predictor[S]) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	if req.ToolChoice.Mode == chat.ToolsNone {
		return p.Client.Stream(ctx, req)
	}
	return func(yield func(*chat.Update, error) bool) {
		s, err := Of[S](ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		r := &predictions[S]{predictor: p, core: s.core}
		defer r.dropAll()
		for u, err := range p.Client.Stream(ctx, req) {
			if err != nil {
				r.dropAll()
				yield(nil, err)
				return
			}
			if u == nil {
				continue
			}
			if u.ToolResult != nil {
				if err := r.settle(u.ToolResult); err != nil {
					_ = yield(u, nil) && yield(nil, err)
					return
				}
			}
			r.asked(u.Interrupts)
			if u.FinishReason == chat.FinishLength || u.FinishReason == chat.FinishContentFilter {
				r.cut()
			}
			if !yield(u, nil) {
				return
			}
			// A publish goes out before the next update: behind this one.
			if r.observe(u) && !yield(&chat.Update{}, nil) {
				return
			}
		}
		if ctx.Err() == nil {
			if err := r.leave(); err != nil {
				yield(nil, err)
			}
		}
	}
}

// predictions are those of one answer.
type predictions[S any] struct {
	*predictor[S]
	core *core[S]
	open []*prediction
}

// prediction is that of one call.
type prediction struct {
	id      string
	held    bool
	overlay *overlay
	reader  *partialjson.Reader
	text    strings.Builder
	broken  bool
	pace    pace
}

// observe takes the pieces of calls. It reports whether something was
// published.
func (r *predictions[S]) observe(u *chat.Update) (published bool) {
	for _, d := range u.ToolCalls {
		p := r.find(d.ID)
		if p == nil {
			if d.Name != r.tool {
				continue
			}
			p = &prediction{id: d.ID, held: d.Held, overlay: &overlay{}, reader: &partialjson.Reader{Shape: r.shape}}
			r.open = append(r.open, p)
		}
		if r.write(p, d.Arguments) {
			published = true
		}
	}
	return published
}

// asked drops what was shown of calls that a person must judge first.
func (r *predictions[S]) asked(interrupts []agui.Interrupt) {
	for _, i := range interrupts {
		if p := r.find(i.ToolCallID); p != nil {
			_ = r.close(p, false)
		}
	}
}

// cut drops what was shown of calls that nobody runs any more: the model was
// cut off.
func (r *predictions[S]) cut() {
	for _, p := range append([]*prediction(nil), r.open...) {
		if !p.held {
			_ = r.close(p, false)
		}
	}
}

// leave keeps what was shown of the calls that nobody in this run answers: an
// answer has ended well without their results.
func (r *predictions[S]) leave() error {
	var errs []error
	for _, p := range append([]*prediction(nil), r.open...) {
		if !p.held {
			errs = append(errs, r.close(p, true))
		}
	}
	return errors.Join(errs...)
}

func (r *predictions[S]) find(id string) *prediction {
	for _, p := range r.open {
		if p.id == id {
			return p
		}
	}
	return nil
}

// write takes a piece of arguments. It reports whether something was published.
func (r *predictions[S]) write(p *prediction, piece string) bool {
	p.text.WriteString(piece)
	if p.broken || piece == "" {
		return false
	}
	step, err := p.reader.WriteString(piece)
	p.broken = err != nil
	if step == partialjson.Unchanged || !p.pace.due(p.reader, step, r.o.Every) {
		return false
	}
	arguments, open := p.reader.Value()
	apply := r.shown(arguments, open)
	return apply != nil && r.core.lay(p.overlay, apply)
}

// shown lays arguments, of which open containers are still being written, upon
// the state; nil when there is nothing to show.
func (r *predictions[S]) shown(arguments json.RawMessage, open int) func([]byte) ([]byte, error) {
	if r.o.Map != nil {
		return func(text []byte) ([]byte, error) {
			s, err := r.core.codec.decode(text)
			if err != nil {
				return nil, err
			}
			if err := r.o.Map(s, arguments); err != nil {
				return nil, err
			}
			return r.core.codec.encode(s)
		}
	}
	value := []byte(arguments)
	if r.o.Argument != "" {
		value = lookup(arguments, memberPointer(r.o.Argument))
		if lastMember(arguments) != r.o.Argument {
			open = 1
		}
		open = max(open-1, 0)
	}
	if value == nil {
		return nil
	}
	return func(text []byte) ([]byte, error) {
		return put(text, r.o.Target, partialjson.Merge(lookup(text, r.o.Target), value, open))
	}
}

// memberPointer is the JSON Pointer of a member at the root.
func memberPointer(name string) string { return string(jsontext.Pointer("").AppendToken(name)) }

// lastMember is the name of the last member of an object.
func lastMember(object []byte) (last string) {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return last
		}
		last = name.String()
		if err := d.SkipValue(); err != nil {
			return last
		}
	}
	return last
}

// settle ends the prediction of a call that has its result.
func (r *predictions[S]) settle(result *chat.ToolResult) error {
	if p := r.find(result.ToolCallID); p != nil {
		return r.close(p, r.o.Keep && result.Error == "")
	}
	return nil
}

// close ends a prediction: what it showed becomes the state, or goes. The error
// says why what is whole cannot become the state.
func (r *predictions[S]) close(p *prediction, keep bool) error {
	for i, other := range r.open {
		if other == p {
			r.open = append(r.open[:i:i], r.open[i+1:]...)
			break
		}
	}
	if keep && !p.broken && p.reader.Close() == nil {
		arguments, _ := p.reader.Value()
		if apply := r.shown(arguments, 0); apply != nil {
			err := r.core.commit(p.overlay, apply)
			if err == nil {
				return nil
			}
			r.core.drop(p.overlay)
			wrong := refused("", err)
			return &chat.Error{Code: CodeGeneration, Message: "The state stayed as it was: what " + r.tool + " wrote cannot become it: " + wrong.reason + ".", Err: err}
		}
	}
	r.core.drop(p.overlay)
	return nil
}

func (r *predictions[S]) dropAll() {
	for _, p := range r.open {
		r.core.drop(p.overlay)
	}
	r.open = nil
}
