package main

import (
	"context"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// [agent]

type Notes struct {
	Notes []string `json:"notes"`
}

// note is a tool as langchaingo has them. The state is in its context.
type note struct{}

func (note) Name() string        { return "note" }
func (note) Description() string { return "Writes a note down, for the user to see." }

func (note) Call(ctx context.Context, input string) (string, error) {
	return "noted", state.Update(ctx, func(n *Notes) error { n.Notes = append(n.Notes, input); return nil })
}

// notesAgent is an agent of langchaingo as the agent of an endpoint. Each use
// of a tool is a TOOL_CALL, what a tool writes down a change of the state.
func notesAgent(model llms.Model) chat.Client {
	executor := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(model, []tools.Tool{note{}, tools.Calculator{}}))
	return chat.NewBuilder(langchaingo.NewChain(executor, nil)).
		Use(state.Share[Notes]()).
		Build()
}

// [end]
