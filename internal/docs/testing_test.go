package docs

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
	"github.com/aguistate/aguistate/middleware/state"
)

// [agent]

// newBoard is the agent under test: it takes its model as an argument.
func newBoard(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTask}})).
		Build()
}

// [end]

// [golden]

func TestBoard(t *testing.T) {
	model := aguitest.NewModel(
		aguitest.Text("I will.").Call("c1", "add_task", `{"title":`, `"buy milk"}`),
		aguitest.Text("It is on ", "the board."),
	)
	e := echo.New()
	aguiecho.Map(e, "/", newBoard(model), nil)
	events := aguitest.Post(t, e, &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion,
		State:    []byte(`{"tasks":["call home"],"done":0,"theme":"dark"}`),
		Messages: []agui.Message{agui.UserMessage("I need milk")},
	})
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
		e := echo.New()
		aguiecho.Map(e, "/agent", newBoard(model), nil)
		server := aguitest.NewServer(t, e)
		var last agui.Event
		for e, err := range server.Run(t.Context(), "/agent", &agui.RunAgentInput{
			ThreadID: "thread", RunID: "run",
			Messages: []agui.Message{agui.UserMessage("I need milk")},
		}) {
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
	events := aguitest.Post(t, serveBoard(aguitest.NewModel(aguitest.Text("I will put").Cut())), &agui.RunAgentInput{
		ThreadID: "thread", RunID: "run",
		Messages: []agui.Message{agui.UserMessage("I need milk")},
	})
	if last, ok := events[len(events)-1].(*agui.RunError); !ok || last.Code != chat.CodeAgent {
		t.Errorf("the run ended in %+v", events[len(events)-1])
	}
}

// [end]

func serveBoard(model chat.Client) *echo.Echo {
	e := echo.New()
	aguiecho.Map(e, "/", newBoard(model), nil)
	return e
}
