package aguihttp_test

import (
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
)

// What ends a run at a client that predates AG-UI 1.0 is not sent to one that
// names no version, and is sent to one that says 1.0.
func TestVersions(t *testing.T) {
	parts := agui.Parts(agui.Part{Type: agui.PartText, Text: "look"}, agui.Part{
		Type: agui.PartImage, Source: agui.Source{Type: agui.SourceURL, Value: "https://pics.example/1.png"},
	})
	file := agui.Parts(agui.Part{Type: agui.PartText, Text: "look"}, agui.Part{
		Type: agui.PartImage, Source: agui.Source{Type: agui.SourceFile, Value: "file-1"},
	})
	say := func(events ...agui.Event) []*chat.Update { return []*chat.Update{{Events: events}, text("ok"), stop} }
	call := &chat.Update{ToolCalls: []chat.ToolCallDelta{{ID: "call-1", Name: "look", Arguments: "{}"}}}
	tests := []struct {
		name, shape string // the shape's mark on the wire
		updates     []*chat.Update
	}{
		{"protocolVersion", `"protocolVersion"`, say()},
		{"parts in a result", `"content":[`, []*chat.Update{
			{ToolCalls: []chat.ToolCallDelta{{ID: "call-1", Name: "look", Arguments: "{}", Held: true}}},
			{ToolResult: &chat.ToolResult{ToolCallID: "call-1", Content: parts}}, text("ok"), stop,
		}},
		{"parts in a tool message", `"content":[`, say(&agui.MessagesSnapshot{Messages: []agui.Message{
			{ID: "a", Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "c", Name: "look", Arguments: "{}"}}},
			{ID: "b", Role: agui.RoleTool, ToolCallID: "c", Content: parts},
		}})},
		{"file source", `"file"`, say(&agui.MessagesSnapshot{Messages: []agui.Message{{ID: "a", Role: agui.RoleUser, Content: file}}})},
		{"pending calls", `"pendingToolCallIds"`, []*chat.Update{call, {FinishReason: chat.FinishToolCalls}}},
		{"subagent", `"SUBAGENT_`, say(
			&agui.SubagentStarted{SubagentRunID: "s", Name: "n"}, &agui.SubagentFinished{SubagentRunID: "s"},
			&agui.SubagentStarted{SubagentRunID: "s2", Name: "n"}, &agui.SubagentError{SubagentRunID: "s2", Message: "lost"})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := aguihttp.Handler(script(nil, tt.updates...), options(nil))
			now := one(t, h, hello).Body.String()
			if !strings.Contains(now, tt.shape) {
				t.Errorf("a 1.0 client gets no %s: %s", tt.shape, now)
			}
			before := one(t, h, strings.Replace(hello, `"protocolVersion":"1.0",`, "", 1)).Body.String()
			if strings.Contains(before, tt.shape) {
				t.Errorf("an older client gets %s: %s", tt.shape, before)
			}
			for _, stream := range []string{now, before} {
				if e := last(t, events(t, strings.NewReader(stream))); e.Type != "RUN_FINISHED" {
					t.Errorf("got %s", stream)
				}
			}
		})
	}
}
