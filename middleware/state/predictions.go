package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/partialjson"
	"github.com/aguistate/aguistate/middleware/internal/runlog"
)

// predictions are those of one answer.
type predictions[S any] struct {
	*predictor[S]
	ctx  context.Context // of the answer
	core *core[S]
	open []*prediction
}

// prediction is that of one call.
type prediction struct {
	id      string
	held    bool
	overlay *overlay
	reader  *partialjson.Reader
	pace    pace
	begun   bool // more than space has come
	broken  bool // what came is no JSON
	warned  bool // of a panic
	// panicked is the last panic of Map. Whoever publishes lays the overlay,
	// so this may come from any goroutine.
	panicked atomic.Pointer[chat.PanicError]
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
	if p.broken || piece == "" {
		return false
	}
	p.begun = p.begun || strings.TrimSpace(piece) != ""
	step, err := p.reader.WriteString(piece)
	if err != nil {
		p.broken = true
		r.core.drop(p.overlay)
		r.warnOfJSON(p, err)
		return true
	}
	if step == partialjson.Unchanged || !p.pace.due(p.reader, step, r.o.Every) {
		return false
	}
	arguments, open := p.reader.Value()
	apply := r.shown(p, arguments, open)
	published := apply != nil && r.core.lay(p.overlay, apply)
	if panicked := p.panicked.Swap(nil); panicked != nil {
		r.core.drop(p.overlay)
		p.overlay = &overlay{}
		r.warnOfMap(p, panicked)
		return true
	}
	return published
}

// warnOfJSON tells of arguments that are no JSON. The error's text would quote
// them.
func (r *predictions[S]) warnOfJSON(p *prediction, err error) {
	attrs := []slog.Attr{slog.String("tool", r.tool), slog.String("call", p.id)}
	var syntax *partialjson.SyntaxError
	if errors.As(err, &syntax) {
		attrs = append(attrs, slog.Int("offset", syntax.Offset))
	}
	runlog.Log(r.ctx, r.o.Logger, slog.LevelWarn, "a tool's arguments are no JSON: what was shown of them is taken back", attrs...)
}

// warnOfMap tells of a panic, once a call.
func (r *predictions[S]) warnOfMap(p *prediction, err *chat.PanicError) {
	if p.warned {
		return
	}
	p.warned = true
	runlog.Log(r.ctx, r.o.Logger, slog.LevelWarn, "a prediction's Map panicked: what was shown of the call is taken back",
		slog.String("tool", r.tool), slog.String("call", p.id), slog.Any("error", err), slog.String("stack", string(err.Stack)))
}

// shown lays arguments, of which open containers are still being written, upon
// the state; nil when there is nothing to show.
func (r *predictions[S]) shown(p *prediction, arguments json.RawMessage, open int) func([]byte) ([]byte, error) {
	if r.o.Map != nil {
		return func(text []byte) ([]byte, error) {
			s, err := r.core.codec.decode(text)
			if err != nil {
				return nil, err
			}
			err = chat.Protect(func() error { return r.o.Map(s, arguments) })
			var panicked *chat.PanicError
			if errors.As(err, &panicked) {
				p.panicked.Store(panicked)
			}
			if err != nil {
				return nil, err
			}
			return r.core.codec.encode(s, nil)
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
	if panicked := p.panicked.Swap(nil); panicked != nil {
		r.warnOfMap(p, panicked)
	}
	if !keep || p.broken {
		r.core.drop(p.overlay)
		return nil
	}
	if err := p.reader.Close(); err != nil {
		r.core.drop(p.overlay)
		if p.begun {
			r.warnOfJSON(p, err)
		}
		return nil
	}
	arguments, _ := p.reader.Value()
	apply := r.shown(p, arguments, 0)
	if apply == nil {
		r.core.drop(p.overlay)
		return nil
	}
	if err := r.core.commit(p.overlay, apply); err != nil {
		wrong := refused("", err)
		return &chat.Error{Code: CodeGeneration, Message: "The state stayed as it was: what " + r.tool + " wrote cannot become it: " + wrong.reason + ".", Err: err}
	}
	return nil
}

func (r *predictions[S]) dropAll() {
	for _, p := range r.open {
		r.core.drop(p.overlay)
	}
	r.open = nil
}
