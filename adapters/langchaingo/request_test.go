package langchaingo_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func image(s agui.Source) agui.Part { return agui.Part{Type: agui.PartImage, Source: s} }

var pixel = agui.Source{Type: agui.SourceData, MIMEType: "image/png", Value: "iVBORw=="}

// TestMessages is about what a provider is given for each kind of message.
func TestMessages(t *testing.T) {
	text := func(s string) llms.TextContent { return llms.TextContent{Text: s} }
	toolCall := func(id, name, args string) llms.ToolCall {
		return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: args}}
	}
	message := func(role llms.ChatMessageType, parts ...llms.ContentPart) llms.MessageContent {
		return llms.MessageContent{Role: role, Parts: parts}
	}
	asked := agui.UserMessage("hello")
	called := agui.Message{ID: "a", Role: agui.RoleAssistant, Content: agui.Text("Let me see."), ToolCalls: []agui.ToolCall{
		{ID: "1", Name: "state.get"}, {ID: "2", Name: "f", Arguments: "oops"}, {ID: "3", Name: "f", Arguments: ` {"q":1}`},
	}}
	failed := agui.Message{Role: agui.RoleTool, ToolCallID: "2", Error: "no such file"}
	pictured := agui.Message{Role: agui.RoleTool, ToolCallID: "3", Content: agui.Parts(agui.Part{Type: agui.PartText, Text: "a picture"}, image(pixel))}
	calls := []llms.ContentPart{toolCall("1", "state_get", "{}"), toolCall("2", "f", `{"invalid_arguments":"oops"}`), toolCall("3", "f", ` {"q":1}`)}
	for name, c := range map[string]struct {
		provider string
		messages []agui.Message
		want     []llms.MessageContent
		err      string
	}{
		"roles": {
			messages: []agui.Message{agui.SystemMessage("S"), {Role: agui.RoleDeveloper, Content: agui.Text("D")}, asked, agui.AssistantMessage("hi")},
			want:     []llms.MessageContent{message("system", text("S")), message("system", text("D")), message("human", text("hello")), message("ai", text("hi"))},
		},
		"calls and results": {
			provider: "openai",
			messages: []agui.Message{asked, called, failed, agui.ToolMessage("1", ""), pictured},
			want: []llms.MessageContent{
				message("human", text("hello")), message("ai", append([]llms.ContentPart{text("Let me see.")}, calls...)...),
				message("tool", llms.ToolCallResponse{ToolCallID: "1", Name: "state_get", Content: "(no output)"}),
				message("tool", llms.ToolCallResponse{ToolCallID: "2", Name: "f", Content: "Error: no such file"}),
				message("tool", llms.ToolCallResponse{ToolCallID: "3", Name: "f", Content: "a picture"}),
				message("human", text("Part of the result of tool call 3:"), llms.ImageURLContent{URL: "data:image/png;base64,iVBORw=="}),
			},
		},
		"a result that is a picture": {
			provider: "openai",
			messages: []agui.Message{asked, {Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "1", Name: "f"}}}, {Role: agui.RoleTool, ToolCallID: "1", Content: agui.Parts(image(pixel))}},
			want: []llms.MessageContent{
				message("human", text("hello")), message("ai", toolCall("1", "f", "{}")),
				message("tool", llms.ToolCallResponse{ToolCallID: "1", Name: "f", Content: "(see the next message)"}),
				message("human", text("Part of the result of tool call 1:"), llms.ImageURLContent{URL: "data:image/png;base64,iVBORw=="}),
			},
		},
		"one part a message": {
			provider: "anthropic",
			messages: []agui.Message{agui.SystemMessage("S"), {Role: agui.RoleDeveloper, Content: agui.Text("D")}, asked, called, agui.ToolMessage("1", "ok"), failed, agui.SystemMessage("now")},
			want: []llms.MessageContent{
				message("system", text("S\n\nD")), message("human", text("hello")), message("ai", text("Let me see.")), message("ai", calls[0]), message("ai", calls[1]), message("ai", calls[2]),
				message("tool", llms.ToolCallResponse{ToolCallID: "1", Name: "state_get", Content: "ok"}),
				message("tool", llms.ToolCallResponse{ToolCallID: "2", Name: "f", Content: "Error: no such file"}),
				message("tool", llms.ToolCallResponse{ToolCallID: "3", Name: "f", Content: "(no result: the call was not completed)"}),
				message("human", text("<system>\nnow\n</system>")),
			},
		},
		"media": {
			provider: "openai",
			messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(agui.Part{Type: agui.PartText, Text: "see "}, image(pixel), agui.Part{Type: agui.PartText, Text: "and "}, image(agui.Source{Type: agui.SourceURL, Value: "https://x.test/a.png"}))}},
			want:     []llms.MessageContent{message("human", text("see "), llms.ImageURLContent{URL: "data:image/png;base64,iVBORw=="}, text("and "), llms.ImageURLContent{URL: "https://x.test/a.png"})},
		},
		"media by value": {
			provider: "anthropic",
			messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(agui.Part{Type: agui.PartText, Text: "see "}, image(pixel), agui.Part{Type: agui.PartText, Text: "this"})}},
			want:     []llms.MessageContent{message("human", text("see this"), llms.BinaryContent{MIMEType: "image/png", Data: []byte("\x89PNG")})},
		},
		"text parts only":       {messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(agui.Part{Type: agui.PartText, Text: "a"}, agui.Part{Type: agui.PartText, Text: "b"})}}, want: []llms.MessageContent{message("human", text("ab"))}},
		"nothing":               {messages: []agui.Message{{Role: agui.RoleUser}}, want: []llms.MessageContent{message("human", text(""))}},
		"an address to fetch":   {provider: "googleai", messages: []agui.Message{{ID: "m", Role: agui.RoleUser, Content: agui.Parts(image(agui.Source{Type: agui.SourceURL, Value: "http://10.0.0.1/"}))}}, err: `message 0 ("m"): part 0: a source of type "url"`},
		"audio for openai":      {provider: "openai", messages: []agui.Message{{ID: "m", Role: agui.RoleUser, Content: agui.Parts(agui.Part{Type: agui.PartAudio, Source: pixel})}}, err: `part 0: langchaingo has no way to send a part of type "audio"`},
		"audio for anthropic":   {provider: "anthropic", messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(agui.Part{Type: agui.PartAudio, Source: pixel})}}, err: `type "audio"`},
		"an image for mistral":  {provider: "mistral", messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(image(pixel))}}, err: `type "image"`},
		"not base64":            {provider: "anthropic", messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(image(agui.Source{Type: agui.SourceData, MIMEType: "image/png", Value: "!"}))}}, err: "base64"},
		"without a type":        {messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(image(agui.Source{Type: agui.SourceData, Value: "aaaa"}))}}, err: "MIME"},
		"a file":                {messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(image(agui.Source{Type: agui.SourceFile, Value: "f1"}))}}, err: `source of type "file"`},
		"no source":             {messages: []agui.Message{{Role: agui.RoleUser, Content: agui.Parts(image(agui.Source{Type: agui.SourceURL}))}}, err: "no value"},
		"a role of nobody":      {messages: []agui.Message{{ID: "m", Role: "wizard"}}, err: `message 0 ("m"): no model knows the role "wizard"`},
		"a result with a sound": {provider: "openai", messages: []agui.Message{called, {Role: agui.RoleTool, ToolCallID: "1", Content: agui.Parts(agui.Part{Type: agui.PartAudio, Source: pixel})}}, err: `type "audio"`},
	} {
		t.Run(name, func(t *testing.T) {
			var got []llms.MessageContent
			m := modelFunc(func(_ context.Context, messages []llms.MessageContent, _ *llms.CallOptions) (*llms.ContentResponse, error) {
				got = messages
				return &llms.ContentResponse{Choices: one(llms.ContentChoice{Content: "ok", StopReason: "stop"})}, nil
			})
			req := hello("state.get", "f")
			req.Messages = c.messages
			s := ask(t.Context(), langchaingo.New(m, &langchaingo.Options{Provider: c.provider}), req)
			var e *chat.Error
			if c.err != "" && (!errors.As(s.err, &e) || e.Code != chat.CodeInvalidRequest || !strings.Contains(s.err.Error(), c.err)) || c.err == "" && s.err != nil {
				t.Fatalf("error %v, want %q", s.err, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSettings is about what a provider is given beside the messages.
func TestSettings(t *testing.T) {
	picture := agui.Parts(agui.Part{Type: agui.PartText, Text: "Look:"}, agui.Part{Type: agui.PartImage, Source: agui.Source{Type: agui.SourceURL, Value: "http://x"}})
	schema := json.RawMessage(`{"properties":{"zebra":{"type":"integer"}},"type":"object"}`)
	settings := func(o chat.Options) *chat.Request {
		req := hello("f", "g")
		req.Options = o
		return req
	}
	choose := func(mode chat.ToolMode, name string) *chat.Request {
		req := hello("f", "g")
		req.ToolChoice = chat.ToolChoice{Mode: mode, Name: name}
		return req
	}
	format := func(f chat.ResponseFormat) *chat.Request {
		req := hello()
		req.ResponseFormat = &f
		return req
	}
	for name, c := range map[string]struct {
		open func(testing.TB, *aguitest.Model, bool) llms.Model
		tap  bool
		o    langchaingo.Options
		req  *chat.Request
		want map[string]string // members of the body, as JSON; "" is absent
		err  string
	}{
		"openai, nothing asked": {open: openaiModel, tap: true, req: hello("f"), want: map[string]string{
			"temperature": "", "model": `"test-model"`, "stream": "true", "tool_choice": "", "top_p": "", "response_format": "", "metadata": ""}},
		"openai, all asked": {open: openaiModel, tap: true,
			req: settings(chat.Options{Model: "m", Temperature: new(0.0), TopP: new(0.5), MaxTokens: 7, Stop: []string{"END"}, Seed: new(int64(0)), ParallelToolCalls: new(false), Extra: map[string]any{"user": "u", "stream_options": nil}}),
			want: map[string]string{"model": `"m"`, "temperature": "0", "top_p": "0.5", "max_completion_tokens": "7", "stop": `["END"]`, "seed": "0",
				"parallel_tool_calls": "false", "user": `"u"`, "stream_options": "", "metadata": ""}},
		"openai, defaults": {open: openaiModel, tap: true, o: langchaingo.Options{Defaults: chat.Options{Temperature: new(0.25), Model: "d", Extra: map[string]any{"a": 1, "b": 1}}},
			req: settings(chat.Options{Extra: map[string]any{"b": 2}}), want: map[string]string{"temperature": "0.25", "model": `"d"`, "a": "1", "b": "2"}},
		"openai, call options": {open: openaiModel, tap: true, o: langchaingo.Options{CallOptions: []llms.CallOption{llms.WithTemperature(0.75), llms.WithPresencePenalty(0.5), llms.WithN(3), llms.WithTools([]llms.Tool{{}})}},
			req: hello(), want: map[string]string{"temperature": "0.75", "presence_penalty": "0.5", "n": "", "tools": ""}},
		"openai, required":     {open: openaiModel, tap: true, req: choose(chat.ToolsRequired, ""), want: map[string]string{"tool_choice": `"required"`}},
		"openai, named":        {open: openaiModel, req: choose(chat.ToolsNamed, "g"), want: map[string]string{"tool_choice": `{"function":{"name":"g"},"type":"function"}`}},
		"openai, none":         {open: openaiModel, req: choose(chat.ToolsNone, ""), want: map[string]string{"tool_choice": `"none"`}},
		"openai, a schema":     {open: openaiModel, tap: true, req: format(chat.ResponseFormat{Name: "my answer", Description: "D", Schema: schema, Strict: true}), want: map[string]string{"response_format": `{"json_schema":{"description":"D","name":"my_answer","schema":` + string(schema) + `,"strict":true},"type":"json_schema"}`}},
		"openai, any JSON":     {open: openaiModel, tap: true, req: format(chat.ResponseFormat{}), want: map[string]string{"response_format": `{"type":"json_object"}`}},
		"openai, in prompt":    {open: openaiModel, tap: true, o: langchaingo.Options{SchemaInPrompt: true}, req: format(chat.ResponseFormat{Schema: schema}), want: map[string]string{"response_format": ""}},
		"openai bare, schema":  {open: openaiModel, req: format(chat.ResponseFormat{Schema: schema}), want: map[string]string{"response_format": `{"type":"json_object"}`}},
		"openai bare, extra":   {open: openaiModel, req: settings(chat.Options{Extra: map[string]any{"user": "u"}}), want: map[string]string{"metadata": `{"user":"u"}`}},
		"openai bare, top_p":   {open: openaiModel, req: settings(chat.Options{TopP: new(0.5)}), err: "Options.TopP"},
		"openai bare, one":     {open: openaiModel, req: settings(chat.Options{ParallelToolCalls: new(false)}), err: "Options.ParallelToolCalls"},
		"ollama, one":          {open: ollamaModel, tap: true, req: settings(chat.Options{ParallelToolCalls: new(false)}), err: "Options.ParallelToolCalls"},
		"ollama, many":         {open: ollamaModel, tap: true, req: settings(chat.Options{ParallelToolCalls: new(true)}), want: map[string]string{"parallel_tool_calls": ""}},
		"anthropic, required":  {open: anthropicModel, tap: true, req: choose(chat.ToolsRequired, ""), want: map[string]string{"tool_choice": `{"type":"any"}`, "temperature": ""}},
		"anthropic, one":       {open: anthropicModel, tap: true, req: settings(chat.Options{ParallelToolCalls: new(false), Temperature: new(0.0)}), want: map[string]string{"tool_choice": `{"disable_parallel_tool_use":true,"type":"auto"}`, "temperature": "0"}},
		"anthropic, none":      {open: anthropicModel, tap: true, req: choose(chat.ToolsNone, ""), want: map[string]string{"tool_choice": `{"type":"none"}`}},
		"anthropic bare, none": {open: anthropicModel, req: choose(chat.ToolsNone, ""), want: map[string]string{"tools": ""}},
		"anthropic bare, named": {open: anthropicModel, req: choose(chat.ToolsNamed, "g"), want: map[string]string{"tools": `[{"input_schema":{"properties":{"q":{"type":"integer"}},"type":"object"},"name":"g"}]`,
			"messages": `[{"content":[{"text":"hello","type":"text"}],"role":"user"},{"content":[{"text":"\u003csystem\u003e\nAnswer by calling the tool g.\n\u003c/system\u003e","type":"text"}],"role":"user"}]`}},
		"ollama, schema": {open: ollamaModel, tap: true, req: format(chat.ResponseFormat{Schema: schema}), want: map[string]string{"format": string(schema)}},
		"ollama, named":  {open: ollamaModel, tap: true, req: choose(chat.ToolsNamed, "g"), want: map[string]string{"tools": `[{"function":{"description":"","name":"g","parameters":{"properties":{"q":{"type":"integer"}},"type":"object"}},"type":"function"}]`}},

		"no tool":                           {open: openaiModel, req: &chat.Request{ToolChoice: chat.ToolChoice{Mode: chat.ToolsRequired}}, err: "no tool is offered"},
		"a tool of nobody":                  {open: openaiModel, req: choose(chat.ToolsNamed, "h"), err: `names "h"`},
		"a mode of nobody":                  {open: openaiModel, req: choose("maybe", ""), err: `"maybe"`},
		"two tools":                         {open: openaiModel, req: hello("f", "g", "f"), err: `tool 2 has the name "f" of tool 0`},
		"no parameters":                     {open: openaiModel, req: &chat.Request{Messages: hello().Messages, Tools: []chat.Tool{{Name: "f", Parameters: []byte(` null `)}}}, want: map[string]string{"tools": `[{"function":{"name":"f","parameters":{"properties":{},"type":"object"}},"type":"function"}]`}},
		"a picture of the assistant's":      {open: openaiModel, req: &chat.Request{Messages: []agui.Message{{ID: "a1", Role: agui.RoleAssistant, Content: picture}}}, err: `message 0 ("a1"): part 1: a part of type "image" cannot be sent in a message of the role "assistant"`},
		"ollama, a picture of the system's": {open: ollamaModel, tap: true, req: &chat.Request{Messages: []agui.Message{{ID: "s1", Role: agui.RoleSystem, Content: picture}}}, err: `message 0 ("s1"): part 1: a part of type "image" cannot be sent`},
		"ollama, a role":                    {open: ollamaModel, tap: true, req: &chat.Request{Messages: []agui.Message{{ID: "b1", Role: "banana"}}}, err: `no model knows the role "banana"`},
		"ollama, what no model reads":       {open: ollamaModel, tap: true, req: &chat.Request{Messages: append([]agui.Message{{ID: "x", Role: agui.RoleActivity}, {ID: "y", Role: agui.RoleReasoning}}, hello().Messages...)}, want: map[string]string{"messages": `[{"content":"hello","role":"user"}]`}},
		"not JSON, bare":                    {open: openaiModel, req: settings(chat.Options{Extra: map[string]any{"f": func() {}}}), err: `extra member "f"`},
		"a nameless tool":                   {open: openaiModel, req: hello(""), err: "tool 0 has no name"},
		"a tool's bad schema":               {open: openaiModel, req: &chat.Request{Tools: []chat.Tool{{Name: "f", Parameters: []byte(`[]`)}}}, err: `parameters of tool "f"`},
		"a bad schema":                      {open: openaiModel, req: format(chat.ResponseFormat{Name: "n", Schema: []byte("{")}), err: `response format "n"`},
		"not JSON":                          {open: openaiModel, tap: true, req: settings(chat.Options{Extra: map[string]any{"f": func() {}}}), err: "extra member"},
	} {
		t.Run(name, func(t *testing.T) {
			m := aguitest.NewModel(aguitest.Text("ok"))
			s := ask(t.Context(), langchaingo.New(c.open(t, m, c.tap), &c.o), c.req)
			if c.err != "" {
				var e *chat.Error
				if !errors.As(s.err, &e) || e.Code != chat.CodeInvalidRequest || !strings.Contains(s.err.Error(), c.err) {
					t.Fatalf("error %v, want %q", s.err, c.err)
				}
				if n := len(m.Requests()); n != 0 {
					t.Errorf("%d requests were sent", n)
				}
				return
			}
			if s.err != nil {
				t.Fatal(s.err)
			}
			body := m.Requests()[0].Options.Extra
			for member, want := range c.want {
				got, present := body[member]
				b, err := json.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}
				if want == "" && present || want != "" && string(b) != want {
					t.Errorf("%s is %s, want %s", member, b, want)
				}
			}
		})
	}
}

// TestSchemaOrder is about the members of a schema: a model writes them in the
// order in which it reads them.
func TestSchemaOrder(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`)
	for name, open := range map[string]func(testing.TB, *aguitest.Model, bool) llms.Model{"openai": openaiModel, "anthropic": anthropicModel, "ollama": ollamaModel} {
		m := aguitest.NewModel(aguitest.Text("ok"))
		s := ask(t.Context(), langchaingo.New(open(t, m, true), nil), &chat.Request{
			Messages: hello().Messages, Tools: []chat.Tool{{Name: "f", Parameters: schema}},
		})
		if got := m.Requests()[0].Tools; s.err != nil || len(got) != 1 || string(got[0].Parameters) != string(schema) {
			t.Errorf("%s: %v, %+v", name, s.err, got)
		}
	}
}

// TestOllamaMessages is about what the tap writes for a provider that refuses
// half of it.
func TestOllamaMessages(t *testing.T) {
	m := aguitest.NewModel(aguitest.Text("ok"))
	req := hello("state.get", "state-get", "state/get")
	req.Messages = []agui.Message{
		{Role: agui.RoleDeveloper, Content: agui.Text("D")},
		{Role: agui.RoleUser, Content: agui.Parts(agui.Part{Type: agui.PartText, Text: "see"}, image(pixel))},
		{Role: agui.RoleAssistant, ToolCalls: []agui.ToolCall{{ID: "1", Name: "state/get", Arguments: "oops"}}},
		agui.ToolMessage("1", ""),
	}
	if s := ask(t.Context(), langchaingo.New(ollamaModel(t, m, true), nil), req); s.err != nil {
		t.Fatal(s.err)
	}
	got, err := json.Marshal(m.Requests()[0].Options.Extra["messages"])
	want := `[{"content":"D","role":"system"},{"content":"see","images":["iVBORw=="],"role":"user"},` +
		`{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":{"invalid_arguments":"oops"},"name":"state_get_2"}}]},` +
		`{"content":"(no output)","role":"tool","tool_name":"state_get_2"}]`
	if err != nil || string(got) != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
	for _, bad := range []agui.Message{
		{ID: "m", Role: agui.RoleUser, Content: agui.Parts(image(agui.Source{Type: agui.SourceURL, Value: "https://x.test/a"}))},
		{ID: "m", Role: agui.RoleUser, Content: agui.Parts(agui.Part{Type: agui.PartAudio, Source: pixel})},
	} {
		s := ask(t.Context(), langchaingo.New(ollamaModel(t, m, true), nil), &chat.Request{Messages: []agui.Message{bad}})
		var e *chat.Error
		if !errors.As(s.err, &e) || e.Code != chat.CodeInvalidRequest || !strings.Contains(s.err.Error(), `message 0 ("m"): part 0`) {
			t.Errorf("error %v", s.err)
		}
	}
}

// TestSharedOptions applies options that write into what they are given, from
// calls at the same time; it is for the race detector.
func TestSharedOptions(t *testing.T) {
	m := modelFunc(func(_ context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		o.Metadata["call"] = true
		return &llms.ContentResponse{Choices: one(llms.ContentChoice{Content: "ok"})}, nil
	})
	shared := map[string]any{"k": "v"}
	c := langchaingo.New(m, &langchaingo.Options{CallOptions: []llms.CallOption{llms.WithMetadata(shared), llms.WithPromptCaching(true), llms.WithThinkingMode(llms.ThinkingModeLow)}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if s := ask(context.Background(), c, hello()); s.err != nil {
				t.Error(s.err)
			}
		})
	}
	wg.Wait()
	if _, leaked := shared["call"]; leaked {
		t.Error("a call's metadata is everybody's")
	}
}
