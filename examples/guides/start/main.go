// Command start is the first program of the documentation: a list of tasks that
// a person and an agent keep together.

// [program]

package main

import (
	"context"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Board is the state: a list of tasks that a person and an agent keep together.
type Board struct {
	Tasks []string `json:"tasks"`
	Done  int      `json:"done"`
}

type Task struct {
	Title string `json:"title"`
}

var addTask = chat.NewTool("add_task", "Adds a task to the board.", func(ctx context.Context, in Task) (string, error) {
	err := state.Update(ctx, func(b *Board) error {
		b.Tasks = append(b.Tasks, in.Title)
		return nil
	})
	return "added", err
})

// newBoard is the agent: a chain around a model.
func newBoard(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTask}})).
		Build()
}

func main() {
	model := parrot.New() // needs no key; a real one: openai.New("gpt-5-mini", nil), of adapters/openai
	e := echo.New()
	e.Use(middleware.CORS())
	aguiecho.Map(e, "/agent", newBoard(model), nil)
	e.Logger.Fatal(e.Start("127.0.0.1:8080"))
}

// [end]
