package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// input is a run of a current client with one question and one tool of its
// own.
func input() *agui.RunAgentInput {
	return &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: "1.0",
		Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.Text("Hello")}},
		Tools:    []agui.Tool{{Name: "confirm", Description: "Asks the person."}},
	}
}

func runEvents(ctx context.Context, c chat.Client, in *agui.RunAgentInput, o *chat.EventOptions) []agui.Event {
	return slices.Collect(chat.Events(ctx, c, in, o))
}

// by is a client that yields updates made by hand.
func by(updates ...*chat.Update) chat.Client {
	return chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for _, u := range updates {
				if !yield(u, nil) {
					return
				}
			}
		}
	})
}

type noArguments struct{}

var (
	greet = chat.NewTool("greet", "Greets.", func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "Hello, " + in.Name, nil
	})
	announce = chat.NewTool("announce", "Tells the client while it works.", func(ctx context.Context, _ noArguments) (string, error) {
		for _, n := range []string{"1", "2"} {
			if err := chat.Emit(ctx, &chat.Update{Events: []agui.Event{&agui.Custom{Name: "progress", Value: json.RawMessage(n)}}}); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
	broken = chat.NewTool("broken", "Fails.", func(context.Context, noArguments) (string, error) {
		return "", errors.New("the password is 12345")
	})
	explode = chat.NewTool("explode", "Panics.", func(context.Context, noArguments) (string, error) {
		panic("boom")
	})
	last = chat.NewTool("last", "Ends the loop.", func(context.Context, noArguments) (string, error) {
		return "bye", chat.ErrEndLoop
	})
)

func withTools(o chat.FunctionInvocation, m *aguitest.Model) chat.Client {
	if o.Tools == nil {
		o.Tools = []chat.Tool{greet, announce, broken, explode, last}
	}
	return chat.NewBuilder(m).Use(chat.InvokeFunctions(o)).Build()
}

func delta(id, name, args string) chat.ToolCallDelta {
	return chat.ToolCallDelta{ID: id, Name: name, Arguments: args}
}

func calls(d ...chat.ToolCallDelta) *chat.Update { return &chat.Update{ToolCalls: d} }

func TestGoldenStreams(t *testing.T) {
	usage := agui.TokenUsage{Provider: "p", Model: "m", InputTokens: 3, OutputTokens: 4}
	for name, client := range map[string]chat.Client{
		"text":      aguitest.NewModel(aguitest.Text("", "Hel", "", "lo", "\n")),
		"reasoning": aguitest.NewModel(aguitest.Turn{}.Reasoning("hm", "m").Text("Yes").Reasoning("but").Text("no")),
		"usage":     withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Call("c", "greet", `{"name":"A"}`).Usage(usage), aguitest.Text("x").Usage(usage))),
		"cut":       aguitest.NewModel(aguitest.Text("half an ans").Cut()),
		"tool_loop": withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Text("Sure.").Call("c1", "greet", `{"na`, `me":"Ann"}`), aguitest.Text("Done."))),
		"tool_blank_arguments": withTools(chat.FunctionInvocation{}, aguitest.NewModel(
			aguitest.Turn{}.Call("a", "announce").Call("b", "announce", "").Call("c", "announce", "  ").Call("d", "announce", "null"), aguitest.Text("ok"))),
		"tool_emits": withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Call("c1", "announce"), aguitest.Text("ok"))),
		"tool_parallel": withTools(chat.FunctionInvocation{Concurrent: true}, aguitest.NewModel(
			aguitest.Turn{}.Call("a", "greet").Call("b", "greet").Arguments(0, `{"name":"A"}`).Arguments(1, `{"name":"B"}`), aguitest.Text("ok"))),
		"tool_failures": withTools(chat.FunctionInvocation{}, aguitest.NewModel(
			aguitest.Turn{}.Call("a", "broken").Call("b", "explode").Call("c", "nobody").Call("d", "greet", `{"name":5}`).Call("e", "greet", `{"name":`).Call("f", "greet", `[1]`), aguitest.Text("sorry"))),
		"tool_ends_loop":   withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Call("a", "last"))),
		"tool_ids_repeat":  withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Call("call_0", "announce"), aguitest.Call("call_0", "announce"), aguitest.Text("ok"))),
		"tool_cut":         withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Call("a", "greet", `{"name":"A"}`).Cut())),
		"client_tool":      withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Text("May I?").Call("c", "confirm", `{"x":1}`))),
		"mixed_turn":       withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Turn{}.Call("c", "confirm", `{}`).Call("s", "greet", `{"name":"B"}`))),
		"stop_on_unknown":  withTools(chat.FunctionInvocation{StopOnUnknown: true}, aguitest.NewModel(aguitest.Call("a", "nobody", `{}`))),
		"iterations":       withTools(chat.FunctionInvocation{MaxIterations: 2}, aguitest.NewModel(aguitest.Call("a", "announce"), aguitest.Call("b", "announce"))),
		"errors_in_a_row":  withTools(chat.FunctionInvocation{MaxConsecutiveErrors: 1}, aguitest.NewModel(aguitest.Call("a", "broken"), aguitest.Call("b", "broken"))),
		"result_too_large": withTools(chat.FunctionInvocation{MaxResultBytes: 4}, aguitest.NewModel(aguitest.Call("a", "greet", `{"name":"A"}`), aguitest.Text("ok"))),
		// Calls that nobody answers in this run.
		"calls_in_order":    aguitest.NewModel(aguitest.Turn{}.Call("a", "confirm", `{"q":`, `1}`).Call("b", "confirm", `{"m":2}`)),
		"calls_interleaved": aguitest.NewModel(aguitest.Turn{}.Call("a", "confirm").Call("b", "confirm").Arguments(0, `{"q":1}`).Arguments(1, `{"m":2}`)),
		"text_between_calls": by(&chat.Update{Text: "Sure, "}, calls(delta("a", "confirm", `{"x":1}`)), &chat.Update{Text: "and"},
			calls(delta("b", "confirm", `{}`)), &chat.Update{FinishReason: chat.FinishToolCalls}, &chat.Update{Text: "Done."}),
		"held_by_hand": by(calls(chat.ToolCallDelta{ID: "a", Name: "write", Arguments: `{}`, Held: true}), &chat.Update{Text: "meanwhile"},
			&chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: json.RawMessage(`{"a":1}`)}}}, &chat.Update{Text: " more"},
			&chat.Update{ToolResult: &chat.ToolResult{ToolCallID: "a", Content: agui.Text("ok")}}),
		"state_inside_text": by(&chat.Update{Text: "one"}, &chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: json.RawMessage(`{}`)}}}, &chat.Update{Text: "two"}),
		"one_id_for_all": by(&chat.Update{MessageID: "m", Text: "one"}, &chat.Update{MessageID: "m", ToolCalls: []chat.ToolCallDelta{delta("a", "confirm", "{}")}, FinishReason: chat.FinishToolCalls},
			&chat.Update{MessageID: "m", Text: "two", FinishReason: chat.FinishStop}),
		"two_messages": by(&chat.Update{MessageID: "m1", Text: "one"}, &chat.Update{MessageID: "m2", Text: "two"}, &chat.Update{Text: "still two"}),
		"chunks": by(&chat.Update{Text: "own"}, &chat.Update{Events: []agui.Event{
			&agui.TextMessageChunk{MessageID: new("k"), Delta: new("by chunk")}, &agui.TextMessageChunk{Delta: new(" more")},
			&agui.ToolCallChunk{ToolCallID: new("t"), ToolCallName: new("confirm"), Delta: new("{}")},
		}}, &chat.Update{Text: "own again"}),
		"brackets_left_open": by(&chat.Update{Events: []agui.Event{
			&agui.StepStarted{StepName: "plan"}, &agui.TextMessageStart{MessageID: "h", Role: agui.RoleAssistant},
			&agui.TextMessageContent{MessageID: "h", Delta: "by hand"}, &agui.ReasoningStart{MessageID: "r"},
		}}, &chat.Update{Text: "own"}),
		"calls_by_hand": by(&chat.Update{Events: []agui.Event{&agui.ToolCallStart{ToolCallID: "a", ToolCallName: "f"}, &agui.ToolCallArgs{ToolCallID: "a", Delta: "{}"}}},
			&chat.Update{ToolResult: &chat.ToolResult{ToolCallID: "a", Content: agui.Text("ok")}}, &chat.Update{Text: "own"},
			&chat.Update{Events: []agui.Event{&agui.TextMessageStart{MessageID: "h"}, &agui.TextMessageContent{MessageID: "h", Delta: "hand"}}}, calls(delta("b", "confirm", "{}"))),
		"text_by_hand_goes_on": by(&chat.Update{Events: []agui.Event{&agui.TextMessageStart{MessageID: "h"}, &agui.TextMessageContent{MessageID: "h", Delta: "one "}}},
			&chat.Update{Text: "own"}, &chat.Update{Events: []agui.Event{&agui.TextMessageContent{MessageID: "h", Delta: "two"}}}, calls(delta("b", "confirm", "{}")),
			&chat.Update{Events: []agui.Event{&agui.TextMessageEnd{MessageID: "h"}}}),
		"held_further_in": withTools(chat.FunctionInvocation{}, aguitest.NewModel(aguitest.Turn{}.
			Update(calls(chat.ToolCallDelta{ID: "r", Name: "remote", Arguments: "{}", Held: true})).
			Update(&chat.Update{ToolResult: &chat.ToolResult{ToolCallID: "r", Content: agui.Text("done there")}}).Text("ok"))),
		"nil_event":         by(&chat.Update{Events: []agui.Event{nil}}),
		"run_event_by_hand": by(&chat.Update{Events: []agui.Event{&agui.RunFinished{ThreadID: "t", RunID: "r"}}}),
		"order_violation":   by(&chat.Update{Events: []agui.Event{&agui.TextMessageContent{MessageID: "nope", Delta: "x"}}}),
		"interrupt_told": by(&chat.Update{Text: "May I?", FinishReason: chat.FinishStop},
			&chat.Update{Events: []agui.Event{&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "a1", Role: agui.RoleAssistant, Content: agui.Text("May I?")}}}}},
			&chat.Update{Events: []agui.Event{&agui.StateSnapshot{Snapshot: json.RawMessage(`{"a":1}`)}}, Interrupts: []agui.Interrupt{{ID: "i", Reason: "ask"}}}),
		"interrupt":         by(&chat.Update{Text: "May I?", Interrupts: []agui.Interrupt{{ID: "i", Reason: "ask"}}, Result: json.RawMessage(`1`)}),
		"result":            by(&chat.Update{Result: json.RawMessage(`{"ok":true}`)}),
		"encrypted":         by(&chat.Update{Reasoning: "hm", EncryptedReasoning: "enc1"}, &chat.Update{Text: "x"}, calls(chat.ToolCallDelta{ID: "a", Name: "confirm", Arguments: "{}", EncryptedReasoning: "enc2"})),
		"encrypted_only":    by(&chat.Update{EncryptedReasoning: "enc1", FinishReason: chat.FinishStop}),
		"metadata_and_role": by(&chat.Update{Text: "note", Role: agui.RoleSystem, Metadata: agui.Metadata{"k": "v"}}),
		"call_without_name": by(calls(delta("a", "", "{}"))),
		"late_arguments":    by(calls(delta("a", "confirm", "{}")), &chat.Update{Text: "x"}, calls(delta("a", "", " ")), calls(delta("a", "", "more"))),
		"typed_error":       fails(&chat.Error{Code: "NO_BUDGET", Message: "The budget is used up.", Err: errors.New("internal")}),
		"untyped_error":     fails(errors.New("postgres://user:secret@host failed")),
		"panic":             chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] { panic("boom") }),
		"mappings": chat.NewBuilder(aguitest.NewModel(aguitest.Text("a").Call("x", "greet", `{"name":`, `"A"}`).Call("y", "confirm", `{}`))).
			Use(chat.Step("outer")).
			Use(chat.MapText(func(_ context.Context, s string) string { return s + "!" })).
			Use(chat.MapCall(func(_ context.Context, c agui.ToolCall) []agui.Event {
				return []agui.Event{custom("call", c.Arguments)}
			})).
			Use(chat.MapResult(func(_ context.Context, r *chat.ToolResult) []agui.Event {
				return []agui.Event{custom("result", r.Content.Text())}
			})).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{greet}})).
			Use(chat.Step("model")).Build(),
		// The order of .NET's page: the state client is called at every turn.
		"state_client_inside_loop": chat.NewBuilder(aguitest.NewModel(aguitest.Call("a", "greet", `{"name":"A"}`), aguitest.Text("ok"))).
			Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{greet}})).
			Use(func(next chat.Client) chat.Client {
				turn := 0
				return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
					return func(yield func(*chat.Update, error) bool) {
						turn++
						snapshot := &agui.StateSnapshot{Snapshot: json.RawMessage(fmt.Sprintf(`{"turn":%d,"messages":%d}`, turn, len(req.Messages)))}
						if !yield(&chat.Update{Events: []agui.Event{snapshot}}, nil) {
							return
						}
						for u, err := range next.Stream(ctx, req) {
							if !yield(u, err) {
								return
							}
						}
					}
				})
			}).Build(),
		"step_fails": chat.NewBuilder(fails(errors.New("x"))).Use(chat.Step("s")).Build(),
		"interrupt_mapped": chat.NewBuilder(by(&chat.Update{Interrupts: []agui.Interrupt{{ID: "i", Reason: "ask"}}})).
			Use(chat.MapInterrupt(func(_ context.Context, i agui.Interrupt) agui.Interrupt { i.Message = "Får jag?"; return i })).Build(),
		"nil_update":         by(nil, &chat.Update{Text: "x"}),
		"activities_and_raw": by(&chat.Update{Events: []agui.Event{&agui.ActivitySnapshot{MessageID: "act", ActivityType: "PLAN", Content: json.RawMessage(`{"a":[]}`)}, &agui.ActivityDelta{MessageID: "act", ActivityType: "PLAN", Patch: agui.Patch{{Op: agui.OpAdd, Path: "/a/-", Value: json.RawMessage(`1`)}}}, &agui.Raw{Event: json.RawMessage(`{"x":null}`)}}}),
	} {
		t.Run(name, func(t *testing.T) {
			events := runEvents(t.Context(), client, input(), quiet)
			aguitest.Verify(t, events)
			aguitest.Golden(t, filepath.Join("testdata", "events", name+".jsonl"), events)
		})
	}
}

func custom(name, value string) agui.Event {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return &agui.Custom{Name: name, Value: raw}
}

func fails(err error) chat.Client {
	return chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			_ = yield(&chat.Update{Text: "half"}, nil) && yield(nil, err)
		}
	})
}

// A run without a thread or an id of its own gets them, one and the same on the
// wire and in the chain, and others each time.
func TestNewIDsAreThoseOfTheChain(t *testing.T) {
	seen := map[string]bool{}
	for _, drop := range []bool{false, true, false} {
		var there *agui.RunAgentInput
		client := chat.ClientFunc(func(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
			there, _ = chat.InputFrom(ctx)
			return func(func(*chat.Update, error) bool) {}
		})
		in := input()
		in.ThreadID, in.RunID = "", ""
		events := runEvents(t.Context(), client, in, &chat.EventOptions{Logger: quiet.Logger, DropSystem: drop})
		started, finished := events[0].(*agui.RunStarted), events[len(events)-1].(*agui.RunFinished)
		if there.ThreadID != started.ThreadID || there.RunID != started.RunID || started.ThreadID != finished.ThreadID || started.RunID != finished.RunID {
			t.Errorf("the chain is in %q, %q; the client in %+v, %+v", there.ThreadID, there.RunID, started, finished)
		}
		if in.ThreadID != "" || seen[started.ThreadID] || seen[started.RunID] {
			t.Errorf("the input is %+v, the client's %+v", in, started)
		}
		seen[started.ThreadID], seen[started.RunID] = true, true
	}
}

// A question of a run without a thread can be answered in the one that the
// client was told, and holds nobody else's.
func TestQuestionsOfANewThread(t *testing.T) {
	var o office
	client, _ := o.client(aguitest.Call("d", "delete", `{"name":"a"}`))
	in := input()
	in.ThreadID = ""
	for _, e := range runEvents(t.Context(), client, in, quiet) {
		switch e := e.(type) {
		case *agui.RunStarted:
			in.ThreadID = e.ThreadID
		case *agui.MessagesSnapshot:
			in.Messages = e.Messages
		case *agui.RunFinished:
			in.Resume = []agui.ResumeEntry{resolved(e.Outcome.Interrupts[0], `{"approved":true}`)}
		}
	}
	client, _ = o.client(aguitest.Text("ok"))
	if runEvents(t.Context(), client, in, quiet); len(o.deleted) != 1 {
		t.Errorf("deleted %v", o.deleted)
	}
	keeper := chat.NewBuilder(script([]any{"a"}, []any{})).Use(chat.KeepInterrupts(&shelf{})).Build()
	for range 2 {
		in := input()
		in.ThreadID = ""
		events := runEvents(t.Context(), keeper, in, quiet)
		if events[len(events)-1].Type() != agui.TypeRunFinished {
			t.Errorf("ended in %+v", events[len(events)-1])
		}
	}
}
