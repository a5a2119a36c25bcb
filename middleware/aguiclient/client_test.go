package aguiclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func aRun(events ...agui.Event) []agui.Event {
	return slices.Concat([]agui.Event{&agui.RunStarted{ThreadID: "t", RunID: "r"}}, events, []agui.Event{&agui.RunFinished{ThreadID: "t", RunID: "r"}})
}

func meta(k string) agui.Base { return agui.Base{Metadata: agui.Metadata{k: true}} }

// say writes what an update says, for tables.
func say(u *chat.Update) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if u.MessageID != "" {
		add("<%s>", u.MessageID)
	}
	if u.Metadata != nil {
		add("metadata %v", u.Metadata)
	}
	if u.Reasoning != "" {
		add("reasoning %q", u.Reasoning)
	}
	if u.EncryptedReasoning != "" {
		add("encrypted %q", u.EncryptedReasoning)
	}
	if u.Text != "" {
		add("text %q", u.Text)
	}
	for _, d := range u.ToolCalls {
		s := "call " + d.ID + " " + d.Name + d.Arguments + d.EncryptedReasoning
		if d.Held {
			s += " held"
		}
		add("%s", s)
	}
	if r := u.ToolResult; r != nil {
		add("result %s for %s %q %v", r.MessageID, r.ToolCallID, r.Content.Text(), r.Metadata)
	}
	for _, e := range u.Events {
		data, err := agui.AppendEvent(nil, e)
		if err != nil {
			return err.Error()
		}
		add("%s", data)
	}
	for _, i := range u.Interrupts {
		add("interrupt %s about %s", i.ID, i.ToolCallID)
	}
	if u.Usage != nil {
		add("usage %s %d", u.Usage.Model, u.Usage.InputTokens)
	}
	if u.FinishReason != "" {
		add("finish %s", u.FinishReason)
	}
	if u.Result != nil {
		add("result %s", u.Result)
	}
	return strings.Join(out, " ")
}

// updates ranges over a client's answer and leaves out what says nothing.
func updates(t *testing.T, seq iter.Seq2[*chat.Update, error]) (out []string, failure error) {
	t.Helper()
	for u, err := range seq {
		if err != nil {
			return out, err
		}
		if _, ok := u.Raw.(agui.Event); !ok {
			t.Errorf("an update without its event: %+v", u)
		}
		if s := say(u); s != "" {
			out = append(out, s)
		}
	}
	return out, nil
}

func TestUpdates(t *testing.T) {
	offered := []chat.Tool{{Name: "mine"}, {Name: "local", Invoke: func(context.Context, json.RawMessage) (agui.Content, error) { return agui.Text("x"), nil }}}
	text := func(id, delta string) agui.Event { return &agui.TextMessageContent{MessageID: id, Delta: delta} }
	start := func(id string) agui.Event { return &agui.TextMessageStart{MessageID: id} }
	end := func(id string) agui.Event { return &agui.TextMessageEnd{MessageID: id} }
	call := func(id, name, parent string) agui.Event {
		return &agui.ToolCallStart{ToolCallID: id, ToolCallName: name, ParentMessageID: parent}
	}
	args := func(id, delta string) agui.Event { return &agui.ToolCallArgs{ToolCallID: id, Delta: delta} }
	ended := func(id string) agui.Event { return &agui.ToolCallEnd{ToolCallID: id} }
	result := func(id, call string) agui.Event {
		return &agui.ToolCallResult{MessageID: id, ToolCallID: call, Content: agui.Text("42")}
	}
	think := func(id, delta string) agui.Event { return &agui.ReasoningMessageContent{MessageID: id, Delta: delta} }
	secret := func(subtype agui.EncryptedSubtype, id string) agui.Event {
		return &agui.ReasoningEncryptedValue{Subtype: subtype, EntityID: id, EncryptedValue: "secret"}
	}
	sub := agui.Tag{SubagentRunID: new("s")}
	for name, c := range map[string]struct {
		events []agui.Event
		want   []string
	}{
		"text": {
			[]agui.Event{start("a"), text("a", "Hel"), text("a", ""), text("a", "lo"), end("a")},
			[]string{`<a> text "Hel"`, `<a> text "lo"`, `finish stop`},
		},
		"the metadata of a text": {
			[]agui.Event{&agui.TextMessageStart{MessageID: "a", Base: meta("s")}, &agui.TextMessageContent{MessageID: "a", Delta: "x", Base: meta("c")}, &agui.TextMessageContent{MessageID: "a", Base: meta("d")}, &agui.TextMessageEnd{MessageID: "a", Base: meta("e")}},
			[]string{`<a> metadata map[c:true s:true] text "x"`, `{"type":"TEXT_MESSAGE_END","messageId":"a","metadata":{"d":true,"e":true}}`, `finish stop`},
		},
		"a text that says nothing": {
			[]agui.Event{&agui.TextMessageStart{MessageID: "a", Base: meta("s")}, end("a")},
			[]string{`{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant","metadata":{"s":true}} {"type":"TEXT_MESSAGE_END","messageId":"a"}`, `finish stop`},
		},
		"a subagent's text, a name and a role ride": {
			[]agui.Event{
				&agui.TextMessageStart{MessageID: "a", Tag: sub}, text("a", "x"), end("a"),
				&agui.TextMessageStart{MessageID: "b", Name: "ann"}, text("b", "x"), end("b"),
				&agui.TextMessageStart{MessageID: "c", Role: agui.RoleUser}, text("c", "x"), end("c"),
			},
			[]string{
				`{"type":"TEXT_MESSAGE_START","messageId":"a","subagentRunId":"s"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"x"}`, `{"type":"TEXT_MESSAGE_END","messageId":"a"}`,
				`{"type":"TEXT_MESSAGE_START","messageId":"b","name":"ann"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"x"}`, `{"type":"TEXT_MESSAGE_END","messageId":"b"}`,
				`{"type":"TEXT_MESSAGE_START","messageId":"c","role":"user"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"c","delta":"x"}`, `{"type":"TEXT_MESSAGE_END","messageId":"c"}`,
				`finish stop`,
			},
		},
		"the agent's own call": {
			[]agui.Event{start("a"), text("a", "x"), end("a"), call("c", "theirs", "a"), args("c", `{"q":`), args("c", `1}`), ended("c"), result("r", "c")},
			[]string{`<a> text "x"`, `<a> call c theirs held`, `call c {"q":`, `call c 1}`, `result r for c "42" map[]`, `finish stop`},
		},
		"a call of a tool that was offered": {
			[]agui.Event{call("c", "mine", "a"), args("c", `{}`), ended("c"), call("d", "local", "a"), ended("d")},
			[]string{`<a> call c mine`, `call c {}`, `<a> call d local`, `finish tool_calls`},
		},
		"a call without a parent": {
			[]agui.Event{start("a"), text("a", "x"), end("a"), call("c", "mine", ""), ended("c")},
			[]string{`<a> text "x"`, `<c> call c mine`, `finish tool_calls`},
		},
		"the metadata of a call": {
			[]agui.Event{&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "mine", ParentMessageID: "a", Base: meta("s")}, &agui.ToolCallArgs{ToolCallID: "c", Delta: "{}", Base: meta("a")}, &agui.ToolCallEnd{ToolCallID: "c", Base: meta("e")}, &agui.ToolCallResult{MessageID: "r", ToolCallID: "c", Content: agui.Text("42"), Base: meta("r")}},
			[]string{
				`<a> call c mine {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"","metadata":{"s":true}}`, `call c {} {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"","metadata":{"a":true}}`,
				`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"","metadata":{"e":true}}`, `result r for c "42" map[r:true]`, `finish stop`,
			},
		},
		"a text inside an open call": {
			[]agui.Event{call("c", "mine", "a"), args("c", `{`), start("b"), text("b", "x"), args("c", `}`), end("b"), &agui.ToolCallEnd{ToolCallID: "c", Base: meta("e")}},
			[]string{
				`<a> call c mine`, `call c {`, `<b> text "x"`,
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"mine"} {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"}"}`,
				`{"type":"TOOL_CALL_END","toolCallId":"c","metadata":{"e":true}}`, `finish tool_calls`,
			},
		},
		"a call that begins again": {
			[]agui.Event{call("c", "theirs", "a"), ended("c"), result("r", "c"), call("c", "theirs", "a"), args("c", "+"), ended("c")},
			[]string{
				`<a> call c theirs held`, `result r for c "42" map[]`, `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"theirs","parentMessageId":"a"}`,
				`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"+"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`, `finish tool_calls`,
			},
		},
		"a result inside an open call, and its end": {
			[]agui.Event{call("c", "theirs", "a"), result("r", "c"), &agui.ToolCallEnd{ToolCallID: "c", Base: meta("e")}},
			[]string{`<a> call c theirs held`, `result r for c "42" map[]`, `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"theirs","metadata":{"e":true}} {"type":"TOOL_CALL_END","toolCallId":"c"}`, `finish stop`},
		},
		"a text that says nothing and calls": {
			[]agui.Event{&agui.TextMessageStart{MessageID: "a", Base: meta("s")}, secret(agui.EncryptedMessage, "a"), end("a"), call("c", "theirs", "a"), ended("c")},
			[]string{
				`<a> encrypted "secret" call c theirs held`, `{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant","metadata":{"s":true}} {"type":"TEXT_MESSAGE_END","messageId":"a"}`, `finish tool_calls`,
			},
		},
		"texts of subagents and of the agent at the same time": {
			[]agui.Event{
				&agui.TextMessageStart{MessageID: "s", Tag: sub}, text("s", "1"), start("a"), text("a", "2"), text("s", "3"), text("a", "4"),
				&agui.TextMessageEnd{MessageID: "s", Base: meta("m")}, end("a"),
			},
			[]string{
				`{"type":"TEXT_MESSAGE_START","messageId":"s","subagentRunId":"s"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"s","delta":"1"}`, `<a> text "2"`,
				`{"type":"TEXT_MESSAGE_CONTENT","messageId":"s","delta":"3"}`, `<a> text "4"`,
				`{"type":"TEXT_MESSAGE_END","messageId":"s","metadata":{"m":true}}`, `finish stop`,
			},
		},
		"a subagent's call and result": {
			[]agui.Event{&agui.ToolCallStart{ToolCallID: "c", ToolCallName: "mine", Tag: sub}, args("c", "{}"), ended("c"), &agui.ToolCallResult{MessageID: "r", ToolCallID: "c", Content: agui.Text("42"), Tag: sub}},
			[]string{
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"mine","subagentRunId":"s"}`, `{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`,
				`{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"42","subagentRunId":"s"}`, `finish stop`,
			},
		},
		"ids that the conversation has": {
			[]agui.Event{start("u"), text("u", "x"), end("u"), call("old", "theirs", "u"), args("old", "{}"), ended("old"), result("h", "old")},
			[]string{`<ID> text "x"`, `<ID> call old-2 theirs held`, `call old-2 {}`, `result ID for old-2 "42" map[]`, `finish stop`},
		},
		"the result of an old call": {
			[]agui.Event{result("r", "old")}, []string{`result r for old "42" map[]`, `finish stop`},
		},
		"reasoning": {
			[]agui.Event{&agui.ReasoningStart{MessageID: "s"}, &agui.ReasoningMessageStart{MessageID: "r"}, think("r", "hm"), think("r", ""), think("r", "m"), &agui.ReasoningMessageEnd{MessageID: "r"}, &agui.ReasoningEnd{MessageID: "s"}, secret(agui.EncryptedMessage, "r"), start("a"), text("a", "x"), end("a")},
			[]string{`reasoning "hm"`, `reasoning "m"`, `<a> encrypted "secret" text "x"`, `finish stop`},
		},
		"reasoning, and reasoning again": {
			[]agui.Event{&agui.ReasoningMessageStart{MessageID: "r"}, think("r", "one"), &agui.ReasoningMessageEnd{MessageID: "r"}, &agui.ReasoningMessageStart{MessageID: "q"}, think("q", "two"), &agui.ReasoningMessageEnd{MessageID: "q"}},
			[]string{`reasoning "one"`, `<q> reasoning "two"`, `finish stop`},
		},
		"a subagent's reasoning, and reasoning with metadata": {
			[]agui.Event{&agui.ReasoningStart{MessageID: "s"}, &agui.ReasoningMessageStart{MessageID: "r", Base: meta("m")}, think("r", "x"), &agui.ReasoningMessageEnd{MessageID: "r"}, &agui.ReasoningEnd{MessageID: "s"}, &agui.ReasoningMessageStart{MessageID: "q", Tag: sub}, think("q", "y"), &agui.ReasoningMessageEnd{MessageID: "q"}},
			[]string{
				`{"type":"REASONING_START","messageId":"s"}`, `{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning","metadata":{"m":true}}`, `{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"x"}`, `{"type":"REASONING_MESSAGE_END","messageId":"r"}`, `{"type":"REASONING_END","messageId":"s"}`,
				`{"type":"REASONING_MESSAGE_START","messageId":"q","role":"reasoning","subagentRunId":"s"}`, `{"type":"REASONING_MESSAGE_CONTENT","messageId":"q","delta":"y"}`, `{"type":"REASONING_MESSAGE_END","messageId":"q"}`, `finish stop`,
			},
		},
		"a span that shows nothing": {
			[]agui.Event{&agui.ReasoningStart{MessageID: "s"}, &agui.ReasoningEnd{MessageID: "s"}, secret(agui.EncryptedMessage, "s")},
			[]string{`{"type":"REASONING_START","messageId":"s"} {"type":"REASONING_END","messageId":"s"}`, `{"type":"REASONING_MESSAGE_START","messageId":"ID","role":"reasoning"} {"type":"REASONING_MESSAGE_END","messageId":"ID"} {"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"ID","encryptedValue":"secret"}`, `finish stop`},
		},
		"reasoning that only shows itself encrypted": {
			[]agui.Event{&agui.ReasoningStart{MessageID: "s"}, &agui.ReasoningMessageStart{MessageID: "r"}, &agui.ReasoningMessageEnd{MessageID: "r"}, secret(agui.EncryptedMessage, "r"), &agui.ReasoningEnd{MessageID: "s"}},
			[]string{
				`{"type":"REASONING_START","messageId":"s"}`, `{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning"}`, `{"type":"REASONING_MESSAGE_END","messageId":"r"}`,
				`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"r","encryptedValue":"secret"}`, `{"type":"REASONING_END","messageId":"s"}`, `finish stop`,
			},
		},
		"a call that begins again before its result": {
			[]agui.Event{call("c", "theirs", "a"), args("c", "{"), ended("c"), call("c", "other", "a"), args("c", "}"), ended("c")},
			[]string{
				`<a> call c theirs held`, `call c {`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`, `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"other","parentMessageId":"a"}`,
				`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"}"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`, `finish tool_calls`,
			},
		},
		"a call that is run here begins again": {
			[]agui.Event{call("c", "local", "a"), args("c", "{}"), ended("c"), call("c", "local", "a"), args("c", "{}"), ended("c")},
			[]string{`<a> call c local`, `call c {}`, `<a> call c-2 local`, `call c-2 {}`, `finish tool_calls`},
		},
		"encrypted reasoning": {
			[]agui.Event{start("a"), secret(agui.EncryptedMessage, "a"), text("a", "x"), end("a"), call("c", "mine", "a"), secret(agui.EncryptedToolCall, "c"), ended("c"), secret(agui.EncryptedToolCall, "c"), secret(agui.EncryptedToolCall, "old"), secret(agui.EncryptedMessage, "u")},
			[]string{
				`<a> encrypted "secret" text "x"`, `<a> call c mine`, `call c secret`,
				`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"secret"}`, `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"old","encryptedValue":"secret"}`,
				`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"u","encryptedValue":"secret"}`, `finish tool_calls`,
			},
		},
		"everything else rides": {
			[]agui.Event{
				&agui.StateSnapshot{Snapshot: []byte(`{"a":1}`)}, &agui.StateDelta{Delta: agui.Patch{{Op: agui.OpAdd, Path: "/b", Value: []byte(`2`)}}},
				&agui.Custom{Name: "n", Value: []byte(`1`)}, &agui.Raw{Event: []byte(`{}`), Source: "x"}, &agui.StepStarted{StepName: "s"}, &agui.StepFinished{StepName: "s"},
				&agui.UnknownEvent{EventType: "NEW", JSON: []byte(`{"type":"NEW","x":null}`)},
			},
			[]string{
				`{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`, `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/b","value":2}]}`, `{"type":"CUSTOM","name":"n","value":1}`, `{"type":"RAW","event":{},"source":"x"}`,
				`{"type":"STEP_STARTED","stepName":"s"}`, `{"type":"STEP_FINISHED","stepName":"s"}`, `{"type":"NEW","x":null}`, `finish stop`,
			},
		},
		"chunks": {
			[]agui.Event{&agui.TextMessageChunk{MessageID: new("a"), Delta: new("x")}, &agui.TextMessageChunk{Delta: new("y")}, &agui.ToolCallChunk{ToolCallID: new("c"), ToolCallName: new("mine"), ParentMessageID: new("a"), Delta: new("{}")}},
			[]string{`<a> text "x"`, `<a> text "y"`, `<a> call c mine`, `call c {}`, `finish tool_calls`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			req := &chat.Request{Tools: offered, Messages: []agui.Message{
				{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")},
				{ID: "h", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "old", Name: "mine"}}},
			}}
			client := aguiclient.New(aguiclient.NewReplay(aRun(c.events...)), nil)
			got, err := updates(t, client.Stream(t.Context(), req))
			must(t, err)
			// An id that was made up is the same wherever it stands.
			uuid := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
			for i, line := range got {
				got[i] = uuid.ReplaceAllString(line, "ID")
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestHowARunEnds(t *testing.T) {
	finish := func(e *agui.RunFinished) []agui.Event {
		return []agui.Event{&agui.RunStarted{ThreadID: "t", RunID: "r"}, &agui.ToolCallStart{ToolCallID: "old", ToolCallName: "x"}, &agui.ToolCallEnd{ToolCallID: "old"}, e}
	}
	usage := []agui.TokenUsage{{Model: "m", InputTokens: 1}, {Model: "n", InputTokens: 2}}
	for name, c := range map[string]struct {
		events []agui.Event
		want   []string
		peer   *aguiclient.PeerError
	}{
		"a result":  {finish(&agui.RunFinished{Result: []byte(`{"n":1}`), Usage: usage}), []string{"usage m 1", "usage n 2", `finish tool_calls result {"n":1}`}, nil},
		"interrupt": {finish(&agui.RunFinished{Result: []byte(`1`), Outcome: &agui.RunOutcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{{ID: "i", ToolCallID: "old"}}}}), []string{"interrupt i about old-2 finish tool_calls"}, nil},
		"cancelled": {finish(&agui.RunFinished{Usage: usage, Outcome: &agui.RunOutcome{Type: agui.OutcomeCancelled}}), []string{"usage m 1", "usage n 2"}, &aguiclient.PeerError{Code: chat.CodeCancelled, Message: "The run was cancelled.", Usage: usage}},
		"an error":  {[]agui.Event{&agui.RunError{Code: "X", Message: "It broke.", Usage: usage}}, []string{"usage m 1", "usage n 2"}, &aguiclient.PeerError{Code: "X", Message: "It broke.", Usage: usage}},
	} {
		t.Run(name, func(t *testing.T) {
			req := &chat.Request{Messages: []agui.Message{{ID: "h", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "old", Name: "x"}}}}}
			got, err := updates(t, aguiclient.New(aguiclient.NewReplay(c.events), nil).Stream(t.Context(), req))
			got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, "call old-2") })
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			var e *chat.Error
			var peer *aguiclient.PeerError
			switch {
			case c.peer == nil:
				must(t, err)
			case !errors.As(err, &e) || !errors.As(err, &peer) || !reflect.DeepEqual(peer, c.peer) || e.Code != peer.Code || e.Message != peer.Message:
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// What is sent, and that nothing of what was added for the agent comes back.
func TestTheRequest(t *testing.T) {
	in := &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", State: []byte(`{"a": 1}`), ForwardedProps: []byte(`"p"`),
		Context: []agui.Context{{Description: "d", Value: "v"}},
		Resume:  []agui.ResumeEntry{{InterruptID: "taken", Status: agui.ResumeResolved}, {InterruptID: "left", Status: agui.ResumeResolved}, {InterruptID: "left", Status: agui.ResumeCancelled}},
	}
	req := &chat.Request{
		Messages: []agui.Message{
			{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")},
			{ID: "a", Role: agui.RoleActivity, ActivityType: "P", Activity: []byte(`{}`)},
			{ID: "r", Role: agui.RoleReasoning, Content: agui.Text("hm"), EncryptedValue: "e"},
			{ID: "c", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c1", Name: "ask", Arguments: "{}"}}},
		},
		Live:           []chat.Live{func(context.Context) (agui.Message, error) { return agui.SystemMessage("the moon is full"), nil }},
		Tools:          []chat.Tool{{Name: "mine", Description: "Mine.", Parameters: []byte(`{"type":"object"}`)}},
		ResponseFormat: &chat.ResponseFormat{Schema: []byte(`{"type":"object"}`)},
	}
	in.Messages = req.Messages
	var replay *aguiclient.Replay
	transport := aguiclient.TransportFunc(func(ctx context.Context, in *agui.RunAgentInput) iter.Seq2[agui.Event, error] {
		replay = aguiclient.NewReplay(aRun(&agui.MessagesSnapshot{Messages: in.Messages}))
		return replay.Run(ctx, in)
	})
	ctx := chat.WithInput(t.Context(), in)
	_, ctx, _ = chat.TakeResume(ctx, "taken")
	client := aguiclient.New(transport, &aguiclient.Options{Input: func(_ context.Context, in *agui.RunAgentInput) error {
		in.ParentRunID = "parent"
		return nil
	}})
	res, err := chat.Collect(client.Stream(ctx, req))
	must(t, err)
	sent := replay.Inputs()[0]
	if sent.ThreadID != "thread" || sent.RunID == "" || sent.RunID == "run" || sent.ProtocolVersion != "1.0" || sent.ParentRunID != "parent" ||
		string(sent.State) != `{"a":1}` || string(sent.ForwardedProps) != `"p"` || !reflect.DeepEqual(sent.Context, in.Context) {
		t.Errorf("sent %+v", sent)
	}
	if got := fmt.Sprint(sent.Resume); got != fmt.Sprint(in.Resume[1:]) {
		t.Errorf("the answers are %v", got)
	}
	if got := roles(sent.Messages); !strings.HasPrefix(got, "user:go | reasoning:hm | assistant ask{} | system:the moon is full | system:Answer with one JSON object") {
		t.Errorf("the messages are %s", got)
	}
	if len(sent.Tools) != 1 || sent.Tools[0].Name != "mine" || string(sent.Tools[0].Parameters) != `{"type":"object"}` {
		t.Errorf("the tools are %v", sent.Tools)
	}
	back := res.Events[0].(*agui.MessagesSnapshot).Messages
	if got := roles(back); got != "user:go | reasoning:hm | assistant ask{}" {
		t.Errorf("what came back is %s", got)
	}
	// No tools, no input, no state.
	req.ToolChoice.Mode, req.Live = chat.ToolsNone, nil
	if _, err := chat.Collect(client.Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	sent = replay.Inputs()[0]
	if sent.ThreadID == "" || sent.ThreadID == "thread" || string(sent.State) != "{}" || len(sent.Tools) != 0 || sent.Resume != nil || string(sent.ForwardedProps) != "{}" {
		t.Errorf("sent %+v", sent)
	}
}

// A delta that does not apply is left out, and the run goes on; the next call
// of the same run begins with what the agent told.
func TestTheAgentsState(t *testing.T) {
	delta := func(op agui.Op, path string) agui.Event {
		return &agui.StateDelta{Delta: agui.Patch{{Op: op, Path: path, Value: []byte(`1`)}}}
	}
	replay := aguiclient.NewReplay(aRun(delta(agui.OpAdd, "/b"), delta(agui.OpReplace, "/zz"), delta(agui.OpAdd, "/c")), aRun(), aRun())
	var reported []error
	client := aguiclient.New(replay, &aguiclient.Options{OnError: func(_ context.Context, err error) { reported = append(reported, err) }})
	ctx := chat.WithInput(t.Context(), &agui.RunAgentInput{State: []byte(`{"a":1}`)})
	for range 2 {
		_, err := chat.Collect(client.Stream(ctx, &chat.Request{}))
		must(t, err)
	}
	if _, err := chat.Collect(client.Stream(chat.WithInput(t.Context(), &agui.RunAgentInput{State: []byte(`{"x":1}`)}), &chat.Request{})); err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, in := range replay.Inputs() {
		states = append(states, string(in.State))
	}
	if want := []string{`{"a":1}`, `{"a":1,"b":1,"c":1}`, `{"x":1}`}; !reflect.DeepEqual(states, want) {
		t.Errorf("the states sent are %q, want %q", states, want)
	}
	var e *aguiclient.ApplyError
	if len(reported) != 1 || !errors.As(reported[0], &e) || !strings.Contains(e.Error(), "/zz") {
		t.Errorf("reported %v", reported)
	}
}

// A hook that panics is logged, and ends no run.
func TestOnErrorThatPanics(t *testing.T) {
	replay := aguiclient.NewReplay(aRun(&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpReplace, Path: "/zz", Value: []byte(`1`)}}}))
	client := aguiclient.New(replay, &aguiclient.Options{OnError: func(context.Context, error) { panic("the hook") }})
	var log bytes.Buffer
	in := &agui.RunAgentInput{ThreadID: "t", RunID: "r", Messages: []agui.Message{agui.UserMessage("Hi")}}
	o := &chat.EventOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	all := slices.Collect(chat.Events(t.Context(), client, in, o))
	if last := all[len(all)-1]; last.Type() != agui.TypeRunFinished || !strings.Contains(log.String(), `msg="OnError failed" thread=t run=r error="panic: the hook"`) {
		t.Errorf("ended by %+v, log %s", last, &log)
	}
}

// The agent's deltas apply to the state that a hook has sent, not to one that
// was told before.
func TestTheStateOfAHook(t *testing.T) {
	add := &agui.StateDelta{Delta: agui.Patch{{Op: agui.OpAdd, Path: "/list/-", Value: []byte(`1`)}}}
	told := &agui.StateSnapshot{Snapshot: []byte(`{"old":true}`)}
	var next json.RawMessage
	hook := func(_ context.Context, in *agui.RunAgentInput) error {
		if next != nil {
			in.State = next
		}
		return nil
	}
	replay := aguiclient.NewReplay(aRun(told), aRun(add), aRun(), aRun(&agui.StateDelta{Delta: agui.Patch{{Op: agui.OpAdd, Path: "/a", Value: []byte(`1`)}}}))
	client := aguiclient.New(replay, &aguiclient.Options{Input: hook, OnError: func(_ context.Context, err error) { t.Error(err) }})
	ctx := chat.WithInput(t.Context(), &agui.RunAgentInput{})
	for _, state := range []string{"", `{"list":[]}`, "", "null"} {
		if next = nil; state != "" {
			next = json.RawMessage(state)
		}
		_, err := chat.Collect(client.Stream(ctx, &chat.Request{}))
		must(t, err)
	}
	if got := string(replay.Inputs()[2].State); got != `{"list":[1]}` {
		t.Errorf("the third call is sent %s", got)
	}
	// The same of a thread.
	next = json.RawMessage(`{"list": []}`)
	th := aguiclient.NewThread[any](aguiclient.NewReplay(aRun(add), aRun()), &aguiclient.ThreadOptions{Input: hook, State: json.RawMessage(`{"old":true}`)})
	for c, err := range th.Send(t.Context()) {
		must(t, err)
		if c.Err != nil {
			t.Error(c.Err)
		}
	}
	if got := string(th.Document()); got != `{"list":[1]}` || th.Stale() {
		t.Errorf("the thread's state is %s, stale %v", got, th.Stale())
	}
	var e *aguiclient.StateError
	next = json.RawMessage(`{"list":`)
	if err := aguiclient.Drain(th.Send(t.Context())); !errors.As(err, &e) || string(th.Document()) != `{"list":[1]}` {
		t.Errorf("half a state: %v, and the thread's is %s", err, th.Document())
	}
	next = json.RawMessage("null")
	must(t, aguiclient.Drain(th.Send(t.Context())))
	if got := string(th.Document()); got != "{}" {
		t.Errorf("no state is %s", got)
	}
}

// One agent asks another: the outer one's tools run here, the inner one's
// there, the state is one, and each model is asked what it has to be.
func TestAnAgentAsksAnother(t *testing.T) {
	inner := aguitest.NewModel(
		aguitest.Text("First here. ").Call("c1", "add_ingredient", `{"name":"flour"}`),
		aguitest.Text("Now yours. ").Call("c2", "oven", `{"degrees":200}`),
		aguitest.Text("Baked."),
	)
	degrees := 0
	oven := chat.NewTool("oven", "Heats the oven.", func(_ context.Context, in struct {
		Degrees int `json:"degrees"`
	}) (string, error) {
		degrees = in.Degrees
		return "hot", nil
	})
	remote := aguiclient.New(aguiclient.Local(kitchen(inner), quiet), nil)
	outer := chat.NewBuilder(remote).
		Use(state.Share[recipe](state.Silent())).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{oven}})).
		Build()
	th := aguiclient.NewThread[recipe](aguiclient.Local(outer, quiet), &aguiclient.ThreadOptions{State: []byte(`{"title":"Bread"}`)})
	must(t, aguiclient.Drain(th.Send(t.Context(), agui.UserMessage("bake"))))
	if got := stateOf(t, th); got.Title != "Bread" || len(got.Ingredients) != 1 {
		t.Errorf("the state is %+v", got)
	}
	if degrees != 200 {
		t.Errorf("the oven has %d degrees", degrees)
	}
	if got := roles(th.Messages()); !strings.Contains(got, `assistant:First here.  add_ingredient{"name":"flour"} | tool:added flour | assistant:Now yours.  oven{"degrees":200} | tool:hot`) {
		t.Errorf("the conversation is %s", got)
	}
}

// Without a question the remote agent tells its state, also behind an
// endpoint.
func TestRestore(t *testing.T) {
	m := aguitest.NewModel()
	proxy := aguiclient.New(aguiclient.Local(kitchen(m), quiet), nil)
	th := aguiclient.NewThread[recipe](aguiclient.Local(proxy, quiet), &aguiclient.ThreadOptions{State: []byte(`{"title":"Bread"}`)})
	var seen []string
	for c, err := range th.Send(t.Context()) {
		must(t, err)
		seen = append(seen, string(c.Event.Type()))
	}
	if got := strings.Join(seen, " "); got != "RUN_STARTED STATE_SNAPSHOT RUN_FINISHED" || len(m.Requests()) > 0 {
		t.Errorf("%s, %d model calls", got, len(m.Requests()))
	}
}

// Events in the wrong order end a run, unless one looks away.
func TestSkipVerify(t *testing.T) {
	bad := aRun(&agui.TextMessageContent{MessageID: "ghost", Delta: "x"}, &agui.TextMessageStart{MessageID: "a"}, &agui.TextMessageContent{MessageID: "a", Delta: "y"})
	var order *agui.OrderError
	client := func(skip bool) chat.Client {
		return aguiclient.New(aguiclient.NewReplay(bad), &aguiclient.Options{SkipVerify: skip})
	}
	if _, err := chat.Collect(client(false).Stream(t.Context(), &chat.Request{})); !errors.As(err, &order) || order.ID != "ghost" {
		t.Errorf("the error is %v", err)
	}
	if res, err := chat.Collect(client(true).Stream(t.Context(), &chat.Request{})); err != nil || res.Text() != "y" {
		t.Errorf("%v", err)
	}
	th := aguiclient.NewThread[any](aguiclient.NewReplay(bad), &aguiclient.ThreadOptions{SkipVerify: true})
	must(t, aguiclient.Drain(th.Send(t.Context())))
	if got := roles(th.Messages()); got != "assistant:y" {
		t.Errorf("the conversation is %s", got)
	}
}

// An input that has no JSON is refused before anything is sent.
func TestAnInputThatCannotBeSent(t *testing.T) {
	for name, transport := range map[string]aguiclient.Transport{
		"HTTP": aguiclient.HTTP("http://127.0.0.1:1", nil), "local": aguiclient.Local(aguitest.NewModel(), quiet), "replay": aguiclient.NewReplay(),
	} {
		_, err := chat.Collect(aguiclient.New(transport, nil).Stream(t.Context(), &chat.Request{Messages: []agui.Message{{ID: "x", Role: "critic"}}}))
		var e *chat.Error
		var input *agui.InputError
		if !errors.As(err, &e) || e.Code != chat.CodeInvalidRequest || !errors.As(err, &input) || !strings.HasPrefix(input.Pointer, "/messages/0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
