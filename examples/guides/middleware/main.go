// Command middleware is the program of the guide to middlewares.

// [imports]

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Board is the state of this page.
type Board struct {
	Tasks []string `json:"tasks"`
	Done  int      `json:"done"`
}

// [end]

// [instruct]

// Instruct puts instructions of the application before the conversation.
func Instruct(text string) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return &instruct{chat.Delegating{Client: next}, text}
	}
}

type instruct struct {
	chat.Delegating
	text string
}

func (i *instruct) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	req = req.Clone() // others see the request that they were given
	req.Messages = slices.Insert(req.Messages, 0, agui.SystemMessage(i.text))
	return i.Client.Stream(ctx, req)
}

// [end]

// [delegating]

// progress tells the client of each run what it is about, and how long the
// answer was.
type progress struct{ chat.Delegating }

// Progress is the middleware.
func Progress(next chat.Client) chat.Client {
	return &progress{chat.Delegating{Client: next}}
}

func (p *progress) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		in, ok := chat.InputFrom(ctx)
		if !ok {
			yield(nil, errors.New("progress: outside a run"))
			return
		}
		begin := &agui.Custom{Name: "progress", Value: json.RawMessage(fmt.Sprintf(`{"messages":%d}`, len(in.Messages)))}
		if !yield(&chat.Update{Events: []agui.Event{begin}}, nil) {
			return
		}
		length := 0 // of this run: a field of p would be shared by all runs
		for u, err := range p.Client.Stream(ctx, req) {
			if u != nil {
				length += len(u.Text)
			}
			if !yield(u, err) || err != nil {
				return
			}
		}
		end := &agui.Custom{Name: "progress", Value: json.RawMessage(fmt.Sprintf(`{"bytes":%d}`, length))}
		yield(&chat.Update{Events: []agui.Event{end}}, nil)
	}
}

// [end]

// [edit]

// CountRuns is a middleware that changes the shared state: it stands inside
// Share.
func CountRuns(next chat.Client) chat.Client {
	return &countRuns{chat.Delegating{Client: next}}
}

type countRuns struct{ chat.Delegating }

func (c *countRuns) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		err := state.Update(ctx, func(b *Board) error { b.Done++; return nil })
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(&chat.Update{}, nil) { // the change goes out now, not with the first word
			return
		}
		for u, err := range c.Client.Stream(ctx, req) {
			if !yield(u, err) {
				return
			}
		}
	}
}

// [end]

// [byhand]

// StateByHand yields a state event of its own making. Where a Share is around
// it, the session takes it over; without one it goes to the client as it is.
func StateByHand(next chat.Client) chat.Client {
	return &stateByHand{chat.Delegating{Client: next}}
}

type stateByHand struct{ chat.Delegating }

func (s *stateByHand) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return func(yield func(*chat.Update, error) bool) {
		doc, err := json.Marshal(Board{Tasks: []string{"call home"}})
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(&chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: doc}}}, nil) {
			return
		}
		for u, err := range s.Client.Stream(ctx, req) {
			if !yield(u, err) {
				return
			}
		}
	}
}

// [end]

// [goroutine]

// LookUp looks something up while the model answers already, and tells the
// client as soon as it is there.
func LookUp(lookup func(ctx context.Context) (json.RawMessage, error)) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return &lookUp{chat.Delegating{Client: next}, lookup}
	}
}

type lookUp struct {
	chat.Delegating
	lookup func(ctx context.Context) (json.RawMessage, error)
}

func (l *lookUp) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	return chat.Run(ctx, func(ctx context.Context) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		found := make(chan error, 1)
		go func() {
			value, err := l.lookup(ctx)
			if err == nil {
				err = chat.Emit(ctx, &chat.Update{Events: []agui.Event{&agui.Custom{Name: "found", Value: value}}})
			}
			found <- err
		}()
		for u, err := range l.Client.Stream(ctx, req) {
			if err == nil {
				err = chat.Emit(ctx, u)
			}
			if err != nil {
				stop()
				return errors.Join(err, <-found) // what was started is joined
			}
		}
		return <-found
	})
}

// [end]

// [maps]

// A bracket and three mappings, which need no type of their own.
func mapped(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(chat.Step("answer")).
		Use(chat.MapText(func(_ context.Context, piece string) string { return strings.ToUpper(piece) })).
		Use(chat.MapCall(func(_ context.Context, call agui.ToolCall) []agui.Event {
			return []agui.Event{&agui.Custom{Name: "called", Value: json.RawMessage(`"` + call.Name + `"`)}}
		})).
		Use(chat.MapResult(func(_ context.Context, r *chat.ToolResult) []agui.Event {
			return []agui.Event{&agui.Custom{Name: "answered", Value: json.RawMessage(`"` + r.ToolCallID + `"`)}}
		})).
		Build()
}

// [end]

// [main]

// newAgent is a chain of them. The first is outermost.
func newAgent(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Board]()).
		Use(Progress).
		Use(CountRuns).
		Use(Instruct("Be brief.")).
		Build()
}

func main() {
	model := parrot.New()
	answer := func(context.Context) (json.RawMessage, error) { return json.RawMessage(`42`), nil }
	e := echo.New()
	aguiecho.Map(e, "/agent", newAgent(model), nil)
	aguiecho.Map(e, "/byhand", StateByHand(model), nil)
	aguiecho.Map(e, "/lookup", LookUp(answer)(model), nil)
	aguiecho.Map(e, "/mapped", mapped(model), nil)
	e.Logger.Fatal(e.Start("127.0.0.1:8080"))
}

// [end]
