package aguitest

import (
	"context"
	"fmt"
	"strings"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

func hello() *chat.Request {
	return &chat.Request{Messages: []agui.Message{agui.UserMessage("hello")}}
}

// streamChecks are about text, reasoning, usage and finish reasons.
var streamChecks = []check{
	{name: "text in pieces", run: func(ctx context.Context, s *subject) error {
		// Each piece must arrive before the next is sent.
		release := make(chan struct{}, 2)
		m := NewModel(Text("Hel").Pause(release).Text("lo, ").Pause(release).Text("naïve 🍮"))
		req := hello()
		a := &answer{}
		waiting := []string{"Hel", "Hello, "}
		for u, err := range s.open(m).Stream(ctx, req) {
			if err != nil {
				return fmt.Errorf("only %q arrived while the provider waited for it: %w", a.text, err)
			}
			a.add(u, req)
			if len(waiting) > 0 && a.text == waiting[0] {
				waiting = waiting[1:]
				release <- struct{}{}
			}
		}
		return first(a.good(), equal("text", a.text, "Hello, naïve 🍮"))
	}},
	{name: "empty pieces", run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, hello(), Text("", "Hi", "", "\n", " there", ""))
		return first(a.good(), equal("text", a.text, "Hi\n there"))
	}},
	{name: "nothing said", run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, hello(), Turn{}.Finish(chat.FinishStop))
		return first(a.good(), equal("text", a.text, ""), equal("finish reason", a.finish, chat.FinishStop))
	}},
	{name: "text that looks like the wire's", run: func(ctx context.Context, s *subject) error {
		pieces := []string{`[{"id":"x","type":"function"}]`, "\n\ndata: [DONE]\n\n", "\u2028\x00\\\"", "</script>"}
		a, _ := s.ask(ctx, hello(), Text(pieces...))
		return first(a.good(), equal("text", a.text, strings.Join(pieces, "")))
	}},
	{name: "a long piece is whole or an error", run: func(ctx context.Context, s *subject) error {
		long := strings.Repeat("0123456789abcdef", 1<<14)
		a, _ := s.ask(ctx, hello(), Text(long, "."))
		if a.err != nil {
			return a.lawful()
		}
		return first(a.good(), equal("length of the text", len(a.text), len(long)+1))
	}},
	{name: "reasoning", unless: NoReasoning, run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, hello(), Turn{}.Reasoning("Let me ", "think.").Text("Done."))
		return first(a.good(), equal("reasoning", a.reasoning, "Let me think."), equal("text", a.text, "Done."))
	}},
	{name: "usage", unless: NoUsage, run: func(ctx context.Context, s *subject) error {
		u := agui.TokenUsage{InputTokens: 31, OutputTokens: 17}
		a, _ := s.ask(ctx, hello(), Text("Done.").Finish(chat.FinishStop).Usage(u))
		if err := a.good(); err != nil {
			return err
		}
		if a.usage == nil {
			return fmt.Errorf("no usage came")
		}
		return first(equal("input tokens", a.usage.InputTokens, 31), equal("output tokens", a.usage.OutputTokens, 17))
	}},
	{name: "finish reasons", run: func(ctx context.Context, s *subject) error {
		turns := map[chat.FinishReason]Turn{
			chat.FinishStop:      Text("x").Finish(chat.FinishStop),
			chat.FinishToolCalls: Call("c", "f", "{}").Finish(chat.FinishToolCalls),
		}
		if !s.limited(NoFinishReasons) {
			turns[chat.FinishLength] = Text("x").Finish(chat.FinishLength)
			turns[chat.FinishContentFilter] = Text("x").Finish(chat.FinishContentFilter)
		}
		for reason, turn := range turns {
			a, _ := s.ask(ctx, withTools(hello(), "f"), turn)
			if err := first(a.good(), equal("finish reason", a.finish, reason)); err != nil {
				return err
			}
		}
		return nil
	}},
}

// callChecks are about tool calls.
var callChecks = []check{
	{name: "a call in fragments", run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, withTools(hello(), "add"), Text("Let me see.").Call("c1", "add", `{"na`, `me":"é`, `🍮"}`))
		if err := first(a.good(), equal("text", a.text, "Let me see."), a.called("add", `{"name":"é🍮"}`)); err != nil {
			return err
		}
		if !s.limited(WholeCalls) && a.calls[0].pieces < 2 {
			return fmt.Errorf("the arguments came in one piece, not as the provider sent them")
		}
		return equal("finish reason", a.finish, chat.FinishToolCalls)
	}},
	{name: "a call without arguments", run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, withTools(hello(), "now"), Call("c1", "now"))
		if err := a.good(); err != nil {
			return err
		}
		if len(a.calls) == 1 && a.calls[0].arguments == "{}" {
			return nil // an adapter may say it in JSON
		}
		return a.called("now", "")
	}},
	{name: "calls one after the other", run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, withTools(hello(), "add", "sub"), Call("c1", "add", `{"q"`, `:1}`).Call("c2", "sub", `{"m"`, `:2}`).Call("c3", "add", `{}`))
		return first(a.good(), a.called("add", `{"q":1}`, "sub", `{"m":2}`, "add", `{}`))
	}},
	{name: "calls that alternate", run: func(ctx context.Context, s *subject) error {
		turn := Call("c1", "add").Call("c2", "sub").
			Arguments(0, `{"q"`).Arguments(1, `{"m"`).Arguments(0, `:1}`).Arguments(1, `:2}`)
		a, _ := s.ask(ctx, withTools(hello(), "add", "sub"), turn)
		if s.limited(NoInterleaving) {
			return a.bad()
		}
		return first(a.good(), a.called("add", `{"q":1}`, "sub", `{"m":2}`))
	}},
	{name: "calls without ids", run: func(ctx context.Context, s *subject) error {
		a, _ := s.ask(ctx, withTools(hello(), "add"), Call("", "add", `{"q":1}`).Call("", "add", `{"q":2}`))
		return first(a.good(), a.called("add", `{"q":1}`, "add", `{"q":2}`))
	}},
	{name: "ids that the conversation has", run: func(ctx context.Context, s *subject) error {
		// gather reports an id that is not new.
		req := withTools(conversation(), "add")
		a, m := s.ask(ctx, req, Call("call_0", "add", `{"q":2}`))
		if err := first(a.good(), a.called("add", `{"q":2}`)); err != nil {
			return err
		}
		for _, msg := range m.Requests()[0].Outgoing {
			for _, call := range msg.ToolCalls {
				if call.ID != "call_0" {
					return fmt.Errorf("the call call_0 of the history was sent as %q", call.ID)
				}
			}
		}
		return nil
	}},
}

// called compares the calls with names and arguments, in pairs.
func (a *answer) called(want ...string) error {
	var got []string
	for _, c := range a.calls {
		got = append(got, c.name, c.arguments)
	}
	return equal("calls", strings.Join(got, " "), strings.Join(want, " "))
}

func withTools(req *chat.Request, names ...string) *chat.Request {
	for _, n := range names {
		req.Tools = append(req.Tools, chat.Tool{Name: n, Description: "Does " + n + ".",
			Parameters: []byte(`{"type":"object","properties":{"` + n + `_it":{"type":"string"}}}`)})
	}
	return req
}

func equal[T comparable](what string, got, want T) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s is %#v, want %#v", what, got, want)
}

// first returns the first error that is not nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
