package agui

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// Every member that the protocol names in camelCase is refused in snake_case,
// beside the right name and in its place.
func TestSnakeCaseIsRefused(t *testing.T) {
	in := func(member string) string {
		return `{"threadId":"t","runId":"r","messages":[],` + member + `}`
	}
	message := func(member string) string {
		return `{"threadId":"t","runId":"r","messages":[{"id":"m",` + member + `}]}`
	}
	source := func(member string) string {
		return message(`"role":"user","content":[{"type":"image","source":{"value":"x",` + member + `}}]`)
	}
	call := func(member string) string {
		return message(`"role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""},` + member + `}]`)
	}
	for _, c := range []struct{ name, body, pointer, want string }{
		{"protocolVersion", in(`"protocol_version":"1.0"`), "/protocol_version", "protocolVersion"},
		{"parentRunId", in(`"parent_run_id":"p"`), "/parent_run_id", "parentRunId"},
		{"forwardedProps", in(`"forwarded_props":{"a":1}`), "/forwarded_props", "forwardedProps"},
		{"forwardedProps null", in(`"forwarded_props":null`), "/forwarded_props", "forwardedProps"},
		{"forwardedProps escaped", in(`"forwarded\u005fprops":{}`), "/forwarded_props", "forwardedProps"},
		{"both forwardedProps", in(`"forwardedProps":{},"forwarded_props":{}`), "/forwarded_props", "forwardedProps"},
		{"both threadId", in(`"thread_id":"t"`), "/thread_id", "threadId"},
		{"both runId", in(`"run_id":"r"`), "/run_id", "runId"},
		{"only threadId", `{"thread_id":"t","runId":"r","messages":[]}`, "/threadId", "threadId"},
		{"toolCalls", message(`"role":"assistant","tool_calls":[{"id":"c"}]`), "/messages/0/tool_calls", "toolCalls"},
		{"both toolCalls", message(`"role":"assistant","tool_calls":[],"toolCalls":[]`), "/messages/0/tool_calls", "toolCalls"},
		{"subagentRunId", message(`"role":"user","content":"","subagent_run_id":"s"`), "/messages/0/subagent_run_id", "subagentRunId"},
		{"encryptedValue", message(`"role":"reasoning","content":"","encrypted_value":"e"`), "/messages/0/encrypted_value", "encryptedValue"},
		{"both toolCallId", message(`"role":"tool","content":"","toolCallId":"c","tool_call_id":"c"`), "/messages/0/tool_call_id", "toolCallId"},
		{"only toolCallId", message(`"role":"tool","content":"","tool_call_id":"c"`), "/messages/0/toolCallId", "toolCallId"},
		{"both activityType", message(`"role":"activity","content":{},"activityType":"a","activity_type":"a"`), "/messages/0/activity_type", "activityType"},
		{"a call's encryptedValue", call(`"encrypted_value":"e"`), "/messages/0/toolCalls/0/encrypted_value", "encryptedValue"},
		{"mimeType of a url", source(`"type":"url","mime_type":"image/png"`), "/messages/0/content/0/source/mime_type", "mimeType"},
		{"mimeType of a file", source(`"type":"file","mime_type":"image/png"`), "/messages/0/content/0/source/mime_type", "mimeType"},
		{"both mimeType", source(`"type":"data","mimeType":"image/png","mime_type":"image/png"`), "/messages/0/content/0/source/mime_type", "mimeType"},
		{"only mimeType", source(`"type":"data","mime_type":"image/png"`), "/messages/0/content/0/source/mimeType", "mimeType"},
		{"both mimeType of a binary part", message(`"role":"user","content":[{"type":"binary","mimeType":"a/b","data":"x","mime_type":"a/b"}]`), "/messages/0/content/0/mime_type", "mimeType"},
		{"mimeType in a tool's answer", message(`"role":"tool","toolCallId":"c","content":[{"type":"image","source":{"value":"x","type":"url","mime_type":"a"}}]`), "/messages/0/content/0/source/mime_type", "mimeType"},
		{"only interruptId", in(`"resume":[{"interrupt_id":"i","status":"resolved"}]`), "/resume/0/interruptId", "interruptId"},
		{"both interruptId", in(`"resume":[{"interruptId":"i","interrupt_id":"i","status":"resolved"}]`), "/resume/0/interrupt_id", "interruptId"},
	} {
		_, err := ParseInput([]byte(c.body))
		var fault *InputError
		if !errors.As(err, &fault) {
			t.Errorf("%s: is read", c.name)
			continue
		}
		if fault.Pointer != c.pointer || !strings.Contains(fault.Reason, "is not a name of the protocol") || !strings.Contains(fault.Reason, `write "`+c.want+`"`) {
			t.Errorf("%s: %q: %s", c.name, fault.Pointer, fault.Reason)
		}
	}
}

// A name with an underscore that stands for nothing is somebody's own, and so is
// every name inside what the protocol gives no form.
func TestSnakeCaseIsKept(t *testing.T) {
	const free = `{"thread_id":1,"tool_calls":[{"encrypted_value":1}],"mime_type":{"interrupt_id":1}}`
	const body = `{"threadId":"t","runId":"r","protocolVersion":"1.0",
		"my_field":1, "x_y":2, "_threadId":3, "thread_id_":4, "thread__id":5, "tool_calls":6, "_id":7, "THREAD_ID":8, "thread-id":9,
		"state":` + free + `,"forwardedProps":` + free + `,
		"messages":[
			{"id":"a","role":"assistant","created_at":1,"tool_call_id":2,"metadata":` + free + `,
			 "toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{\"thread_id\":1}"},"my_field":1,"metadata":` + free + `}]},
			{"id":"p","role":"activity","activityType":"PLAN","content":` + free + `},
			{"id":"u","role":"user","tool_calls":3,"content":[
				{"type":"image","mime_type":1,"source":{"type":"url","value":"x","my_type":1},"metadata":` + free + `}]}],
		"tools":[{"name":"n","description":"","parameters":` + free + `,"metadata":` + free + `,"return_type":1}],
		"context":[{"description":"","value":"{\"thread_id\":1}","my_field":1}],
		"resume":[{"interruptId":"i","status":"resolved","payload":` + free + `,"metadata":` + free + `,"my_field":1}]}`
	in, err := ParseInput([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"my_field", "x_y", "_threadId", "thread_id_", "thread__id", "tool_calls", "_id", "THREAD_ID", "thread-id"} {
		if in.Extra[name] == nil {
			t.Errorf("%s is gone", name)
		}
	}
	for name, got := range map[string]json.RawMessage{
		"state": in.State, "forwardedProps": in.ForwardedProps, "activity": in.Messages[1].Activity,
		"parameters": in.Tools[0].Parameters, "payload": in.Resume[0].Payload,
	} {
		if string(got) != free {
			t.Errorf("%s is %s", name, got)
		}
	}
	if m := in.Messages[2]; string(m.Extra["tool_calls"]) != "3" {
		t.Errorf("a user's tool_calls are %s", m.Extra["tool_calls"])
	}
}

// What is read by itself is read as strictly; what a server says is not.
func TestSnakeCaseElsewhere(t *testing.T) {
	for _, c := range []struct {
		into any
		body string
	}{
		{new(RunAgentInput), `{"threadId":"t","runId":"r","messages":[],"parent_run_id":"p"}`},
		{new(Message), `{"id":"m","role":"assistant","tool_calls":[]}`},
		{new(ToolCall), `{"id":"c","type":"function","function":{"name":"n","arguments":""},"encrypted_value":"e"}`},
		{new(Content), `[{"type":"image","source":{"type":"url","value":"x","mime_type":"a"}}]`},
		{new(Source), `{"type":"url","value":"x","mime_type":"a"}`},
		{new(ResumeEntry), `{"interruptId":"i","interrupt_id":"j","status":"cancelled"}`},
	} {
		if err := json.Unmarshal([]byte(c.body), c.into); err == nil {
			t.Errorf("%T takes %s", c.into, c.body)
		}
	}
	event := `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","tool_calls":[]},
		{"id":"u","role":"user","content":[{"type":"image","source":{"type":"url","value":"x","mime_type":"a"}}]}]}`
	if e, err := DecodeEvent([]byte(event)); err != nil || len(e.(*MessagesSnapshot).Messages) != 2 {
		t.Errorf("a server's event gives %v, %v", e, err)
	}
}
