// Command tools is the program of the guide to tools that share a state.

// [imports]

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Board is a list of tasks that a person and an agent keep together.
type Board struct {
	Tasks []string `json:"tasks"`
	Done  int      `json:"done"`
}

type Task struct {
	Title string `json:"title"`
}

// [end]

// [update]

var addTask = chat.NewTool("add_task", "Adds a task to the board.", func(ctx context.Context, in Task) (string, error) {
	err := state.Update(ctx, func(b *Board) error {
		b.Tasks = append(b.Tasks, in.Title)
		return nil
	})
	return "added", err
})

// [end]

// [tool]

var finishTask = state.Tool("finish_task", "Takes a finished task from the board.", func(_ context.Context, b *Board, in Task) (string, error) {
	i := slices.Index(b.Tasks, in.Title)
	if i < 0 {
		return "", &chat.Error{Code: chat.CodeAgent, Message: fmt.Sprintf("There is no task %q.", in.Title)}
	}
	b.Tasks = slices.Delete(b.Tasks, i, i+1)
	b.Done++
	return "finished", nil
})

// [end]

// [session]

// importTasks shows each task as it comes in, and counts them at the end.
var importTasks = chat.NewTool("import_tasks", "Imports the tasks of a list.", func(ctx context.Context, in struct {
	List []string `json:"list" jsonschema:"the titles"`
}) (string, error) {
	board, err := state.Of[Board](ctx)
	if err != nil {
		return "", err
	}
	for _, title := range in.List {
		err := board.Update(func(b *Board) error { b.Tasks = append(b.Tasks, title); return nil }) // goes out at once
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d tasks are on the board", len(board.State().Tasks)), nil
})

// [end]

// [fromresult]

// weather knows nothing of a state: it returns JSON.
var weather = chat.NewTool("get_weather", "The weather in a city.", func(_ context.Context, in struct {
	City string `json:"city"`
}) (map[string]any, error) {
	return map[string]any{"city": in.City, "degrees": 21}, nil
})

// Its result becomes a member of the state, which Board need not know.
var shownWeather = state.FromResult(weather, state.At("/weather"))

// [end]

// [chain]

func newBoard(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Board](
			state.Default(Board{Tasks: []string{"look around"}}),
			state.MaxBytes(64<<10),
			state.Hide("/theme"),
			state.Validate(func(b Board) error {
				if len(b.Tasks) > 100 {
					return &chat.Error{Code: "TOO_MANY", Message: "The board is full: a hundred tasks are enough."}
				}
				return nil
			}),
		)).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{
			Tools: []chat.Tool{addTask, finishTask, importTasks, shownWeather},
		})).
		Build()
}

func main() {
	e := echo.New()
	aguiecho.Map(e, "/agent", newBoard(parrot.New()), nil)
	e.Logger.Fatal(e.Start("127.0.0.1:8080"))
}

// [end]

// [outside]

// outside keeps a document in step with a client over any other connection.
func outside(doc json.RawMessage, send func(agui.Event) error) error {
	s, err := state.NewSession[Board](doc, send)
	if err != nil {
		return err
	}
	if err := s.Update(func(b *Board) error { b.Done++; return nil }); err != nil {
		return err
	}
	s.Edit(func(b *Board) { b.Tasks = nil }) // sends nothing
	return s.Publish()
}

// [end]
