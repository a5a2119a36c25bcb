package agui

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// everyEvent has one event of each type, with every field filled in.
func everyEvent() []Event {
	base := Base{Timestamp: 1767225600123, RawEvent: []byte(`{"a":null}`), Metadata: Metadata{"k": "v", "n": json.Number("1")}}
	tag := Tag{SubagentRunID: new("s1")}
	patch := Patch{
		{Op: OpAdd, Path: "/a", Value: []byte(`1`)}, {Op: OpRemove, Path: "/b"}, {Op: OpReplace, Path: "", Value: []byte(`null`)},
		{Op: OpMove, From: "/d", Path: "/e"}, {Op: OpCopy, From: "/f", Path: "/g/-"}, {Op: OpTest, Path: "/h", Value: []byte(`{"x":[1]}`)},
	}
	parts := Parts(
		Part{Type: PartText, ID: "p1", Text: "look", Metadata: []byte(`1`)},
		Part{Type: PartImage, Source: Source{Type: SourceData, Value: "aGk=", MIMEType: "image/png"}},
		Part{Type: PartVideo, Source: Source{Type: SourceFile, Value: "f", Provider: "acme", MIMEType: "video/mp4"}},
		Part{Type: PartDocument, Source: Source{Type: SourceURL, Value: "u"}},
	)
	messages := []Message{
		{ID: "m1", Role: RoleDeveloper, Content: Text("d"), Name: "n", EncryptedValue: "e", Metadata: Metadata{}},
		{ID: "m2", Role: RoleSystem, Content: Text("")},
		{ID: "m3", Role: RoleUser, Content: parts, SubagentRunID: new("")},
		{ID: "m4", Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "c", Name: "f", Arguments: "{", EncryptedValue: "e", Metadata: Metadata{"a": nil}}}},
		{ID: "m5", Role: RoleTool, ToolCallID: "c", Content: parts, Error: "x"},
		{ID: "m6", Role: RoleActivity, ActivityType: "PLAN", Activity: []byte(`{"a":1}`)},
		{ID: "m7", Role: RoleReasoning, Content: Text("hm"), EncryptedValue: "e"},
	}
	input := &RunAgentInput{
		ThreadID: "t", RunID: "r", ProtocolVersion: "1.0", ParentRunID: "p", State: []byte(`{"a":null}`), Messages: messages,
		Tools:   []Tool{{Name: "n", Description: "d", Parameters: []byte(`true`), Metadata: Metadata{"u": true}}},
		Context: []Context{{Description: "d", Value: "v"}}, ForwardedProps: []byte(`0`),
		Resume: []ResumeEntry{{InterruptID: "i", Status: ResumeResolved, Payload: []byte(`false`), Metadata: Metadata{}}},
	}
	usage := []TokenUsage{{Provider: "p", Model: "m", InputTokens: 1, OutputTokens: 2, TotalTokens: 3, ReasoningTokens: 4,
		CachedInputTokens: 5, CacheWriteInputTokens: 6}, {}}
	interrupts := []Interrupt{{Tag: tag, ID: "i", Reason: "r", Message: "m", ToolCallID: "c", ResponseSchema: []byte(`{}`),
		ExpiresAt: "2030-01-01T00:00:00Z", Metadata: Metadata{"l": nil}}, {ID: "j"}}
	return []Event{
		&TextMessageStart{base, tag, "m", RoleUser, "ann"},
		&TextMessageContent{base, tag, "m", "x"},
		&TextMessageEnd{base, tag, "m"},
		&TextMessageChunk{base, tag, new("m"), RoleUser, new("x"), "ann"},
		&ToolCallStart{base, tag, "c", "f", "m"},
		&ToolCallArgs{base, tag, "c", "{"},
		&ToolCallEnd{base, tag, "c"},
		&ToolCallChunk{base, tag, new("c"), new("f"), new("m"), new("{")},
		&ToolCallResult{base, tag, "m", "c", parts, RoleTool},
		&StateSnapshot{base, tag, []byte(`{"a":[1,null]}`)},
		&StateDelta{base, tag, patch},
		&MessagesSnapshot{base, messages},
		&ActivitySnapshot{base, tag, "a", "PLAN", []byte(`{"s":1}`), new(false)},
		&ActivityDelta{base, tag, "a", "PLAN", patch},
		&Raw{base, tag, []byte(`null`), "acme"},
		&Custom{base, tag, "n", []byte(`[]`)},
		&RunStarted{base, "t", "r", "1.0", "p", input},
		&RunFinished{base, "t", "r", []byte(`0`), &RunOutcome{Type: OutcomeInterrupt, Interrupts: interrupts}, usage},
		&RunError{base, "boom", "E", usage},
		&StepStarted{base, tag, "s"},
		&StepFinished{base, tag, "s"},
		&ReasoningStart{base, tag, "m"},
		&ReasoningMessageStart{base, tag, "m"},
		&ReasoningMessageContent{base, tag, "m", "x"},
		&ReasoningMessageEnd{base, tag, "m"},
		&ReasoningMessageChunk{base, tag, new("m"), new("x")},
		&ReasoningEnd{base, tag, "m"},
		&ReasoningEncryptedValue{base, tag, EncryptedToolCall, "c", "v"},
		&SubagentStarted{base, "s", "n", "d", "p", "c", "m"},
		&SubagentFinished{base, "s", []byte(`[1]`), &SubagentOutcome{Type: OutcomeSuspended, InterruptIDs: []string{"i"}}},
		&SubagentError{base, "s", "lost", "E"},
	}
}

func TestEveryEventSurvivesTheWire(t *testing.T) {
	seen := map[EventType]bool{}
	for _, e := range everyEvent() {
		seen[e.Type()] = true
		data := mustAppend(t, e)
		if want := `{"type":"` + string(e.Type()) + `"`; !strings.HasPrefix(string(data), want) {
			t.Errorf("%s does not begin with its type", data)
		}
		got, err := DecodeEvent(data)
		if err != nil {
			t.Errorf("%s: %v", data, err)
			continue
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("%s\n got %#v\nwant %#v", data, got, e)
		}
		// Through encoding/json, by the static type.
		into := reflect.New(reflect.TypeOf(e).Elem())
		marshalled, err := json.Marshal(reflect.ValueOf(e).Elem().Interface())
		if err != nil {
			t.Errorf("json.Marshal: %v", err)
		}
		if err := json.Unmarshal(marshalled, into.Interface()); err != nil || !reflect.DeepEqual(into.Interface(), any(e)) {
			t.Errorf("json: %s: %v\n got %#v", marshalled, err, into)
		}
	}
	for typ := range eventReaders {
		if !seen[typ] {
			t.Errorf("no %s among the events of this test", typ)
		}
	}
	if len(eventReaders) != 31 {
		t.Errorf("%d event types, the protocol has 31", len(eventReaders))
	}
}

// With nothing filled in, no event has a null but those that are values.
func TestZeroEventsHaveNoNull(t *testing.T) {
	for _, e := range everyEvent() {
		zero := reflect.New(reflect.TypeOf(e).Elem()).Interface().(Event)
		data, err := AppendEvent(nil, zero)
		if _, needs := zero.(*ReasoningEncryptedValue); needs {
			if err == nil {
				t.Errorf("%s was written without a subtype", data)
			}
			continue
		}
		if err != nil {
			t.Errorf("%T: %v", zero, err)
			continue
		}
		for name, v := range value(t, data).(map[string]any) {
			if v == nil && name != "snapshot" && name != "event" && name != "value" {
				t.Errorf("%s has a null", data)
			}
		}
		if _, err := DecodeEvent(data); err != nil {
			t.Errorf("%s cannot be read: %v", data, err)
		}
	}
}

func TestUnmarshalEventOfAnotherType(t *testing.T) {
	var fault *EventError
	var e StepStarted
	if err := e.UnmarshalJSON([]byte(`{"type":"STEP_FINISHED","stepName":"s"}`)); !errors.As(err, &fault) || fault.Pointer != "/type" {
		t.Errorf("got %v", err)
	}
	e.StepName = "kept"
	if err := json.Unmarshal([]byte(`null`), &e); err != nil || e.StepName != "kept" {
		t.Errorf("null: %v, %+v", err, e)
	}
	var holder struct{ Event *StepStarted }
	if err := json.Unmarshal([]byte(`{"Event":{"type":"STEP_STARTED","stepName":"s"}}`), &holder); err != nil || holder.Event.StepName != "s" {
		t.Errorf("got %v, %+v", err, holder)
	}
}

// What would end a run at a client, or be cut short there, is not let out.
func TestAppendEventRefuses(t *testing.T) {
	long := strings.Repeat("x", 100)
	self := Metadata{}
	self["self"] = map[string]any(self)
	messages := func(m Message) Event {
		return &MessagesSnapshot{Messages: []Message{{ID: "ok", Role: RoleAssistant}, m}}
	}
	part := func(p Part) Event { return messages(Message{Role: RoleUser, Content: Parts(p)}) }
	delta := func(o Operation) Event {
		return &StateDelta{Delta: Patch{{Op: OpRemove, Path: "/ok"}, o}}
	}
	input := func(in RunAgentInput) Event { return &RunStarted{Input: &in} }
	for _, c := range []struct {
		event           Event
		pointer, reason string
	}{
		{nil, "", "is nil"},
		{&StateSnapshot{Snapshot: []byte(`{"a":`)}, "/snapshot", "ends early"},
		{&StateSnapshot{Snapshot: []byte(`{} x`)}, "/snapshot", "followed by more"},
		{&StateSnapshot{Snapshot: []byte("\"\xff\"")}, "/snapshot", "is not UTF-8"},
		{&StateSnapshot{Snapshot: []byte(strings.Repeat("[", 2000))}, "/snapshot", "deeper than 1000"},
		{&Custom{Name: "n", Value: []byte(`undefined`)}, "/value", "is not JSON"},
		{&Raw{Event: []byte(`NaN`)}, "/event", "is not JSON"},
		{&StepStarted{Base: Base{RawEvent: []byte(`{]`)}}, "/rawEvent", "is not JSON"},
		{&TextMessageContent{Base: Base{RawEvent: []byte(`x`)}}, "/rawEvent", "is not JSON"},
		{&StepStarted{Base: Base{Timestamp: 1 << 53}}, "/timestamp", "2^53-1"},
		{&StepStarted{Base: Base{Metadata: Metadata{"f": math.NaN()}}}, "/metadata", "NaN"},
		{&StepStarted{Base: Base{Metadata: Metadata{"f": func() {}}}}, "/metadata", "func()"},
		{&StepStarted{Base: Base{Metadata: Metadata{"f": json.Number("1x")}}}, "/metadata", "is followed by more text"},
		{&StepStarted{Base: Base{Metadata: Metadata{"f": json.RawMessage("{")}}}, "/metadata", "ends early"},
		{&StepStarted{Base: Base{Metadata: self}}, "/metadata", "holds itself"},
		{&TextMessageStart{Role: RoleTool}, "/role", `not "tool"`},
		{&TextMessageChunk{Role: "Assistant"}, "/role", `not "Assistant"`},
		{&ToolCallResult{Role: RoleUser}, "/role", "must be tool"},
		{&ToolCallResult{Content: Parts(Part{Type: "hologram"})}, "/content/0/type", `"hologram"`},
		{delta(Operation{Path: "/a"}), "/delta/1/op", `not an operation of RFC 6902: ""`},
		{delta(Operation{Op: Op(long), Path: "/a"}), "/delta/1/op", "…"},
		{delta(Operation{Op: OpAdd, Path: "a"}), "/delta/1/path", "begin with a slash"},
		{delta(Operation{Op: OpAdd, Path: "/a~"}), "/delta/1/path", "~"},
		{delta(Operation{Op: OpAdd, Path: "/a~2"}), "/delta/1/path", "~"},
		{delta(Operation{Op: OpMove, Path: "/a", From: "b"}), "/delta/1/from", "begin with a slash"},
		{delta(Operation{Op: OpAdd, Path: "/a", Value: []byte(`'x'`)}), "/delta/1/value", "is not JSON"},
		{&ActivityDelta{Patch: Patch{{Op: "increment"}}}, "/patch/0/op", `"increment"`},
		{&ActivitySnapshot{Content: []byte(`[]`)}, "/content", "must be an object"},
		{&ActivitySnapshot{Content: []byte(` null`)}, "/content", "must be an object"},
		{&RunFinished{Result: []byte(`nope`)}, "/result", "is not JSON"},
		{&RunFinished{Result: []byte(` nul`)}, "/result", "is not JSON"},
		{&RunFinished{Result: []byte(`nullx`)}, "/result", "followed by more"},
		{&RunFinished{Result: []byte("null\u00a0")}, "/result", "followed by more"},
		{&SubagentFinished{Result: []byte(`n`)}, "/result", "is not JSON"},
		{&TextMessageContent{Base: Base{RawEvent: []byte(`none`)}}, "/rawEvent", "is not JSON"},
		{&TextMessageStart{Base: Base{RawEvent: []byte(`NaN`)}}, "/rawEvent", "is not JSON"},
		{&ReasoningEncryptedValue{Subtype: "tool_call"}, "/subtype", `not "tool_call"`},
		{&RunFinished{Outcome: &RunOutcome{}}, "/outcome/type", `not ""`},
		{&RunFinished{Outcome: &RunOutcome{Type: OutcomeSuspended}}, "/outcome/type", "success, interrupt or cancelled"},
		{&RunFinished{Outcome: &RunOutcome{Type: OutcomeInterrupt}}, "/outcome/interrupts", "at least one"},
		{&RunFinished{Outcome: &RunOutcome{Type: OutcomeInterrupt, Interrupts: []Interrupt{{ResponseSchema: []byte(`true`)}}}},
			"/outcome/interrupts/0/responseSchema", "must be an object"},
		{&RunFinished{Usage: []TokenUsage{{}, {InputTokens: -1}}}, "/usage/1/inputTokens", "from 0"},
		{&RunError{Usage: []TokenUsage{{OutputTokens: 1 << 53}}}, "/usage/0/outputTokens", "2^53-1"},
		{&SubagentFinished{Outcome: &SubagentOutcome{Type: OutcomeInterrupt}}, "/outcome/type", "success or suspended"},
		{messages(Message{}), "/messages/1/role", `not a role of the protocol: ""`},
		{messages(Message{Role: "critic"}), "/messages/1/role", `"critic"`},
		{messages(Message{Role: RoleAssistant, Content: Parts()}), "/messages/1/content", "must be text for the role assistant"},
		{messages(Message{Role: RoleActivity, Activity: []byte(`"x"`)}), "/messages/1/content", "must be an object"},
		{messages(Message{Role: RoleUser, Extra: map[string]json.RawMessage{"id": []byte(`1`)}}), "/messages/1/id", "cannot be in Extra"},
		{messages(Message{Role: RoleUser, Extra: map[string]json.RawMessage{"a/b": []byte(`{`)}}), "/messages/1/a~1b", "ends early"},
		{part(Part{Type: PartImage}), "/messages/1/content/0/source/type", `not a source type of the protocol: ""`},
		{part(Part{Type: PartText, Metadata: []byte(`{`)}), "/messages/1/content/0/metadata", "ends early"},
		{input(RunAgentInput{State: []byte(`[`)}), "/input/state", "ends early"},
		{input(RunAgentInput{Tools: []Tool{{Parameters: []byte(`x`)}}}), "/input/tools/0/parameters", "is not JSON"},
		{input(RunAgentInput{Resume: []ResumeEntry{{}}}), "/input/resume/0/status", `not ""`},
		{input(RunAgentInput{Messages: []Message{{Role: RoleTool, Content: Parts(Part{Type: PartAudio, Source: Source{Type: "ftp"}})}}}),
			"/input/messages/0/content/0/source/type", `"ftp"`},
		{&UnknownEvent{EventType: "NEW"}, "", "it is empty"},
		{&UnknownEvent{EventType: "NEW", JSON: []byte(`[1]`)}, "", "must be an object"},
		{&UnknownEvent{EventType: "NEW", JSON: []byte(`{"type":"OLD"}`)}, "/type", `must be "NEW"`},
		{&UnknownEvent{EventType: "NEW", JSON: []byte(`{"a":[}`)}, "/a", "is not JSON"},
		{&UnknownEvent{EventType: "RUN_ERROR", JSON: []byte(`{"type":"RUN_ERROR"}`)}, "/type", "does not know"},
	} {
		before := []byte("data so far")
		got, err := AppendEvent(before, c.event)
		var fault *EventError
		if !errors.As(err, &fault) {
			t.Errorf("%#v: got %s, %v", c.event, got, err)
			continue
		}
		if string(got) != "data so far" {
			t.Errorf("%v: dst became %q", err, got)
		}
		if c.event != nil && fault.Type != c.event.Type() || fault.Pointer != c.pointer || !strings.Contains(fault.Reason, c.reason) {
			t.Errorf("got %s %q: %s\nwant %q: …%s…", fault.Type, fault.Pointer, fault.Reason, c.pointer, c.reason)
		}
		if got, err := AppendFrame(before, c.event); string(got) != "data so far" || err == nil {
			t.Errorf("AppendFrame: got %q, %v", got, err)
		}
	}
}

// Whatever is in it, a frame is one line and an empty one.
func TestFramesCannotBeBroken(t *testing.T) {
	evil := "a\n\ndata: {\"type\":\"RUN_ERROR\"}\r\n\u2028\u0085"
	raw := json.RawMessage("{\n\n \"data\" :\r\n [ 1 ]\n}")
	quotedEvil, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Event{
		&TextMessageContent{MessageID: evil, Delta: evil},
		&StateSnapshot{Snapshot: raw},
		&StateSnapshot{Snapshot: quotedEvil},
		&StateDelta{Delta: Patch{{Op: OpAdd, Path: "/" + evil, Value: raw}}},
		&Custom{Base: Base{RawEvent: raw, Metadata: Metadata{evil: evil, "raw": raw}}, Name: evil, Value: raw},
		&RunError{Message: evil, Code: evil},
		&MessagesSnapshot{Messages: []Message{{ID: evil, Role: RoleUser, Content: Text(evil), Extra: map[string]json.RawMessage{evil: raw}}}},
		&UnknownEvent{EventType: "NEW", JSON: []byte("{\n\"type\"\n:\"NEW\"}")},
	} {
		frame, err := AppendFrame(nil, e)
		if err != nil {
			t.Error(err)
			continue
		}
		body, ok := strings.CutPrefix(string(frame), "data: ")
		body, end := strings.CutSuffix(body, "\n\n")
		if !ok || !end || strings.ContainsAny(body, "\n\r") || !json.Valid([]byte(body)) {
			t.Errorf("%q", frame)
		}
	}
}

func TestAppendEventKeepsWhatIsGiven(t *testing.T) {
	for _, c := range []struct {
		event Event
		want  string
	}{
		{&StateSnapshot{Snapshot: []byte(` { "b" : 1.50, "a" : 12345678901234567890 } `)}, `{"type":"STATE_SNAPSHOT","snapshot":{"b":1.50,"a":12345678901234567890}}`},
		{&StateSnapshot{}, `{"type":"STATE_SNAPSHOT","snapshot":null}`},
		{&StateDelta{}, `{"type":"STATE_DELTA","delta":[]}`},
		{&StateDelta{Delta: Patch{{Op: OpAdd, Path: "/n"}, {Op: OpRemove, Path: "", From: "/x", Value: []byte(`1`)}}},
			`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":null},{"op":"remove","path":""}]}`},
		{&ActivitySnapshot{}, `{"type":"ACTIVITY_SNAPSHOT","messageId":"","activityType":"","content":{}}`},
		{&ToolCallResult{}, `{"type":"TOOL_CALL_RESULT","messageId":"","toolCallId":"","content":""}`},
		{&RunFinished{Result: []byte(" \t\r\nnull\n")}, `{"type":"RUN_FINISHED","threadId":"","runId":""}`},
		{&RunFinished{Result: []byte(`null`)}, `{"type":"RUN_FINISHED","threadId":"","runId":""}`},
		{&RunFinished{Outcome: &RunOutcome{Type: OutcomeSuccess, PendingToolCallIDs: []string{}}},
			`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"success","pendingToolCallIds":[]}}`},
		{&StepStarted{Tag: Tag{SubagentRunID: new("")}, Base: Base{RawEvent: []byte(" null "), Metadata: Metadata{}}},
			`{"type":"STEP_STARTED","stepName":"","subagentRunId":"","metadata":{}}`},
		{&StepStarted{Base: Base{Timestamp: -5, RawEvent: []byte(`0`), Metadata: Metadata{
			"z": 1, "a": []any{true, nil, int64(2), 1.5, uint8(3), map[string]any{"<": ">"}}, "m": []string{"&"}, "n": json.Number("1e2"), "r": json.RawMessage("[ 1 ]"), "nil": map[string]any(nil)}}},
			`{"type":"STEP_STARTED","stepName":"","timestamp":-5,"rawEvent":0,"metadata":{"a":[true,null,2,1.5,3,{"<":">"}],"m":["&"],"n":1e2,"nil":null,"r":[1],"z":1}}`},
		{&MessagesSnapshot{Messages: []Message{
			{ID: "a", Role: RoleAssistant, Name: "n", ToolCallID: "ignored", ActivityType: "ignored", ToolCalls: []ToolCall{}},
			{ID: "u", Role: RoleUser, Error: "ignored"},
			{ID: "t", Role: RoleTool, Name: "ignored"},
			{ID: "s", Role: RoleSystem, Extra: map[string]json.RawMessage{"b": nil, "a": []byte(`[1, 2]`)}}}},
			`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","name":"n","toolCalls":[]},{"id":"u","role":"user","content":""},` +
				`{"id":"t","role":"tool","toolCallId":"","content":""},{"id":"s","role":"system","content":"","a":[1,2],"b":null}]}`},
		{&MessagesSnapshot{}, `{"type":"MESSAGES_SNAPSHOT","messages":[]}`},
		{&ToolCallResult{Content: Parts(
			Part{Type: PartImage, Source: Source{Type: SourceData}, Metadata: []byte("null")},
			Part{Type: PartAudio, Source: Source{Type: SourceURL}},
		)}, `{"type":"TOOL_CALL_RESULT","messageId":"","toolCallId":"","content":[{"type":"image","source":{"type":"data","value":"","mimeType":""}},{"type":"audio","source":{"type":"url","value":""}}]}`},
	} {
		if got := string(mustAppend(t, c.event)); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

func TestAppendEventAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 4096)
	for _, e := range []Event{
		&TextMessageContent{MessageID: "m", Delta: "hello \"é\"\n"},
		&ToolCallArgs{ToolCallID: "c", Delta: `{"a":`},
		&ReasoningMessageContent{MessageID: "m", Delta: "x"},
		&TextMessageContent{MessageID: "m", Delta: "x", Tag: Tag{SubagentRunID: new("s")}, Base: Base{Timestamp: 1}},
		&StateDelta{Delta: Patch{{Op: OpReplace, Path: "/a", Value: []byte(`{"b": [1]}`)}, {Op: OpMove, From: "/b", Path: "/c"}}},
		&StateSnapshot{Snapshot: []byte(`{"a": 1}`)},
		&ToolCallStart{ToolCallID: "c", ToolCallName: "f", ParentMessageID: "m"},
	} {
		if n := testing.AllocsPerRun(100, func() {
			if _, err := AppendFrame(buf, e); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", e.Type(), n)
		}
	}
}
