package state

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/internal/partialjson"
	"github.com/aguistate/aguistate/middleware/internal/schema"
)

// CodeGeneration is the code of a run whose state could not be generated. The
// error's text says why, and that the state stayed as it was.
const CodeGeneration = "GENERATION_FAILED"

// Order says when a state is generated.
type Order int

const (
	// Before the answer, which then sees the new state.
	Before Order = iota
	// Instead of an answer.
	Instead
	// After the answer, when that ended well.
	After
)

// Generation are the settings of [Generate]. The zero value generates the
// whole state before the answer.
type Generation[S any] struct {
	// Instructions say what the application wants. What a state is, that the
	// current one follows, and that the answer is to be JSON, is said anyhow.
	Instructions string
	// Target is the JSON Pointer of the part to generate; the rest is kept.
	// "" is the whole.
	Target string
	// Merge keeps the members of the target, an object, that the model does not
	// write, and asks for those only that change. Otherwise the model's value
	// replaces the target.
	Merge bool
	// Join, if set, makes the new state of the current one and of what the
	// model wrote, in place of a replacement. The state then shows when the
	// model has finished.
	Join func(s *S, generated json.RawMessage) error
	// When decides for each run. Nil is when the person has the last word: not
	// when a run brings the result of a client's tool, or an answer to an
	// interrupt. A run that brings only answers may have no messages. Outside a
	// run the input is nil.
	When func(ctx context.Context, in *agui.RunAgentInput) bool
	// Order is Before, Instead or After the answer.
	Order Order
	// Answer is what the model is told for the answer that comes after; "" is
	// that the state shows what was wished.
	Answer string

	// Every is the least time between two publishes of a growing string; 0 is
	// 50 ms, negative is none. What is finished is published at once.
	Every time.Duration
	// Buffered shows the state only when the model has finished.
	Buffered bool
	// Reasoning passes the model's visible reasoning on.
	Reasoning bool
	// Retries is how often the model is asked again, and told what was wrong,
	// when what it wrote was no state.
	Retries int
	// Say makes a failure a text to the person, and the end of the run. Nil
	// makes it the run's error.
	Say func(err error) string
}

// Generate is the middleware that builds the next state with a model call of
// its own, while the user's answer comes from another. It stands inside
// [Share] and outside what is to be asked.
//
// The state shows while the model writes it: strings grow, lists gain
// elements; what can only be wrong until it is whole (numbers, literals, enums,
// types that decode themselves) waits; a member keeps its old value until the
// model begins to write it. What is shown lies over the settled state, which
// tools, [Session.State] and the model go on to see, until the model has
// finished and what it wrote fits: then it becomes the state. If it fails or is
// cut, it is taken back, on both sides, and nothing else is touched.
//
// What the document has beyond S is kept, and is not for the model to change: it
// is told to leave that out, and what it writes of it all the same is ignored.
// Any other member that S does not know makes what it wrote no state.
//
// The call is private: it goes on with [chat.ToolsNone] and no tools, and a
// Generate further in passes it. Of its updates only usage, errors and, if
// asked for, reasoning pass.
//
// Generate panics when Target leads nowhere in S, or Merge has no object there.
func Generate[S any](o Generation[S]) chat.Middleware {
	t, err := typeAt(reflect.TypeFor[S](), o.Target)
	if err != nil {
		panic("state: Generate: " + err.Error())
	}
	g := generator[S]{o: o, target: t, shape: partialjson.ShapeOf(t)}
	if g.wanted, err = wantedOf(t, o.Target, nil, o.Merge); err != nil {
		panic("state: Generate: " + err.Error())
	}
	if g.o.Every == 0 {
		g.o.Every = 50 * time.Millisecond
	}
	if g.o.Answer == "" {
		g.o.Answer = "What the user's last message wishes of the application's state has been carried out: " +
			"the current state below shows it. Answer the user in a sentence or two."
	}
	return func(next chat.Client) chat.Client {
		n := g
		n.Delegating = chat.Delegating{Client: next}
		return &n
	}
}

type generator[S any] struct {
	chat.Delegating
	o      Generation[S]
	target reflect.Type
	shape  partialjson.Shape
	wanted wanted
}

// wanted is what the model is to write.
type wanted struct {
	schema   *jsonschema.Schema // of the value
	resolved *jsonschema.Resolved
	format   *chat.ResponseFormat
	wrapped  bool // the value is the member "value" of an object
}

// wantedOf is a value of the type that is at target, without the members that
// are hidden from the model. With merge it is any of its members.
func wantedOf(t reflect.Type, target string, hidden []string, merge bool) (w wanted, err error) {
	s, err := schema.For(t)
	if err != nil {
		return w, err
	}
	for _, p := range hidden {
		hide(s, pointerTokens(target), pointerTokens(p))
	}
	if merge {
		if s.Type != "object" {
			return w, fmt.Errorf("%s is no object to merge into", t)
		}
		s.Required = nil
	}
	w.schema = s
	if w.resolved, err = s.Resolve(nil); err != nil {
		return w, err
	}
	w.format, w.wrapped = formatOf(s)
	if merge {
		// The strict form has every member.
		if w.format.Schema, err = json.Marshal(s); err != nil {
			return w, err
		}
		w.format.Strict = false
	}
	return w, nil
}

// formatOf is the response format for a schema. A value that is no object is
// asked for as a member of one, for models answer with objects only.
func formatOf(s *jsonschema.Schema) (f *chat.ResponseFormat, wrapped bool) {
	if s.Type != "object" {
		wrapped = true
		s = &jsonschema.Schema{
			Type: "object", Properties: map[string]*jsonschema.Schema{"value": s},
			Required: []string{"value"}, PropertyOrder: []string{"value"},
			AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		}
	}
	f = &chat.ResponseFormat{Name: "state", Description: "The application's state."}
	f.Schema, f.Strict = schema.Format(s)
	return f, wrapped
}

// Stream generates the state and passes the answer.
func (g *generator[S]) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	if req.ToolChoice.Mode == chat.ToolsNone || !g.when(ctx, req) {
		return g.Client.Stream(ctx, req)
	}
	return func(yield func(*chat.Update, error) bool) {
		s, err := Of[S](ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		r := &generation[S]{generator: g, wanted: g.wanted, core: s.core, yield: yield}
		if len(s.core.hidden) > 0 {
			if r.wanted, err = wantedOf(g.target, g.o.Target, s.core.hidden, g.o.Merge); err != nil {
				yield(nil, err)
				return
			}
		}
		switch g.o.Order {
		case Instead:
			_ = r.generate(ctx, req) && yield(&chat.Update{FinishReason: chat.FinishStop}, nil)
		case After:
			_ = r.answer(ctx, req) && r.generate(ctx, req)
		default:
			_ = r.generate(ctx, req) && r.answer(ctx, g.told(req))
		}
	}
}

// when decides whether the run has something to carry out.
func (g *generator[S]) when(ctx context.Context, req *chat.Request) bool {
	in, _ := chat.InputFrom(ctx)
	if g.o.When != nil {
		return g.o.When(ctx, in)
	}
	if in != nil && len(in.Resume) > 0 {
		return false
	}
	for _, m := range slices.Backward(req.Messages) {
		switch m.Role {
		case agui.RoleActivity, agui.RoleReasoning, agui.RoleSystem, agui.RoleDeveloper:
			continue
		}
		return m.Role == agui.RoleUser
	}
	return false
}

// told is the request for the answer.
func (g *generator[S]) told(req *chat.Request) *chat.Request {
	c := req.Clone()
	c.Messages = append(c.Messages, agui.SystemMessage(g.o.Answer))
	return c
}

// asking is the request for the state.
func (g *generation[S]) asking(req *chat.Request) *chat.Request {
	c := req.Clone()
	c.Tools, c.ToolChoice = nil, chat.ToolChoice{Mode: chat.ToolsNone}
	c.ResponseFormat = g.wanted.format
	what := "the application's whole state"
	if g.o.Target != "" {
		what = fmt.Sprintf("the part %s of the application's state", g.o.Target)
	}
	if g.o.Merge {
		what = "the members that change of " + what
	}
	text := "Carry out what the user's last message wishes: write " + what + " as it is to be, as JSON. " +
		"Keep all that the wish does not touch exactly as it is in the current state below; if it touches nothing, write it unchanged. " +
		"What is there beyond the schema of your answer stays as it is by itself: leave it out."
	if g.o.Instructions != "" {
		text = g.o.Instructions + "\n\n" + text
	}
	c.Messages = append([]agui.Message{agui.SystemMessage(text)}, c.Messages...)
	return c
}
