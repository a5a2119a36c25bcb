package agui

import (
	"errors"
	"testing"
)

// expand feeds events and returns what they stand for as JSON, and the rule
// that the last one breaks.
func expand(t *testing.T, events ...Event) (string, Rule) {
	t.Helper()
	var x Expander
	var list []Event
	for i, e := range events {
		before := len(list)
		var err error
		if list, err = x.AppendExpand(list, e); err != nil {
			var order *OrderError
			if !errors.As(err, &order) || i != len(events)-1 || len(list) != before {
				t.Fatalf("event %d: %v", i, err)
			}
			return join(t, list), order.Rule
		}
	}
	return join(t, list), ""
}

func join(t *testing.T, events []Event) string {
	t.Helper()
	out := ""
	for _, e := range events {
		out += string(mustAppend(t, e)) + "\n"
	}
	return out
}

// What the fixtures do not show of chunks.
func TestExpander(t *testing.T) {
	text := func(id, delta *string, tags ...Tag) *TextMessageChunk {
		return &TextMessageChunk{MessageID: id, Delta: delta, Tag: optional(tags)}
	}
	meta := text(new("m"), new("a"))
	meta.Metadata = Metadata{"k": 1}
	meta.Timestamp = 5
	meta.RawEvent = []byte(`{"r":1}`)
	metaOnly := text(nil, nil)
	metaOnly.Metadata = Metadata{"k": 2}
	rawOnly := text(nil, nil)
	rawOnly.RawEvent = []byte(`7`)
	next := text(new("n"), nil)
	next.Metadata = Metadata{"k": 3}
	for _, c := range []struct {
		name   string
		events []Event
		want   string
		rule   Rule
	}{
		{"metadata goes to all, raw to the content, the timestamp nowhere, and none to the end it causes", []Event{meta, metaOnly, rawOnly, next, &RunFinished{}},
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","metadata":{"k":1}}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","rawEvent":{"r":1},"metadata":{"k":1}}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"","metadata":{"k":2}}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"","rawEvent":7}
{"type":"TEXT_MESSAGE_END","messageId":"m"}
{"type":"TEXT_MESSAGE_START","messageId":"n","role":"assistant","metadata":{"k":3}}
{"type":"TEXT_MESSAGE_END","messageId":"n"}
{"type":"RUN_FINISHED","threadId":"","runId":""}
`, ""},
		{"an empty id is an id", []Event{text(new(""), new("a")), text(new(""), new("b"))},
			`{"type":"TEXT_MESSAGE_START","messageId":"","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"","delta":"a"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"","delta":"b"}
`, ""},
		{"an untagged chunk finds its id in another lane", []Event{text(new("m"), nil, tag("s1")), text(new("m"), new("b")), &SubagentError{SubagentRunID: "s1"}},
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s1"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b","subagentRunId":"s1"}
{"type":"TEXT_MESSAGE_END","messageId":"m","subagentRunId":"s1"}
{"type":"SUBAGENT_ERROR","subagentRunId":"s1","message":""}
`, ""},
		{"neither id nor tag goes on in the only lane", []Event{&ReasoningMessageChunk{MessageID: new("r"), Delta: new("x")}, text(new("m"), nil, tag("s1")), text(nil, new("b"))},
			`{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning"}
{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"x"}
{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s1"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b","subagentRunId":"s1"}
`, ""},
		{"neither id nor tag prefers the parent", []Event{text(new("m"), nil, tag("s1")), text(new("n"), nil), text(nil, new("b"))},
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s1"}
{"type":"TEXT_MESSAGE_START","messageId":"n","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"b"}
`, ""},
		{"another subagent's end, activities, raw and encrypted values end nothing", []Event{text(new("m"), nil), &SubagentStarted{SubagentRunID: "s"}, &SubagentFinished{SubagentRunID: "s"},
			&ActivityDelta{}, &Raw{}, text(nil, new("b"))},
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}
{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":""}
{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}
{"type":"ACTIVITY_DELTA","messageId":"","activityType":"","patch":[]}
{"type":"RAW","event":null}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b"}
`, ""},
		{"a snapshot of messages ends every lane, the oldest first", []Event{text(new("m"), nil, tag("s1")), &ToolCallChunk{ToolCallID: new("c"), ToolCallName: new("f"), ParentMessageID: new("p")}, &MessagesSnapshot{}},
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","subagentRunId":"s1"}
{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"p"}
{"type":"TEXT_MESSAGE_END","messageId":"m","subagentRunId":"s1"}
{"type":"TOOL_CALL_END","toolCallId":"c"}
{"type":"MESSAGES_SNAPSHOT","messages":[]}
`, ""},
		{"the same name and parent may be repeated", []Event{&ToolCallChunk{ToolCallID: new("c"), ToolCallName: new("f"), ParentMessageID: new("p")},
			&ToolCallChunk{ToolCallName: new("f"), ParentMessageID: new("p"), Delta: new("{}")}},
			`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"p"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}"}
`, ""},
		{"another author", []Event{text(new("m"), nil), &TextMessageChunk{Name: "ann"}},
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}
`, RuleChunkFieldMismatch},
		{"a tag without a lane needs an id", []Event{text(new("m"), nil), text(nil, new("b"), tag("s1"))},
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}
`, RuleChunkOpenerNeedsID},
		{"an empty tag is not the parent", []Event{text(new("m"), nil), text(new("m"), new("b"), tag(""))},
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}
`, RuleChunkTagMismatch},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, rule := expand(t, c.events...)
			if got != c.want || rule != c.rule {
				t.Errorf("rule %q, want %q\n got\n%s\nwant\n%s", rule, c.rule, got, c.want)
			}
		})
	}
}

// Explicit events of every type that end a lane, and those that do not.
func TestExpanderEnds(t *testing.T) {
	ends := map[EventType]bool{}
	for _, typ := range []EventType{
		TypeTextMessageStart, TypeTextMessageContent, TypeTextMessageEnd, TypeToolCallStart, TypeToolCallArgs, TypeToolCallEnd,
		TypeToolCallResult, TypeStateSnapshot, TypeStateDelta, TypeMessagesSnapshot, TypeCustom, TypeRunStarted, TypeRunFinished,
		TypeRunError, TypeStepStarted, TypeStepFinished, TypeReasoningStart, TypeReasoningMessageStart, TypeReasoningMessageContent,
		TypeReasoningMessageEnd, TypeReasoningEnd, TypeSubagentFinished, TypeSubagentError,
	} {
		ends[typ] = true
	}
	for _, e := range everyEvent() {
		switch e := e.(type) {
		case *TextMessageChunk, *ToolCallChunk, *ReasoningMessageChunk:
			continue
		case *SubagentFinished:
			e.SubagentRunID = "s1"
		case *SubagentError:
			e.SubagentRunID = "s1"
		}
		var x Expander
		list, err := x.AppendExpand(nil, &TextMessageChunk{MessageID: new("chunked"), Tag: tag("s1")})
		if err != nil {
			t.Fatal(err)
		}
		if list, err = x.AppendExpand(list[:0], e); err != nil {
			t.Fatal(err)
		}
		want := 1
		if ends[e.Type()] {
			want = 2
		}
		if len(list) != want || list[len(list)-1] != e {
			t.Errorf("%s: %s", e.Type(), join(t, list))
		}
	}
}

func TestExpanderPassesOthersWithoutAllocation(t *testing.T) {
	var x Expander
	list := make([]Event, 0, 4)
	e := Event(&TextMessageContent{MessageID: "m"})
	if n := testing.AllocsPerRun(100, func() {
		if _, err := x.AppendExpand(list, e); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
