package docs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func lcModel(options ...openai.Option) (chat.Client, error) {
	// [model]
	model, err := openai.New(append(options, openai.WithHTTPClient(langchaingo.HTTPClient(nil)))...)
	if err != nil {
		return nil, err
	}
	client := chat.NewBuilder(langchaingo.New(model, nil)).
		Use(state.Share[Board]()).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{addTask}})).
		Build()
	// [end]
	return client, nil
}

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

// [output]

// lister keeps what the chain returns in the state, and says how many there
// are.
func lister(chain chains.Chain) chat.Client {
	return chat.NewBuilder(langchaingo.NewChain(chain, &langchaingo.ChainOptions{
		Quiet: true, // the list itself is not for the chat
		Output: func(ctx context.Context, out map[string]any) (string, error) {
			text, ok := out["text"].(string)
			if !ok {
				return "", fmt.Errorf("the chain returned %T", out["text"])
			}
			items := strings.Split(text, ", ")
			err := state.Update(ctx, func(b *Board) error { b.Tasks = append(b.Tasks, items...); return nil })
			return fmt.Sprintf("I put %d tasks on the board.", len(items)), err
		},
	})).Use(state.Share[Board]()).Build()
}

// [end]

// [tools]

// calculating gives a chain of ours a tool of langchaingo, and an agent of
// langchaingo a tool of ours.
func calculating(client chat.Client, model llms.Model) (chat.Client, *agents.Executor) {
	ours := chat.NewBuilder(client).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{langchaingo.NewTool(tools.Calculator{})}})).
		Build()
	theirs := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(model, []tools.Tool{langchaingo.NewAgentTool(addTask)}))
	return ours, theirs
}

// [end]

// openAIServer plays a script on OpenAI's wire.
func openAIServer(t *testing.T, chunks ...[]string) []openai.Option {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil || len(chunks) == 0 {
			http.Error(w, "no answer is left", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, delta := range chunks[0] {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		chunks = chunks[1:]
	}))
	t.Cleanup(s.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return []openai.Option{openai.WithToken("-"), openai.WithBaseURL(s.URL)}
}

func TestLangchaingoModel(t *testing.T) {
	client, err := lcModel(openAIServer(t,
		[]string{`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"add_task","arguments":"{\"title\":"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"\"buy milk\"}"}}]}`},
		[]string{`{"content":"It is "}`, `{"content":"there."}`})...)
	if err != nil {
		t.Fatal(err)
	}
	events := play(t, client, wish("Milk", `{"tasks":[],"done":0}`))
	expect(t, states(events), `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["buy milk"],"done":0}}`+"\n")
	if said(events) != "It is there." {
		t.Errorf("it said %q", said(events))
	}
}

func TestSequence(t *testing.T) {
	client, err := storyteller(aguitest.NewModel(aguitest.Text("The ", "Lantern"), aguitest.Text("Once upon ", "a time.")))
	if err != nil {
		t.Fatal(err)
	}
	events := play(t, client, wish("lighthouses", ""))
	var steps []string
	for _, e := range events {
		if e, ok := e.(*agui.StepStarted); ok {
			steps = append(steps, e.StepName)
		}
	}
	if !slices.Equal(steps, []string{"storyteller", "title", "story"}) || said(events) != "The LanternOnce upon a time." {
		t.Errorf("steps %q, it said %q", steps, said(events))
	}
}

func TestOutput(t *testing.T) {
	model := langchaingo.NewModel(aguitest.NewModel(aguitest.Text("wash, ", "peel, cut")))
	chain := chains.NewLLMChain(model, prompts.NewPromptTemplate("List the tasks for {{.what}}.", []string{"what"}))
	events := play(t, lister(chain), wish("carrots", ""))
	if said(events) != "I put 3 tasks on the board." {
		t.Errorf("it said %q", said(events))
	}
	expect(t, states(events), `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["wash","peel","cut"],"done":0}}`+"\n")
}

func TestToolsBothWays(t *testing.T) {
	model := aguitest.NewModel(aguitest.Call("c1", "calculator", `{"input":"6*7"}`), aguitest.Text("42."))
	other := aguitest.NewModel(aguitest.Call("c1", "add_task", `{"__arg1":"buy milk"}`), aguitest.Text("Done."))
	ours, theirs := calculating(model, langchaingo.NewModel(other))
	events := play(t, ours, wish("6*7?", ""))
	i := slices.IndexFunc(events, func(e agui.Event) bool { return e.Type() == agui.TypeToolCallResult })
	if i < 0 || events[i].(*agui.ToolCallResult).Content.Text() != "42" {
		t.Errorf("the events are %v", events)
	}
	events = play(t, state.Share[Board]()(langchaingo.NewChain(theirs, nil)), wish("Milk", ""))
	expect(t, states(events), `{"type":"STATE_SNAPSHOT","snapshot":{"tasks":["buy milk"],"done":0}}`+"\n")
}
