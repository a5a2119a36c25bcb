package langchaingo_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

func put(name string) chat.Tool {
	return chat.NewTool(name, "Puts something into the larder.", func(ctx context.Context, in struct {
		Item string `json:"item"`
	}) (string, error) {
		return "put " + in.Item, state.Update(ctx, func(p *pantry) error { p.Items = append(p.Items, in.Item); return nil })
	})
}

// TestModelAlone is a chain of ours as a plain model, outside any run.
func TestModelAlone(t *testing.T) {
	m := aguitest.NewModel(
		aguitest.Turn{}.Reasoning("hm").Text("Let me see.").Call("c1", "ours", `{}`).Call("c2", "theirs", `{"q"`, `:1}`).
			Finish(chat.FinishToolCalls).Usage(agui.TokenUsage{InputTokens: 3, OutputTokens: 2, TotalTokens: 5, ReasoningTokens: 1}),
	)
	ours := chat.NewTool("ours", "Ours.", func(context.Context, struct{}) (string, error) { return "done", nil })
	nils := chat.Map(func(_ context.Context, u *chat.Update) ([]*chat.Update, error) {
		return []*chat.Update{nil, u, nil}, nil
	})
	model := langchaingo.NewModel(nils(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{ours}})(m)))
	var streamed, thought string
	resp, err := model.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hello")},
		llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "theirs", Parameters: map[string]any{"type": "object"}}}}),
		llms.WithStreamingFunc(func(_ context.Context, b []byte) error { streamed += string(b); return nil }),
		llms.WithStreamingReasoningFunc(func(_ context.Context, r, _ []byte) error { thought += string(r); return nil }))
	if err != nil {
		t.Fatal(err)
	}
	if streamed != "Let me see." || thought != "hm" {
		t.Errorf("streamed %q, thought %q", streamed, thought)
	}
	want := &llms.FunctionCall{Name: "theirs", Arguments: `{"q":1}`}
	if diff := cmp.Diff([]*llms.ContentChoice{{
		Content: "Let me see.", ReasoningContent: "hm", StopReason: "tool_calls",
		ToolCalls: []llms.ToolCall{{ID: "c2", Type: "function", FunctionCall: want}}, FuncCall: want,
		GenerationInfo: map[string]any{"PromptTokens": 3, "CompletionTokens": 2, "TotalTokens": 5, "ReasoningTokens": 1, "PromptCachedTokens": 0, "ThinkingContent": "hm", "ThinkingTokens": 1},
	}}, resp.Choices); diff != "" {
		t.Error(diff)
	}
}

func TestModelAnswersWithItsLastTurn(t *testing.T) {
	ours := chat.NewTool("ours", "Ours.", func(context.Context, struct{}) (string, error) { return "done", nil })
	ending := chat.Tool{Name: "ending", Invoke: func(context.Context, json.RawMessage) (agui.Content, error) {
		return agui.Text("over"), chat.ErrEndLoop
	}}
	for want, turns := range map[string][]aguitest.Turn{
		"It is done.": {aguitest.Text("Let me see.").Call("c1", "ours", "{}"), aguitest.Text("It is ", "done.")},
		"Good bye.":   {aguitest.Text("Good bye.").Call("c1", "ending", "{}")},
	} {
		model := langchaingo.NewModel(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{ours, ending}})(aguitest.NewModel(turns...)))
		got, err := llms.GenerateFromSinglePrompt(t.Context(), model, "hello")
		if err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

// TestModelInARun is a chain of ours inside a chain of langchaingo's, which is
// a tool of a chain of ours: all that happens inside goes to the one stream.
func TestModelInARun(t *testing.T) {
	inner := chat.NewBuilder(aguitest.NewModel(
		aguitest.Text("Putting.").Call("c1", "put", `{"item":"eggs"}`), aguitest.Text("They are ", "there."),
	)).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{put("put")}})).Build()
	chain := chains.NewLLMChain(langchaingo.NewModel(inner), prompt("Put {{.what}} away.", "what"))
	chain.CallbacksHandler = &langchaingo.Handler{Name: "putting"}
	helper := chat.NewTool("helper", "Helps.", func(ctx context.Context, in struct {
		What string `json:"what"`
	}) (string, error) {
		return chains.Run(ctx, chain, in.What)
	})
	outer := chat.NewBuilder(aguitest.NewModel(
		aguitest.Text("One moment.").Call("c1", "helper", `{"what":"eggs"}`), aguitest.Text("All is well."),
	)).Use(state.Share[pantry]()).Use(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{helper}})).Build()
	golden(t, "model-in-a-run", converse(t, outer, agui.UserMessage("eggs")))
}

// TestModelInAChain is the same with the chain as the agent. The model sees
// the state.
func TestModelInAChain(t *testing.T) {
	m := aguitest.NewModel(aguitest.Call("c1", "put", `{"item":"eggs"}`), aguitest.Text("They are ", "there."))
	model := langchaingo.NewModel(chat.InvokeFunctions(chat.FunctionInvocation{Tools: []chat.Tool{put("put")}})(m))
	c := state.Share[pantry]()(langchaingo.NewChain(chains.NewLLMChain(model, prompt("Put {{.what}} away.", "what")), nil))
	golden(t, "model-in-a-chain", converse(t, c, agui.UserMessage("eggs")))
	last := m.Requests()[1].Outgoing
	if text := last[len(last)-1].Content.Text(); !strings.Contains(text, `"eggs"`) {
		t.Errorf("the model's last message is %q, not the state", text)
	}
}

// wrapped hides what is behind a model.
type wrapped struct{ llms.Model }

// TestThereAndBack says nothing twice when a chain of ours passes for a model
// of theirs in a chain of ours.
func TestThereAndBack(t *testing.T) {
	turn := aguitest.Turn{}.Reasoning("hm").Text("Hel", "lo").Call("c1", "theirs", `{"q":1}`)
	var events [][]byte
	for _, model := range []func(chat.Client) chat.Client{
		func(c chat.Client) chat.Client { return c },
		func(c chat.Client) chat.Client { return langchaingo.New(langchaingo.NewModel(c), nil) },
		func(c chat.Client) chat.Client { return langchaingo.New(wrapped{langchaingo.NewModel(c)}, nil) },
	} {
		withTool := chat.ClientFunc(func(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
			req = req.Clone()
			req.Tools = hello("theirs").Tools
			return model(aguitest.NewModel(turn)).Stream(ctx, req)
		})
		lines, err := aguitest.Lines(converse(t, withTool, agui.UserMessage("hello")))
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, lines)
	}
	for _, got := range events[1:] {
		if string(got) != string(events[0]) {
			t.Errorf("got\n%s\nwant\n%s", got, events[0])
		}
	}
}

// TestModelInterrupted ends a chain well when a model in it asks the person.
func TestModelInterrupted(t *testing.T) {
	asking := chat.ClientFunc(func(context.Context, *chat.Request) iter.Seq2[*chat.Update, error] {
		return func(yield func(*chat.Update, error) bool) {
			if yield(&chat.Update{Text: "Shall I?"}, nil) {
				yield(&chat.Update{Interrupts: []agui.Interrupt{{ID: "i1", Reason: "confirm"}}, FinishReason: chat.FinishStop}, nil)
			}
		}
	})
	model := langchaingo.NewModel(asking)
	if _, err := llms.GenerateFromSinglePrompt(t.Context(), model, "hello"); !errors.Is(err, langchaingo.ErrInterrupted) {
		t.Errorf("error %v", err)
	}
	events := converse(t, langchaingo.NewChain(chains.NewLLMChain(model, prompt("{{.x}}", "x")), nil), agui.UserMessage("hello"))
	golden(t, "interrupted", events)
}

func TestModelReasoning(t *testing.T) {
	reasoner, ok := langchaingo.NewModel(aguitest.NewModel(aguitest.Text("ok"))).(llms.ReasoningModel)
	if !ok || !reasoner.SupportsReasoning() {
		t.Error("a model of ours may reason")
	}
	if got, err := llms.GenerateFromSinglePrompt(t.Context(), reasoner, "hello"); err != nil || got != "ok" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestModelErrors(t *testing.T) {
	broken := &chat.Error{Code: "MINE", Message: "It broke."}
	model := langchaingo.NewModel(aguitest.NewModel(aguitest.Text("a").Fail(broken), aguitest.Text("a", "b"), aguitest.Text("a", "b"), aguitest.Text("a").Pause(nil)))
	if _, err := llms.GenerateFromSinglePrompt(t.Context(), model, "hello"); !errors.Is(err, broken) {
		t.Errorf("error %v, want the chain's", err)
	}
	mine := errors.New("mine")
	for _, o := range []llms.CallOption{
		llms.WithStreamingFunc(func(context.Context, []byte) error { return mine }),
		llms.WithStreamingReasoningFunc(func(context.Context, []byte, []byte) error { return mine }),
	} {
		if _, err := llms.GenerateFromSinglePrompt(t.Context(), model, "hello", o); !errors.Is(err, mine) {
			t.Errorf("error %v, want the streaming function's", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := llms.GenerateFromSinglePrompt(ctx, model, "hello", llms.WithStreamingFunc(func(context.Context, []byte) error { cancel(); return nil }))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

// TestModelRequest is about what of a model's call reaches the chain.
func TestModelRequest(t *testing.T) {
	human := func(parts ...llms.ContentPart) llms.MessageContent {
		return llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: parts}
	}
	function := llms.FunctionDefinition{Name: "f", Description: "D", Parameters: map[string]any{"properties": map[string]any{"__arg1": map[string]any{}}}}
	for name, c := range map[string]struct {
		messages []llms.MessageContent
		options  []llms.CallOption
		want     chat.Request
		err      string
	}{
		"roles": {
			messages: []llms.MessageContent{
				llms.TextParts("system", "S"), llms.TextParts("generic", "a", "b"),
				{Role: "ai", Parts: []llms.ContentPart{llms.TextContent{Text: "T"}, llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: "f", Arguments: "ping"}}}},
				{Role: "tool", Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "1", Content: "pong"}}},
				{Role: "ai", Parts: []llms.ContentPart{llms.ToolCall{ID: "2", FunctionCall: &llms.FunctionCall{Name: "f"}}}},
				{Role: "function", Parts: []llms.ContentPart{llms.ToolCallResponse{Name: "f", Content: "pong"}}},
			},
			options: []llms.CallOption{llms.WithFunctions([]llms.FunctionDefinition{function})},
			want: chat.Request{
				Messages: []agui.Message{
					agui.SystemMessage("S"), agui.UserMessage("ab"),
					{Role: agui.RoleAssistant, Content: agui.Text("T"), ToolCalls: []agui.ToolCall{{ID: "1", Name: "f", Arguments: `{"__arg1":"ping"}`}}},
					agui.ToolMessage("1", "pong"),
					{Role: agui.RoleAssistant, Content: agui.Text(""), ToolCalls: []agui.ToolCall{{ID: "2", Name: "f"}}},
					agui.ToolMessage("2", "pong"),
				},
				Tools: []chat.Tool{{Name: "f", Description: "D", Parameters: []byte(`{"properties":{"__arg1":{}}}`)}},
			},
		},
		"parts, also behind pointers": {
			messages: []llms.MessageContent{human(&llms.TextContent{Text: "see"}, llms.WithCacheControl(llms.TextContent{Text: " it"}, nil), llms.ImageURLContent{URL: "data:image/png;base64,iVBORw=="}, llms.ImageURLContent{URL: "https://x.test/a"}, llms.BinaryContent{MIMEType: "audio/wav", Data: []byte("a")}, llms.BinaryContent{MIMEType: "video/mp4", Data: []byte("a")}, llms.BinaryContent{MIMEType: "application/pdf", Data: []byte("a")})},
			want: chat.Request{Messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(
				agui.Part{Type: agui.PartText, Text: "see"}, agui.Part{Type: agui.PartText, Text: " it"}, image(pixel), image(agui.Source{Type: agui.SourceURL, Value: "https://x.test/a"}),
				agui.Part{Type: agui.PartAudio, Source: agui.Source{Type: agui.SourceData, MIMEType: "audio/wav", Value: "YQ=="}},
				agui.Part{Type: agui.PartVideo, Source: agui.Source{Type: agui.SourceData, MIMEType: "video/mp4", Value: "YQ=="}},
				agui.Part{Type: agui.PartDocument, Source: agui.Source{Type: agui.SourceData, MIMEType: "application/pdf", Value: "YQ=="}},
			)}}},
		},
		"settings": {
			options: []llms.CallOption{llms.WithModel("m"), llms.WithTemperature(0.5), llms.WithTopP(0.25), llms.WithTopK(3), llms.WithMaxTokens(7), llms.WithStopWords([]string{"END"}), llms.WithSeed(9), llms.WithFrequencyPenalty(0.5), llms.WithJSONMode()},
			want: chat.Request{
				Options:        chat.Options{Model: "m", Temperature: new(0.5), TopP: new(0.25), MaxTokens: 7, Stop: []string{"END"}, Seed: new(int64(9)), Extra: map[string]any{"top_k": 3, "frequency_penalty": 0.5}},
				ResponseFormat: &chat.ResponseFormat{},
			},
		},
		"choice none":         {options: []llms.CallOption{llms.WithToolChoice("none")}, want: chat.Request{ToolChoice: chat.ToolChoice{Mode: chat.ToolsNone}}},
		"choice auto":         {options: []llms.CallOption{llms.WithToolChoice("auto")}},
		"choice any":          {options: []llms.CallOption{llms.WithToolChoice(map[string]string{"type": "any"})}, want: chat.Request{ToolChoice: chat.ToolChoice{Mode: chat.ToolsRequired}}},
		"choice named":        {options: []llms.CallOption{llms.WithToolChoice(llms.ToolChoice{Type: "function", Function: &llms.FunctionReference{Name: "f"}})}, want: chat.Request{ToolChoice: chat.ToolChoice{Mode: chat.ToolsNamed, Name: "f"}}},
		"choice of old":       {options: []llms.CallOption{llms.WithFunctionCallBehavior(`{"name":"f"}`)}, want: chat.Request{ToolChoice: chat.ToolChoice{Mode: chat.ToolsNamed, Name: "f"}}},
		"a choice of nobody":  {options: []llms.CallOption{llms.WithToolChoice("maybe")}, err: `"maybe"`},
		"a choice of nothing": {options: []llms.CallOption{llms.WithToolChoice(map[string]any{"type": "function"})}, err: "names no tool"},
		"no function":         {options: []llms.CallOption{llms.WithTools([]llms.Tool{{Type: "function"}})}, err: "tool 0 has no function"},
		"bad parameters":      {options: []llms.CallOption{llms.WithFunctions([]llms.FunctionDefinition{{Name: "f", Parameters: func() {}}})}, err: `parameters of tool "f"`},
		"a role of nobody":    {messages: []llms.MessageContent{llms.TextParts("wizard", "x")}, err: "message 0 (wizard)"},
		"a misplaced result":  {messages: []llms.MessageContent{human(llms.ToolCallResponse{})}, err: "part 0"},
		"a misplaced call":    {messages: []llms.MessageContent{human(llms.ToolCall{})}, err: "part 0"},
		"text as a result":    {messages: []llms.MessageContent{llms.TextParts("tool", "x")}, err: "no tool's result"},
		"a part of nobody":    {messages: []llms.MessageContent{human(nil)}, err: "part 0"},
	} {
		t.Run(name, func(t *testing.T) {
			m := aguitest.NewModel(aguitest.Text("ok"))
			_, err := langchaingo.NewModel(m).GenerateContent(t.Context(), c.messages, c.options...)
			if c.err != "" {
				var e *chat.Error
				if !errors.As(err, &e) || e.Code != chat.CodeInvalidRequest || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := m.Requests()[0].Request
			for i := range got.Messages {
				if got.Messages[i].ID == "" {
					t.Errorf("message %d has no id", i)
				}
				got.Messages[i].ID = ""
			}
			for i := range c.want.Messages {
				c.want.Messages[i].ID = ""
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
