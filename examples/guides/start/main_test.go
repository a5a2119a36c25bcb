// The tests of the guide to testing, and that of the answer on the first page.

// [imports]

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// serve puts the agent at an endpoint.
func serve(model chat.Client) *echo.Echo {
	e := echo.New()
	aguiecho.Map(e, "/", newBoard(model), nil)
	return e
}

// need is what the user says, and the state that comes with it.
func need(text, doc string) *agui.RunAgentInput {
	return &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion,
		State:    []byte(doc),
		Messages: []agui.Message{agui.UserMessage(text)},
	}
}

// [end]

// [golden]

func TestBoard(t *testing.T) {
	model := aguitest.NewModel(
		aguitest.Text("I will.").Call("c1", "add_task", `{"title":`, `"buy milk"}`),
		aguitest.Text("It is on ", "the board."),
	)
	events := aguitest.Post(t, serve(model), need("I need milk", `{"tasks":["call home"],"done":0,"theme":"dark"}`))
	aguitest.Golden(t, filepath.Join("testdata", "board.jsonl"), events)

	// What the model was told: the newest state, last, at its second call too.
	second := model.Requests()[1]
	told := second.Outgoing[len(second.Outgoing)-1].Content.Text()
	if !strings.Contains(told, `"tasks":["call home","buy milk"]`) {
		t.Errorf("the model was told %s", told)
	}
}

// [end]

// [live]

// The tool's change is at the client before the model goes on: nothing else
// can release it.
func TestBoardIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{}, 1)
		model := aguitest.NewModel(
			aguitest.Call("c1", "add_task", `{"title":"buy milk"}`),
			aguitest.Turn{}.Pause(release).Text("Done."),
		)
		server := aguitest.NewServer(t, serve(model))
		var last agui.Event
		for e, err := range server.Run(t.Context(), "/", need("I need milk", `{}`)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type() == agui.TypeStateSnapshot {
				release <- struct{}{}
			}
			last = e
		}
		if last == nil || last.Type() != agui.TypeRunFinished {
			t.Errorf("the run ended in %v", last)
		}
	})
}

// [end]

// [broken]

// A model whose connection breaks ends the run with an error, and what it had
// begun to say stays.
func TestBoardSaysWhenTheModelBreaks(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("I will put").Cut())
	events := aguitest.Post(t, serve(model), need("I need milk", `{}`))
	if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeAgent {
		t.Errorf("the run ended in %+v", events[len(events)-1])
	}
}

// [end]

// [recorder]

// A recorder in front of the model sees what reaches it: the tool, and the
// state in a message of its own.
func TestWhatReachesTheModel(t *testing.T) {
	var recorder aguitest.Recorder
	model := recorder.Middleware(aguitest.NewModel(aguitest.Text("Hello.")))
	aguitest.Post(t, serve(model), need("Hi", `{}`))
	for _, r := range recorder.Requests() {
		if len(r.Messages) != 1 || len(r.Live) != 1 || len(r.Tools) != 1 || r.Tools[0].Name != "add_task" {
			t.Errorf("the model got %d messages, %d live, the tools %v", len(r.Messages), len(r.Live), r.Tools)
		}
	}
	if n := len(recorder.Requests()); n != 1 {
		t.Errorf("the model was called %d times", n)
	}
}

// [end]
