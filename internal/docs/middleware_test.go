package docs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// [instruct]

// Instruct puts instructions of the application before the conversation.
func Instruct(text string) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			req = req.Clone() // others see the request that they were given
			req.Messages = slices.Insert(req.Messages, 0, agui.SystemMessage(text))
			return next.Stream(ctx, req)
		})
	}
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
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			err := state.Update(ctx, func(b *Board) error { b.Done++; return nil })
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&chat.Update{}, nil) { // the change goes out now, not with the first word
				return
			}
			for u, err := range next.Stream(ctx, req) {
				if !yield(u, err) {
					return
				}
			}
		}
	})
}

// [end]

// [byhand]

// StateByHand yields a state event of its own making. Where a Share is around
// it, the session takes it over; without one it goes to the client as it is.
func StateByHand(next chat.Client) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			doc, err := json.Marshal(Board{Tasks: []string{"call home"}})
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: doc}}}, nil) {
				return
			}
			for u, err := range next.Stream(ctx, req) {
				if !yield(u, err) {
					return
				}
			}
		}
	})
}

// [end]

// [goroutine]

// LookUp looks something up while the model answers already, and tells the
// client as soon as it is there.
func LookUp(lookup func(ctx context.Context) (json.RawMessage, error)) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return chat.Run(ctx, func(ctx context.Context) error {
				ctx, stop := context.WithCancel(ctx)
				defer stop()
				found := make(chan error, 1)
				go func() {
					value, err := lookup(ctx)
					if err == nil {
						err = chat.Emit(ctx, &chat.Update{Events: []agui.Event{&agui.Custom{Name: "found", Value: value}}})
					}
					found <- err
				}()
				for u, err := range next.Stream(ctx, req) {
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
		})
	}
}

// [end]

// [maps]

// A bracket and three mappings, which need no type of their own.
func maps(model chat.Client) chat.Client {
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

func TestInstruct(t *testing.T) {
	var inside aguitest.Recorder
	model := aguitest.NewModel(aguitest.Text("Hello."))
	client := chat.NewBuilder(model).Use(Instruct("Be brief.")).Use(inside.Middleware).Build()
	in := wish("Hi", "")
	play(t, client, in)
	seen := inside.Requests()[0].Messages
	if len(seen) != 2 || seen[0].Content.Text() != "Be brief." || len(in.Messages) != 1 {
		t.Errorf("the model got %v, the input has %d messages", seen, len(in.Messages))
	}
}

func TestProgress(t *testing.T) {
	expect(t, play(t, Progress(aguitest.NewModel(aguitest.Text("Hello ", "you."))), wish("Hi", "")),
		`{"type":"RUN_STARTED","threadId":"thread","runId":"run","protocolVersion":"1.0"}
{"type":"CUSTOM","name":"progress","value":{"messages":1}}
{"type":"TEXT_MESSAGE_START","messageId":"id-1","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"id-1","delta":"Hello "}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"id-1","delta":"you."}
{"type":"TEXT_MESSAGE_END","messageId":"id-1"}
{"type":"CUSTOM","name":"progress","value":{"bytes":10}}
{"type":"RUN_FINISHED","threadId":"thread","runId":"run"}
`)
	// It does not go on after an error, and needs a run.
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		ctx  context.Context
		want string
	}{
		"failing model": {chat.WithInput(t.Context(), wish("Hi", "")), "broken"},
		"no run":        {t.Context(), "outside a run"},
	} {
		got, err := chat.Collect(Progress(aguitest.NewModel(aguitest.Fail(broken))).Stream(c.ctx, &chat.Request{}))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(got.Events) > 1 {
			t.Errorf("%s: %v, %d events", name, err, len(got.Events))
		}
	}
}

func TestMiddlewaresOfTheState(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("Hello."))
	events := play(t, chat.NewBuilder(model).Use(state.Share[Board]()).Use(CountRuns).Build(), wish("Hi", `{"tasks":["a"],"done":4,"theme":"dark"}`))
	expect(t, events[1:2], `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["a"],"done":5,"theme":"dark"}}`+"\n")

	for name, chain := range map[string]chat.Client{
		"alone":    chat.NewBuilder(aguitest.NewModel(aguitest.Text("Hello."))).Use(StateByHand).Build(),
		"in Share": chat.NewBuilder(aguitest.NewModel(aguitest.Text("Hello."))).Use(state.Share[Board]()).Use(StateByHand).Build(),
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, play(t, chain, wish("Hi", `{}`))[1:2], `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["call home"],"done":0}}`+"\n")
		})
	}
}

func TestLookUp(t *testing.T) {
	release := make(chan struct{})
	model := aguitest.NewModel(aguitest.Text("I am ", "looking.").Pause(release).Text(" There."), aguitest.Fail(errors.New("broken")))
	client := LookUp(func(context.Context) (json.RawMessage, error) { return json.RawMessage(`42`), nil })(model)
	var order []string
	for e := range chat.Events(t.Context(), client, wish("Hi", ""), quiet) {
		switch e := e.(type) {
		case *agui.Custom:
			order = append(order, "found "+string(e.Value))
			close(release) // the rest of the answer waits for the look-up
		case *agui.TextMessageContent:
			order = append(order, e.Delta)
		}
	}
	if n := len(order); n != 4 || !slices.Contains(order, "found 42") || order[n-1] != " There." {
		t.Errorf("the order is %q", order)
	}
	events := play(t, client, wish("Hi", ""))
	if events[len(events)-1].Type() != agui.TypeRunError {
		t.Errorf("a broken model ended in %s", events[len(events)-1].Type())
	}
}

func TestMaps(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("done").Call("c1", "open_door", `{}`))
	expect(t, play(t, maps(model), wish("Hi", "")),
		`{"type":"RUN_STARTED","threadId":"thread","runId":"run","protocolVersion":"1.0"}
{"type":"STEP_STARTED","stepName":"answer"}
{"type":"TEXT_MESSAGE_START","messageId":"id-1","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"id-1","delta":"DONE"}
{"type":"TEXT_MESSAGE_END","messageId":"id-1"}
{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"open_door","parentMessageId":"id-1"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}
{"type":"TOOL_CALL_END","toolCallId":"c1"}
{"type":"CUSTOM","name":"called","value":"open_door"}
{"type":"STEP_FINISHED","stepName":"answer"}
{"type":"RUN_FINISHED","threadId":"thread","runId":"run","outcome":{"type":"success","pendingToolCallIds":["c1"]}}
`)
}
