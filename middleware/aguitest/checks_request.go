package aguitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// conversation is a request two turns deep, the same each time.
func conversation() *chat.Request {
	messages := []agui.Message{
		{ID: "m1", Role: agui.RoleSystem, Content: agui.Text("Be brief.")},
		{ID: "m2", Role: agui.RoleUser, Content: agui.Text("Add one.")},
		{ID: "m3", Role: agui.RoleAssistant, Content: agui.Text("Adding."), ToolCalls: []agui.ToolCall{{ID: "call_0", Name: "add", Arguments: `{"q":1}`}}},
		{ID: "m4", Role: agui.RoleTool, ToolCallID: "call_0", Content: agui.Text("added one")},
		{ID: "m5", Role: agui.RoleAssistant, Content: agui.Text("It is there.")},
		{ID: "m6", Role: agui.RoleUser, Content: agui.Text("And another.")},
	}
	// Room behind the messages shows who appends to them.
	return &chat.Request{Messages: append(make([]agui.Message, 0, 16), messages...)}
}

// requestChecks are about what reaches the provider.
var requestChecks = []check{
	{name: "the conversation reaches the provider", run: func(ctx context.Context, s *subject) error {
		req := withTools(conversation(), "add")
		a, m := s.ask(ctx, req, Text("ok"))
		if err := a.good(); err != nil {
			return err
		}
		sent := m.Requests()[0].Outgoing
		if err := first(inOrder(sent, "Be brief.", "Add one.", "Adding.", "added one", "It is there.", "And another."), paired(sent)); err != nil {
			return err
		}
		for _, msg := range sent {
			for _, call := range msg.ToolCalls {
				if call.Name == "add" && sameJSON([]byte(call.Arguments), []byte(`{"q":1}`)) {
					return nil
				}
			}
		}
		return fmt.Errorf("the call of add with {\"q\":1} did not arrive: %s", describe(sent))
	}},
	{name: "a history with gaps is repaired", run: func(ctx context.Context, s *subject) error {
		req := conversation()
		req.Messages = append(req.Messages[:3:3], // the call stays unanswered
			agui.Message{ID: "a1", Role: agui.RoleActivity, ActivityType: "PLAN", Activity: json.RawMessage(`{"plan":"secret plan"}`)},
			agui.Message{ID: "t9", Role: agui.RoleTool, ToolCallID: "unknown", Content: agui.Text("orphan")},
			agui.Message{ID: "u9", Role: agui.RoleUser, Content: agui.Text("Go on.")})
		a, m := s.ask(ctx, req, Text("ok"))
		if err := a.good(); err != nil {
			return err
		}
		sent := m.Requests()[0].Outgoing
		all := describe(sent)
		for _, not := range []string{"orphan", "secret plan"} {
			if strings.Contains(all, not) {
				return fmt.Errorf("%q should not reach a provider: %s", not, all)
			}
		}
		return first(inOrder(sent, "Add one.", "Adding.", "Go on."), paired(sent))
	}},
	{name: "live messages come last, anew at each call", run: func(ctx context.Context, s *subject) error {
		n := 0
		req := conversation()
		req.Live = []chat.Live{
			func(context.Context) (agui.Message, error) {
				n++
				return agui.SystemMessage(fmt.Sprintf("the count is %d", n)), nil
			},
			func(context.Context) (agui.Message, error) { return agui.SystemMessage("the moon is full"), nil },
		}
		m := NewModel(Text("ok"), Text("ok"))
		stream := s.open(m).Stream(ctx, req)
		for i := range 2 {
			if err := gather(stream, req).good(); err != nil {
				return err
			}
			sent := m.Requests()[i].Outgoing
			if err := inOrder(sent, "And another.", fmt.Sprintf("the count is %d", i+1), "the moon is full"); err != nil {
				return err
			}
			if i == 1 && strings.Contains(describe(sent), "the count is 1") {
				return fmt.Errorf("the second call has the first one's live message too: %s", describe(sent))
			}
		}
		return nil
	}},
	{name: "a live message that fails", run: func(ctx context.Context, s *subject) error {
		broken := errors.New("no state")
		req := hello()
		req.Live = []chat.Live{func(context.Context) (agui.Message, error) { return agui.Message{}, broken }}
		a, m := s.ask(ctx, req, Text("never"))
		if !errors.Is(a.err, broken) {
			return fmt.Errorf("the stream ended with %v, want the live message's error wrapped", a.err)
		}
		return first(a.lawful(), equal("the number of calls", len(m.Requests()), 0))
	}},
	{name: "the request is not changed", run: func(ctx context.Context, s *subject) error {
		build := func() *chat.Request {
			r := withTools(conversation(), "add", "sub")
			r.ToolChoice = chat.ToolChoice{Mode: chat.ToolsRequired}
			r.ResponseFormat = &chat.ResponseFormat{Name: "answer", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}
			r.Options = chat.Options{Temperature: new(0.5), Stop: []string{"END"}, Extra: map[string]any{"user": "u"}}
			return r
		}
		req := build()
		a, _ := s.ask(ctx, req, Call("call_0", "add", "{}"))
		if err := a.good(); err != nil {
			return err
		}
		if want := build(); !reflect.DeepEqual(req, want) {
			return fmt.Errorf("the request was changed:\n%s", cmp.Diff(want, req, cmp.Exporter(func(reflect.Type) bool { return true })))
		}
		for _, m := range req.Messages[len(req.Messages):cap(req.Messages)] {
			if m.Role != "" {
				return fmt.Errorf("a message was appended to the request's own: %+v", m)
			}
		}
		return nil
	}},
	{name: "tools are offered", run: func(ctx context.Context, s *subject) error {
		a, m := s.ask(ctx, withTools(hello(), "add", "sub"), Text("ok"))
		if err := a.good(); err != nil {
			return err
		}
		got, want := m.Requests()[0].Tools, withTools(hello(), "add", "sub").Tools
		if len(got) != len(want) {
			return fmt.Errorf("%d tools arrived, want %d", len(got), len(want))
		}
		for i, w := range want {
			if g := got[i]; g.Name != w.Name || g.Description != w.Description || !sameJSON(g.Parameters, w.Parameters) {
				return fmt.Errorf("the tool %s arrived as %s (%s) with %s", w.Name, g.Name, g.Description, g.Parameters)
			}
		}
		return nil
	}},
	{name: "tool choice none", run: func(ctx context.Context, s *subject) error {
		req := withTools(hello(), "add")
		req.ToolChoice.Mode = chat.ToolsNone
		a, m := s.ask(ctx, req, Text("ok"))
		if err := a.good(); err != nil {
			return err
		}
		if got := m.Requests()[0]; got.ToolChoice.Mode != chat.ToolsNone && len(got.Tools) > 0 {
			return fmt.Errorf("the model may call: %d tools, choice %q", len(got.Tools), got.ToolChoice.Mode)
		}
		return nil
	}},
	{name: "tool choice required and named", unless: NoToolChoice, run: func(ctx context.Context, s *subject) error {
		for _, choice := range []chat.ToolChoice{{Mode: chat.ToolsRequired}, {Mode: chat.ToolsNamed, Name: "sub"}} {
			req := withTools(hello(), "add", "sub")
			req.ToolChoice = choice
			a, m := s.ask(ctx, req, Call("c", "sub", "{}"))
			if err := first(a.good(), equal("tool choice", m.Requests()[0].ToolChoice, choice)); err != nil {
				return err
			}
		}
		return nil
	}},
	{name: "the response format is not ignored", run: func(ctx context.Context, s *subject) error {
		req := hello()
		req.ResponseFormat = &chat.ResponseFormat{Name: "animal", Schema: json.RawMessage(
			`{"type":"object","properties":{"zebra_stripes":{"type":"integer"}},"required":["zebra_stripes"],"additionalProperties":false}`)}
		a, m := s.ask(ctx, req, Text(`{"zebra_`, `stripes":26}`))
		if err := first(a.good(), equal("text", a.text, `{"zebra_stripes":26}`)); err != nil {
			return err
		}
		got := m.Requests()[0]
		if f := got.ResponseFormat; f != nil && bytes.Contains(f.Schema, []byte("zebra_stripes")) {
			return nil
		}
		if strings.Contains(describe(got.Outgoing), "zebra_stripes") {
			return nil
		}
		return fmt.Errorf("the schema reached the provider neither as a format nor in the prompt: %s", describe(got.Outgoing))
	}},
}

// inOrder reports whether the texts occur in the messages in this order; a
// provider may have got several messages as one.
func inOrder(messages []agui.Message, texts ...string) error {
	all := describe(messages)
	rest := all
	for _, t := range texts {
		i := strings.Index(rest, t)
		if i < 0 {
			return fmt.Errorf("%q did not arrive in its place: %s", t, all)
		}
		rest = rest[i+len(t):]
	}
	return nil
}

// paired reports whether each call is answered right behind its message, and
// nothing else is a tool message: what providers insist on.
func paired(messages []agui.Message) error {
	var open []string
	for i, m := range messages {
		if m.Role == agui.RoleTool {
			if len(open) == 0 || open[0] != m.ToolCallID {
				return fmt.Errorf("message %d answers %q, open are %q: %s", i, m.ToolCallID, open, describe(messages))
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			break
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the calls %q are not answered behind their message: %s", open, describe(messages))
	}
	return nil
}

// describe writes messages for people.
func describe(messages []agui.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "[%s", m.Role)
		if m.ToolCallID != "" {
			fmt.Fprintf(&b, " for %s", m.ToolCallID)
		}
		fmt.Fprintf(&b, ": %s", m.Content.Text())
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " (%s %s %s)", c.ID, c.Name, c.Arguments)
		}
		b.WriteString(string(m.Activity) + "]")
	}
	return b.String()
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
