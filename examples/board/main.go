// Command board is the smallest agent with a shared state: a list of tasks
// that a person and a model keep together, on Echo.
package main

import (
	"context"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// [board]

type Board struct {
	Tasks []string `json:"tasks"`
}

type Task struct {
	Title string `json:"title"`
}

var addTask = chat.NewTool("add_task", "Adds a task to the board.", func(ctx context.Context, in Task) (string, error) {
	return "added", state.Update(ctx, func(b *Board) error { b.Tasks = append(b.Tasks, in.Title); return nil })
})

func main() {
	client := chat.NewBuilder(openai.New("gpt-5-mini", nil)).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTask}})).
		Build()
	e := echo.New()
	e.Use(middleware.CORS())
	aguiecho.Map(e, "/agent", client, nil)
	e.Logger.Fatal(e.Start("127.0.0.1:8080"))
}

// [end]
