package agui

import (
	"errors"
	"reflect"
	"testing"
)

func tag(s string) Tag { return Tag{SubagentRunID: &s} }

// observe feeds a run that has begun and returns the rule that the last event
// breaks, "" for none. All before it must pass.
func observe(t *testing.T, events ...Event) Rule {
	t.Helper()
	var v Verifier
	for i, e := range append([]Event{&RunStarted{}}, events...) {
		err := v.Observe(e)
		if err == nil {
			continue
		}
		var order *OrderError
		if !errors.As(err, &order) {
			t.Fatalf("got %T", err)
		}
		if i != len(events) {
			t.Fatalf("event %d of %d: %v", i, len(events), err)
		}
		if order.Type != e.Type() {
			t.Errorf("the error is about %s, not %s", order.Type, e.Type())
		}
		return order.Rule
	}
	return ""
}

// The rules that the fixtures do not show, or show from one side only.
func TestVerifierRules(t *testing.T) {
	start := func(id string, tags ...Tag) Event { return &TextMessageStart{MessageID: id, Tag: optional(tags)} }
	end := func(id string) Event { return &TextMessageEnd{MessageID: id} }
	call := func(id, parent string, tags ...Tag) Event {
		return &ToolCallStart{ToolCallID: id, ParentMessageID: parent, Tag: optional(tags)}
	}
	endCall := func(id string) Event { return &ToolCallEnd{ToolCallID: id} }
	snapshot := &MessagesSnapshot{Messages: []Message{
		{ID: "m", Role: RoleAssistant, SubagentRunID: new("s1"), ToolCalls: []ToolCall{{ID: "c"}}},
		{ID: "th", Role: RoleReasoning, SubagentRunID: new("s1")},
		{ID: "act", Role: RoleActivity, SubagentRunID: new("s1")},
	}}
	for _, c := range []struct {
		name   string
		want   Rule
		events []Event
	}{
		{"step open twice", RuleStepAlreadyOpen, []Event{&StepStarted{StepName: "s"}, &StepStarted{StepName: "s"}}},
		{"step not open", RuleStepNotOpen, []Event{&StepFinished{StepName: "s"}}},
		{"step of two tags", "", []Event{&StepStarted{StepName: "s"}, &StepStarted{StepName: "s", Tag: tag("")}}},
		{"open step", RuleOpenStep, []Event{start("m"), &StepStarted{StepName: "s"}, &RunFinished{}}},
		{"open reasoning message", RuleOpenReasoningMessage, []Event{&ReasoningStart{MessageID: "r"}, &ReasoningMessageStart{MessageID: "r"}, &RunFinished{}}},
		{"open subagent", RuleOpenSubagent, []Event{&SubagentStarted{SubagentRunID: "s"}, &RunFinished{}}},
		{"text before reasoning before calls", RuleOpenText, []Event{call("c", ""), &ReasoningStart{MessageID: "r"}, start("m"), &RunFinished{}}},
		{"reasoning end without start", RuleReasoningMessageNotOpen, []Event{&ReasoningMessageEnd{MessageID: "r"}}},
		{"span and message of one id and two tags", RuleTagDiffersFromOpener, []Event{&ReasoningStart{MessageID: "r", Tag: tag("s1")}, &ReasoningMessageStart{MessageID: "r", Tag: tag("s2")}}},
		{"span and message of one id, message first", RuleTagDiffersFromOpener, []Event{&ReasoningMessageStart{MessageID: "r"}, &ReasoningStart{MessageID: "r", Tag: tag("s2")}}},
		{"reasoning content of another", RuleTagDiffersFromOpener, []Event{&ReasoningMessageStart{MessageID: "r", Tag: tag("s1")}, &ReasoningMessageContent{MessageID: "r", Tag: tag("s2")}}},
		{"reasoning reopened without a tag stays its owner's", RuleTagDiffersFromOpener, []Event{&ReasoningStart{MessageID: "r", Tag: tag("s1")}, &ReasoningEnd{MessageID: "r"},
			&ReasoningStart{MessageID: "r"}, &ReasoningEnd{MessageID: "r", Tag: tag("s2")}}},
		{"subagent parent unknown", RuleSubagentParentUnknown, []Event{&SubagentStarted{SubagentRunID: "s", ParentSubagentRunID: "ghost"}}},
		{"subagent its own parent", RuleSubagentParentUnknown, []Event{&SubagentStarted{SubagentRunID: "s", ParentSubagentRunID: "s"}}},
		{"call open twice", RuleToolCallAlreadyOpen, []Event{call("c", ""), call("c", "", tag("s1"))}},
		{"call reopened by another", RuleTagDiffersFromOpener, []Event{call("c", "", tag("s1")), endCall("c"), call("c", "", tag("s2"))}},
		{"call reopened without a tag", "", []Event{call("c", "", tag("s1")), endCall("c"), call("c", "")}},
		{"call of a tag under the parent's message", RuleToolCallTagDiffers, []Event{start("m"), end("m"), call("c", "m", tag("s1"))}},
		{"parent's call reopened under a subagent's message", RuleToolCallReopenedByOther, []Event{start("m", tag("s1")), end("m"), call("c", ""), endCall("c"), call("c", "m")}},
		{"args of another", RuleTagDiffersFromOpener, []Event{call("c", "", tag("s1")), &ToolCallArgs{ToolCallID: "c", Tag: tag("s2")}}},
		{"empty tag is not the parent", RuleTagDiffersFromOpener, []Event{start("m"), &TextMessageContent{MessageID: "m", Tag: tag("")}}},
		{"a result keeps an open message open", "", []Event{start("m"), &ToolCallResult{MessageID: "m"}, &TextMessageContent{MessageID: "m"}}},
		{"a result's owner is the newest", RuleTagDiffersFromOpener, []Event{start("m", tag("s1")), &ToolCallResult{MessageID: "m", Tag: tag("s2")}, &TextMessageContent{MessageID: "m", Tag: tag("s1")}}},
		{"encrypted value for a text message", RuleTagDiffersFromOpener, []Event{start("m"), &ReasoningEncryptedValue{Subtype: EncryptedMessage, EntityID: "m", Tag: tag("s1")}}},
		{"encrypted value for reasoning", RuleTagDiffersFromOpener, []Event{&ReasoningStart{MessageID: "r"}, &ReasoningEncryptedValue{Subtype: EncryptedMessage, EntityID: "r", Tag: tag("s1")}}},
		{"encrypted value for a call is not for a message", "", []Event{start("x"), &ReasoningEncryptedValue{Subtype: EncryptedToolCall, EntityID: "x", Tag: tag("s1")}}},
		{"activity delta without a tag", "", []Event{&ActivitySnapshot{MessageID: "a", Tag: tag("s1")}, &ActivityDelta{MessageID: "a"}}},
		{"snapshot owns messages", RuleTagDiffersFromOpener, []Event{snapshot, start("m", tag("s2"))}},
		{"snapshot owns calls", RuleTagDiffersFromOpener, []Event{snapshot, call("c", "", tag("s2"))}},
		{"snapshot owns reasoning", RuleTagDiffersFromOpener, []Event{snapshot, &ReasoningStart{MessageID: "th", Tag: tag("s2")}}},
		{"snapshot owns activities", RuleTagDiffersFromOpener, []Event{snapshot, &ActivityDelta{MessageID: "act", Tag: tag("s2")}}},
		{"snapshot overwrites owners of what is open", RuleTagDiffersFromOpener, []Event{start("m"), snapshot, &TextMessageContent{MessageID: "m", Tag: tag("s2")}}},
		{"snapshot keeps what is open open", RuleTextAlreadyOpen, []Event{start("m"), snapshot, start("m")}},
		{"owners end with the run", "", []Event{start("m", tag("s1")), end("m"), &RunFinished{}, &RunStarted{}, start("m", tag("s2"))}},
		{"unknown event after the end", RuleAfterRunFinished, []Event{&RunFinished{}, &UnknownEvent{EventType: "X"}}},
		{"run error with everything open", "", []Event{start("m"), call("c", ""), &SubagentStarted{SubagentRunID: "s"}, &RunError{}}},
		{"chunks are looked at as part of the run only", "", []Event{&TextMessageChunk{}, &ToolCallChunk{}, &ReasoningMessageChunk{}, &RunFinished{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := observe(t, c.events...); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func optional(tags []Tag) Tag {
	if len(tags) == 0 {
		return Tag{}
	}
	return tags[0]
}

// A refused event leaves nothing behind, so RUN_ERROR can take its place.
func TestVerifierForgetsWhatItRefuses(t *testing.T) {
	var v Verifier
	must := func(e Event) {
		t.Helper()
		if err := v.Observe(e); err != nil {
			t.Fatal(err)
		}
	}
	refuse := func(e Event, rule Rule) {
		t.Helper()
		var order *OrderError
		if err := v.Observe(e); !errors.As(err, &order) || order.Rule != rule {
			t.Fatalf("got %v, want %s", err, rule)
		}
	}
	refuse(&StateSnapshot{}, RuleFirstEvent)
	refuse(&RunFinished{}, RuleFirstEvent)
	must(&RunStarted{})
	refuse(&RunStarted{}, RuleRunStartedWhileActive)
	must(&TextMessageStart{MessageID: "m", Tag: tag("s1")})
	refuse(&TextMessageEnd{MessageID: "m", Tag: tag("s2")}, RuleTagDiffersFromOpener)
	must(&TextMessageContent{MessageID: "m", Tag: tag("s1")})
	refuse(&RunFinished{}, RuleOpenText)
	must(&RunError{})
	refuse(&RunError{}, RuleAfterRunError)
	must(&RunStarted{})
	must(&RunFinished{})
	refuse(&StateSnapshot{}, RuleAfterRunFinished)
	must(&RunError{})
	v.Reset()
	must(&RunError{})
}

func TestVerifierOpen(t *testing.T) {
	var v Verifier
	for _, e := range []Event{
		&RunStarted{},
		&SubagentStarted{SubagentRunID: "s1"}, &SubagentStarted{SubagentRunID: "s2", ParentSubagentRunID: "s1"},
		&StepStarted{StepName: "outer"}, &StepStarted{StepName: "inner", Tag: tag("s2")},
		&ToolCallStart{ToolCallID: "c1", Tag: tag("s1")}, &ToolCallStart{ToolCallID: "c2"},
		&ReasoningStart{MessageID: "r", Tag: tag("s1")}, &ReasoningMessageStart{MessageID: "r"},
		&TextMessageStart{MessageID: "gone"}, &TextMessageEnd{MessageID: "gone"},
		&TextMessageStart{MessageID: "m"}, &TextMessageStart{MessageID: "n", Tag: tag("s2")},
	} {
		if err := v.Observe(e); err != nil {
			t.Fatal(err)
		}
	}
	got := v.Open()
	want := []Event{
		&StepFinished{StepName: "inner", Tag: tag("s2")}, &StepFinished{StepName: "outer"},
		&TextMessageEnd{MessageID: "n", Tag: tag("s2")}, &TextMessageEnd{MessageID: "m"},
		&ReasoningMessageEnd{MessageID: "r", Tag: tag("s1")}, &ReasoningEnd{MessageID: "r", Tag: tag("s1")},
		&ToolCallEnd{ToolCallID: "c2"}, &ToolCallEnd{ToolCallID: "c1", Tag: tag("s1")},
		&SubagentFinished{SubagentRunID: "s2"}, &SubagentFinished{SubagentRunID: "s1"},
	}
	if !reflect.DeepEqual(got, want) {
		for _, e := range got {
			t.Logf("%s", mustAppend(t, e))
		}
		t.Error("not what was expected")
	}
	for _, e := range append(got, &RunFinished{}) {
		if err := v.Observe(e); err != nil {
			t.Error(err)
		}
	}
	if left := v.Open(); len(left) != 0 {
		t.Errorf("%d are left", len(left))
	}
}

func TestVerifierContentAllocatesNothing(t *testing.T) {
	var v Verifier
	for _, e := range []Event{&RunStarted{}, &TextMessageStart{MessageID: "m", Tag: tag("s1")},
		&ToolCallStart{ToolCallID: "c"}, &ReasoningMessageStart{MessageID: "r"}} {
		if err := v.Observe(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []Event{&TextMessageContent{MessageID: "m", Tag: tag("s1")}, &ToolCallArgs{ToolCallID: "c"},
		&ReasoningMessageContent{MessageID: "r"}, &StateDelta{}, &StateSnapshot{}} {
		if n := testing.AllocsPerRun(100, func() {
			if err := v.Observe(e); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", e.Type(), n)
		}
	}
}
