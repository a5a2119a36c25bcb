package chat_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// first asks another chain, for itself, before the one below.
func first(other chat.Client, change func(*chat.Request)) chat.Middleware {
	return func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			return func(yield func(*chat.Update, error) bool) {
				own := req.Clone()
				change(own)
				if _, err := chat.Collect(other.Stream(ctx, own)); err != nil {
					yield(nil, err)
					return
				}
				next.Stream(ctx, req)(yield)
			}
		})
	}
}

// A run has several chains: what one has asked is answered there, whatever chain
// comes before.
func TestAnswersToOneOfSeveralChains(t *testing.T) {
	key := []byte("a key of thirty-two bytes, secret")
	buy := chat.RequireApproval(chat.NewTool("buy", "Buys.", func(context.Context, noArguments) (string, error) { return "bought", nil }), nil, 0)
	as := func(*chat.Request) {}
	for name, tt := range map[string]struct {
		planner func(o *office) chat.FunctionInvocation
		change  func(*chat.Request)
		answer  string // none, or in place of the id
		deleted string
		plans   int
		code    string
	}{
		"no tools": {func(*office) chat.FunctionInvocation { return chat.FunctionInvocation{} }, as, "", "a", 1, ""},
		"a question, too": {func(*office) chat.FunctionInvocation {
			return chat.FunctionInvocation{Tools: []chat.Tool{buy}, Key: key}
		}, as, "", "a", 1, ""},
		"another key":                {func(*office) chat.FunctionInvocation { return chat.FunctionInvocation{Tools: []chat.Tool{buy}} }, as, "", "a", 1, ""},
		"nobody's":                   {func(*office) chat.FunctionInvocation { return chat.FunctionInvocation{} }, as, "ask-nobody", "", 1, chat.CodeInterruptUnknown},
		"no answer":                  {func(*office) chat.FunctionInvocation { return chat.FunctionInvocation{} }, as, "none", "", 1, chat.CodeInterruptPending},
		"itself, as it is":           {nil, as, "", "a", 1, ""},
		"itself, for something else": {nil, func(r *chat.Request) { r.Messages = []agui.Message{agui.UserMessage("Plan!")} }, "", "a", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := &office{}
			in, interrupts, _ := o.asked(t, aguitest.Call("d", "delete", `{"name":"a"}`))
			if tt.answer == "" {
				tt.answer = interrupts[0].ID
			}
			if tt.answer != "none" {
				in.Resume = []agui.ResumeEntry{resolved(agui.Interrupt{ID: tt.answer}, `{"approved":true}`)}
			}
			planner, plans := o.client(aguitest.Text("plan"))
			if tt.planner != nil {
				options := tt.planner(o)
				options.Logger = quiet.Logger
				plans = aguitest.NewModel(aguitest.Text("plan"))
				planner = chat.NewBuilder(plans).Use(chat.InvokeFunctions(options)).Build()
			}
			worker, _ := o.client(aguitest.Text("done"))
			events := runEvents(t.Context(), first(planner, tt.change)(worker), in, quiet)
			aguitest.Verify(t, events)
			code := ""
			if e, failed := events[len(events)-1].(*agui.RunError); failed {
				code = e.Code
			}
			if got := strings.Join(o.deleted, " "); got != tt.deleted || code != tt.code || len(plans.Requests()) != tt.plans {
				t.Errorf("deleted %q, ended with %q, after %d plans", got, code, len(plans.Requests()))
			}
			results := slices.DeleteFunc(events, func(e agui.Event) bool { return e.Type() != agui.TypeToolCallResult })
			if want := len(o.deleted); len(results) != want {
				t.Errorf("%d results", len(results))
			}
		})
	}
}

// A chain that is asked behind one that has put a question may call tools of its
// own: the question can be answered all the same, and holds the next run.
func TestAnswersBehindAnotherChainsCalls(t *testing.T) {
	for _, answer := range []bool{true, false} {
		o := &office{}
		worker, _ := o.client(aguitest.Call("d", "delete", `{"name":"a"}`))
		other := withTools(chat.FunctionInvocation{Tools: []chat.Tool{greet}}, aguitest.NewModel(aguitest.Call("g", "greet", `{"name":"B"}`), aguitest.Text("greeted")))
		in := input()
		for _, e := range runEvents(t.Context(), asksOf(worker)(other), in, quiet) {
			switch e := e.(type) {
			case *agui.MessagesSnapshot:
				in.Messages = e.Messages
			case *agui.RunFinished:
				if answer {
					in.Resume = []agui.ResumeEntry{resolved(e.Outcome.Interrupts[0], `{"approved":true}`)}
				}
			}
		}
		worker, model := o.client(aguitest.Text("done"))
		events := runEvents(t.Context(), worker, in, quiet)
		aguitest.Verify(t, events)
		if failed, ok := events[len(events)-1].(*agui.RunError); !answer {
			if !ok || failed.Code != chat.CodeInterruptPending {
				t.Errorf("without an answer: ended in %+v", events[len(events)-1])
			}
			continue
		}
		if len(o.deleted) != 1 || model.Left() != 0 {
			t.Errorf("deleted %v, ended in %+v", o.deleted, events[len(events)-1])
		}
		for i, m := range model.Requests()[0].Outgoing {
			if len(m.ToolCalls) > 0 && m.ToolCalls[0].ID == "d" {
				if r := model.Requests()[0].Outgoing[i+1]; r.ToolCallID != "d" || r.Content.Text() != "deleted a" {
					t.Errorf("the model is told %+v", r)
				}
			}
		}
	}
}
