// Command langchaingo is the program of the guide to langchaingo: a model, two
// chains, a sequence and an agent of langchaingo behind AG-UI endpoints, as
// they are.

// [imports]

package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/examples/parrot"
	"github.com/aguistate/aguistate/middleware/aguiecho"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// Notes is the state of this page.
type Notes struct {
	Notes []string `json:"notes"`
}

// [end]

// [model]

// newModel is a model of langchaingo. Without a key it is the parrot.
func newModel(options ...openai.Option) (llms.Model, error) {
	if len(options) == 0 && os.Getenv("OPENAI_API_KEY") == "" {
		return langchaingo.NewModel(parrot.New()), nil
	}
	return openai.New(append(options, openai.WithHTTPClient(langchaingo.HTTPClient(nil)))...)
}

// addNote is a tool of the chain, as in every other guide.
var addNote = state.Tool("add_note", "Writes a note down.", func(_ context.Context, n *Notes, in struct {
	Text string `json:"text"`
}) (string, error) {
	n.Notes = append(n.Notes, in.Text)
	return "noted", nil
})

// onModel is a chain of ours on a model of langchaingo.
func onModel(model llms.Model) chat.Client {
	return chat.NewBuilder(langchaingo.New(model, nil)).
		Use(state.Share[Notes]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addNote}})).
		Build()
}

// [end]

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

// [output]

// lister gives the chain what the state holds, keeps in the state what the
// chain returns, and says how many there are.
func lister(model llms.Model) chat.Client {
	chain := chains.NewLLMChain(model, prompts.NewPromptTemplate(
		"List what {{.what}} needs, and is not among {{.notes}}.", []string{"what", "notes"}))
	return chat.NewBuilder(langchaingo.NewChain(chain, &langchaingo.ChainOptions{
		Quiet: true, // the list itself is not for the chat
		Input: func(ctx context.Context, req *chat.Request) (map[string]any, error) {
			notes, err := state.Of[Notes](ctx)
			if err != nil {
				return nil, err
			}
			what := "" // a run that brings only answers to interrupts may have no messages
			if n := len(req.Messages); n > 0 {
				what = req.Messages[n-1].Content.Text()
			}
			return map[string]any{"what": what, "notes": strings.Join(notes.State().Notes, ", ")}, nil
		},
		Output: func(ctx context.Context, out map[string]any) (string, error) {
			text, ok := out["text"].(string)
			if !ok {
				return "", fmt.Errorf("the chain returned %T", out["text"])
			}
			items := strings.Split(text, ", ")
			err := state.Update(ctx, func(n *Notes) error { n.Notes = append(n.Notes, items...); return nil })
			return fmt.Sprintf("I made %d notes.", len(items)), err
		},
	})).Use(state.Share[Notes](state.Silent())).Build() // the prompt tells the state
}

// [end]

// [sequence]

// storyteller is a chain of two steps, which hides its parts: so its model is
// one of ours, and each step has a handler with a name.
func storyteller(client chat.Client) (chat.Client, error) {
	model := langchaingo.NewModel(client)
	title := chains.NewLLMChain(model, prompts.NewPromptTemplate("A title for a story about {{.topic}}.", []string{"topic"}))
	title.OutputKey, title.CallbacksHandler = "title", &langchaingo.Handler{Name: "title"}
	story := chains.NewLLMChain(model, prompts.NewPromptTemplate("Write the story {{.title}}.", []string{"title"}))
	story.CallbacksHandler = &langchaingo.Handler{Name: "story"}
	chain, err := chains.NewSequentialChain([]chains.Chain{title, story}, []string{"topic"}, []string{"text"})
	if err != nil {
		return nil, err
	}
	return langchaingo.NewChain(chain, &langchaingo.ChainOptions{Name: "storyteller"}), nil
}

// [end]

// [agent]

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

// [tools]

// calculating gives a chain of ours a tool of langchaingo, and an agent of
// langchaingo a tool of ours.
func calculating(client chat.Client, model llms.Model) (chat.Client, *agents.Executor) {
	ours := chat.NewBuilder(client).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{langchaingo.NewTool(tools.Calculator{})}})).
		Build()
	theirs := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(model, []tools.Tool{langchaingo.NewAgentTool(addNote)}))
	return ours, theirs
}

// [end]

// [main]

func main() {
	model, err := newModel()
	if err != nil {
		log.Fatal(err)
	}
	stories, err := storyteller(langchaingo.New(model, nil))
	if err != nil {
		log.Fatal(err)
	}
	calculator, _ := calculating(langchaingo.New(model, nil), model)
	e := echo.New()
	aguiecho.Map(e, "/model", onModel(model), nil)
	aguiecho.Map(e, "/translate", translatorAgent(model), nil)
	aguiecho.Map(e, "/list", lister(model), nil)
	aguiecho.Map(e, "/story", stories, nil)
	aguiecho.Map(e, "/notes", notesAgent(model), nil)
	aguiecho.Map(e, "/calculate", calculator, nil)
	e.Logger.Fatal(e.Start("127.0.0.1:8080"))
}

// [end]
