package agui

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestDecodeEventErrors(t *testing.T) {
	for _, c := range []struct {
		data, pointer, reason string
		typ                   EventType
	}{
		{``, "", "it is empty", ""},
		{`[DONE]`, "", "a value should be", ""},
		{`[{"type":"STEP_STARTED"}]`, "", "must be an object, not an array", ""},
		{`null`, "", "must be an object", ""},
		{`{}`, "/type", "is required", ""},
		{`{"Type":"STEP_STARTED"}`, "/type", `"Type" is not a name of the protocol, write "type"`, ""},
		{`{"type":""}`, "/type", "must be an event type", ""},
		{`{"type":null}`, "/type", "must be a string, not null", ""},
		{`{"type":"STEP_STARTED","step_name":"s"}`, "/stepName", `"step_name" is not a name of the protocol`, TypeStepStarted},
		{`{"type":"STEP_STARTED","stepName":"s"}{}`, "", "followed by more text", ""},
		{`{"type":"STATE_SNAPSHOT","snapshot":{"a":[1,2`, "/snapshot/a", "ends early", ""},
		{`{"type":"STATE_SNAPSHOT","snapshot":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + `}`,
			"/snapshot" + strings.Repeat("/0", 998), "deeper than 1000", ""},
		{`{"type":"STATE_DELTA","delta":{}}`, "/delta", "must be an array", TypeStateDelta},
		{`{"type":"STATE_DELTA","delta":[1]}`, "/delta/0", "must be an object", TypeStateDelta},
		{`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[true]}`, "/content/0", "must be an object, not a boolean", TypeToolCallResult},
		{`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"image","source":1}]}`, "/content/0/source", "must be an object", TypeToolCallResult},
		{`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"image","source":{"type":"url","value":"u"},"metadata":null}]}`,
			"/content/0/metadata", "not null", TypeToolCallResult},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt"}}`, "/outcome/interrupts", "is required", TypeRunFinished},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":{}}}`, "/outcome/interrupts", "must be an array", TypeRunFinished},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","usage":[1]}`, "/usage/0", "must be an object", TypeRunFinished},
		{`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","toolCalls":["c"]}]}`, "/messages/0/toolCalls/0", "must be an object", TypeMessagesSnapshot},
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[],"resume":[1]}}`, "/input/resume/0", "must be an object", TypeRunStarted},
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[],"context":[1]}}`, "/input/context/0", "must be an object", TypeRunStarted},
		{`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":1}`, "/delta", "must be a string", "THINKING_TEXT_MESSAGE_CONTENT"},
	} {
		e, err := DecodeEvent([]byte(c.data))
		var fault *EventError
		if !errors.As(err, &fault) || e != nil {
			t.Errorf("%.80s: got %v, %v", c.data, e, err)
			continue
		}
		if fault.Pointer != c.pointer || !strings.Contains(fault.Reason, c.reason) || fault.Type != c.typ {
			t.Errorf("%.80s\n got %s %q: %s\nwant %s %q: …%s…", c.data, fault.Type, fault.Pointer, fault.Reason, c.typ, c.pointer, c.reason)
		}
	}
}

func TestDecodeEventAsJavaScriptDoes(t *testing.T) {
	for data, want := range map[string]string{
		// The last of several members counts, whatever the others were.
		`{"type":"X","stepName":5,"stepName":"a","type":"STEP_STARTED","stepName":"b"}`:  `{"type":"STEP_STARTED","stepName":"b"}`,
		`{"t\u0079pe":"STEP_STARTED","\u0073tepName":"\u0061"}`:                          `{"type":"STEP_STARTED","stepName":"a"}`,
		`{"type":"STEP_STARTED","stepName":"\ud83d"}`:                                    "{\"type\":\"STEP_STARTED\",\"stepName\":\"\uFFFD\"}",
		`{"type":"CUSTOM","name":"n","value": { "b" : 1.0, "a" : [ ] } }`:                `{"type":"CUSTOM","name":"n","value":{"b":1.0,"a":[]}}`,
		`{"type":"STEP_STARTED","stepName":"s","metadata":{"b":{"x":1.0,"x":2},"a":[]}}`: `{"type":"STEP_STARTED","stepName":"s","metadata":{"a":[],"b":{"x":2}}}`,
		// Unknown material goes, at any depth, and takes only itself along.
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"role":5,"id":"x"},{"id":"a","role":"tool","toolCallId":"c","name":"x","content":[{"type":"text","text":"t","y":1},{}]}],"subagentRunId":"s"}`: `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"tool","toolCallId":"c","content":[{"type":"text","text":"t"}]}]}`,
		`{"type":"STATE_DELTA","delta":[{"path":"/a"},{"op":5},{"op":"remove","path":"/b"}]}`:                                                                                                    `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/b"}]}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{}}`:                                                                                                                        `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
		`{"type":"NEW", "b": [ 1.0 ], "metadata": 5 }`:                                                                                                                                           `{"type":"NEW","b":[1.0],"metadata":5}`,
	} {
		e, err := DecodeEvent([]byte(data))
		if err != nil {
			t.Errorf("%s: %v", data, err)
			continue
		}
		if got := string(mustAppend(t, e)); got != want {
			t.Errorf("%s\n got %s\nwant %s", data, got, want)
		}
	}
}

func TestDecodeEventSharesNoMemory(t *testing.T) {
	for _, e := range everyEvent() {
		data := mustAppend(t, e)
		want := string(data)
		got, err := DecodeEvent(data)
		if err != nil {
			t.Fatal(err)
		}
		clear(data)
		if again := string(mustAppend(t, got)); again != want {
			t.Errorf("got %s, want %s", again, want)
		}
	}
	data := []byte(`{"type":"NEW","a":1}`)
	e, err := DecodeEvent(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if got := string(mustAppend(t, e)); got != `{"type":"NEW","a":1}` {
		t.Errorf("got %s", got)
	}
}

func TestDecoderOfTheRetiredThinkingEvents(t *testing.T) {
	var d Decoder
	decode := func(data string) Event {
		t.Helper()
		e, err := d.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	span := decode(`{"type":"THINKING_START","title":"x","subagentRunId":"s","metadata":{"a":1}}`).(*ReasoningStart)
	message := decode(`{"type":"THINKING_TEXT_MESSAGE_START","timestamp":7}`).(*ReasoningMessageStart)
	content := decode(`{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"hm","rawEvent":null}`).(*ReasoningMessageContent)
	end := decode(`{"type":"THINKING_TEXT_MESSAGE_END"}`).(*ReasoningMessageEnd)
	stray := decode(`{"type":"THINKING_TEXT_MESSAGE_END"}`).(*ReasoningMessageEnd)
	spanEnd := decode(`{"type":"THINKING_END"}`).(*ReasoningEnd)
	if span.MessageID == "" || span.MessageID != spanEnd.MessageID || *span.SubagentRunID != "s" || span.Metadata["a"] != json.Number("1") {
		t.Errorf("span %+v, %+v", span, spanEnd)
	}
	if message.MessageID == span.MessageID || content.MessageID != message.MessageID || end.MessageID != message.MessageID ||
		content.Delta != "hm" || content.RawEvent != nil || message.Timestamp != 7 {
		t.Errorf("message %+v, %+v, %+v", message, content, end)
	}
	if stray.MessageID == message.MessageID || stray.MessageID == "" {
		t.Errorf("an end without a start got %q", stray.MessageID)
	}
}

func TestUnknownEventJSON(t *testing.T) {
	roundTrip(t, UnknownEvent{EventType: "NEW", JSON: []byte(`{"type":"NEW","a":null}`)}, `{"type":"NEW","a":null}`)
	if data, err := json.Marshal(UnknownEvent{}); err == nil {
		t.Errorf("an empty one is %s", data)
	}
	var u UnknownEvent
	if err := json.Unmarshal([]byte(`{"type":"STEP_STARTED","stepName":"s"}`), &u); err == nil {
		t.Errorf("got %+v", u)
	}
}
