package aguiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// FuzzMirror folds whatever can be read as events: nothing panics, the state
// stays JSON, and compacting changes nothing.
func FuzzMirror(f *testing.F) {
	for _, e := range corpus(f) {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var decoder agui.Decoder
		var events []agui.Event
		for line := range bytes.Lines(data) {
			if e, err := decoder.Decode(bytes.TrimSuffix(line, []byte("\n"))); err == nil {
				events = append(events, e)
			}
		}
		m := new(Mirror)
		for _, e := range events {
			_ = m.Apply(e)
			if !json.Valid(m.State()) {
				t.Fatalf("the state is %q", m.State())
			}
		}
		_ = m.Messages()
		checkCompact(t, func() *Mirror { return new(Mirror) }, events)
	})
}

// wild makes a lawful run of bytes: three of them choose an event, which is
// left out where it may not come.
func wild(data []byte) []agui.Event {
	events := []agui.Event{&agui.RunStarted{ThreadID: "t", RunID: "r"}}
	var verifier agui.Verifier
	_ = verifier.Observe(events[0])
	for ; len(data) >= 3; data = data[3:] {
		e := choose(data[0], data[1], data[2])
		if verifier.Observe(e) == nil {
			events = append(events, e)
		}
	}
	for _, e := range verifier.Open() {
		if verifier.Observe(e) == nil {
			events = append(events, e)
		}
	}
	end := &agui.RunFinished{ThreadID: "t", RunID: "r"}
	if verifier.Observe(end) != nil {
		return nil
	}
	return append(events, end)
}

func choose(kind, id, more byte) agui.Event {
	// u1 and old are of the conversation; sub is the subagent's.
	message := []string{"a", "b", "c", "u1", "sub"}[id%5]
	toolCall := []string{"x", "y", "old", "subcall"}[id/5%4]
	var tag, callTag agui.Tag
	if message == "sub" {
		tag.SubagentRunID = new("s")
	}
	if toolCall == "subcall" {
		callTag.SubagentRunID, message = new("s"), "sub"
	} else if (kind%22 == 6 || kind%22 == 7) && message == "sub" {
		message = "a"
	}
	var base agui.Base
	if more/8%4 == 0 {
		base.Metadata = agui.Metadata{"k": more}
	}
	delta := []string{"", "p", "q", `{"n":1}`}[more/32%4]
	switch kind % 22 {
	case 0, 1:
		e := &agui.TextMessageStart{Base: base, Tag: tag, MessageID: message, Role: agui.RoleAssistant}
		if more%16 == 1 {
			e.Role = agui.RoleUser
		}
		return e
	case 2, 3, 4:
		return &agui.TextMessageContent{Base: base, MessageID: message, Delta: delta}
	case 5:
		return &agui.TextMessageEnd{Base: base, MessageID: message}
	case 6, 7:
		return &agui.ToolCallStart{Base: base, Tag: callTag, ToolCallID: toolCall, ToolCallName: []string{"own", "client", "local"}[more%3], ParentMessageID: []string{"", message}[more/16%2]}
	case 8, 9, 10:
		return &agui.ToolCallArgs{Base: base, ToolCallID: toolCall, Delta: delta}
	case 11:
		return &agui.ToolCallEnd{Base: base, ToolCallID: toolCall}
	case 12:
		return &agui.ToolCallResult{Base: base, Tag: callTag, MessageID: "r" + message, ToolCallID: toolCall, Content: agui.Text(delta)}
	case 13:
		return &agui.ReasoningStart{Base: base, Tag: tag, MessageID: "s" + message}
	case 14:
		return &agui.ReasoningEnd{MessageID: "s" + message}
	case 15:
		return &agui.ReasoningMessageStart{Base: base, Tag: tag, MessageID: "r" + message}
	case 16:
		return &agui.ReasoningMessageContent{MessageID: "r" + message, Delta: delta}
	case 17:
		return &agui.ReasoningMessageEnd{MessageID: "r" + message}
	case 18:
		return &agui.ReasoningEncryptedValue{Subtype: agui.EncryptedMessage, EntityID: []string{message, "r" + message}[more%2], EncryptedValue: "e"}
	case 19:
		return &agui.ReasoningEncryptedValue{Subtype: agui.EncryptedToolCall, EntityID: toolCall, EncryptedValue: "e"}
	case 20:
		return &agui.StateDelta{Tag: callTag, Delta: agui.Patch{{Op: agui.OpAdd, Path: "/" + message, Value: json.RawMessage(`1`)}}}
	default:
		if more%16 == 3 {
			return &agui.MessagesSnapshot{Messages: []agui.Message{{ID: message, Role: agui.RoleAssistant, Content: agui.Text("whole")}}}
		}
		return &agui.ActivitySnapshot{Base: base, MessageID: "act" + message, ActivityType: "P", Content: json.RawMessage(`{}`)}
	}
}

// asked is what wild runs answer.
var asked = &agui.RunAgentInput{ThreadID: "t", RunID: "r", ProtocolVersion: "1.0", State: first,
	Messages: []agui.Message{
		{ID: "u1", Role: agui.RoleUser, Content: agui.Text("?")},
		{ID: "h", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "old", Name: "client", Arguments: "{}"}}},
	},
	Tools: []agui.Tool{{Name: "client", Description: "The client's."}}}

// checkProxy sends a lawful run through a proxy: the endpoint never refuses
// what the client makes of it, whether or not a layer between them runs tools,
// and no text, argument, result or state is lost.
func checkProxy(t testing.TB, events []agui.Event) {
	t.Helper()
	local := chat.InvokeFunctions(chat.FunctionInvocation{Logger: quiet.Logger, MaxConsecutiveErrors: -1, Tools: []chat.Tool{{
		Name: "local", Invoke: func(context.Context, json.RawMessage) (agui.Content, error) { return agui.Text("ok"), chat.ErrEndLoop },
	}}})
	for name, layer := range map[string]chat.Middleware{"alone": nil, "behind InvokeFunctions": local} {
		c := chat.NewBuilder(New(NewReplay(events, []agui.Event{events[0], events[len(events)-1]}), nil)).Use(layer).Build()
		var proxied []agui.Event
		o := &chat.EventOptions{Logger: quiet.Logger, OnError: func(_ context.Context, err error) {
			t.Errorf("%s: %v\n%s", name, err, lines(t, events))
		}}
		for e := range chat.Events(t.Context(), c, asked, o) {
			proxied = append(proxied, e)
		}
		if got, want := said(proxied), said(events); got != want {
			t.Errorf("%s: behind the proxy it says\n%s\nnot\n%s\nin\n%s\nfrom\n%s", name, got, want, lines(t, proxied), lines(t, events))
		}
	}
}

// said is what a run says, in sorted order where the order may change.
func said(events []agui.Event) string {
	var text, arguments, results, thoughts, states []string
	for _, e := range events {
		switch e := e.(type) {
		case *agui.TextMessageContent:
			text = append(text, e.Delta)
		case *agui.ToolCallArgs:
			arguments = append(arguments, e.Delta)
		case *agui.ToolCallResult:
			if c := e.Content.Text(); c != "ok" && !strings.HasPrefix(c, "Error: ") { // of the layer between
				results = append(results, c)
			}
		case *agui.ReasoningMessageContent:
			thoughts = append(thoughts, e.Delta)
		case *agui.StateDelta:
			states = append(states, e.Delta[0].Path)
		}
	}
	return fmt.Sprintf("text %q arguments %q results %q thoughts %q states %q",
		strings.Join(text, ""), strings.Join(arguments, ""), strings.Join(results, ","), strings.Join(thoughts, ""), states)
}

func FuzzProxy(f *testing.F) {
	f.Add([]byte("\x00\x00\x20\x02\x00\x20\x05\x00\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if events := wild(data); events != nil && len(events) < 300 {
			checkProxy(t, events)
		}
	})
}

// The same for runs made up at random, and compacting them.
func TestAProxyOfAnything(t *testing.T) {
	for seed := range uint64(10 * seeds(t)) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 3*(5+r.IntN(60)))
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		events := wild(data)
		if events == nil {
			continue
		}
		checkProxy(t, events)
		checkCompact(t, func() *Mirror { return NewMirror(asked.State, asked.Messages) }, events)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// corpus are the events of the fixtures, a line each.
func corpus(f *testing.F) (out [][]byte) {
	f.Helper()
	data, err := os.ReadFile("testdata/apply.json")
	if err != nil {
		f.Fatal(err)
	}
	var list []applyCase
	if err := json.Unmarshal(data, &list); err != nil {
		f.Fatal(err)
	}
	for _, c := range list {
		var b bytes.Buffer
		for _, e := range c.Events {
			_ = json.Compact(&b, e)
			b.WriteByte('\n')
		}
		out = append(out, b.Bytes())
	}
	return out
}
