package agui

import (
	"reflect"
	"testing"
)

func TestMessages(t *testing.T) {
	for _, c := range []struct {
		got        Message
		role       Role
		toolCallID string
	}{
		{UserMessage("hi"), RoleUser, ""},
		{SystemMessage("hi"), RoleSystem, ""},
		{AssistantMessage("hi"), RoleAssistant, ""},
		{ToolMessage("c", "hi"), RoleTool, "c"},
	} {
		if !newID.MatchString(c.got.ID) {
			t.Errorf("id %q", c.got.ID)
		}
		want := Message{ID: c.got.ID, Role: c.role, ToolCallID: c.toolCallID, Content: Text("hi")}
		if !reflect.DeepEqual(c.got, want) {
			t.Errorf("got %+v, want %+v", c.got, want)
		}
	}
	if first, second := NewID(), NewID(); first == second {
		t.Error("the same id twice")
	}
}

func TestContent(t *testing.T) {
	image := Part{Type: PartImage, Source: Source{Type: SourceURL, Value: "u"}}
	list := []Part{{Type: PartText, Text: "a"}, image, {Type: PartText, Text: "b"}}
	parts := Parts(list...)
	list[0].Text = "changed"
	if got := parts.Text(); got != "ab" {
		t.Errorf("the text of parts is %q", got)
	}
	parts.Parts()[0].Text = "changed"
	if got := parts.Parts(); got[0].Text != "a" || len(got) != 3 {
		t.Errorf("the parts are %+v", got)
	}
	if got := Text("a").Parts(); !reflect.DeepEqual(got, []Part{{Type: PartText, Text: "a"}}) {
		t.Errorf("text as parts is %+v", got)
	}
	if got := (Content{}).Parts(); got != nil {
		t.Errorf("absent content has parts %+v", got)
	}
	if !(Content{}).IsZero() || Text("").IsZero() || Parts().IsZero() || !Parts().IsParts() || Text("").IsParts() {
		t.Error("absent, empty text and no parts are mixed up")
	}
}
