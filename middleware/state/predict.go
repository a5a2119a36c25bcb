package state

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"reflect"
	"time"

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
	// Logger is told, at Warn, why what was shown of a call was taken back:
	// see [Predict]. Nil is the logger of the run, see [chat.EventOptions].
	Logger *slog.Logger
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
// What was shown of a call is taken back at once when its arguments turn out
// to be no JSON, and when Map panics, until Map makes something of more of
// them. The Logger is told the tool and the call, not the arguments, and of a
// call's first panic only. An error of Map shows nothing new: it may not know
// yet what to make of half the arguments.
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
		r := &predictions[S]{predictor: p, ctx: ctx, core: s.core}
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
