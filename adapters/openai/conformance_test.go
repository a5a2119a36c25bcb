package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguitest"
	"github.com/aguistate/aguistate/middleware/chat"
)

func TestClient(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		s := wire(t, m)
		return openai.New("test-model", &openai.Options{BaseURL: s.URL, HTTPClient: s.Client(), MaxRetries: -1})
	})
}

// The same through the SDK's own request and reader.
func TestClientFromSDK(t *testing.T) {
	aguitest.TestClient(t, func(t *testing.T, m *aguitest.Model) chat.Client {
		s := wire(t, m)
		config := goopenai.DefaultConfig("key")
		config.BaseURL, config.HTTPClient = s.URL, s.Client()
		c := openai.FromClient(goopenai.NewClientWithConfig(config), "test-model", nil)
		return withoutExtra{c}
	})
}

// withoutExtra takes away what needs a Doer.
type withoutExtra struct{ chat.Client }

func (c withoutExtra) Stream(ctx context.Context, req *chat.Request) iter.Seq2[*chat.Update, error] {
	req = req.Clone()
	req.Options.Extra = nil
	return c.Client.Stream(ctx, req)
}

// wire is a server that speaks the chat completions wire for a model.
func wire(t *testing.T, m *aguitest.Model) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := decode(r)
		if err != nil {
			t.Error(err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, r, m, req)
	}))
	t.Cleanup(s.Close)
	return s
}

func decode(r *http.Request) (*chat.Request, error) {
	var body struct {
		Messages []struct {
			Role       agui.Role `json:"role"`
			Content    *string   `json:"content"`
			ToolCallID string    `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		ToolChoice     json.RawMessage `json:"tool_choice"`
		ResponseFormat *struct {
			JSONSchema struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"schema"`
				Strict bool            `json:"strict"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	req := &chat.Request{}
	for _, m := range body.Messages {
		msg := agui.Message{Role: m.Role, ToolCallID: m.ToolCallID}
		if m.Content != nil {
			msg.Content = agui.Text(*m.Content)
		}
		for _, c := range m.ToolCalls {
			msg.ToolCalls = append(msg.ToolCalls, agui.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		req.Messages = append(req.Messages, msg)
	}
	for _, t := range body.Tools {
		req.Tools = append(req.Tools, chat.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	if body.ToolChoice != nil {
		var named struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		}
		var mode chat.ToolMode
		if json.Unmarshal(body.ToolChoice, &mode) != nil {
			if err := json.Unmarshal(body.ToolChoice, &named); err != nil {
				return nil, err
			}
			mode = chat.ToolsNamed
		}
		req.ToolChoice = chat.ToolChoice{Mode: mode, Name: named.Function.Name}
	}
	if f := body.ResponseFormat; f != nil {
		req.ResponseFormat = &chat.ResponseFormat{Name: f.JSONSchema.Name, Schema: f.JSONSchema.Schema, Strict: f.JSONSchema.Strict}
	}
	return req, nil
}

// answer plays the model's turn. Errors of writing are those of a client that
// has gone, of which the request's context tells the model.
func answer(w http.ResponseWriter, r *http.Request, m *aguitest.Model, req *chat.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := http.NewResponseController(w)
	begun := false
	send := func(chunk any) {
		begun = true
		data, _ := json.Marshal(chunk)
		_, _ = w.Write(append(append([]byte("data: "), data...), "\n\n"...))
		_ = flusher.Flush()
	}
	type object = map[string]any
	choice := func(delta object, finish any) object {
		return object{"model": "m", "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	for step, err := range m.Play(r.Context(), req) {
		switch {
		case errors.Is(err, aguitest.ErrCut):
			_ = flusher.Flush()
			panic(http.ErrAbortHandler)
		case err != nil && !begun:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusInternalServerError)
			_ = json.NewEncoder(w).Encode(object{"error": object{"message": err.Error(), "type": "server_error"}})
			return
		case err != nil:
			send(object{"error": object{"message": err.Error(), "type": "server_error"}})
			return
		case step.Call != nil:
			function := object{}
			call := object{"index": step.Call.Index, "function": function}
			if step.Call.ID != "" {
				call["id"] = step.Call.ID
			}
			if step.Call.Name != "" {
				call["type"], function["name"] = "function", step.Call.Name
			}
			if step.Call.Arguments != "" {
				function["arguments"] = step.Call.Arguments
			}
			send(choice(object{"tool_calls": []object{call}}, nil))
		case step.Usage != nil:
			send(object{"model": "m", "choices": []object{}, "usage": object{
				"prompt_tokens": step.Usage.InputTokens, "completion_tokens": step.Usage.OutputTokens,
				"total_tokens": step.Usage.InputTokens + step.Usage.OutputTokens,
			}})
		case step.Finish != "":
			send(choice(object{}, step.Finish))
		case step.Reasoning != "":
			send(choice(object{"reasoning_content": step.Reasoning}, nil))
		default:
			send(choice(object{"content": step.Text}, nil))
		}
	}
	_, _ = w.Write([]byte("data: [DONE]\n\n"))
}
