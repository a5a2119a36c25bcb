package chat_test

import (
	"context"
	"iter"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// taker is a layer that takes the answer to "mine".
func taker(next chat.Client) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		_, ctx, _ = chat.TakeResume(ctx, "mine")
		return next.Stream(ctx, req)
	})
}

// router is a layer that asks a model of its own before the chain.
func router(next chat.Client) chat.Client {
	return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			question := &chat.Request{Messages: []agui.Message{agui.UserMessage("Which one?")}}
			if _, err := chat.Collect(aguitest.NewModel(aguitest.Text("this")).Stream(ctx, question)); err != nil {
				yield(nil, err)
				return
			}
			next.Stream(ctx, req)(yield)
		}
	})
}

// remote is an agent that takes every answer.
type remote struct{ chat.Client }

func (remote) TakesResume() {}

// An answer that no layer takes ends the run; where the run brings nothing
// else, no model is called.
func TestAnswersThatNobodyTakes(t *testing.T) {
	functions := chat.InvokeFunctions(chat.FunctionInvocation{Logger: quiet.Logger})
	kept := &shelf{}
	_ = kept.Save(t.Context(), "thread", []agui.Interrupt{{ID: "mine"}})
	history := input().Messages
	shown := []agui.Message{
		{ID: "a", Role: agui.RoleActivity, ActivityType: "plan"},
		{ID: "r", Role: agui.RoleReasoning, Content: agui.Text("hm")},
		{ID: "t", Role: agui.RoleTool, ToolCallID: "gone", Content: agui.Text("42")},
		{ID: "s", Role: agui.RoleAssistant},
	}
	for name, tt := range map[string]struct {
		layers   []chat.Middleware
		messages []agui.Message
		answers  []string
		code     string
		calls    int
	}{
		"no layer":                      {nil, history, []string{"mine"}, chat.CodeInterruptUnknown, 1},
		"no layer, no message":          {nil, nil, []string{"mine"}, chat.CodeInterruptUnknown, 0},
		"no layer, none for a model":    {nil, shown, []string{"mine"}, chat.CodeInterruptUnknown, 0},
		"taken":                         {[]chat.Middleware{taker}, history, []string{"mine"}, "", 1},
		"taken twice":                   {[]chat.Middleware{taker}, history, []string{"mine", "mine"}, "", 1},
		"taken, no message":             {[]chat.Middleware{taker}, nil, []string{"mine"}, "", 1},
		"another's":                     {[]chat.Middleware{taker}, history, []string{"mine", "his"}, chat.CodeInterruptUnknown, 1},
		"another's, no message":         {[]chat.Middleware{taker}, nil, []string{"mine", "his"}, chat.CodeInterruptUnknown, 0},
		"another's, left to others":     {[]chat.Middleware{taker, functions}, history, []string{"his"}, chat.CodeInterruptUnknown, 1},
		"a model on the way":            {[]chat.Middleware{router, taker}, history, []string{"mine"}, "", 1},
		"kept":                          {[]chat.Middleware{chat.KeepInterrupts(kept)}, history, []string{"mine"}, "", 1},
		"for an agent":                  {[]chat.Middleware{func(c chat.Client) chat.Client { return remote{c} }}, history, []string{"his"}, "", 1},
		"for an agent, no message":      {[]chat.Middleware{func(c chat.Client) chat.Client { return remote{c} }}, nil, []string{"his"}, "", 1},
		"no answer, no message":         {nil, nil, nil, "", 0},
		"no answer, none for a model":   {nil, shown, nil, "", 0},
		"no answer, one for a model":    {nil, append(shown[:4:4], history...), nil, "", 1},
		"no answer, a call for a model": {nil, []agui.Message{{ID: "c", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c", Name: "confirm"}}}}, nil, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "kept" {
				defer func() { _ = kept.Save(t.Context(), "thread", []agui.Interrupt{{ID: "mine"}}) }()
			}
			model := aguitest.NewModel(aguitest.Text("ok"))
			b := chat.NewBuilder(model)
			for _, m := range tt.layers {
				b.Use(m)
			}
			in := input()
			in.Messages = tt.messages
			for _, id := range tt.answers {
				in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: id, Status: agui.ResumeResolved})
			}
			all := runEvents(t.Context(), b.Build(), in, quiet)
			aguitest.Verify(t, all)
			code := ""
			if e, ok := all[len(all)-1].(*agui.RunError); ok {
				code = e.Code
			}
			if code != tt.code || 1-model.Left() != tt.calls {
				t.Errorf("ended by %+v, after %d calls of the model", all[len(all)-1], 1-model.Left())
			}
		})
	}
}

// A run inside another has its own answers: what layers around have taken is
// not lost to it.
func TestAnswersOfARunInside(t *testing.T) {
	in, inside := input(), input()
	in.Resume = []agui.ResumeEntry{{InterruptID: "mine", Status: agui.ResumeResolved}}
	inside.Resume = in.Resume
	took := false
	inner := chat.ClientFunc(func(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
		_, _, took = chat.TakeResume(ctx, "mine")
		return func(func(*chat.Update, error) bool) {}
	})
	outer := taker(chat.ClientFunc(func(ctx context.Context, _ *chat.Request) iter.Seq2[*chat.Update, error] {
		runEvents(ctx, inner, inside, quiet)
		return func(func(*chat.Update, error) bool) {}
	}))
	if runEvents(t.Context(), outer, in, quiet); !took {
		t.Error("the answer of the run inside is gone")
	}
}
