package langchaingo_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// TestAgentInATool is an agent of langchaingo inside a tool, without NewChain:
// nobody tells the run what its tools answer, so it is not told of their calls
// either, which would wait for the client for ever.
func TestAgentInATool(t *testing.T) {
	inner := aguitest.NewModel(aguitest.Text("Let me see.").Call("c1", "larder", `{"__arg1":"eggs"}`), aguitest.Text("They are there."))
	agent := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(langchaingo.NewModel(inner), []tools.Tool{larder{}}))
	helper := chat.NewTool("helper", "Helps.", func(ctx context.Context, in struct {
		What string `json:"what"`
	}) (string, error) {
		return chains.Run(ctx, agent, in.What)
	})
	outer := chat.NewBuilder(aguitest.NewModel(aguitest.Call("c1", "helper", `{"what":"eggs"}`), aguitest.Text("All is well."))).
		Use(state.Share[pantry]()).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{helper}})).Build()
	golden(t, "agent-in-a-tool", converse(t, outer, agui.UserMessage("eggs")))
}

// TestOutput is said unless a model has said it, as the whole of an answer.
func TestOutput(t *testing.T) {
	for name, c := range map[string]struct {
		says   string
		output string
		want   []string // the messages
	}{
		"part of what was said": {says: "I know it now", output: "no", want: []string{"I know it now", "no"}},
		"its end":               {says: "It is 42", output: "42", want: []string{"It is 42", "42"}},
		"the same":              {says: "It is 42", output: " It is 42\n", want: []string{"It is 42"}},
		"it goes on":            {says: "It is 42", output: "It is 42, they say.", want: []string{"It is 42", ", they say."}},
		"nothing":               {says: "It is 42", want: []string{"It is 42"}},
	} {
		t.Run(name, func(t *testing.T) {
			chain := chains.NewLLMChain(openaiModel(t, aguitest.NewModel(aguitest.Text(c.says)), true), prompt("{{.what}}", "what"))
			client := langchaingo.NewChain(chain, &langchaingo.ChainOptions{Output: func(context.Context, map[string]any) (string, error) { return c.output, nil }})
			var got []string
			for _, e := range converse(t, client, agui.UserMessage("what?")) {
				switch e := e.(type) {
				case *agui.TextMessageStart:
					got = append(got, "")
				case *agui.TextMessageContent:
					got[len(got)-1] += e.Delta
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the messages are %q, want %q", got, c.want)
			}
		})
	}
}

// counted is a tool that counts its calls.
type counted struct {
	larder
	calls *int
}

func (c counted) Call(context.Context, string) (string, error) {
	*c.calls++
	return "", nil
}

// TestCutByLength runs no tool with what a model had no room to write.
func TestCutByLength(t *testing.T) {
	for name, c := range map[string]struct {
		turn  aguitest.Turn
		agent func(llms.Model, []tools.Tool) agents.Agent
		calls int
		text  string
	}{
		"inside arguments": {
			turn:  aguitest.Call("c1", "larder", `{"__arg1":"rm -rf /tm`).Finish(chat.FinishLength),
			agent: func(m llms.Model, list []tools.Tool) agents.Agent { return agents.NewOpenAIFunctionsAgent(m, list) },
		},
		"inside an action": {
			turn:  aguitest.Text("Action: larder\nAction Input: rm -rf /tm").Finish(chat.FinishLength),
			agent: func(m llms.Model, list []tools.Tool) agents.Agent { return agents.NewOneShotAgent(m, list) },
		},
		"inside the answer": {
			turn:  aguitest.Text("I know.\nFinal Answer: It is").Finish(chat.FinishLength),
			agent: func(m llms.Model, list []tools.Tool) agents.Agent { return agents.NewOneShotAgent(m, list) },
			text:  "It is",
		},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			m := aguitest.NewModel(c.turn)
			got := ask(t.Context(), langchaingo.NewChain(agents.NewExecutor(c.agent(openaiModel(t, m, true), []tools.Tool{counted{calls: &calls}})), nil), hello())
			var e *chat.Error
			if c.text == "" && (!errors.As(got.err, &e) || e.Code != chat.CodeIncomplete || !errors.Is(got.err, io.ErrUnexpectedEOF)) {
				t.Errorf("error %v", got.err)
			}
			if c.text != "" && (got.err != nil || strings.TrimSpace(got.text) != c.text) {
				t.Errorf("text %q, error %v", got.text, got.err)
			}
			if calls != 0 {
				t.Errorf("the tool was called %d times", calls)
			}
		})
	}
}
