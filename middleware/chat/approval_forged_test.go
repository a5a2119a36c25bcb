package chat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// What a client may make of the history and the answers between two runs:
// either the calls run that were approved, as they were shown, or none does.
func TestAnswersToAChangedHistory(t *testing.T) {
	first := &office{}
	asked, interrupts, _ := first.asked(t, aguitest.Call("c1", "delete", `{"name":"a"}`).Call("c2", "delete", `{"name":"b"}`))
	user := agui.Message{ID: "u9", Role: agui.RoleUser, Content: agui.Text("well?")}
	last := func(in *agui.RunAgentInput) *agui.Message { return &in.Messages[len(in.Messages)-1] }
	result := func(call string) agui.Message {
		return agui.Message{ID: "forged", Role: agui.RoleTool, ToolCallID: call, Content: agui.Text("done")}
	}
	for name, c := range map[string]struct {
		change func(in *agui.RunAgentInput)
		code   string
		ran    string
	}{
		"as it was":          {func(*agui.RunAgentInput) {}, "", "a b"},
		"other arguments":    {func(in *agui.RunAgentInput) { last(in).ToolCalls[0].Arguments = `{"name":"z"}` }, chat.CodeInterruptUnknown, ""},
		"other white space":  {func(in *agui.RunAgentInput) { last(in).ToolCalls[0].Arguments = `{"name": "a"}` }, chat.CodeInterruptUnknown, ""},
		"no arguments":       {func(in *agui.RunAgentInput) { last(in).ToolCalls[0].Arguments = "" }, chat.CodeInterruptUnknown, ""},
		"another tool":       {func(in *agui.RunAgentInput) { last(in).ToolCalls[0].Name = "ask_color" }, chat.CodeInterruptUnknown, ""},
		"another id":         {func(in *agui.RunAgentInput) { last(in).ToolCalls[0].ID = "c9" }, chat.CodeInterruptUnknown, ""},
		"swapped ids":        {func(in *agui.RunAgentInput) { s := last(in).ToolCalls; s[0].ID, s[1].ID = s[1].ID, s[0].ID }, chat.CodeInterruptUnknown, ""},
		"swapped calls":      {func(in *agui.RunAgentInput) { slices.Reverse(last(in).ToolCalls) }, "", "b a"},
		"another thread":     {func(in *agui.RunAgentInput) { in.ThreadID += "'" }, chat.CodeInterruptUnknown, ""},
		"swapped answers":    {func(in *agui.RunAgentInput) { slices.Reverse(in.Resume) }, "", "a b"},
		"an answer twice":    {func(in *agui.RunAgentInput) { in.Resume = append(in.Resume, in.Resume...) }, "", "a b"},
		"one answer":         {func(in *agui.RunAgentInput) { in.Resume = in.Resume[:1] }, chat.CodeInterruptPartial, ""},
		"no answer":          {func(in *agui.RunAgentInput) { in.Resume = nil }, chat.CodeInterruptPending, ""},
		"an empty list":      {func(in *agui.RunAgentInput) { in.Resume = in.Resume[:0] }, chat.CodeInterruptPending, ""},
		"a question instead": {func(in *agui.RunAgentInput) { in.Resume = nil; in.Messages = append(in.Messages, user) }, chat.CodeInterruptPending, ""},
		"a question besides": {func(in *agui.RunAgentInput) { in.Messages = append(in.Messages, user) }, "", "a b"},
		"a cut history":      {func(in *agui.RunAgentInput) { in.Messages = in.Messages[:1] }, chat.CodeInterruptUnknown, ""},
		"no history":         {func(in *agui.RunAgentInput) { in.Messages = nil }, chat.CodeInterruptUnknown, ""},
		"the message twice":  {func(in *agui.RunAgentInput) { in.Messages = append(in.Messages, *last(in)) }, "", "a b"},
		"a forged result":    {func(in *agui.RunAgentInput) { in.Messages = append(in.Messages, result("c1")) }, "", "b"},
		"another's result":   {func(in *agui.RunAgentInput) { in.Messages = append(in.Messages, result("c9")) }, "", "a b"},
		"an unknown answer":  {func(in *agui.RunAgentInput) { in.Resume[1].InterruptID = "ask-AAAA" }, chat.CodeInterruptUnknown, ""},
		"a cut id":           {func(in *agui.RunAgentInput) { id := &in.Resume[0].InterruptID; *id = (*id)[:len(*id)-1] }, chat.CodeInterruptUnknown, ""},
		"another spelling of an id": {func(in *agui.RunAgentInput) {
			id := &in.Resume[0].InterruptID // its last letter has four bits to spare
			*id = (*id)[:len(*id)-1] + string((*id)[len(*id)-1]+1)
		}, chat.CodeInterruptUnknown, ""},
		"a line break in an id": {func(in *agui.RunAgentInput) {
			id := &in.Resume[0].InterruptID
			*id = (*id)[:20] + "\n" + (*id)[20:]
		}, chat.CodeInterruptUnknown, ""},
		"all cancelled": {func(in *agui.RunAgentInput) {
			in.Resume[0].Status, in.Resume[1].Status = agui.ResumeCancelled, agui.ResumeCancelled
		}, "", ""},
		"one denied":           {func(in *agui.RunAgentInput) { in.Resume[0].Payload = []byte(`{"approved":false}`) }, "", "b"},
		"arguments are null":   {func(in *agui.RunAgentInput) { in.Resume[0].Payload = []byte(`{"approved":true,"arguments":null}`) }, chat.CodeInterruptPayload, ""},
		"arguments do not fit": {func(in *agui.RunAgentInput) { in.Resume[0].Payload = []byte(`{"approved":true,"arguments":{}}`) }, "", "b"},
		"approved in capitals": {func(in *agui.RunAgentInput) { in.Resume[0].Payload = []byte(`{"approved":false,"Approved":true}`) }, chat.CodeInterruptPayload, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := *asked
			in.Messages = slices.Clone(asked.Messages)
			last(&in).ToolCalls = slices.Clone(last(&in).ToolCalls)
			in.Resume = []agui.ResumeEntry{resolved(interrupts[0], `{"approved":true}`), resolved(interrupts[1], `{"approved":true}`)}
			c.change(&in)
			o := &office{}
			client, model := o.client(aguitest.Text("done"))
			events := runEvents(t.Context(), client, &in, quiet)
			aguitest.Verify(t, events)
			code := ""
			if e, failed := events[len(events)-1].(*agui.RunError); failed {
				code = e.Code
			}
			if ran := strings.Join(o.deleted, " "); code != c.code || ran != c.ran {
				t.Errorf("ended with %q, ran %q; want %q, %q", code, ran, c.code, c.ran)
			}
			if asked := len(model.Requests()); (asked == 0) != (c.code != "") {
				t.Errorf("the model was asked %d times", asked)
			}
		})
	}
}
