package parrot_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

var offered = []chat.Tool{chat.NewTool("add_task", "Adds a task.", func(_ context.Context, _ struct{}) (string, error) { return "", nil })}

func TestAnswers(t *testing.T) {
	user := agui.UserMessage
	for name, c := range map[string]struct {
		req  chat.Request
		want string
	}{
		"a text":                  {chat.Request{Messages: []agui.Message{user("Hello you there, parrot")}}, "You said: Hello |you there, parrot"},
		"no message":              {chat.Request{}, "You said: "},
		"a tool":                  {chat.Request{Messages: []agui.Message{user(`add_task {"title": "buy some milk"}`)}, Tools: offered}, `add_task {"title": "buy some |milk"}`},
		"a tool alone":            {chat.Request{Messages: []agui.Message{user("add_task")}, Tools: offered}, "add_task {}"},
		"a tool that none offers": {chat.Request{Messages: []agui.Message{user("add_task {}")}}, "You said: add_task"},
		"no tool allowed":         {chat.Request{Messages: []agui.Message{user("add_task {}")}, Tools: offered, ToolChoice: chat.ToolChoice{Mode: chat.ToolsNone}}, "You said: add_task"},
		"JSON":                    {chat.Request{Messages: []agui.Message{user(`Plan {"goal":"tidy"}`)}, ResponseFormat: &chat.ResponseFormat{}}, `{"goal":"tidy"}`},
		"a result": {chat.Request{Messages: []agui.Message{user("add_task"), {ID: "r", Role: agui.RoleTool, ToolCallID: "c", Content: agui.Text("added")}}, Tools: offered},
			"The tool says: |added."},
	} {
		t.Run(name, func(t *testing.T) {
			var pieces []string
			finish := chat.FinishReason("")
			for u, err := range parrot.New().Stream(t.Context(), &c.req) {
				if err != nil {
					t.Fatal(err)
				}
				piece := u.Text
				for _, d := range u.ToolCalls {
					piece += strings.TrimPrefix(d.Name+" "+d.Arguments, " ")
				}
				if piece != "" {
					pieces = append(pieces, piece)
				}
				finish = u.FinishReason
			}
			if got := strings.Join(pieces, "|"); got != c.want || finish == "" {
				t.Errorf("it said %q and finished %q, want %q", got, finish, c.want)
			}
		})
	}
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		defer stop(nil)
		begin := time.Now()
		pieces := 0
		var last error
		for _, err := range (&parrot.Model{Pace: time.Second}).Stream(ctx, &chat.Request{Messages: []agui.Message{agui.UserMessage("one two three four")}}) {
			if last = err; err == nil {
				pieces++
			}
			if pieces == 2 {
				stop(gone)
			}
		}
		if pieces != 2 || !errors.Is(last, gone) || time.Since(begin) != 2*time.Second {
			t.Errorf("%d pieces in %s, then %v", pieces, time.Since(begin), last)
		}
	})
}
