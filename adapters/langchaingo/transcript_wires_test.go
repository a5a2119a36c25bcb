package langchaingo_test

import (
	"errors"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// TestAnthropicAndOllamaTranscripts plays what langchaingo's providers lose.
func TestAnthropicAndOllamaTranscripts(t *testing.T) {
	start := `{"type":"message_start","message":{"model":"claude","usage":{"input_tokens":5,"cache_read_input_tokens":2,"cache_creation_input_tokens":1}}}`
	end := `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`
	anthropicModel := func(url string) (llms.Model, error) {
		return anthropic.New(anthropic.WithToken("-"), anthropic.WithBaseURL(url), anthropic.WithHTTPClient(httpClient(t, true)))
	}
	ollamaModel := func(url string) (llms.Model, error) {
		return ollama.New(ollama.WithServerURL(url), ollama.WithModel("m"), ollama.WithHTTPClient(httpClient(t, true)))
	}
	for name, c := range map[string]struct {
		model func(url string) (llms.Model, error)
		body  string
		want  said
		code  string
	}{
		"anthropic: thinking, text and a call": {
			model: anthropicModel,
			body: sse(start,
				`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
				`{"type":"ping"}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi"}}`,
				`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
				`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"q\":9007199254740993}"}}`,
				end, `{"type":"message_stop"}`),
			want: said{reasoning: "hm", text: "Hi", opaque: "sig", calls: `f({"q":9007199254740993})`, finish: chat.FinishToolCalls,
				usage: &agui.TokenUsage{Provider: "anthropic", Model: "claude", InputTokens: 8, OutputTokens: 9, TotalTokens: 17, CachedInputTokens: 2, CacheWriteInputTokens: 1}},
		},
		"anthropic: a whole answer": {
			model: anthropicModel,
			body:  `{"type":"message","model":"claude","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"t","name":"f","input":{"q":1}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":9}}`,
			want:  said{text: "Hi", calls: `f({"q":1})`, finish: chat.FinishToolCalls},
		},
		"anthropic: overloaded": {
			model: anthropicModel,
			body:  sse(start) + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
			code:  chat.CodeUnavailable,
		},
		"anthropic: cut": {model: anthropicModel, body: sse(start), code: chat.CodeIncomplete},
		"ollama: thinking and a call": {
			model: ollamaModel,
			body: `{"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}` + "\n" +
				`{"message":{"role":"assistant","content":"Hi","tool_calls":[{"function":{"name":"f","arguments":{"q":1}}},{"function":{"name":"f","arguments":{"q":2}}}]},"done":false}` + "\n" +
				`{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":4}` + "\n",
			want: said{reasoning: "hm", text: "Hi", calls: `f({"q":1}) f({"q":2})`, finish: chat.FinishToolCalls,
				usage: &agui.TokenUsage{Provider: "ollama", InputTokens: 3, OutputTokens: 4, TotalTokens: 7}},
		},
		"ollama: length": {
			model: ollamaModel, body: `{"message":{"content":"Hi"},"done":true,"done_reason":"length"}`,
			want: said{text: "Hi", finish: chat.FinishLength},
		},
		"ollama: an error": {
			model: ollamaModel, body: `{"message":{"content":"Hi"},"done":false}` + "\n" + `{"error":"out of memory"}` + "\n",
			want: said{text: "Hi"}, code: chat.CodeUnavailable,
		},
		"ollama: cut": {
			model: ollamaModel, body: `{"message":{"content":"Hi"},"done":false}` + "\n",
			want: said{text: "Hi"}, code: chat.CodeIncomplete,
		},
	} {
		t.Run(name, func(t *testing.T) {
			model, err := c.model(transcript(t, 200, c.body))
			if err != nil {
				t.Fatal(err)
			}
			got := ask(t.Context(), langchaingo.New(model, nil), hello("f"))
			compare(t, got, c.want)
			var e *chat.Error
			if c.code == "" && got.err != nil || c.code != "" && (!errors.As(got.err, &e) || e.Code != c.code) {
				t.Errorf("error %v, want code %q", got.err, c.code)
			}
		})
	}
}
