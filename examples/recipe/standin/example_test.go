package standin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"

	"github.com/aguistate/aguistate/examples/recipe/standin"
	openai "github.com/sashabaranov/go-openai"
)

// The real client talks to the stand-in as it would to a model.
func Example() {
	server := standin.New(nil)
	base, err := server.Start("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	config := openai.DefaultConfig("no key is needed")
	config.BaseURL, config.HTTPClient = base, &http.Client{Transport: transport}

	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(context.Background(), openai.ChatCompletionRequest{
		Model: standin.Model,
		Messages: []openai.ChatCompletionMessage{
			{Role: "system", Content: `The state: {"recipe":{"title":"Lemonade","ingredients":[{"name":"Lemons","amount":"6"},{"name":"Water","amount":"1 1/2 l"}]}}`},
			{Role: "user", Content: "How much water do I need?"},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(chunk.Choices[0].Delta.Content)
	}
	// Output: Water: 1 1/2 l
}

// In step mode a test decides when each chunk goes.
func ExampleServer_Release() {
	server := standin.New(&standin.Options{Step: true})
	base, err := server.Start("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	config := openai.DefaultConfig("")
	config.BaseURL, config.HTTPClient = base, &http.Client{Transport: transport}
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(context.Background(), openai.ChatCompletionRequest{
		Model: standin.Model, Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "hello"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()

	released, err := server.Release(context.Background(), 2)
	if err != nil {
		log.Fatal(err)
	}
	for range released {
		chunk, err := stream.Recv()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q\n", chunk.Choices[0].Delta.Content)
	}
	// Output:
	// ""
	// "Hello!"
}
