package chat_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func ids(messages []agui.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, m.ID)
	}
	return strings.Join(out, " ")
}

func said(id string, role agui.Role) agui.Message {
	return agui.Message{ID: id, Role: role, Content: agui.Text(id)}
}

func snapshots(events []agui.Event) (out []*agui.MessagesSnapshot) {
	for _, e := range events {
		if s, ok := e.(*agui.MessagesSnapshot); ok {
			out = append(out, s)
		}
	}
	return out
}

// A snapshot of what the chain sees has the client's own messages where they
// stood, whatever else it leaves out or adds.
func TestDroppedMessagesStayInSnapshots(t *testing.T) {
	in := input()
	in.Messages = []agui.Message{
		said("s1", agui.RoleSystem), said("u1", agui.RoleUser), said("d1", agui.RoleDeveloper), said("s2", agui.RoleSystem),
		said("a1", agui.RoleAssistant), said("u2", agui.RoleUser), said("s3", agui.RoleSystem),
	}
	for _, c := range []struct{ snapshot, want string }{
		{"u1 a1 u2", "s1 u1 d1 s2 a1 u2 s3"},
		{"", "s1 d1 s2 s3"},
		{"a1 new", "s1 d1 s2 a1 s3 new"},
		{"u2 u1", "s1 u2 s3 u1 d1 s2"},
		{"new", "s1 d1 s2 s3 new"},
		{"s1 u1 d1 s2 a1 u2 s3", "s1 u1 d1 s2 a1 u2 s3"},
	} {
		s := &agui.MessagesSnapshot{}
		for _, id := range strings.Fields(c.snapshot) {
			role := agui.RoleUser
			if strings.HasPrefix(id, "s") {
				role = agui.RoleSystem
			}
			s.Messages = append(s.Messages, said(id, role))
		}
		client := by(&chat.Update{Events: []agui.Event{s}})
		events := runEvents(t.Context(), client, in, &chat.EventOptions{DropSystem: true})
		if got := ids(snapshots(events)[0].Messages); got != c.want {
			t.Errorf("%q: got %q, want %q", c.snapshot, got, c.want)
		}
		if got := ids(s.Messages); got != c.snapshot {
			t.Errorf("the chain's own became %q", got)
		}
		events = runEvents(t.Context(), client, in, nil)
		if got := ids(snapshots(events)[0].Messages); got != c.snapshot {
			t.Errorf("without the option %q became %q", c.snapshot, got)
		}
	}
	if len(in.Messages) != 7 {
		t.Errorf("the input became %q", ids(in.Messages))
	}
}

// No layer, tool or agent sees what is dropped: in the run that asks, and in the
// one that brings the answer with other arguments. The client has it after both.
func TestDroppedMessagesReachNoModel(t *testing.T) {
	agent := aguitest.NewModel(aguitest.Text("Done"), aguitest.Text("Done"))
	behind := aguiclient.New(aguiclient.Local(agent, quiet), nil)
	look := func(where string, messages []agui.Message) {
		t.Helper()
		if slices.ContainsFunc(messages, func(m agui.Message) bool { return m.Role == agui.RoleSystem || m.Role == agui.RoleDeveloper }) {
			t.Errorf("%s has %q", where, ids(messages))
		}
	}
	spy := func(next chat.Client) chat.Client {
		return chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			in, _ := chat.InputFrom(ctx)
			look("InputFrom", in.Messages)
			look("a request", req.Messages)
			return next.Stream(ctx, req)
		})
	}
	var o office
	asking, model := o.client(aguitest.Text("I will.").Call("d1", "delete", `{"name":"a"}`))
	client := spy(asking)
	in := input()
	in.Messages = []agui.Message{said("s1", agui.RoleSystem), in.Messages[0], said("d1", agui.RoleDeveloper)}
	options := *quiet
	options.DropSystem = true

	events := runEvents(t.Context(), client, in, &options)
	aguitest.Verify(t, events)
	asked := snapshots(events)
	if len(asked) != 1 || !strings.HasPrefix(ids(asked[0].Messages), "s1 u1 d1 ") {
		t.Fatalf("asked: %+v", asked)
	}
	next := *in
	next.RunID, next.Messages = "run-2", asked[0].Messages
	finished := events[len(events)-1].(*agui.RunFinished)
	next.Resume = []agui.ResumeEntry{resolved(finished.Outcome.Interrupts[0], `{"approved":true,"arguments":{"name":"b"}}`)}
	answering, second := o.client(aguitest.Text("Done"))
	events = runEvents(t.Context(), spy(answering), &next, &options)
	aguitest.Verify(t, events)
	answered := snapshots(events)
	if len(answered) != 1 || !strings.HasPrefix(ids(answered[0].Messages), "s1 u1 d1 ") {
		t.Errorf("answered: %+v", answered)
	}
	runEvents(t.Context(), spy(behind), in, &options)
	for where, m := range map[string]*aguitest.Model{"the model that asks": model, "the model after the answer": second, "the agent": agent} {
		if len(m.Requests()) == 0 {
			t.Errorf("%s was not asked", where)
		}
		for _, req := range m.Requests() {
			look(where, req.Outgoing)
		}
	}
}

// What is left when all is dropped is a run without messages: no model is called.
func TestDroppedMessagesAskNothing(t *testing.T) {
	in := input()
	in.Messages = []agui.Message{said("s1", agui.RoleSystem)}
	model := aguitest.NewModel(aguitest.Text("Hi"))
	runEvents(t.Context(), model, in, &chat.EventOptions{DropSystem: true})
	if n := len(model.Requests()); n != 0 {
		t.Errorf("the model was called %d times", n)
	}
}
