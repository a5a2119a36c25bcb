package langchaingo_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// silent is a server that sends what is given and is silent then, until the
// request ends.
func silent(header bool, body string) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		if !header {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{}, Request: req,
			Body: io.NopCloser(io.MultiReader(strings.NewReader(body), endless{req.Context()})),
		}, nil
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

type endless struct{ ctx context.Context }

func (w endless) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

// TestIdle ends the wait for a server that is silent.
func TestIdle(t *testing.T) {
	whole := sse(delta(`{"content":"Hi"}`), finish("stop"))
	for name, c := range map[string]struct {
		server  http.RoundTripper
		timeout time.Duration // the HTTP client's
		idle    time.Duration // the options'
		want    said
		code    string
		after   time.Duration
	}{
		"no header":              {server: silent(false, ""), code: chat.CodeTimeout, after: langchaingo.DefaultIdleTimeout},
		"nothing":                {server: silent(true, ""), idle: time.Minute, code: chat.CodeTimeout, after: time.Minute},
		"a piece":                {server: silent(true, sse(delta(`{"content":"Hi"}`))), idle: time.Minute, want: said{text: "Hi"}, code: chat.CodeTimeout, after: time.Minute},
		"the client's timeout":   {server: silent(true, ""), timeout: time.Second, code: chat.CodeTimeout, after: time.Second},
		"both":                   {server: silent(true, ""), timeout: time.Second, idle: time.Minute, code: chat.CodeTimeout, after: time.Minute},
		"a whole answer":         {server: silent(true, whole), want: said{text: "Hi", finish: chat.FinishStop}, after: 10 * time.Second},
		"a whole answer, sooner": {server: silent(true, whole), timeout: time.Second, want: said{text: "Hi", finish: chat.FinishStop}, after: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := langchaingo.HTTPClient(&http.Client{Transport: c.server, Timeout: c.timeout})
				model, err := openai.New(openai.WithToken("-"), openai.WithHTTPClient(client))
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				got := ask(t.Context(), langchaingo.New(model, &langchaingo.Options{IdleTimeout: c.idle}), hello())
				compare(t, got, c.want)
				var e *chat.Error
				if c.code == "" && got.err != nil || c.code != "" && (!errors.As(got.err, &e) || e.Code != c.code || !errors.Is(got.err, langchaingo.ErrIdle)) {
					t.Errorf("error %v, want code %q", got.err, c.code)
				}
				if after := time.Since(start); after != c.after {
					t.Errorf("it took %v, want %v", after, c.after)
				}
			})
		})
	}
}

// TestConnections are used again by the next call, also after an error.
func TestConnections(t *testing.T) {
	var opened, calls atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if calls.Add(1)%2 == 0 {
			http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, sse(delta(`{"content":"Hi"}`), finish("stop"), done))
		_ = http.NewResponseController(w).Flush()
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	client := langchaingo.New(openaiAt(t, s.URL, true), nil)
	for range 6 {
		_ = ask(t.Context(), client, hello())
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for 6 calls", n)
	}
}

// TestErrorBodyBreaksOff keeps the status of an answer whose body is cut.
func TestErrorBodyBreaksOff(t *testing.T) {
	for status, code := range map[int]string{401: chat.CodeAuthentication, 429: chat.CodeRateLimited} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":`)
		}))
		t.Cleanup(s.Close)
		got := ask(t.Context(), langchaingo.New(openaiAt(t, s.URL, true), nil), hello())
		var e *chat.Error
		if !errors.As(got.err, &e) || e.Code != code {
			t.Errorf("error %v, want code %s", got.err, code)
		}
	}
}

// TestStreamNeverBehindTheTap has all that the tap reads, in one piece.
func TestStreamNeverBehindTheTap(t *testing.T) {
	for name, c := range map[string]struct {
		model func(url string, c *http.Client) (llms.Model, error)
		body  string
		want  said
	}{
		"openai": {
			model: func(url string, c *http.Client) (llms.Model, error) {
				return openai.New(openai.WithToken("-"), openai.WithBaseURL(url), openai.WithHTTPClient(c))
			},
			body: `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","reasoning":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`,
			want: said{text: "Hi", reasoning: "hm", calls: `f({"q":1})`, finish: chat.FinishToolCalls, usage: &agui.TokenUsage{Provider: "openai", Model: "m", InputTokens: 3, OutputTokens: 4, TotalTokens: 7}},
		},
		"anthropic": {
			model: func(url string, c *http.Client) (llms.Model, error) {
				return anthropic.New(anthropic.WithToken("-"), anthropic.WithBaseURL(url), anthropic.WithHTTPClient(c))
			},
			body: `{"type":"message","model":"m","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Hi"},{"type":"tool_use","id":"a","name":"f","input":{"q":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`,
			want: said{text: "Hi", reasoning: "hm", calls: `f({"q":1})`, finish: chat.FinishToolCalls, usage: &agui.TokenUsage{Provider: "anthropic", Model: "m", InputTokens: 3, OutputTokens: 4, TotalTokens: 7}},
		},
		"ollama": {
			model: func(url string, c *http.Client) (llms.Model, error) {
				return ollama.New(ollama.WithServerURL(url), ollama.WithModel("m"), ollama.WithHTTPClient(c))
			},
			body: `{"model":"m","message":{"role":"assistant","content":"Hi","thinking":"hm","tool_calls":[{"function":{"name":"f","arguments":{"q":1}}}]},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":4}`,
			want: said{text: "Hi", reasoning: "hm", calls: `f({"q":1})`, finish: chat.FinishToolCalls, usage: &agui.TokenUsage{Provider: "ollama", Model: "m", InputTokens: 3, OutputTokens: 4, TotalTokens: 7}},
		},
	} {
		for _, mode := range []langchaingo.StreamMode{langchaingo.StreamNever, langchaingo.StreamWithoutTools} {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				var asked []byte
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					asked, _ = io.ReadAll(r.Body)
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, c.body)
				}))
				t.Cleanup(s.Close)
				model, err := c.model(s.URL, httpClient(t, true))
				if err != nil {
					t.Fatal(err)
				}
				req := hello("f")
				req.Options.TopP = new(0.5)
				got := ask(t.Context(), langchaingo.New(model, &langchaingo.Options{Streaming: mode}), req)
				compare(t, got, c.want)
				if got.err != nil {
					t.Error(got.err)
				}
				if s := string(asked); strings.Contains(s, `"stream":true`) || !strings.Contains(s, `"top_p":0.5`) || strings.Contains(s, `"temperature"`) {
					t.Errorf("the request is %s", s)
				}
			})
		}
	}
}
