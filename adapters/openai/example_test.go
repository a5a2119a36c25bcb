package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// standIn answers every request with two pieces of text.
func standIn() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"Hello, ", "world"} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
}

func say(client chat.Client) {
	req := &chat.Request{Messages: []agui.Message{agui.UserMessage("Say hello.")}}
	for u, err := range client.Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(u.Text)
		if u.FinishReason != "" {
			fmt.Printf(" (%s)\n", u.FinishReason)
		}
	}
}

func ExampleNew() {
	server := standIn()
	defer server.Close()

	client := openai.New("llama3.2", &openai.Options{
		BaseURL:  server.URL + "/v1",
		Defaults: chat.Options{Temperature: new(0.0), Extra: map[string]any{"top_k": 40}},
	})
	say(client)
	// Output: Hello, world (stop)
}

// Azure has its addresses and its key in the SDK's configuration.
func ExampleFromClient() {
	server := standIn()
	defer server.Close()

	config := goopenai.DefaultAzureConfig("key", server.URL)
	config.APIVersion = "2024-10-21"
	config.HTTPClient = openai.Doer(nil, nil)
	client := openai.FromClient(goopenai.NewClientWithConfig(config), "my-deployment", nil)
	say(client)
	// Output: Hello, world (stop)
}

func ExampleUpdates() {
	server := standIn()
	defer server.Close()

	config := goopenai.DefaultConfig("key")
	config.BaseURL = server.URL
	stream, err := goopenai.NewClientWithConfig(config).CreateChatCompletionStream(context.Background(), goopenai.ChatCompletionRequest{
		Model:    "gpt-4o-mini",
		Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: "Say hello."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := chat.Collect(openai.Updates(stream, nil, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text())
	// Output: Hello, world
}
