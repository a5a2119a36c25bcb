package guard

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// reference is what the pinned @ag-ui/core says: the members of each event and
// object, true for those that must be there. internal/e2e/reference.mjs
// writes the file, and a test beside it holds it against the installed
// package.
func reference(t *testing.T) (members map[string]map[string]bool, protocol string) {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.txt")
	if err != nil {
		t.Fatal(err)
	}
	members = map[string]map[string]bool{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] == "protocol" {
			protocol = fields[1]
			continue
		}
		m := map[string]bool{}
		for _, f := range fields[1:] {
			name, optional := strings.CutSuffix(f, "?")
			m[name] = !optional
		}
		members[fields[0]] = m
	}
	return members, protocol
}

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

func TestEventTypesAreTheReferences(t *testing.T) {
	members, protocol := reference(t)
	if protocol != agui.ProtocolVersion {
		t.Errorf("the reference speaks %s, we say %s", protocol, agui.ProtocolVersion)
	}
	ours := map[string]bool{}
	for _, e := range events() {
		ours[string(e.Type())] = true
		if members[string(e.Type())] == nil {
			t.Errorf("the reference has no %s", e.Type())
		}
	}
	for name := range members {
		if name == strings.ToUpper(name) && !ours[name] {
			t.Errorf("we have no %s", name)
		}
	}
	// The constants are the same set: none without a struct.
	found, _ := packages(t)
	constants := 0
	for _, f := range found["middleware/agui"].files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "EventType" {
				for _, value := range spec.Values {
					if lit, ok := value.(*ast.BasicLit); ok {
						constants++
						if name := strings.Trim(lit.Value, `"`); !ours[name] {
							t.Errorf("the constant %s has no event", name)
						}
					}
				}
			}
			return false
		})
	}
	if constants != len(ours) {
		t.Errorf("%d constants of type EventType, %d events", constants, len(ours))
	}
}

func TestEventMembersAreTheReferences(t *testing.T) {
	members, _ := reference(t)
	for _, e := range events() {
		name := string(e.Type())
		text, err := agui.AppendEvent(nil, filled(e))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var ours map[string]json.RawMessage
		if err := json.Unmarshal(text, &ours); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		delete(ours, "type")
		compare(t, name, members[name], ours)
		if back, err := agui.DecodeEvent(text); err != nil {
			t.Errorf("%s: reading back: %v\n%s", name, err, text)
		} else if again, err := agui.AppendEvent(nil, back); err != nil || string(again) != string(text) {
			t.Errorf("%s: written, read and written again, %v:\n%s\n%s", name, err, text, again)
		}
		// What must be there is missed when it is not, and nothing else is.
		for member := range ours {
			rest := maps.Clone(ours)
			delete(rest, member)
			rest["type"] = json.RawMessage(`"` + name + `"`)
			without, err := json.Marshal(rest)
			if err != nil {
				t.Fatal(err)
			}
			_, err = agui.DecodeEvent(without)
			if required := members[name][member]; required != (err != nil) {
				t.Errorf("%s without %s: required %v, and reading says %v", name, member, required, err)
			}
		}
	}
}

func TestObjectMembersAreTheReferences(t *testing.T) {
	members, _ := reference(t)
	message := func(r agui.Role) agui.Message {
		var m agui.Message
		fill(reflect.ValueOf(&m).Elem())
		m.Role = r
		return m
	}
	part := func(typ agui.PartType, source agui.SourceType) agui.Part {
		var p agui.Part
		fill(reflect.ValueOf(&p).Elem())
		p.Type, p.Source.Type = typ, source
		return p
	}
	sourceOf := func(typ agui.SourceType) agui.Source { return part(agui.PartImage, typ).Source }
	outcome := func(typ agui.OutcomeType) agui.RunOutcome {
		var o agui.RunOutcome
		fill(reflect.ValueOf(&o).Elem())
		o.Type = typ
		return o
	}
	suspended := agui.SubagentOutcome{Type: agui.OutcomeSuspended, InterruptIDs: []string{"i"}}
	plain := func(v any) any {
		fill(reflect.ValueOf(v).Elem())
		return v
	}
	call := agui.ToolCall{}
	fill(reflect.ValueOf(&call).Elem())

	input := agui.RunAgentInput{}
	fill(reflect.ValueOf(&input).Elem())
	objects := map[string]any{
		"RunAgentInput": &input,
		"Tool":          plain(&agui.Tool{}), "Context": plain(&agui.Context{}), "ResumeEntry": plain(&agui.ResumeEntry{}),
		"Interrupt": plain(&agui.Interrupt{}), "TokenUsage": plain(&agui.TokenUsage{}), "ToolCall": &call,
		"AssistantMessage": message(agui.RoleAssistant), "UserMessage": message(agui.RoleUser), "SystemMessage": message(agui.RoleSystem),
		"DeveloperMessage": message(agui.RoleDeveloper), "ToolMessage": message(agui.RoleTool),
		"ActivityMessage": message(agui.RoleActivity), "ReasoningMessage": message(agui.RoleReasoning),
		"TextPart": part(agui.PartText, agui.SourceData), "ImagePart": part(agui.PartImage, agui.SourceData),
		"DataSource": sourceOf(agui.SourceData), "UrlSource": sourceOf(agui.SourceURL), "FileSource": sourceOf(agui.SourceFile),
		"RunFinishedSuccessOutcome":        outcome(agui.OutcomeSuccess),
		"RunFinishedInterruptOutcome":      outcome(agui.OutcomeInterrupt),
		"RunFinishedCancelledOutcome":      outcome(agui.OutcomeCancelled),
		"SubagentFinishedSuccessOutcome":   agui.SubagentOutcome{Type: agui.OutcomeSuccess, InterruptIDs: []string{"i"}},
		"SubagentFinishedSuspendedOutcome": suspended,
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == strings.ToUpper(name) {
			continue // an event
		}
		var text []byte
		var err error
		if name == "FunctionCall" {
			var whole struct{ Function json.RawMessage }
			if text, err = json.Marshal(call); err == nil {
				err = json.Unmarshal(text, &whole)
			}
			text = whole.Function
		} else if object, ok := objects[name]; ok {
			text, err = json.Marshal(object)
		} else {
			err = fmt.Errorf("no type of ours stands for it")
		}
		var ours map[string]json.RawMessage
		if err == nil {
			err = json.Unmarshal(text, &ours)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compare(t, name, members[name], ours)
	}
}

// compare holds the members that we write against the reference's.
func compare(t *testing.T, name string, want map[string]bool, ours map[string]json.RawMessage) {
	t.Helper()
	for m := range want {
		if _, ok := ours[m]; !ok {
			t.Errorf("%s: we have no member %s", name, m)
		}
	}
	for m := range ours {
		if _, ok := want[m]; !ok {
			t.Errorf("%s: the reference has no member %s", name, m)
		}
	}
}
