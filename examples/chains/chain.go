package main

import (
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/chat"
)

// [chain]

// translator is a chain as langchaingo has them: a prompt, a model, a memory.
func translator(model llms.Model) *chains.LLMChain {
	chain := chains.NewLLMChain(model, prompts.NewPromptTemplate(
		"You translate into Latin.\n{{.history}}\nHuman: {{.input}}\nAI:", []string{"history", "input"}))
	chain.Memory = memory.NewConversationWindowBuffer(3)
	return chain
}

// translatorAgent is the same chain as the agent of an endpoint. Its text
// streams while the model writes it, and its memory is the client's history.
func translatorAgent(model llms.Model) chat.Client {
	return langchaingo.NewChain(translator(model), nil)
}

// [end]
