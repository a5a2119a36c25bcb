package guard

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// events are all of ours, empty.
func events() []agui.Event {
	return []agui.Event{
		&agui.TextMessageStart{}, &agui.TextMessageContent{}, &agui.TextMessageEnd{}, &agui.TextMessageChunk{},
		&agui.ToolCallStart{}, &agui.ToolCallArgs{}, &agui.ToolCallEnd{}, &agui.ToolCallChunk{}, &agui.ToolCallResult{},
		&agui.StateSnapshot{}, &agui.StateDelta{}, &agui.MessagesSnapshot{}, &agui.ActivitySnapshot{}, &agui.ActivityDelta{},
		&agui.Raw{}, &agui.Custom{}, &agui.RunStarted{}, &agui.RunFinished{}, &agui.RunError{},
		&agui.StepStarted{}, &agui.StepFinished{},
		&agui.ReasoningStart{}, &agui.ReasoningMessageStart{}, &agui.ReasoningMessageContent{}, &agui.ReasoningMessageEnd{},
		&agui.ReasoningMessageChunk{}, &agui.ReasoningEnd{}, &agui.ReasoningEncryptedValue{},
		&agui.SubagentStarted{}, &agui.SubagentFinished{}, &agui.SubagentError{},
	}
}

// fill sets every field of a value, so that every member is written.
func fill(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*x = json.RawMessage(`{}`)
	case *agui.Content:
		*x = agui.Text("x")
	case *agui.Patch:
		*x = agui.Patch{{Op: agui.OpAdd, Path: "/a", Value: json.RawMessage(`1`)}}
	case *agui.Metadata:
		*x = agui.Metadata{"k": "v"}
	case *agui.Role:
		*x = agui.RoleAssistant
	case *agui.EncryptedSubtype:
		*x = agui.EncryptedMessage
	case *agui.OutcomeType:
		*x = agui.OutcomeSuccess
	case *agui.ResumeStatus:
		*x = agui.ResumeResolved
	case *map[string]json.RawMessage: // Extra: members without a name
	default:
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0))
		case reflect.String:
			v.SetString("x")
		case reflect.Int64:
			v.SetInt(1)
		case reflect.Bool:
			v.SetBool(true)
		default:
			panic(fmt.Sprintf("fill does not know %s", v.Type()))
		}
	}
}

func filled(e agui.Event) agui.Event {
	fill(reflect.ValueOf(e).Elem())
	if r, ok := e.(*agui.ToolCallResult); ok {
		r.Role = agui.RoleTool
	}
	return e
}

// full is a value with every field set.
func full[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem())
	return v
}

// objects are what events carry, by the reference's names, and an event that
// carries each: %s stands for the object.
func objects() map[string]struct {
	value   any
	carrier string
} {
	message := func(r agui.Role) agui.Message {
		m := full[agui.Message]()
		m.Role = r
		return m
	}
	part := func(typ agui.PartType, source agui.SourceType) agui.Part {
		p := full[agui.Part]()
		p.Type, p.Source.Type = typ, source
		return p
	}
	outcome := func(typ agui.OutcomeType) agui.RunOutcome {
		o := full[agui.RunOutcome]()
		o.Type = typ
		return o
	}
	suspended := agui.SubagentOutcome{Type: agui.OutcomeSuspended, InterruptIDs: []string{"i"}}
	succeeded := agui.SubagentOutcome{Type: agui.OutcomeSuccess, InterruptIDs: []string{"i"}}

	const (
		run      = `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":`
		input    = run + `{"threadId":"t","runId":"r","messages":[],`
		messages = `{"type":"MESSAGES_SNAPSHOT","messages":[%s]}`
		calls    = `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","toolCalls":[`
		parts    = `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":[%s]}]}`
		sources  = `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":[{"type":"image","source":%s}]}]}`
		finished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":`
		subagent = `{"type":"SUBAGENT_FINISHED","subagentRunId":"s","outcome":%s}`
	)
	return map[string]struct {
		value   any
		carrier string
	}{
		"RunAgentInput":                    {full[agui.RunAgentInput](), run + `%s}`},
		"Tool":                             {full[agui.Tool](), input + `"tools":[%s]}}`},
		"Context":                          {full[agui.Context](), input + `"context":[%s]}}`},
		"ResumeEntry":                      {full[agui.ResumeEntry](), input + `"resume":[%s]}}`},
		"Interrupt":                        {full[agui.Interrupt](), finished + `{"type":"interrupt","interrupts":[%s]}}`},
		"TokenUsage":                       {full[agui.TokenUsage](), `{"type":"RUN_ERROR","message":"m","usage":[%s]}`},
		"ToolCall":                         {full[agui.ToolCall](), calls + `%s]}]}`},
		"FunctionCall":                     {full[agui.ToolCall](), calls + `{"id":"c","type":"function","function":%s}]}]}`},
		"AssistantMessage":                 {message(agui.RoleAssistant), messages},
		"UserMessage":                      {message(agui.RoleUser), messages},
		"SystemMessage":                    {message(agui.RoleSystem), messages},
		"DeveloperMessage":                 {message(agui.RoleDeveloper), messages},
		"ToolMessage":                      {message(agui.RoleTool), messages},
		"ActivityMessage":                  {message(agui.RoleActivity), messages},
		"ReasoningMessage":                 {message(agui.RoleReasoning), messages},
		"TextPart":                         {part(agui.PartText, agui.SourceData), parts},
		"ImagePart":                        {part(agui.PartImage, agui.SourceData), parts},
		"DataSource":                       {part(agui.PartImage, agui.SourceData).Source, sources},
		"UrlSource":                        {part(agui.PartImage, agui.SourceURL).Source, sources},
		"FileSource":                       {part(agui.PartImage, agui.SourceFile).Source, sources},
		"RunFinishedSuccessOutcome":        {outcome(agui.OutcomeSuccess), finished + `%s}`},
		"RunFinishedInterruptOutcome":      {outcome(agui.OutcomeInterrupt), finished + `%s}`},
		"RunFinishedCancelledOutcome":      {outcome(agui.OutcomeCancelled), finished + `%s}`},
		"SubagentFinishedSuccessOutcome":   {succeeded, subagent},
		"SubagentFinishedSuspendedOutcome": {suspended, subagent},
	}
}

// members are what JSON has of an event or object, true for what must be there.
type members map[string]bool

// membersOf takes each member of an object away in turn: what cannot be read
// without it must be there.
func membersOf(t *testing.T, name string, object []byte, carrier string) members {
	t.Helper()
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(object, &parts); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	read := func(object any) error {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		_, err = agui.DecodeEvent([]byte(fmt.Sprintf(carrier, text)))
		return err
	}
	if err := read(parts); err != nil {
		t.Errorf("%s: whole, it cannot be read: %v", name, err)
	}
	found := members{}
	for member := range parts {
		rest := maps.Clone(parts)
		delete(rest, member)
		found[member] = read(rest) != nil
	}
	return found
}

// ours says of each event and object of Go what the reference's files say of
// theirs.
func ours(t *testing.T) map[string]members {
	t.Helper()
	all := map[string]members{}
	for _, e := range events() {
		name := string(e.Type())
		text, err := agui.AppendEvent(nil, filled(e))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all[name] = membersOf(t, name, text, "%s")
		delete(all[name], "type")
	}
	for name, o := range objects() {
		text, err := json.Marshal(o.value)
		if err == nil && name == "FunctionCall" {
			var call struct{ Function json.RawMessage }
			err = json.Unmarshal(text, &call)
			text = call.Function
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all[name] = membersOf(t, name, text, o.carrier)
		// An object without what tells its kind is none: it is dropped, not refused.
		for _, kind := range []string{"type", "role"} {
			if _, ok := all[name][kind]; ok {
				all[name][kind] = true
			}
		}
	}
	return all
}
