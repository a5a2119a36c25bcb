// Command stream is the program of the guide to a state that a model writes.

// [imports]

package main

import (
	"context"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Plan is a state that a model writes.
type Plan struct {
	Goal  string `json:"goal" jsonschema:"what is to be reached, in one sentence"`
	Steps []Step `json:"steps"`
}

type Step struct {
	Text   string `json:"text"`
	Effort string `json:"effort" enum:"small,large"`
}

// [end]

// [generate]

func planner(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Plan]()).
		Use(state.Generate(state.Generation[Plan]{
			Instructions: "You keep a plan together with the user. Change only what the user wishes.",
			Retries:      1,
		})).
		Build()
}

// [end]

// [target]

func stepsOnly(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Plan]()).
		Use(state.Generate(state.Generation[Plan]{
			Target: "/steps", // the goal is the user's
			When: func(_ context.Context, in *agui.RunAgentInput) bool {
				n := len(in.Messages) // none where a run brings only answers
				return n > 0 && strings.HasPrefix(in.Messages[n-1].Content.Text(), "Plan")
			},
			Order: state.After,
			Every: 200 * time.Millisecond, // a growing string goes out five times a second
			Say:   func(error) string { return "I could not work that out." },
		})).
		Build()
}

// [end]

// [predict]

var writePlan = state.Tool("write_plan", "Writes the whole plan.", func(_ context.Context, p *Plan, in struct {
	Plan Plan `json:"plan"`
}) (string, error) {
	*p = in.Plan
	return "written", nil
})

func predictor(model chat.Client) chat.Client {
	return chat.NewBuilder(model).
		Use(state.Share[Plan]()).
		Use(state.Predict[Plan]("write_plan", state.Prediction[Plan]{Argument: "plan", Target: ""})).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{writePlan}})).
		Build()
}

// [end]

// [main]

func main() {
	model := &parrot.Model{Pace: 100 * time.Millisecond} // slow enough to watch
	e := echo.New()
	aguiecho.Map(e, "/plan", planner(model), nil)
	aguiecho.Map(e, "/steps", stepsOnly(model), nil)
	aguiecho.Map(e, "/predict", predictor(model), nil)
	e.Logger.Fatal(e.Start("127.0.0.1:8080"))
}

// [end]
