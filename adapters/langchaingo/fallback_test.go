package langchaingo_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// modelFunc is a model that no provider is behind.
type modelFunc func(ctx context.Context, messages []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error)

func (f modelFunc) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	return f(ctx, messages, &o)
}

func (f modelFunc) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, f, prompt, options...)
}

// streaming is a model that streams pieces and returns a response.
func streaming(choices []*llms.ContentChoice, pieces ...string) modelFunc {
	return func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		for _, p := range pieces {
			if o.StreamingFunc == nil {
				break
			}
			if err := o.StreamingFunc(ctx, []byte(p)); err != nil {
				return nil, err
			}
		}
		return &llms.ContentResponse{Choices: choices}, nil
	}
}

func one(c llms.ContentChoice) []*llms.ContentChoice { return []*llms.ContentChoice{&c} }

// TestModelsThatWeDidNotBuild is about models of which nothing is known.
func TestModelsThatWeDidNotBuild(t *testing.T) {
	toolCall := llms.ToolCall{ID: "a", FunctionCall: &llms.FunctionCall{Name: "f", Arguments: `{"q":1}`}}
	const creme = "Crème brûlée 🍮"
	for name, c := range map[string]struct {
		model llms.Model
		o     *langchaingo.Options
		tools []string
		want  said
		err   string
	}{
		"streamed, and again in the response": {model: streaming(one(llms.ContentChoice{Content: "Hello", StopReason: "stop"}), "Hel", "", "lo"), want: said{text: "Hello", finish: chat.FinishStop}},
		"never streamed":                      {model: streaming(one(llms.ContentChoice{Content: "Hello"})), want: said{text: "Hello", finish: chat.FinishStop}},
		"the rest was not streamed":           {model: streaming(one(llms.ContentChoice{Content: "Hello, you"}), "Hel", "lo"), want: said{text: "Hello, you", finish: chat.FinishStop}},
		"changed since":                       {model: streaming(one(llms.ContentChoice{Content: "HELLO"}), "Hel", "lo"), want: said{text: "Hello", finish: chat.FinishStop}},
		"half a code point at the end":        {model: streaming(one(llms.ContentChoice{Content: "Cr\xc3"}), "Cr\xc3"), want: said{text: "Cr\ufffd", finish: chat.FinishStop}},
		"calls of a kind without id and type": {model: streaming(one(llms.ContentChoice{Content: "Hm.", ToolCalls: []llms.ToolCall{toolCall, {FunctionCall: &llms.FunctionCall{Name: "g"}}}}), "Hm."), tools: []string{"f", "g"}, want: said{text: "Hm.", calls: `f({"q":1}) g()`, finish: chat.FinishToolCalls}},
		"a call of old":                       {model: streaming(one(llms.ContentChoice{FuncCall: toolCall.FunctionCall})), tools: []string{"f"}, want: said{calls: `f({"q":1})`, finish: chat.FinishToolCalls}},
		"a choice for each block": {model: streaming([]*llms.ContentChoice{
			{GenerationInfo: map[string]any{"ThinkingContent": "hm", "ThinkingSignature": "sig", "InputTokens": 3}}, nil, {Content: "Hi", GenerationInfo: map[string]any{"InputTokens": 3}}, {ToolCalls: []llms.ToolCall{toolCall}},
		}, "Hi"), tools: []string{"f"}, want: said{reasoning: "hm", text: "Hi", opaque: "sig", calls: `f({"q":1})`, finish: chat.FinishToolCalls, usage: &agui.TokenUsage{InputTokens: 3, TotalTokens: 3}}},
		"thoughts in the response only": {model: streaming(one(llms.ContentChoice{Content: "Hi", ReasoningContent: "hm"})), want: said{reasoning: "hm", text: "Hi", finish: chat.FinishStop}},
		"finish reasons of Google":      {model: streaming(one(llms.ContentChoice{Content: "Hi", StopReason: "FinishReasonMaxTokens"})), want: said{text: "Hi", finish: chat.FinishLength}},
		"usage of mistral":              {model: streaming(one(llms.ContentChoice{Content: "Hi", GenerationInfo: map[string]any{"usage": struct{ PromptTokens, CompletionTokens, TotalTokens int }{1, 2, 3}}})), want: said{text: "Hi", finish: chat.FinishStop, usage: &agui.TokenUsage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3}}},
		"tools and streaming together refused": {
			model: modelFunc(func(_ context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				if o.StreamingFunc != nil && len(o.Tools) > 0 {
					return nil, errors.New("tools do not stream")
				}
				return &llms.ContentResponse{Choices: one(llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall}})}, nil
			}), tools: []string{"f"}, err: "tools do not stream",
		},
		"and not asked for": {
			model: modelFunc(func(_ context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				if o.StreamingFunc != nil && len(o.Tools) > 0 {
					return nil, errors.New("tools do not stream")
				}
				return &llms.ContentResponse{Choices: one(llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall}})}, nil
			}), o: &langchaingo.Options{Streaming: langchaingo.StreamWithoutTools}, tools: []string{"f"}, want: said{calls: `f({"q":1})`, finish: chat.FinishToolCalls},
		},
		"never asked to stream": {
			model: modelFunc(func(_ context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				if o.StreamingFunc != nil || o.StreamingReasoningFunc != nil {
					return nil, errors.New("no streams")
				}
				return &llms.ContentResponse{Choices: one(llms.ContentChoice{Content: "Hi"})}, nil
			}), o: &langchaingo.Options{Streaming: langchaingo.StreamNever}, want: said{text: "Hi", finish: chat.FinishStop},
		},
		"bedrock, which loses calls when it streams": {
			model: modelFunc(func(_ context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				if o.StreamingFunc != nil {
					return nil, errors.New("it streams")
				}
				return &llms.ContentResponse{Choices: one(llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall}})}, nil
			}), o: &langchaingo.Options{Provider: "bedrock"}, tools: []string{"f"}, want: said{calls: `f({"q":1})`, finish: chat.FinishToolCalls},
		},
		"Google, whose tools are maps": {
			model: modelFunc(func(_ context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				if _, ok := o.Tools[0].Function.Parameters.(map[string]any); !ok {
					return nil, errors.New("no map")
				}
				return &llms.ContentResponse{Choices: one(llms.ContentChoice{Content: "Hi", StopReason: "FinishReasonSafety"})}, nil
			}), o: &langchaingo.Options{Provider: "googleai"}, tools: []string{"f"}, want: said{text: "Hi", finish: chat.FinishContentFilter},
		},
		"another goroutine": {
			model: modelFunc(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				var wg sync.WaitGroup
				wg.Go(func() { _ = o.StreamingFunc(ctx, []byte("Hi")) })
				wg.Wait()
				return &llms.ContentResponse{Choices: one(llms.ContentChoice{Content: "Hi there"})}, nil
			}), want: said{text: "Hi there", finish: chat.FinishStop},
		},
		"a provider that swallows our error": {
			model: modelFunc(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				_ = o.StreamingFunc(ctx, []byte(`[{"id":"a","type":"function","function":{"name":"f","arguments":""}},{"id":"b","type":"function","function":{"name":"f","arguments":""}}]`))
				_ = o.StreamingFunc(ctx, []byte(`[{"type":"","function":{"name":"","arguments":"{"}}]`))
				return &llms.ContentResponse{Choices: one(llms.ContentChoice{})}, nil
			}), tools: []string{"f"}, err: "alternate",
		},
		"text behind what looks like a call, and an error": {
			model: modelFunc(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
				for _, s := range []string{"Hi", `[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]`, " there"} {
					_ = o.StreamingFunc(ctx, []byte(s))
				}
				return nil, errors.New("gone")
			}), tools: []string{"f"}, want: said{text: "Hi there"}, err: "gone",
		},
		"a provider that panics": {
			model: modelFunc(func(context.Context, []llms.MessageContent, *llms.CallOptions) (*llms.ContentResponse, error) {
				panic("nil map")
			}), err: "nil map",
		},
		"no response":      {model: streaming(nil), err: "no answer"},
		"an empty choice":  {model: streaming(one(llms.ContentChoice{})), want: said{finish: chat.FinishStop}},
		"a call of nobody": {model: streaming(one(llms.ContentChoice{ToolCalls: []llms.ToolCall{{ID: "a"}}})), err: "has no function"},
		"ollama, cut": {
			model: streaming(one(llms.ContentChoice{}), "Hal"), o: &langchaingo.Options{Provider: "ollama"}, want: said{text: "Hal"}, err: io.ErrUnexpectedEOF.Error(),
		},
		"ollama, nothing at all": {model: streaming(one(llms.ContentChoice{})), o: &langchaingo.Options{Provider: "ollama"}, err: io.ErrUnexpectedEOF.Error()},
		"ollama, tools":          {model: streaming(one(llms.ContentChoice{})), o: &langchaingo.Options{Provider: "ollama"}, tools: []string{"f"}, err: "HTTPClient"},
		"openai, without a finish": {
			model: streaming(one(llms.ContentChoice{Content: "Hal"}), "Hal"), o: &langchaingo.Options{Provider: "openai"}, want: said{text: "Hal"}, err: io.ErrUnexpectedEOF.Error(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t.Context(), langchaingo.New(c.model, c.o), hello(c.tools...))
			compare(t, got, c.want)
			if c.err == "" && got.err != nil || c.err != "" && (got.err == nil || !strings.Contains(got.err.Error(), c.err)) {
				t.Errorf("error %v, want %q", got.err, c.err)
			}
		})
	}
	t.Run("cut at every byte", func(t *testing.T) {
		for i := range len(creme) {
			for j := i; j < len(creme); j++ {
				m := streaming(one(llms.ContentChoice{Content: creme}), creme[:i], creme[i:j], creme[j:])
				for u, err := range langchaingo.New(m, nil).Stream(t.Context(), hello()) {
					if err != nil || strings.ContainsRune(u.Text, '\ufffd') || strings.ToValidUTF8(u.Text, "?") != u.Text {
						t.Fatalf("cut at %d and %d: %v, %v", i, j, u, err)
					}
				}
				compare(t, ask(t.Context(), langchaingo.New(m, nil), hello()), said{text: creme, finish: chat.FinishStop})
			}
		}
	})
}

// TestRetryInside is about a wrapper that calls its model again: what became
// of the first try does not count.
func TestRetryInside(t *testing.T) {
	tries := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if tries++; tries == 1 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, sse(delta(`{"content":"Hi"}`), finish("stop"), done))
	}))
	t.Cleanup(s.Close)
	model := openaiAt(t, s.URL, true)
	again := modelFunc(func(ctx context.Context, messages []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
		if resp, err := model.GenerateContent(ctx, messages, llms.WithOptions(*o)); err == nil {
			return resp, nil
		}
		return model.GenerateContent(ctx, messages, llms.WithOptions(*o))
	})
	compare(t, ask(t.Context(), langchaingo.New(again, nil), hello()), said{text: "Hi", finish: chat.FinishStop})
}

// TestLateStreaming is about a model that goes on after it has returned: what
// it says then goes nowhere.
func TestLateStreaming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan struct{})
		result := make(chan error)
		m := modelFunc(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
			go func() {
				<-late
				result <- errors.Join(o.StreamingFunc(ctx, []byte("late")), o.StreamingReasoningFunc(ctx, []byte("late"), nil))
			}()
			return &llms.ContentResponse{Choices: one(llms.ContentChoice{Content: "Hi"})}, nil
		})
		compare(t, ask(t.Context(), langchaingo.New(m, nil), hello()), said{text: "Hi", finish: chat.FinishStop})
		close(late)
		if err := <-result; err == nil {
			t.Error("a model that streams after its return is not told")
		}
	})
}

// TestSlowConsumer is about backpressure, and about a consumer that leaves
// while the model waits for it.
func TestSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		m := modelFunc(func(ctx context.Context, _ []llms.MessageContent, o *llms.CallOptions) (*llms.ContentResponse, error) {
			for range 10_000 {
				if err := o.StreamingFunc(ctx, []byte("x")); err != nil {
					return nil, err
				}
				sent++
			}
			return &llms.ContentResponse{Choices: one(llms.ContentChoice{})}, nil
		})
		for range langchaingo.New(m, nil).Stream(t.Context(), hello()) {
			synctest.Wait()
			break
		}
		if sent > 1000 {
			t.Errorf("the model ran %d pieces ahead", sent)
		}
	})
}
