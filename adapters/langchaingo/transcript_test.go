package langchaingo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// said is what a stream amounts to, for comparing.
type said struct {
	text, reasoning, calls string
	finish                 chat.FinishReason
	usage                  *agui.TokenUsage
	opaque                 string
	err                    error
}

func ask(ctx context.Context, c chat.Client, req *chat.Request) (s said) {
	order, names, args := []string{}, map[string]string{}, map[string]string{}
	for u, err := range c.Stream(ctx, req) {
		if err != nil {
			s.err = err
			break
		}
		s.text += u.Text
		s.reasoning += u.Reasoning
		s.opaque += u.EncryptedReasoning
		for _, d := range u.ToolCalls {
			if _, known := names[d.ID]; !known {
				names[d.ID] = d.Name
				order = append(order, d.ID)
			}
			args[d.ID] += d.Arguments
		}
		if u.Usage != nil {
			s.usage = u.Usage
		}
		if u.FinishReason != "" {
			s.finish = u.FinishReason
		}
	}
	for _, id := range order {
		s.calls += fmt.Sprintf("%s(%s) ", names[id], args[id])
	}
	s.calls = strings.TrimSpace(s.calls)
	return s
}

func hello(tools ...string) *chat.Request {
	req := &chat.Request{Messages: []agui.Message{agui.UserMessage("hello")}}
	for _, name := range tools {
		req.Tools = append(req.Tools, chat.Tool{Name: name, Parameters: []byte(`{"type":"object","properties":{"q":{"type":"integer"}}}`)})
	}
	return req
}

// transcript serves one body for every request.
func transcript(t testing.TB, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// sse writes each chunk as an event.
func sse(chunks ...string) string {
	return "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\n"
}

func delta(d string) string { return `{"choices":[{"index":0,"delta":` + d + `}]}` }
func finish(r string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + r + `"}]}`
}
func call(c string) string { return delta(`{"tool_calls":[` + c + `]}`) }

const done = "[DONE]"

// TestOpenAITranscripts plays what servers of the wire have been seen to send.
func TestOpenAITranscripts(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1<<13) // 128 KiB in one line
	for name, c := range map[string]struct {
		body    string
		status  int
		want    said
		code    string
		message string // is in the error
		// without the tap: another code or answer; nil is the same.
		untapped *said
		bareCode string
	}{
		"text and call in one delta": {
			body: sse(delta(`{"content":"Let me check.","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`), finish("tool_calls"), done),
			want: said{text: "Let me check.", calls: "f({})", finish: chat.FinishToolCalls},
		},
		"text between calls that a delta hides": {
			body: sse(delta(`{"content":"A"}`), delta(`{"content":"B","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`), delta(`{"content":"C"}`), finish("tool_calls"), done),
			want: said{text: "ABC", calls: "f({})", finish: chat.FinishToolCalls},
		},
		"text that is JSON of a call of no tool": {
			body: sse(delta(`{"content":"[{\"id\":\"x\",\"type\":\"function\",\"function\":{\"name\":\"unknown\",\"arguments\":\"\"}}]"}`), finish("stop"), done),
			want: said{text: `[{"id":"x","type":"function","function":{"name":"unknown","arguments":""}}]`, finish: chat.FinishStop},
		},
		"text that is JSON of a call": {
			body: sse(delta(`{"content":"So: "}`), delta(`{"content":"[{\"id\":\"A\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]"}`), delta(`{"content":" is it."}`), finish("stop"), done),
			want: said{text: `So: [{"id":"A","type":"function","function":{"name":"f","arguments":"{}"}}] is it.`, finish: chat.FinishStop},
		},
		"text that is JSON of a call, and the call": {
			body: sse(delta(`{"content":"[{\"id\":\"A\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]"}`),
				call(`{"id":"A","type":"function","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls"), done),
			want: said{text: `[{"id":"A","type":"function","function":{"name":"f","arguments":"{}"}}]`, calls: "f({})", finish: chat.FinishToolCalls},
		},
		"text that is a function_call of old": {
			body: sse(delta(`{"content":"{\"name\":\"f\",\"arguments\":\"{}\"}"}`), finish("stop"), done),
			want: said{text: `{"name":"f","arguments":"{}"}`, finish: chat.FinishStop},
		},
		"a call of a tool that is not offered": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"unknown","arguments":"{}"}}`), finish("tool_calls"), done),
			want: said{calls: "unknown({})", finish: chat.FinishToolCalls},
		},
		"a piece that says nothing": {
			body: sse(delta(`{"content":"Hi","tool_calls":[{}]}`), finish("stop"), done),
			want: said{text: "Hi", finish: chat.FinishStop},
		},
		"two calls with one id": {
			body: sse(call(`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\":1}"}}`), call(`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\":2}"}}`), finish("tool_calls"), done),
			want: said{calls: `f({"q":1}) f({"q":2})`, finish: chat.FinishToolCalls},
		},
		"an error beside choices": {
			body: sse(delta(`{"content":"Hi"}`), `{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`),
			want: said{text: "Hi"}, code: chat.CodeUnavailable, message: "Provider disconnected",
		},
		"text that begins as a call": {
			body: sse(delta(`{"content":"[{\"a\":{\"b\":{}}}]"}`), finish("stop"), done),
			want: said{text: `[{"a":{"b":{}}}]`, finish: chat.FinishStop},
		},
		"interleaved calls": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}},{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}`),
				call(`{"index":0,"function":{"arguments":"{\"q\":1}"}}`), call(`{"index":1,"function":{"arguments":"{\"q\":2}"}}`), finish("tool_calls"), done),
			want:     said{calls: `f({"q":1}) g({"q":2})`, finish: chat.FinishToolCalls},
			untapped: &said{}, bareCode: chat.CodeBadResponse,
		},
		"whole calls in one chunk": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\":1}"}},{"index":1,"id":"b","type":"function","function":{"name":"f","arguments":"{\"q\":2}"}}`), finish("tool_calls"), done),
			want: said{calls: `f({"q":1}) f({"q":2})`, finish: chat.FinishToolCalls},
		},
		"calls that all are index 0": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\":1}"}}`), call(`{"index":0,"id":"b","type":"function","function":{"name":"f","arguments":"{\"q\":2}"}}`), finish("stop"), done),
			want: said{calls: `f({"q":1}) f({"q":2})`, finish: chat.FinishToolCalls},
		},
		"calls without index": {
			body: sse(call(`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\""}}`), call(`{"function":{"arguments":":1}"}}`), call(`{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls"), done),
			want: said{calls: `f({"q":1}) f({})`, finish: chat.FinishToolCalls},
		},
		"empty id and type again": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\""}}`), call(`{"index":0,"id":"","type":"function","function":{"name":"","arguments":":1}"}}`), finish("tool_calls"), done),
			want: said{calls: `f({"q":1})`, finish: chat.FinishToolCalls},
		},
		"an empty piece in the middle": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\""}}`), call(`{"index":0,"function":{"arguments":""}}`), call(`{"index":0,"function":{"arguments":":1}"}}`), finish("tool_calls"), done),
			want: said{calls: `f({"q":1})`, finish: chat.FinishToolCalls},
		},
		"no type": {
			body: sse(call(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"q\":1}"}}`), finish("tool_calls"), done),
			want: said{calls: `f({"q":1})`, finish: chat.FinishToolCalls},
		},
		"a name in pieces": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"long","arguments":""}}`), call(`{"index":0,"function":{"name":"_name","arguments":"{}"}}`), finish("tool_calls"), done),
			want: said{calls: `long_name({})`, finish: chat.FinishToolCalls},
		},
		"arguments as an object": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":{"q":1}}}`), finish("tool_calls"), done),
			want: said{calls: `f({"q":1})`, finish: chat.FinishToolCalls}, untapped: &said{}, bareCode: chat.CodeBadResponse,
		},
		"function_call of old": {
			body: sse(delta(`{"function_call":{"name":"f","arguments":"{\"q\""}}`), delta(`{"function_call":{"arguments":":1}"}}`), finish("function_call"), done),
			want: said{calls: `f({"q":1})`, finish: chat.FinishToolCalls}, untapped: &said{}, bareCode: chat.CodeBadResponse,
		},
		"calls announced, and none made": {
			body: sse(delta(`{"content":"Hi"}`), finish("tool_calls"), done),
			want: said{text: "Hi", finish: chat.FinishStop}, untapped: &said{text: "Hi"}, bareCode: chat.CodeBadResponse,
		},
		"reasoning, two spellings": {
			body: sse(delta(`{"reasoning":"Let me "}`), delta(`{"reasoning":"think.","reasoning_content":"think."}`), delta(`{"content":"Hi"}`), finish("stop"), done),
			want: said{reasoning: "Let me think.", text: "Hi", finish: chat.FinishStop}, untapped: &said{reasoning: "think.", text: "Hi", finish: chat.FinishStop},
		},
		"reasoning in details": {
			body: sse(delta(`{"reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`), delta(`{"content":"Hi"}`), finish("stop"), done),
			want: said{reasoning: "hm", text: "Hi", finish: chat.FinishStop}, untapped: &said{text: "Hi", finish: chat.FinishStop},
		},
		"code points in halves": {
			body: sse(delta(`{"content":"Cr\ud83c"}`), delta("{\"content\":\"\\udf6e\xc3\"}"), delta("{\"content\":\"\xa8me\"}"), finish("stop"), done),
			want: said{text: "Cr🍮ème", finish: chat.FinishStop}, untapped: &said{text: "Cr\ufffd\ufffd\ufffd\ufffdme", finish: chat.FinishStop},
		},
		"reasoning behind text": {
			body: sse(delta(`{"content":"Hi"}`), delta(`{"reasoning_content":"hm"}`), finish("stop"), done),
			want: said{reasoning: "hm", text: "Hi", finish: chat.FinishStop},
		},
		"refusal": {
			body: sse(delta(`{"refusal":"I will not."}`), finish("content_filter"), done),
			want: said{text: "I will not.", finish: chat.FinishContentFilter}, untapped: &said{finish: chat.FinishContentFilter},
		},
		"content as parts": {
			body: sse(delta(`{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Hi"}]}`), finish("stop"), done),
			want: said{reasoning: "hm", text: "Hi", finish: chat.FinishStop}, untapped: &said{finish: chat.FinishStop},
		},
		"alternatives": {
			body: sse(delta(`{"content":"A1"}`), `{"choices":[{"index":1,"delta":{"content":"B1"}}]}`, delta(`{"content":"A2"}`), finish("stop"), done),
			want: said{text: "A1A2", finish: chat.FinishStop}, untapped: &said{text: "A1B1A2", finish: chat.FinishStop},
		},
		"chunks without choices": {
			body: sse(`{"choices":[],"prompt_filter_results":[]}`, delta(`{"content":"Hi"}`), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":2}}}`, done),
			want: said{text: "Hi", finish: chat.FinishStop, usage: &agui.TokenUsage{Provider: "openai", InputTokens: 3, OutputTokens: 4, TotalTokens: 7, CachedInputTokens: 1, ReasoningTokens: 2}},
		},
		"a finish that is taken back": {
			body:     sse(delta(`{"content":"Hi"}`), finish("stop"), `{"choices":[{"index":0,"delta":{},"finish_reason":null}],"usage":{"prompt_tokens":3}}`, done),
			want:     said{text: "Hi", finish: chat.FinishStop, usage: &agui.TokenUsage{Provider: "openai", InputTokens: 3}},
			untapped: &said{text: "Hi", usage: &agui.TokenUsage{Provider: "openai", InputTokens: 3, TotalTokens: 3}}, bareCode: chat.CodeIncomplete,
		},
		"a long line": {
			body:     sse(delta(`{"content":"`+long+`"}`), finish("stop"), done),
			want:     said{text: long, finish: chat.FinishStop},
			untapped: &said{}, bareCode: chat.CodeBadResponse, message: "HTTPClient",
		},
		"keep-alives, CRLF, no space, a byte order mark": {
			body: "\xEF\xBB\xBF" + strings.Repeat(": keep-alive\r\n\r\n", 320) + "data:" + delta(`{"content":"Hi"}`) + "\r\n\r\ndata:" + finish("stop") + "\r\n\r\ndata:[DONE]\r\n\r\n",
			want: said{text: "Hi", finish: chat.FinishStop},
		},
		"no blank lines, no end": {
			body: "data: " + delta(`{"content":"Hi"}`) + "\ndata: " + finish("stop"),
			want: said{text: "Hi", finish: chat.FinishStop},
		},
		"an object over lines": {
			body: "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"Hi\"}}]}\n\n" + sse(finish("stop"), done),
			want: said{text: "Hi", finish: chat.FinishStop}, untapped: &said{finish: chat.FinishStop},
		},
		"a plain answer in place of a stream": {
			body:     "{\n \"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]\n}\n",
			want:     said{text: "Hi", finish: chat.FinishStop},
			untapped: &said{}, bareCode: chat.CodeIncomplete,
		},
		"a page in place of a stream": {
			body: "<html>nginx</html>", code: chat.CodeBadResponse, bareCode: chat.CodeIncomplete,
		},
		"an error in the stream": {
			body: sse(delta(`{"content":"Hi"}`), `{"error":{"message":"too busy","type":"rate_limit_exceeded"}}`),
			want: said{text: "Hi"}, code: chat.CodeRateLimited, message: "too busy", bareCode: chat.CodeIncomplete,
		},
		"an error behind an id": {
			body: sse(`{"id":"x","error":{"message":"too busy","code":503}}`), code: chat.CodeUnavailable, message: "too busy", bareCode: chat.CodeIncomplete,
		},
		"an error of vLLM": {
			body: sse(`{"object":"error","message":"too long","code":400}`), code: chat.CodeInvalidRequest, message: "too long", bareCode: chat.CodeIncomplete,
		},
		"an error event": {
			body: "event: error\ndata: the GPU is gone\n\n", code: chat.CodeUnavailable, message: "the GPU is gone", bareCode: chat.CodeIncomplete,
		},
		"an error with usage before": {
			body: sse(`{"choices":[],"usage":{"prompt_tokens":3}}`, `{"error":"gone"}`),
			want: said{usage: &agui.TokenUsage{Provider: "openai", InputTokens: 3}}, code: chat.CodeUnavailable, message: "gone", bareCode: chat.CodeIncomplete,
			untapped: &said{usage: &agui.TokenUsage{Provider: "openai", InputTokens: 3, TotalTokens: 3}},
		},
		"a finish that is a failure": {
			body: sse(delta(`{"content":"Hi"}`), finish("error"), done),
			want: said{text: "Hi"}, code: chat.CodeUnavailable,
		},
		"cut inside a line": {
			body: sse(delta(`{"content":"Hi"}`)) + `data: {"choices":[{"index":0,"del`,
			want: said{text: "Hi"}, code: chat.CodeIncomplete,
		},
		"cut inside arguments": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"q\":"}}`)),
			want: said{calls: `f({"q":)`}, code: chat.CodeIncomplete,
		},
		"done without a finish": {
			body: sse(delta(`{"content":"Hi"}`), done),
			want: said{text: "Hi"}, code: chat.CodeIncomplete,
		},
		"not JSON": {
			body: "data: hello\n\n" + sse(finish("stop"), done), code: chat.CodeBadResponse, untapped: &said{finish: chat.FinishStop},
		},
		"a call without a name": {
			body: sse(call(`{"index":0,"id":"a","type":"function","function":{"arguments":"{}"}}`), finish("tool_calls"), done),
			code: chat.CodeBadResponse,
		},
		"refused":           {status: 401, body: `{"error":{"message":"bad key"}}`, code: chat.CodeAuthentication, message: "bad key"},
		"too many requests": {status: 429, body: `{"error":{"message":"slow down"}}`, code: chat.CodeRateLimited, message: "slow down"},
		"no money":          {status: 429, body: `{"error":{"message":"pay","code":"insufficient_quota"}}`, code: chat.CodeQuota, message: "pay", bareCode: chat.CodeRateLimited},
		"too long":          {status: 400, body: `{"error":{"message":"long","code":"context_length_exceeded"}}`, code: chat.CodeContextLength, message: "long", bareCode: chat.CodeInvalidRequest},
		"no such model":     {status: 404, body: `{"error":{"message":"what?"}}`, code: chat.CodeModelNotFound, message: "what?"},
		"broken":            {status: 502, body: "<html>bad gateway</html>", code: chat.CodeUnavailable, message: "502"},
		"too slow":          {status: 504, body: "{}", code: chat.CodeTimeout},
	} {
		for _, tap := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/tap=%v", name, tap), func(t *testing.T) {
				status, want, code := c.status, c.want, c.code
				if status == 0 {
					status = 200
				}
				message := c.message
				if !tap && c.untapped != nil {
					want, code = *c.untapped, ""
				}
				if !tap && c.bareCode != "" {
					code = c.bareCode
					if code != chat.CodeBadResponse {
						message = ""
					}
				}
				got := ask(t.Context(), langchaingo.New(openaiAt(t, transcript(t, status, c.body), tap), nil), hello("f", "g", "long_name"))
				compare(t, got, want)
				var e *chat.Error
				switch {
				case code == "":
					if got.err != nil {
						t.Errorf("error %v", got.err)
					}
				case !errors.As(got.err, &e) || e.Code != code:
					t.Errorf("error %v, want code %s", got.err, code)
				case tap && !strings.Contains(got.err.Error(), message):
					t.Errorf("error %v does not say %q", got.err, message)
				case code == chat.CodeIncomplete && !errors.Is(got.err, io.ErrUnexpectedEOF):
					t.Errorf("error %v is not io.ErrUnexpectedEOF", got.err)
				case e.Message == "":
					t.Error("the error has no text to show")
				}
			})
		}
	}
}

func compare(t *testing.T, got, want said) {
	t.Helper()
	shorten := func(s string) string {
		if len(s) > 300 {
			return fmt.Sprintf("%s… (%d bytes)", s[:300], len(s))
		}
		return s
	}
	for _, f := range []struct{ name, got, want string }{
		{"text", got.text, want.text}, {"reasoning", got.reasoning, want.reasoning}, {"calls", got.calls, want.calls},
		{"finish", string(got.finish), string(want.finish)}, {"opaque", got.opaque, want.opaque},
	} {
		if f.got != f.want {
			t.Errorf("%s is %q, want %q", f.name, shorten(f.got), shorten(f.want))
		}
	}
	if want.usage != nil && (got.usage == nil || *got.usage != *want.usage) {
		t.Errorf("usage is %+v, want %+v", got.usage, want.usage)
	}
}

// TestNoServer keeps the cause that langchaingo loses.
func TestNoServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	got := ask(t.Context(), langchaingo.New(openaiAt(t, s.URL, true), nil), hello())
	var e *chat.Error
	var op *net.OpError
	if !errors.As(got.err, &e) || e.Code != chat.CodeUnavailable || !errors.As(got.err, &op) {
		t.Errorf("error %v", got.err)
	}
}
