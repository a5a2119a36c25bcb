package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms/openai"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/internal/docs/try"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/state"
)

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

func TestModel(t *testing.T) {
	model, err := newModel(openAIServer(t,
		[]string{`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"add_note","arguments":"{\"text\":"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"\"buy milk\"}"}}]}`},
		[]string{`{"content":"It is "}`, `{"content":"there."}`})...)
	if err != nil {
		t.Fatal(err)
	}
	events := try.Play(t, onModel(model), try.Wish("Milk", `{"notes":[]}`))
	try.Expect(t, try.States(events), `{"type":"STATE_SNAPSHOT","snapshot":{"notes":["buy milk"]}}`+"\n")
	if try.Said(events) != "It is there." {
		t.Errorf("it said %q", try.Said(events))
	}
}

func TestSequence(t *testing.T) {
	client, err := storyteller(aguitest.NewModel(aguitest.Text("The ", "Lantern"), aguitest.Text("Once upon ", "a time.")))
	if err != nil {
		t.Fatal(err)
	}
	events := try.Play(t, client, try.Wish("lighthouses", ""))
	var steps []string
	for _, e := range events {
		if e, ok := e.(*agui.StepStarted); ok {
			steps = append(steps, e.StepName)
		}
	}
	if !slices.Equal(steps, []string{"storyteller", "title", "story"}) || try.Said(events) != "The LanternOnce upon a time." {
		t.Errorf("steps %q, it said %q", steps, try.Said(events))
	}
}

func TestStateInAndOut(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("wash, ", "peel, cut"))
	events := try.Play(t, lister(langchaingo.NewModel(model)), try.Wish("a carrot", `{"notes":["soap"]}`))
	if try.Said(events) != "I made 3 notes." {
		t.Errorf("it said %q", try.Said(events))
	}
	try.Expect(t, try.States(events), `{"type":"STATE_SNAPSHOT","snapshot":{"notes":["soap","wash","peel","cut"]}}`+"\n")
	told := model.Requests()[0].Outgoing
	if len(told) != 1 || told[0].Content.Text() != "List what a carrot needs, and is not among soap." {
		t.Errorf("the model was told %v", told)
	}
}

func TestToolsBothWays(t *testing.T) {
	model := aguitest.NewModel(aguitest.Call("c1", "calculator", `{"input":"6*7"}`), aguitest.Text("42."))
	other := aguitest.NewModel(aguitest.Call("c1", "add_note", `{"__arg1":"buy milk"}`), aguitest.Text("Done."))
	ours, theirs := calculating(model, langchaingo.NewModel(other))
	events := try.Play(t, ours, try.Wish("6*7?", ""))
	results := try.Only(events, agui.TypeToolCallResult)
	if len(results) != 1 || results[0].(*agui.ToolCallResult).Content.Text() != "42" {
		t.Errorf("the results are %v", results)
	}
	events = try.Play(t, state.Share[Notes]()(langchaingo.NewChain(theirs, nil)), try.Wish("Milk", ""))
	try.Expect(t, try.States(events), `{"type":"STATE_SNAPSHOT","snapshot":{"notes":["buy milk"]}}`+"\n")
}

func TestTranslator(t *testing.T) {
	model := aguitest.NewModel(aguitest.Text("Sal", "ve!"))
	in := try.Wish("", "")
	in.Messages = []agui.Message{agui.UserMessage("Good bye"), agui.AssistantMessage("Vale"), agui.UserMessage("Hello")}
	aguitest.Golden(t, filepath.Join("testdata", "translator.jsonl"), try.Play(t, translatorAgent(langchaingo.NewModel(model)), in))
	asked := model.Requests()[0].Messages
	if want := "Human: Good bye\nAI: Vale\nHuman: Hello\nAI:"; len(asked) != 1 || !strings.Contains(asked[0].Content.Text(), want) {
		t.Errorf("the model was asked %v, without %s", asked, want)
	}
}

func TestAgent(t *testing.T) {
	model, err := newModel(openAIServer(t,
		[]string{`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"note","arguments":"{\"__arg1\":\"buy eggs\"}"}}]}`},
		[]string{`{"content":"I have "}`, `{"content":"noted it."}`})...)
	if err != nil {
		t.Fatal(err)
	}
	aguitest.Golden(t, filepath.Join("testdata", "notes.jsonl"), try.Play(t, notesAgent(model), try.Wish("Remember to buy eggs.", "")))
}

// TestAnswer is the stream of the page: what curl shows.
func TestAnswer(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	model, err := newModel()
	if err != nil {
		t.Fatal(err)
	}
	aguitest.Golden(t, filepath.Join("testdata", "answer.jsonl"), try.Play(t, notesAgent(model), try.Wish(`note {"__arg1":"buy milk"}`, `{"notes":["call home"]}`)))
}
