package agui

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// refusals says over which members a client before 1.0 ends the run: the rules
// of the protocol's changes, written down apart from Downgrade. version 0.0.58
// also knows no subagents.
func refusals(v any, version string) (paths []string) {
	e := v.(map[string]any)
	messages := func(at string, list any) {
		items, _ := list.([]any)
		for i, item := range items {
			m := item.(map[string]any)
			parts, ok := m["content"].([]any)
			if !ok {
				continue
			}
			file := slices.ContainsFunc(parts, func(p any) bool {
				s, _ := p.(map[string]any)["source"].(map[string]any)
				return s["type"] == "file"
			})
			if m["role"] == "tool" || m["role"] == "user" && file {
				paths = append(paths, fmt.Sprintf("%s/messages/%d/content", at, i))
			}
		}
	}
	switch t := e["type"].(string); {
	case strings.HasPrefix(t, "SUBAGENT_"):
		if version == "0.0.58" {
			paths = append(paths, "/type")
		}
	case t == "MESSAGES_SNAPSHOT":
		messages("", e["messages"])
	case t == "RUN_STARTED":
		if in, ok := e["input"].(map[string]any); ok {
			messages("/input", in["messages"])
			for _, name := range []string{"tools", "context"} {
				if in[name] == nil {
					paths = append(paths, "/input/"+name)
				}
			}
		}
	case t == "TOOL_CALL_RESULT":
		if _, parts := e["content"].([]any); parts {
			paths = append(paths, "/content")
		}
	case t == "RUN_FINISHED":
		o, _ := e["outcome"].(map[string]any)
		if _, pending := o["pendingToolCallIds"]; pending {
			paths = append(paths, "/outcome")
		}
		if o["type"] == "cancelled" {
			paths = append(paths, "/outcome/type")
		}
	}
	return paths
}

func TestDowngradeGolden(t *testing.T) {
	type testCase struct {
		Name      string
		Event     json.RawMessage
		RefusedBy map[string][]string
	}
	for _, c := range cases[testCase](t, "pre1_clients.json") {
		t.Run(c.Name, func(t *testing.T) {
			for version, want := range c.RefusedBy {
				if got := refusals(value(t, c.Event), version); !reflect.DeepEqual(got, want) {
					t.Fatalf("the test's own rules say %v for %s, the fixture %v", got, version, want)
				}
			}
			e := built(t, c.Event)
			before := string(mustAppend(t, e))
			down := Downgrade(e)
			if string(mustAppend(t, e)) != before {
				t.Error("the event itself was changed")
			}
			if down == e {
				t.Fatal("nothing was changed")
			}
			if strings.HasPrefix(string(e.Type()), "SUBAGENT_") {
				if down != nil {
					t.Errorf("got %s, want nothing", mustAppend(t, down))
				}
				return
			}
			for version := range c.RefusedBy {
				if got := refusals(value(t, mustAppend(t, down)), version); len(got) > 0 {
					t.Errorf("%s still refuses %v of %s", version, got, mustAppend(t, down))
				}
			}
			if again := Downgrade(down); again != down {
				t.Errorf("downgraded twice: %s", mustAppend(t, again))
			}
		})
	}
}

func TestDowngradeLeavesTheRestAlone(t *testing.T) {
	type testCase struct {
		Name  string
		Event json.RawMessage
	}
	for _, c := range cases[testCase](t, "events.json") {
		e, err := DecodeEvent(c.Event)
		if err != nil {
			t.Fatal(err)
		}
		needs := len(refusals(value(t, mustAppend(t, e)), "0.0.58")) > 0
		if got := Downgrade(e); (got != e) != needs {
			t.Errorf("%s: changed %v, want %v", c.Name, got != e, needs)
		}
	}
	if got := Downgrade(&UnknownEvent{EventType: "NEW"}); got != nil {
		t.Errorf("an unknown event became %v", got)
	}
}

func TestDowngradeText(t *testing.T) {
	image := Part{Type: PartImage, Source: Source{Type: SourceURL, Value: "u"}}
	text := func(s string) Part { return Part{Type: PartText, Text: s} }
	for _, c := range []struct {
		parts []Part
		want  string
	}{
		{nil, ""},
		{[]Part{text("a"), text("b")}, "ab"},
		{[]Part{text("look"), image, text("there")}, "look\n[image]\nthere"},
		{[]Part{image, {Type: PartAudio, Source: Source{Type: SourceFile, Value: "f"}}}, "[image]\n[audio]"},
		{[]Part{image, text("")}, "[image]"},
	} {
		down := Downgrade(&ToolCallResult{Content: Parts(c.parts...)}).(*ToolCallResult)
		if !down.Content.Equal(Text(c.want)) {
			t.Errorf("%v: got %q, want %q", c.parts, down.Content.Text(), c.want)
		}
	}
}

func TestDowngradeAllocatesNothingWhereNothingChanges(t *testing.T) {
	e := Event(&TextMessageContent{MessageID: "m", Delta: "x"})
	if n := testing.AllocsPerRun(100, func() { Downgrade(e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
