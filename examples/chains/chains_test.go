package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/aguitest"
)

// model is langchaingo's openai provider at a server that gives the answers
// one after the other, each a list of deltas, and keeps what it was asked.
func model(t *testing.T, asked *[]string, answers ...[]string) llms.Model {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || len(*asked) == len(answers) {
			http.Error(w, "no answer is left", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, delta := range answers[len(*asked)] {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		*asked = append(*asked, string(body))
	}))
	t.Cleanup(s.Close)
	m, err := openai.New(openai.WithToken("-"), openai.WithBaseURL(s.URL), openai.WithHTTPClient(langchaingo.HTTPClient(s.Client())))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func input(messages ...agui.Message) *agui.RunAgentInput {
	return &agui.RunAgentInput{ThreadID: "thread", RunID: "run", ProtocolVersion: agui.ProtocolVersion, Messages: messages}
}

func TestTranslator(t *testing.T) {
	var asked []string
	client := translatorAgent(model(t, &asked, []string{`{"content":"Sal"}`, `{"content":"ve!"}`}))
	events := aguitest.Post(t, aguihttp.Handler(client, nil), input(
		agui.UserMessage("Good bye"), agui.AssistantMessage("Vale"), agui.UserMessage("Hello"),
	))
	aguitest.Golden(t, "testdata/translator.jsonl", events)
	if want := `Human: Good bye\nAI: Vale\nHuman: Hello\nAI:`; !strings.Contains(asked[0], want) {
		t.Errorf("the model was asked %s, without %s", asked[0], want)
	}
}

func TestNotes(t *testing.T) {
	var asked []string
	client := notesAgent(model(t, &asked,
		[]string{`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"note","arguments":"{\"__arg1\":\"buy eggs\"}"}}]}`},
		[]string{`{"content":"I have "}`, `{"content":"noted it."}`}))
	events := aguitest.Post(t, aguihttp.Handler(client, nil), input(agui.UserMessage("Remember to buy eggs.")))
	aguitest.Golden(t, "testdata/notes.jsonl", events)
	if want := `{\"notes\":[\"buy eggs\"]}`; !strings.Contains(asked[1], want) {
		t.Errorf("the model was asked %s, without the state", asked[1])
	}
}
