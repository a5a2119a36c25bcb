package langchaingo_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/tools"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"Hello, ", "world"} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()

	model, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("-"),
		openai.WithHTTPClient(langchaingo.HTTPClient(server.Client())))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := langchaingo.New(model, nil)
	for u, err := range client.Stream(context.Background(), &chat.Request{Messages: []agui.Message{agui.UserMessage("Say hello.")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(u.Text)
		if u.FinishReason != "" {
			fmt.Printf(" (%s)\n", u.FinishReason)
		}
	}
	// Output: Hello, world (stop)
}

// A chain of ours, tools included, is the model of a chain of langchaingo.
func ExampleNewModel() {
	client := chat.NewBuilder(aguitest.NewModel(
		aguitest.Call("c1", "calculator", `{"input":"6*7"}`), aguitest.Text("It is 42."),
	)).
		Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{langchaingo.NewTool(tools.Calculator{})}})).
		Build()
	chain := chains.NewLLMChain(langchaingo.NewModel(client), prompts.NewPromptTemplate("What is {{.question}}?", []string{"question"}))
	answer, err := chains.Run(context.Background(), chain, "six times seven")
	fmt.Println(answer, err)
	// Output: It is 42. <nil>
}

// A chain of langchaingo is the agent of a run.
func ExampleNewChain() {
	model := langchaingo.NewModel(aguitest.NewModel(aguitest.Text("Sal", "ve!")))
	chain := chains.NewLLMChain(model, prompts.NewPromptTemplate("Translate into Latin: {{.text}}", []string{"text"}))
	client := langchaingo.NewChain(chain, &langchaingo.ChainOptions{Name: "translate"})

	in := &agui.RunAgentInput{ThreadID: "t", RunID: "r", Messages: []agui.Message{agui.UserMessage("Hello")}}
	for e := range chat.Events(context.Background(), client, in, nil) {
		switch e := e.(type) {
		case *agui.StepStarted:
			fmt.Println(e.Type(), e.StepName)
		case *agui.TextMessageContent:
			fmt.Println(e.Type(), e.Delta)
		default:
			fmt.Println(e.Type())
		}
	}
	// Output:
	// RUN_STARTED
	// STEP_STARTED translate
	// TEXT_MESSAGE_START
	// TEXT_MESSAGE_CONTENT Sal
	// TEXT_MESSAGE_CONTENT ve!
	// TEXT_MESSAGE_END
	// STEP_FINISHED
	// RUN_FINISHED
}
