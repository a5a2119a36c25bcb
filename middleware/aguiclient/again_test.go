package aguiclient_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// askedTwice is a run of ours that asks an agent twice: each answer begins with what
// it is given, and the first ends with a call of a tool of ours.
func askedTwice(t *testing.T, answer func() []agui.Event) []agui.Event {
	t.Helper()
	note := chat.NewTool("note", "", func(context.Context, struct{}) (string, error) { return "noted", nil })
	agent := aguiclient.New(aguiclient.NewReplay(
		aRun(append(answer(), &agui.ToolCallStart{ToolCallID: "n", ToolCallName: "note"}, &agui.ToolCallEnd{ToolCallID: "n"})...),
		aRun(append(answer(), &agui.TextMessageStart{MessageID: "end"}, &agui.TextMessageContent{MessageID: "end", Delta: "done"}, &agui.TextMessageEnd{MessageID: "end"})...),
	), nil)
	chain := chat.NewBuilder(agent).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{note}})).Build()
	events := slices.Collect(chat.Events(t.Context(), chain, aQuestion(), quiet))
	aguitest.Verify(t, events)
	if _, ok := events[len(events)-1].(*agui.RunFinished); !ok {
		t.Errorf("the run ends in %+v", events[len(events)-1])
	}
	return events
}

func aQuestion() *agui.RunAgentInput {
	return &agui.RunAgentInput{
		ThreadID: "t", RunID: "r", ProtocolVersion: agui.ProtocolVersion,
		Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")}},
	}
}

// An agent's runs may use the ids of calls again; in our one run they are told
// apart.
func TestAskedAgainWithTheSameCalls(t *testing.T) {
	events := askedTwice(t, func() []agui.Event {
		return []agui.Event{
			&agui.ToolCallStart{ToolCallID: "call_0", ToolCallName: "search"}, &agui.ToolCallArgs{ToolCallID: "call_0", Delta: "{}"},
			&agui.ToolCallEnd{ToolCallID: "call_0"}, &agui.ToolCallResult{MessageID: "r-" + agui.NewID(), ToolCallID: "call_0", Content: agui.Text("found")},
		}
	})
	calls, results := map[string]string{}, map[string]string{}
	for _, e := range events {
		switch e := e.(type) {
		case *agui.ToolCallStart:
			calls[e.ToolCallID] = e.ToolCallName
		case *agui.ToolCallResult:
			results[e.ToolCallID] = e.Content.Text()
		}
	}
	if len(calls) != 3 || calls["call_0-2"] != "search" || results["call_0"] != "found" || results["call_0-2"] != "found" || results["n"] != "noted" {
		t.Errorf("calls %v, results %v", calls, results)
	}
}

// The same of subagents and messages, in all that an answer says of them. An
// activity keeps its id: it may go on.
func TestAskedAgainWithTheSameNames(t *testing.T) {
	outer, inner := "s1", "s2"
	of := func(id *string) agui.Tag { return agui.Tag{SubagentRunID: id} }
	events := askedTwice(t, func() []agui.Event {
		return []agui.Event{
			&agui.Custom{Tag: of(&outer), Name: "before its start"},
			&agui.TextMessageStart{MessageID: "m"}, &agui.TextMessageContent{MessageID: "m", Delta: "asking"}, &agui.TextMessageEnd{MessageID: "m"},
			&agui.SubagentStarted{SubagentRunID: outer, Name: "outer", ParentMessageID: "m"},
			&agui.SubagentStarted{SubagentRunID: inner, Name: "inner", ParentSubagentRunID: outer},
			&agui.TextMessageStart{Tag: of(&outer), MessageID: "sm"}, &agui.TextMessageContent{Tag: of(&outer), MessageID: "sm", Delta: "looking"},
			&agui.TextMessageEnd{Tag: of(&outer), MessageID: "sm"},
			&agui.ReasoningStart{Tag: of(&inner), MessageID: "sr"}, &agui.ReasoningMessageStart{Tag: of(&inner), MessageID: "sr"},
			&agui.ReasoningMessageContent{Tag: of(&inner), MessageID: "sr", Delta: "hm"}, &agui.ReasoningMessageEnd{Tag: of(&inner), MessageID: "sr"},
			&agui.ReasoningEnd{Tag: of(&inner), MessageID: "sr"},
			&agui.ReasoningEncryptedValue{Tag: of(&inner), Subtype: agui.EncryptedMessage, EntityID: "sr", EncryptedValue: "e"},
			&agui.ToolCallStart{Tag: of(&inner), ToolCallID: "c", ToolCallName: "search", ParentMessageID: "sc"},
			&agui.ToolCallArgs{Tag: of(&inner), ToolCallID: "c", Delta: "{}"}, &agui.ToolCallEnd{Tag: of(&inner), ToolCallID: "c"},
			&agui.ToolCallResult{Tag: of(&inner), MessageID: "res", ToolCallID: "c", Content: agui.Text("found")},
			&agui.ActivitySnapshot{Tag: of(&inner), MessageID: "act", ActivityType: "P", Content: []byte(`{}`)},
			&agui.StepStarted{Tag: of(&inner), StepName: "step"}, &agui.StepFinished{Tag: of(&inner), StepName: "step"},
			&agui.SubagentError{SubagentRunID: inner, Message: "gave up"}, &agui.SubagentFinished{SubagentRunID: outer},
			&agui.MessagesSnapshot{Messages: []agui.Message{
				{ID: "u", Role: agui.RoleUser, Content: agui.Text("go")}, {ID: "sm", Role: agui.RoleAssistant, SubagentRunID: &outer, Content: agui.Text("looking")},
			}},
		}
	})
	aguitest.Golden(t, "testdata/asked_again.jsonl", events)
}

// Agents that are asked side by side are told apart too, and each run of ours
// begins anew.
func TestTwoAgentsWithTheSameNames(t *testing.T) {
	sub := "s"
	agent := func(last *agui.RunFinished) chat.Client {
		events := aRun(&agui.SubagentStarted{SubagentRunID: sub, Name: "a"}, &agui.SubagentFinished{SubagentRunID: sub})
		events[len(events)-1] = last
		return aguiclient.New(aguiclient.NewReplay(events, events), nil)
	}
	one := agent(&agui.RunFinished{})
	two := agent(&agui.RunFinished{Outcome: &agui.RunOutcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{{Tag: agui.Tag{SubagentRunID: &sub}, ID: "i", Reason: "r"}}}})
	both := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			for _, c := range []chat.Client{one, two} {
				for u, err := range c.Stream(ctx, req) {
					if !yield(u, err) {
						return
					}
				}
			}
		}
	})
	for range 2 {
		var names []string
		events := slices.Collect(chat.Events(t.Context(), both, aQuestion(), quiet))
		aguitest.Verify(t, events)
		for _, e := range events {
			switch e := e.(type) {
			case *agui.SubagentStarted:
				names = append(names, e.SubagentRunID)
			case *agui.RunFinished:
				names = append(names, *e.Outcome.Interrupts[0].SubagentRunID)
			}
		}
		if len(names) != 3 || names[0] != sub || names[1] == sub || names[2] != names[1] {
			t.Errorf("the subagents are %q", names)
		}
	}
}
