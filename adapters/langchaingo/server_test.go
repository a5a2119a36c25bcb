package langchaingo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

// object is JSON.
type object = map[string]any

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// protocol is a provider's wire as a server speaks it.
type protocol struct {
	request func(body []byte) (*chat.Request, error)
	// chunks returns what to write for a step.
	chunks func(s aguitest.Step) []string
	fail   func(message string) string // inside the stream
	refuse func(message string) string // in place of one
	end    func() []string
	kind   string // content type
}

// serve starts a server that plays a model's script on a wire.
func serve(t testing.TB, m *aguitest.Model, p func() protocol) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		p := p()
		req, err := p.request(body)
		if err != nil {
			http.Error(w, mustJSON(object{"error": object{"message": err.Error()}}), http.StatusBadRequest)
			return
		}
		begun := false
		write := func(chunk string) {
			if !begun {
				begun = true
				w.Header().Set("Content-Type", p.kind)
			}
			_, _ = io.WriteString(w, chunk)
			_ = http.NewResponseController(w).Flush()
		}
		for step, err := range m.Play(r.Context(), req) {
			switch {
			case errors.Is(err, aguitest.ErrCut):
				if !begun {
					write("\n")
				}
				return
			case err != nil && !begun:
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = io.WriteString(w, p.refuse(err.Error()))
				return
			case err != nil:
				write(p.fail(err.Error()))
				return
			}
			for _, c := range p.chunks(step) {
				write(c)
			}
		}
		for _, c := range p.end() {
			write(c)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// content is what a wire has for text.
type content struct{ text string }

func (c *content) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &c.text) == nil {
		return nil
	}
	var parts []struct {
		Text     string
		Content  json.RawMessage
		ImageURL struct{ URL string } `json:"image_url"`
	}
	err := json.Unmarshal(b, &parts)
	for _, p := range parts {
		c.text += p.Text + p.ImageURL.URL
	}
	return err
}

type wireTool struct {
	Function struct {
		Name, Description string
		Parameters        json.RawMessage
	}
	// Anthropic's members.
	Name, Description string
	Schema            json.RawMessage `json:"input_schema"`
}

func wireTools(list []wireTool) []chat.Tool {
	var out []chat.Tool
	for _, t := range list {
		if t.Name != "" {
			out = append(out, chat.Tool{Name: t.Name, Description: t.Description, Parameters: t.Schema})
		} else {
			out = append(out, chat.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
		}
	}
	return out
}

type openaiMessage struct {
	Role      string
	Content   content
	ToolCalls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
	ToolCallID string `json:"tool_call_id"`
}

func openaiProtocol() protocol {
	data := func(v any) string { return "data: " + mustJSON(v) + "\n\n" }
	return protocol{
		kind: "text/event-stream",
		request: func(body []byte) (*chat.Request, error) {
			var in struct {
				Model       string
				Messages    []openaiMessage
				Temperature *float64
				TopP        *float64 `json:"top_p"`
				MaxTokens   int      `json:"max_completion_tokens"`
				Stop        []string
				Seed        *int64
				Tools       []wireTool
				ToolChoice  any   `json:"tool_choice"`
				Parallel    *bool `json:"parallel_tool_calls"`
				Format      *struct {
					Type   string
					Schema struct {
						Name   string
						Schema json.RawMessage
						Strict bool
					} `json:"json_schema"`
				} `json:"response_format"`
				Stream bool
			}
			if err := json.Unmarshal(body, &in); err != nil {
				return nil, err
			}
			req := &chat.Request{Tools: wireTools(in.Tools)}
			req.Options = chat.Options{Model: in.Model, Temperature: in.Temperature, TopP: in.TopP, MaxTokens: in.MaxTokens, Stop: in.Stop, Seed: in.Seed, ParallelToolCalls: in.Parallel}
			_ = json.Unmarshal(body, &req.Options.Extra)
			switch c := in.ToolChoice.(type) {
			case string:
				req.ToolChoice.Mode = chat.ToolMode(c)
			case object:
				req.ToolChoice = chat.ToolChoice{Mode: chat.ToolsNamed, Name: c["function"].(object)["name"].(string)}
			}
			if f := in.Format; f != nil {
				req.ResponseFormat = &chat.ResponseFormat{Name: f.Schema.Name, Schema: f.Schema.Schema, Strict: f.Schema.Strict}
			}
			for i, m := range in.Messages {
				out := agui.Message{ID: fmt.Sprint(i), Role: agui.Role(m.Role), Content: agui.Text(m.Content.text), ToolCallID: m.ToolCallID}
				for _, c := range m.ToolCalls {
					out.ToolCalls = append(out.ToolCalls, agui.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
				}
				req.Messages = append(req.Messages, out)
			}
			return req, nil
		},
		fail: func(message string) string {
			return data(object{"error": object{"message": message, "type": "server_error"}})
		},
		refuse: func(message string) string { return mustJSON(object{"error": object{"message": message}}) },
		end:    func() []string { return []string{"data: [DONE]\n\n"} },
		chunks: func(s aguitest.Step) []string {
			choice := func(delta object, finish any) string {
				return data(object{"model": "test-model", "choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
			}
			switch {
			case s.Call != nil:
				f := object{"arguments": s.Call.Arguments}
				c := object{"index": s.Call.Index, "function": f}
				if s.Call.Name != "" {
					f["name"], c["type"] = s.Call.Name, "function"
					if s.Call.ID != "" {
						c["id"] = s.Call.ID
					}
				}
				return []string{choice(object{"tool_calls": []any{c}}, nil)}
			case s.Reasoning != "":
				return []string{choice(object{"reasoning_content": s.Reasoning}, nil)}
			case s.Usage != nil:
				return []string{data(object{"choices": []any{}, "usage": object{
					"prompt_tokens": s.Usage.InputTokens, "completion_tokens": s.Usage.OutputTokens, "total_tokens": s.Usage.InputTokens + s.Usage.OutputTokens,
				}})}
			case s.Finish != "":
				return []string{choice(object{}, s.Finish)}
			}
			return []string{choice(object{"content": s.Text}, nil)}
		},
	}
}

// openaiModel is langchaingo's openai provider for a server that plays m.
func openaiModel(t testing.TB, m *aguitest.Model, tap bool) llms.Model {
	return openaiAt(t, serve(t, m, openaiProtocol).URL, tap)
}

func openaiAt(t testing.TB, url string, tap bool) llms.Model {
	t.Helper()
	model, err := openai.New(openai.WithToken("-"), openai.WithBaseURL(url), openai.WithModel("test-model"), openai.WithHTTPClient(httpClient(t, tap)))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// httpClient is a client of the test's own, so that its connections end with
// it.
func httpClient(t testing.TB, tap bool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	c := &http.Client{Transport: transport}
	if tap {
		c = langchaingo.HTTPClient(c)
	}
	return c
}

func anthropicModel(t testing.TB, m *aguitest.Model, tap bool) llms.Model {
	t.Helper()
	s := serve(t, m, anthropicProtocol)
	model, err := anthropic.New(anthropic.WithToken("-"), anthropic.WithBaseURL(s.URL), anthropic.WithModel("test-model"), anthropic.WithHTTPClient(httpClient(t, tap)))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func ollamaModel(t testing.TB, m *aguitest.Model, tap bool) llms.Model {
	t.Helper()
	s := serve(t, m, ollamaProtocol)
	model, err := ollama.New(ollama.WithServerURL(s.URL), ollama.WithModel("test-model"), ollama.WithHTTPClient(httpClient(t, tap)))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func anthropicProtocol() protocol {
	event := func(v object) string {
		return "event: " + v["type"].(string) + "\ndata: " + mustJSON(v) + "\n\n"
	}
	blocks, kind, begun, usage, finish := 0, "", false, object{"output_tokens": 1}, ""
	calls := map[int]int{} // the block of a call
	return protocol{
		kind: "text/event-stream",
		request: func(body []byte) (*chat.Request, error) {
			var in struct {
				System   content
				Messages []struct {
					Role    string
					Content []struct {
						Type, Text, ID, Name string
						Input                json.RawMessage
						ToolUseID            string `json:"tool_use_id"`
						Content              content
					}
				}
				Tools  []wireTool
				Choice struct{ Type, Name string } `json:"tool_choice"`
			}
			if err := json.Unmarshal(body, &in); err != nil {
				return nil, err
			}
			req := &chat.Request{Tools: wireTools(in.Tools)}
			_ = json.Unmarshal(body, &req.Options.Extra)
			switch in.Choice.Type {
			case "none":
				req.ToolChoice.Mode = chat.ToolsNone
			case "any":
				req.ToolChoice.Mode = chat.ToolsRequired
			case "tool":
				req.ToolChoice = chat.ToolChoice{Mode: chat.ToolsNamed, Name: in.Choice.Name}
			}
			if in.System.text != "" {
				req.Messages = append(req.Messages, agui.SystemMessage(in.System.text))
			}
			for _, m := range in.Messages {
				out := agui.Message{Role: agui.Role(m.Role)}
				text := ""
				for _, c := range m.Content {
					switch c.Type {
					case "text":
						text += c.Text
					case "tool_use":
						out.ToolCalls = append(out.ToolCalls, agui.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(c.Input)})
					case "tool_result":
						req.Messages = append(req.Messages, agui.Message{Role: agui.RoleTool, ToolCallID: c.ToolUseID, Content: agui.Text(c.Content.text)})
					}
				}
				out.Content = agui.Text(text)
				last := len(req.Messages) - 1
				switch {
				case out.Role == agui.RoleUser && text == "":
				case last >= 0 && out.Role == agui.RoleAssistant && req.Messages[last].Role == agui.RoleAssistant:
					// The server puts turns of one role together.
					req.Messages[last].ToolCalls = append(req.Messages[last].ToolCalls, out.ToolCalls...)
				default:
					req.Messages = append(req.Messages, out)
				}
			}
			return req, nil
		},
		fail: func(message string) string {
			return event(object{"type": "error", "error": object{"type": "api_error", "message": message}})
		},
		refuse: func(message string) string {
			return mustJSON(object{"type": "error", "error": object{"type": "api_error", "message": message}})
		},
		end: func() (out []string) {
			if blocks == 0 {
				out = append(out, event(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}))
				blocks++
			}
			for i := range blocks {
				out = append(out, event(object{"type": "content_block_stop", "index": i}))
			}
			return append(out, event(object{"type": "message_delta", "delta": object{"stop_reason": finish}, "usage": usage}), event(object{"type": "message_stop"}))
		},
		chunks: func(s aguitest.Step) (out []string) {
			if !begun {
				begun = true
				out = append(out, event(object{"type": "message_start", "message": object{"model": "test-model", "usage": object{"input_tokens": 31}}}))
			}
			begin := func(k string, b object) {
				if kind == k && k != "tool_use" {
					return
				}
				kind, b["type"] = k, k
				out = append(out, event(object{"type": "content_block_start", "index": blocks, "content_block": b}))
				blocks++
			}
			delta := func(block int, d object) {
				out = append(out, event(object{"type": "content_block_delta", "index": block, "delta": d}))
			}
			switch {
			case s.Call != nil:
				if s.Call.Name != "" {
					id := s.Call.ID
					if id == "" {
						id = "toolu"
					}
					calls[s.Call.Index] = blocks
					begin("tool_use", object{"id": id, "name": s.Call.Name, "input": object{}})
				}
				delta(calls[s.Call.Index], object{"type": "input_json_delta", "partial_json": s.Call.Arguments})
			case s.Reasoning != "":
				begin("thinking", object{"thinking": "", "signature": ""})
				delta(blocks-1, object{"type": "thinking_delta", "thinking": s.Reasoning})
			case s.Usage != nil:
				usage["output_tokens"] = s.Usage.OutputTokens
			case s.Finish != "":
				finish = map[chat.FinishReason]string{chat.FinishStop: "end_turn", chat.FinishToolCalls: "tool_use", chat.FinishLength: "max_tokens", chat.FinishContentFilter: "refusal"}[s.Finish]
			default:
				begin("text", object{"text": ""})
				delta(blocks-1, object{"type": "text_delta", "text": s.Text})
			}
			return out
		},
	}
}

func ollamaProtocol() protocol {
	line := func(v any) string { return mustJSON(v) + "\n" }
	finish := ""
	var prompt, eval int64 = 5, 1
	calls := map[int]object{}
	message := func(m object) string {
		m["role"] = "assistant"
		return line(object{"model": "test-model", "message": m, "done": false})
	}
	return protocol{
		kind: "application/x-ndjson",
		request: func(body []byte) (*chat.Request, error) {
			var in struct {
				Messages []struct {
					Role, Content string
					Calls         []struct {
						Function struct {
							Name      string
							Arguments json.RawMessage
						}
					} `json:"tool_calls"`
				}
				Tools  []wireTool
				Format json.RawMessage
			}
			if err := json.Unmarshal(body, &in); err != nil {
				return nil, err
			}
			req := &chat.Request{Tools: wireTools(in.Tools)}
			_ = json.Unmarshal(body, &req.Options.Extra)
			if len(in.Format) > 0 && in.Format[0] == '{' {
				req.ResponseFormat = &chat.ResponseFormat{Schema: in.Format}
			}
			var open []string
			for i, m := range in.Messages {
				out := agui.Message{Role: agui.Role(m.Role), Content: agui.Text(m.Content)}
				for k, c := range m.Calls {
					// This wire has no ids: results follow in order. The
					// history of the tests has one call, call_0.
					id := fmt.Sprintf("call_%d", k)
					open = append(open, id)
					out.ToolCalls = append(out.ToolCalls, agui.ToolCall{ID: id, Name: c.Function.Name, Arguments: string(c.Function.Arguments)})
				}
				if m.Role == "tool" {
					if len(open) == 0 {
						return nil, fmt.Errorf("message %d answers nothing", i)
					}
					out.ToolCallID, open = open[0], open[1:]
				}
				req.Messages = append(req.Messages, out)
			}
			return req, nil
		},
		fail:   func(message string) string { return line(object{"error": message}) },
		refuse: func(message string) string { return mustJSON(object{"error": message}) },
		chunks: func(s aguitest.Step) []string {
			switch {
			case s.Call != nil:
				c := calls[s.Call.Index]
				if c == nil {
					c = object{"name": s.Call.Name, "arguments": ""}
					calls[s.Call.Index] = c
				}
				c["arguments"] = c["arguments"].(string) + s.Call.Arguments
				return nil
			case s.Reasoning != "":
				return []string{message(object{"content": "", "thinking": s.Reasoning})}
			case s.Finish != "":
				finish = string(s.Finish)
				if s.Finish == chat.FinishToolCalls {
					finish = "stop"
				}
				return nil
			case s.Usage != nil:
				prompt, eval = s.Usage.InputTokens, s.Usage.OutputTokens
				return nil
			}
			return []string{message(object{"content": s.Text})}
		},
		end: func() (out []string) {
			for i := range len(calls) {
				arguments := json.RawMessage(calls[i]["arguments"].(string))
				if strings.TrimSpace(string(arguments)) == "" {
					arguments = json.RawMessage("{}")
				}
				out = append(out, message(object{"content": "", "tool_calls": []any{object{"function": object{"name": calls[i]["name"], "arguments": arguments}}}}))
			}
			return append(out, line(object{"model": "test-model", "message": object{"role": "assistant", "content": ""}, "done": true, "done_reason": finish, "prompt_eval_count": prompt, "eval_count": eval}))
		},
	}
}
