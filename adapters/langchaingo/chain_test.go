package langchaingo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// converse runs a client as an endpoint does.
func converse(t testing.TB, c chat.Client, messages ...agui.Message) []agui.Event {
	t.Helper()
	in := &agui.RunAgentInput{ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion, Messages: messages}
	var events []agui.Event
	for e := range chat.Events(t.Context(), c, in, &chat.EventOptions{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}) {
		events = append(events, e)
	}
	aguitest.Verify(t, events)
	return events
}

func golden(t testing.TB, name string, events []agui.Event) {
	t.Helper()
	aguitest.Golden(t, filepath.Join("testdata", name+".jsonl"), events)
}

func prompt(template string, keys ...string) prompts.PromptTemplate {
	return prompts.NewPromptTemplate(template, keys)
}

type pantry struct {
	Items []string `json:"items"`
}

// larder is a tool that knows nothing of this project but the state.
type larder struct{}

func (larder) Name() string        { return "larder" }
func (larder) Description() string { return "Puts something into the larder." }
func (larder) Call(ctx context.Context, input string) (string, error) {
	return "put " + input, state.Update(ctx, func(p *pantry) error { p.Items = append(p.Items, input); return nil })
}

type broken struct{ larder }

func (broken) Call(context.Context, string) (string, error) {
	return "", errors.New("secret: disk full")
}

// planner is an agent of the user's own: two tools at once, then the answer.
type planner struct{}

func (*planner) Plan(_ context.Context, steps []schema.AgentStep, _ map[string]string, _ ...chains.ChainCallOption) ([]schema.AgentAction, *schema.AgentFinish, error) {
	if len(steps) == 0 {
		return []schema.AgentAction{{Tool: "larder", ToolInput: `{"a":"x"}`}, {Tool: "nothing", ToolInput: "y"}, {Tool: "larder", ToolInput: "z"}}, nil, nil
	}
	return nil, &schema.AgentFinish{ReturnValues: map[string]any{"output": fmt.Sprintf("%d steps", len(steps))}}, nil
}
func (*planner) GetInputKeys() []string  { return []string{"input"} }
func (*planner) GetOutputKeys() []string { return []string{"output"} }
func (*planner) GetTools() []tools.Tool  { return []tools.Tool{larder{}} }

func TestChain(t *testing.T) {
	share := func(c chat.Client) chat.Client { return state.Share[pantry]()(c) }
	react := func(text ...string) aguitest.Turn { return aguitest.Text(text...) }
	for name, c := range map[string]struct {
		turns  []aguitest.Turn
		client func(m llms.Model) chat.Client
	}{
		"llmchain": {
			turns: []aguitest.Turn{aguitest.Text("Hel", "lo").Finish(chat.FinishStop).Usage(agui.TokenUsage{InputTokens: 3, OutputTokens: 2})},
			client: func(m llms.Model) chat.Client {
				return langchaingo.NewChain(chains.NewLLMChain(m, prompt("Greet: {{.name}}", "name")), nil)
			},
		},
		"llmchain-value": {
			turns: []aguitest.Turn{aguitest.Text("Hel", "lo")},
			client: func(m llms.Model) chat.Client {
				return langchaingo.NewChain(chains.NewConversation(m, memory.NewConversationBuffer()), &langchaingo.ChainOptions{Name: "talk"})
			},
		},
		"functions-agent": {
			turns: []aguitest.Turn{
				aguitest.Text("Let me see.").Call("c1", "larder", `{"__arg1":`, `"eggs"}`).Call("c2", "larder", `{"__arg1":"milk"}`),
				aguitest.Text("Both ", "are there."),
			},
			client: func(m llms.Model) chat.Client {
				return share(langchaingo.NewChain(agents.NewExecutor(agents.NewOpenAIFunctionsAgent(m, []tools.Tool{larder{}})), nil))
			},
		},
		"oneshot-agent": {
			turns: []aguitest.Turn{
				react("I should ", "put it away.\nAction: lar", "der\nAction Input: eggs"),
				react("I know.\n", "Final An", "swer: it is", " there"),
			},
			client: func(m llms.Model) chat.Client {
				return share(langchaingo.NewChain(agents.NewExecutor(agents.NewOneShotAgent(m, []tools.Tool{larder{}})), nil))
			},
		},
		"conversational-agent": {
			turns: []aguitest.Turn{
				react("Thought: Do I need to use a tool? Yes\nAction: nothing\nAction Input: eggs"),
				react("Thought: Do I need to use a tool? No\nAI: H", "i!"),
			},
			client: func(m llms.Model) chat.Client {
				return langchaingo.NewChain(agents.NewExecutor(agents.NewConversationalAgent(m, []tools.Tool{larder{}})), nil)
			},
		},
		"conversational-agent-of-ours": {
			turns: []aguitest.Turn{react("Thought: no\nAI: H", "i!")},
			client: func(m llms.Model) chat.Client {
				m = langchaingo.NewModel(langchaingo.New(m, nil))
				return langchaingo.NewChain(agents.NewExecutor(agents.NewConversationalAgent(m, nil)), nil)
			},
		},
		"agent-of-another-kind": {
			client: func(llms.Model) chat.Client {
				return share(langchaingo.NewChain(agents.NewExecutor(&planner{}), nil))
			},
		},
		"agent-tool-fails": {
			turns: []aguitest.Turn{aguitest.Call("c1", "larder", `{"__arg1":"eggs"}`)},
			client: func(m llms.Model) chat.Client {
				return langchaingo.NewChain(agents.NewExecutor(agents.NewOpenAIFunctionsAgent(m, []tools.Tool{broken{}})), nil)
			},
		},
		"agent-calculates": {
			turns: []aguitest.Turn{aguitest.Call("c1", "calculator", `{"__arg1":"6*7"}`), aguitest.Text("42")},
			client: func(m llms.Model) chat.Client {
				calculator := tools.Calculator{CallbacksHandler: &langchaingo.Handler{}}
				return langchaingo.NewChain(agents.NewExecutor(agents.NewOpenAIFunctionsAgent(m, []tools.Tool{calculator})), nil)
			},
		},
		"agent-never-ends": {
			turns: []aguitest.Turn{aguitest.Call("c", "larder", `{"__arg1":"a"}`), aguitest.Call("c", "larder", `{"__arg1":"b"}`)},
			client: func(m llms.Model) chat.Client {
				e := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(m, []tools.Tool{larder{}}), agents.WithMaxIterations(2))
				return share(langchaingo.NewChain(e, nil))
			},
		},
		"sequential": {
			turns: []aguitest.Turn{aguitest.Text("a ", "title"), aguitest.Text("a ", "story")},
			client: func(m llms.Model) chat.Client {
				m = langchaingo.NewModel(langchaingo.New(m, nil))
				first, second := chains.NewLLMChain(m, prompt("{{.topic}}", "topic")), chains.NewLLMChain(m, prompt("{{.title}}", "title"))
				first.OutputKey, first.CallbacksHandler = "title", &langchaingo.Handler{Name: "title"}
				second.CallbacksHandler = &langchaingo.Handler{Name: "story"}
				chain, err := chains.NewSequentialChain([]chains.Chain{first, second}, []string{"topic"}, []string{"text"})
				if err != nil {
					panic(err)
				}
				return langchaingo.NewChain(chain, nil)
			},
		},
		"sequential-unheard": {
			turns: []aguitest.Turn{aguitest.Text("a ", "title. "), aguitest.Text("a ", "story")},
			client: func(m llms.Model) chat.Client {
				chain, err := chains.NewSimpleSequentialChain([]chains.Chain{
					chains.NewLLMChain(m, prompt("{{.topic}}", "topic")), chains.NewLLMChain(m, prompt("{{.title}}", "title")),
				})
				if err != nil {
					panic(err)
				}
				return langchaingo.NewChain(chain, nil)
			},
		},
		"quiet": {
			turns: []aguitest.Turn{aguitest.Text("a, ", "b").Finish(chat.FinishStop).Usage(agui.TokenUsage{InputTokens: 3, OutputTokens: 2})},
			client: func(m llms.Model) chat.Client {
				return share(langchaingo.NewChain(chains.NewLLMChain(m, prompt("{{.what}}", "what")), &langchaingo.ChainOptions{
					Quiet: true,
					Output: func(ctx context.Context, out map[string]any) (string, error) {
						items := strings.Split(out["text"].(string), ", ")
						return fmt.Sprintf("%d items", len(items)), state.Update(ctx, func(p *pantry) error { p.Items = items; return nil })
					},
				}))
			},
		},
		"transform": {
			client: func(llms.Model) chat.Client {
				return langchaingo.NewChain(chains.NewTransform(func(_ context.Context, in map[string]any, _ ...chains.ChainCallOption) (map[string]any, error) {
					return map[string]any{"out": []string{strings.ToUpper(in["in"].(string))}}, nil
				}, []string{"in"}, []string{"out"}), nil)
			},
		},
		"cut": {
			turns: []aguitest.Turn{aguitest.Text("half").Cut()},
			client: func(m llms.Model) chat.Client {
				return langchaingo.NewChain(chains.NewLLMChain(m, prompt("{{.what}}", "what")), nil)
			},
		},
	} {
		for _, tap := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/tap=%v", name, tap), func(t *testing.T) {
				m := aguitest.NewModel(c.turns...)
				events := converse(t, c.client(openaiModel(t, m, tap)), agui.UserMessage("eggs"))
				for _, e := range events {
					if f, ok := e.(*agui.RunFinished); ok && len(f.Usage) > 0 {
						f.Usage[0].Model = "" // only the tap sees it
					}
				}
				golden(t, name, events)
				if n := m.Left(); n != 0 {
					t.Errorf("%d turns were not played", n)
				}
			})
		}
	}
}
