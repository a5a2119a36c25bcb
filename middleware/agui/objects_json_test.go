package agui

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

// roundTrip writes a value by encoding/json and reads it back.
func roundTrip[T any](t *testing.T, v T, want string) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Errorf("%T: %v", v, err)
		return
	}
	if string(data) != want {
		t.Errorf("%T:\n got %s\nwant %s", v, data, want)
	}
	var back T
	if err := json.Unmarshal(data, &back); err != nil {
		t.Errorf("%s: %v", data, err)
		return
	}
	if !reflect.DeepEqual(back, v) {
		t.Errorf("%s\n got %#v\nwant %#v", data, back, v)
	}
}

func TestObjectsJSON(t *testing.T) {
	part := Part{Type: PartImage, ID: "p", Source: Source{Type: SourceURL, Value: "u", MIMEType: "image/png"}, Metadata: []byte(`[1]`)}
	call := ToolCall{ID: "c", Name: "f", Arguments: `{"a":1}`}
	roundTrip(t, Text(`a"b`), `"a\"b"`)
	roundTrip(t, Parts(part), `[{"type":"image","id":"p","source":{"type":"url","value":"u","mimeType":"image/png"},"metadata":[1]}]`)
	roundTrip(t, Content{}, `null`)
	roundTrip(t, part, `{"type":"image","id":"p","source":{"type":"url","value":"u","mimeType":"image/png"},"metadata":[1]}`)
	roundTrip(t, Source{Type: SourceFile, Value: "f", Provider: "acme"}, `{"type":"file","value":"f","provider":"acme"}`)
	roundTrip(t, call, `{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}`)
	roundTrip(t, Message{ID: "m", Role: RoleAssistant, ToolCalls: []ToolCall{call}, Extra: map[string]json.RawMessage{"x": []byte(`1`)}},
		`{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],"x":1}`)
	roundTrip(t, Tool{Name: "n", Description: "d", Parameters: []byte(`{}`)}, `{"name":"n","description":"d","parameters":{}}`)
	roundTrip(t, Context{Description: "d", Value: "v"}, `{"description":"d","value":"v"}`)
	roundTrip(t, ResumeEntry{InterruptID: "i", Status: ResumeCancelled}, `{"interruptId":"i","status":"cancelled"}`)
	roundTrip(t, Interrupt{ID: "i", Reason: "r", Tag: tag("s")}, `{"id":"i","reason":"r","subagentRunId":"s"}`)
	roundTrip(t, RunOutcome{Type: OutcomeSuccess, PendingToolCallIDs: []string{"c"}}, `{"type":"success","pendingToolCallIds":["c"]}`)
	roundTrip(t, SubagentOutcome{Type: OutcomeSuspended}, `{"type":"suspended"}`)
	roundTrip(t, TokenUsage{Model: "m", InputTokens: 3}, `{"model":"m","inputTokens":3}`)
	roundTrip(t, Operation{Op: OpCopy, From: "/a", Path: "/b"}, `{"op":"copy","from":"/a","path":"/b"}`)
	roundTrip(t, Patch{{Op: OpAdd, Path: "", Value: []byte(`null`)}}, `[{"op":"add","path":"","value":null}]`)
	roundTrip(t, Metadata{"a": json.Number("1.50"), "b": nil}, `{"a":1.50,"b":null}`)
	roundTrip(t, Metadata(nil), `null`)
	roundTrip(t, RunAgentInput{ThreadID: "t", RunID: "r", State: []byte(`{"a":1}`), Messages: []Message{}, Tools: []Tool{}, Context: []Context{}},
		`{"threadId":"t","runId":"r","state":{"a":1},"messages":[],"tools":[],"context":[]}`)
	if data, err := json.Marshal(RunAgentInput{}); err != nil || string(data) != `{"threadId":"","runId":"","messages":[]}` {
		t.Errorf("the zero input is %s, %v", data, err)
	}
	if data, err := json.Marshal(Patch(nil)); err != nil || string(data) != `[]` {
		t.Errorf("a nil patch is %s, %v", data, err)
	}
}

func TestObjectsJSONRefuse(t *testing.T) {
	for _, c := range []struct {
		into          json.Unmarshaler
		data, pointer string
	}{
		{new(RunAgentInput), `{"threadId":"t"}`, "/runId"},
		{new(Message), `{"id":"m","role":"critic"}`, "/role"},
		{new(Message), `"m"`, ""},
		{new(Content), `5`, ""},
		{new(Content), `[{"type":"text"}]`, "/0/text"},
		{new(Part), `{"type":"binary","mimeType":"image/png","data":"d"}`, "/type"},
		{new(Source), `{"type":"url"}`, "/value"},
		{new(ToolCall), `{"id":"c","type":"function"}`, "/function"},
		{new(Tool), `{"name":"n"}`, "/description"},
		{new(Context), `{"description":"d","value":1}`, "/value"},
		{new(ResumeEntry), `{"interruptId":"i"}`, "/status"},
		{new(Interrupt), `{"id":"i","reason":null}`, "/reason"},
		{new(RunOutcome), `{"type":"partial"}`, "/type"},
		{new(RunOutcome), `{"type":"interrupt","interrupts":[1]}`, "/interrupts/0"},
		{new(SubagentOutcome), `{"type":"interrupt"}`, "/type"},
		{new(TokenUsage), `{"inputTokens":1.5}`, "/inputTokens"},
		{new(TokenUsage), `{"inputTokens":9007199254740993}`, "/inputTokens"},
		{new(Operation), `{"op":"increment","path":""}`, "/op"},
		{new(Patch), `[{"op":"add","path":"/a"}]`, "/0/value"},
		{new(Patch), `{}`, ""},
		{new(Metadata), `[]`, ""},
		{new(Metadata), `{"a":1,"a":2}`, "/a"},
	} {
		err := c.into.UnmarshalJSON([]byte(c.data))
		var fault *InputError
		if !errors.As(err, &fault) || fault.Pointer != c.pointer {
			t.Errorf("%T from %s: got %v, want it at %q", c.into, c.data, err, c.pointer)
		}
		if err := c.into.UnmarshalJSON([]byte(`null`)); err != nil {
			t.Errorf("%T from null: %v", c.into, err)
		}
	}
	for _, v := range []json.Marshaler{
		Message{}, Part{}, Source{}, RunOutcome{}, SubagentOutcome{}, Operation{}, Patch{{}}, ResumeEntry{},
		Content{kind: contentParts, parts: []Part{{}}}, Tool{Parameters: []byte(`{`)}, TokenUsage{InputTokens: -1},
		Metadata{"a": func() {}}, RunAgentInput{State: []byte(`x`)}, Interrupt{ResponseSchema: []byte(`1`)},
		ToolCall{Metadata: Metadata{"a": json.Number("")}},
	} {
		data, err := v.MarshalJSON()
		var fault *InputError
		if !errors.As(err, &fault) || data != nil {
			t.Errorf("%T: got %s, %v", v, data, err)
		}
	}
}

func TestIntegers(t *testing.T) {
	for text, want := range map[string]int64{
		"5": 5, "-5": -5, "-0": 0, "1.0": 1, "1e3": 1000, "1.5e1": 15, "9007199254740991": maxInteger, "-9007199254740991": -maxInteger, "0e99999": 0,
	} {
		e, err := DecodeEvent([]byte(`{"type":"STEP_STARTED","stepName":"s","timestamp":` + text + `}`))
		if err != nil || e.(*StepStarted).Timestamp != want {
			t.Errorf("%s: got %v, %v", text, e, err)
		}
	}
	for _, text := range []string{"1.5", "9007199254740992", "-9007199254740992", "1e400", "1e16", "0.1", "99999999999999999999"} {
		if e, err := DecodeEvent([]byte(`{"type":"STEP_STARTED","stepName":"s","timestamp":` + text + `}`)); err == nil {
			t.Errorf("%s: got %v", text, e)
		}
	}
}

func TestContentEqual(t *testing.T) {
	p := Part{Type: PartText, Text: "a"}
	q := Part{Type: PartText, Text: "a", Metadata: []byte(`1`)}
	for _, c := range []struct {
		a, b Content
		want bool
	}{
		{Content{}, Content{}, true}, {Content{}, Text(""), false}, {Text("a"), Text("a"), true}, {Text("a"), Text("b"), false},
		{Text("a"), Parts(p), false}, {Parts(), Content{}, false}, {Parts(p), Parts(p), true}, {Parts(p), Parts(q), false}, {Parts(p), Parts(p, p), false},
	} {
		if got := c.a.Equal(c.b); got != c.want || c.b.Equal(c.a) != c.want {
			t.Errorf("%v, %v: %v", c.a, c.b, got)
		}
	}
}

func TestCapabilitiesJSON(t *testing.T) {
	roundTrip(t, Capabilities{}, `{}`)
	roundTrip(t, Capabilities{
		Identity:       &IdentityCapabilities{Name: "chef", DocumentationURL: "https://example.com", Metadata: Metadata{"v": json.Number("1")}},
		Transport:      &TransportCapabilities{Streaming: new(true), HTTPBinary: new(false)},
		Tools:          &ToolCapabilities{Supported: new(true), Items: []Tool{{Name: "n", Description: "d"}}, ClientProvided: new(true)},
		Output:         &OutputCapabilities{SupportedMIMETypes: []string{}},
		State:          &StateCapabilities{Snapshots: new(true), Deltas: new(true)},
		MultiAgent:     &MultiAgentCapabilities{Subagents: []SubagentInfo{{Name: "digger"}}},
		Reasoning:      &ReasoningCapabilities{Encrypted: new(false)},
		Multimodal:     &MultimodalCapabilities{Input: &MultimodalInput{PDF: new(true)}, Output: &MultimodalOutput{Image: new(false)}},
		Execution:      &ExecutionCapabilities{MaxIterations: new(int64(0)), MaxExecutionTime: new(int64(1000))},
		HumanInTheLoop: &HumanInTheLoopCapabilities{ApproveWithEdits: new(true)},
		Custom:         Metadata{},
	}, `{"identity":{"name":"chef","documentationUrl":"https://example.com","metadata":{"v":1}},`+
		`"transport":{"streaming":true,"httpBinary":false},`+
		`"tools":{"supported":true,"items":[{"name":"n","description":"d"}],"clientProvided":true},`+
		`"output":{"supportedMimeTypes":[]},"state":{"snapshots":true,"deltas":true},`+
		`"multiAgent":{"subagents":[{"name":"digger"}]},"reasoning":{"encrypted":false},`+
		`"multimodal":{"input":{"pdf":true},"output":{"image":false}},`+
		`"execution":{"maxIterations":0,"maxExecutionTime":1000},"humanInTheLoop":{"approveWithEdits":true},"custom":{}}`)
}
