package langchaingo

import (
	"encoding/json"
	"strings"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
)

// ollamaWire is the chat wire of Ollama.
var ollamaWire = wire{
	path:    "/api/chat",
	edit:    editOllama,
	decoder: func() func([]byte, string) (chunk, error) { return new(ollamaAnswer).decode },
	token:   `{"message":{"role":"assistant","content":"."},"done":false}` + "\n",
	close:   `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}` + "\n",
	whole:   `{"message":{"role":"assistant","content":"."},"done":true,"done_reason":"stop"}` + "\n",
}

// editOllama writes the messages anew: langchaingo's provider refuses tool
// calls and drops tools.
func editOllama(body map[string]any, w *wants) error {
	options := map[string]any{}
	if given(body, "options") {
		var err error
		if options, err = membersOf(body["options"].(json.RawMessage)); err != nil {
			return err
		}
	}
	body["options"] = options
	set(options, "temperature", w.options.Temperature)
	set(options, "top_p", w.options.TopP)
	if w.options.Seed != nil {
		options["seed"] = *w.options.Seed
	}
	if f := w.format; f != nil && f.Schema != nil {
		body["format"] = f.Schema
	} else if f != nil {
		body["format"] = "json"
	}
	var tools []any
	for _, t := range offered(w) {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{
			"name": w.names.Theirs(t.Name), "description": t.Description, "parameters": schemaOf(t),
		}})
	}
	if tools != nil {
		body["tools"] = tools
	}
	called := map[string]string{}
	messages := []any{}
	for i := range w.messages {
		m := &w.messages[i]
		out := map[string]any{"role": string(m.Role), "content": m.Content.Text()}
		switch m.Role {
		case agui.RoleActivity, agui.RoleReasoning:
			continue
		case agui.RoleUser, agui.RoleTool:
		case agui.RoleSystem, agui.RoleDeveloper, agui.RoleAssistant:
			if err := onlyText(m); err != nil {
				return invalid("message %d (%q): %w", i, m.ID, err)
			}
		default:
			return invalid("message %d (%q): %w", i, m.ID, roleError(m))
		}
		switch m.Role {
		case agui.RoleDeveloper:
			out["role"] = "system"
		case agui.RoleUser:
			images, err := ollamaImages(m.Content)
			if err != nil {
				return invalid("message %d (%q): %w", i, m.ID, err)
			}
			if images != nil {
				out["images"] = images
			}
		case agui.RoleAssistant:
			var calls []any
			for _, c := range m.ToolCalls {
				called[c.ID] = c.Name
				calls = append(calls, map[string]any{"function": map[string]any{
					"name": w.names.Theirs(c.Name), "arguments": json.RawMessage(pastArguments(c.Arguments)),
				}})
			}
			if calls != nil {
				out["tool_calls"] = calls
			}
		case agui.RoleTool:
			if images, err := ollamaImages(m.Content); err != nil || images != nil {
				return invalid("message %d (%q): a tool's result is text on this wire", i, m.ID)
			}
			out["content"] = resultText(m)
			out["tool_name"] = w.names.Theirs(called[m.ToolCallID])
		}
		messages = append(messages, out)
	}
	body["messages"] = messages
	return nil
}

func ollamaImages(c agui.Content) ([]string, error) {
	var images []string
	for i, p := range c.Parts() {
		if p.Type == agui.PartText {
			continue
		}
		if _, err := bytesOf(p, imageBytes); err != nil {
			return nil, partError(i, err)
		}
		images = append(images, p.Source.Value)
	}
	return images, nil
}

// ollamaAnswer reads the lines of one answer.
type ollamaAnswer struct{ calls int64 }

func (a *ollamaAnswer) decode(data []byte, _ string) (chunk, error) {
	var in struct {
		Model   text
		Message struct {
			Content, Thinking text
			Calls             []struct {
				ID       label
				Function openaiFunction
			} `json:"tool_calls"`
		}
		Done   bool
		Reason text  `json:"done_reason"`
		Prompt int64 `json:"prompt_eval_count"`
		Eval   int64 `json:"eval_count"`
		Error  json.RawMessage
	}
	if err := decode(data, &in); err != nil {
		return chunk{}, err
	}
	if len(in.Error) > 0 && string(in.Error) != "null" {
		return chunk{}, readError(in.Error)
	}
	out := chunk{model: string(in.Model), text: string(in.Message.Content), reasoning: string(in.Message.Thinking)}
	for _, c := range in.Message.Calls {
		// Calls come whole, one after the other.
		out.calls = append(out.calls, pieces.Piece{
			Index: a.calls, Indexed: true, ID: string(c.ID),
			Name: string(c.Function.Name), Arguments: string(c.Function.Arguments),
		})
		a.calls++
	}
	if !in.Done {
		return out, nil
	}
	out.finish = strings.ToLower(string(in.Reason))
	if out.finish == "" { // servers before 0.1.33
		out.finish = "stop"
	}
	if in.Prompt > 0 || in.Eval > 0 {
		out.usage = &agui.TokenUsage{InputTokens: in.Prompt, OutputTokens: in.Eval, TotalTokens: in.Prompt + in.Eval}
	}
	return out, nil
}
