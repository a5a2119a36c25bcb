package langchaingo

import (
	"encoding/json"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// openaiWire is the chat completions wire, which many servers speak.
var openaiWire = wire{
	path:    "/chat/completions",
	sse:     true,
	edit:    editOpenAI,
	decoder: func() func([]byte, string) (chunk, error) { return decodeOpenAI },
	token:   `data: {"choices":[{"index":0,"delta":{"content":"."}}]}` + "\n\n",
	close:   `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
	whole:   `{"choices":[{"index":0,"message":{"role":"assistant","content":"."},"finish_reason":"stop"}]}`,
}

func editOpenAI(body map[string]any, w *wants) error {
	o := w.options
	// langchaingo sends a temperature of 0 when none is asked for.
	set(body, "temperature", o.Temperature)
	if o.TopP != nil {
		body["top_p"] = *o.TopP
	}
	if o.Seed != nil {
		body["seed"] = *o.Seed
	}
	if o.ParallelToolCalls != nil && given(body, "tools") {
		body["parallel_tool_calls"] = *o.ParallelToolCalls
	}
	if f := w.format; f != nil {
		format := map[string]any{"type": "json_object"}
		if f.Schema != nil {
			schema := map[string]any{"name": toolname.Valid(f.Name, "response"), "schema": f.Schema, "strict": f.Strict}
			if f.Description != "" {
				schema["description"] = f.Description
			}
			format = map[string]any{"type": "json_schema", "json_schema": schema}
		}
		body["response_format"] = format
	}
	return nil
}

// openaiChunk is an object of the stream, or a whole answer in place of it.
type openaiChunk struct {
	Object  label
	Model   text
	Choices []struct {
		Index   count
		Delta   openaiDelta
		Message openaiDelta
		Finish  text `json:"finish_reason"`
	}
	Usage openaiUsage
	XGroq struct{ Usage openaiUsage } `json:"x_groq"`
	Error json.RawMessage
	// Message and Code are where old vLLM servers put an error.
	Message text
	Code    label
}

type openaiDelta struct {
	Content          openaiContent
	Refusal          text
	ReasoningContent text `json:"reasoning_content"`
	Reasoning        text
	ReasoningDetails []struct{ Text, Summary text } `json:"reasoning_details"`
	ToolCalls        []struct {
		Index    *count
		ID       label
		Function openaiFunction
	} `json:"tool_calls"`
	FunctionCall *openaiFunction `json:"function_call"`
}

// openaiContent is text, or parts of which some may be thoughts.
type openaiContent struct{ text, reasoning string }

// UnmarshalJSON never fails.
func (c *openaiContent) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		var t text
		_ = t.UnmarshalJSON(b)
		*c = openaiContent{text: string(t)}
		return nil
	}
	var parts []json.RawMessage
	_ = json.Unmarshal(b, &parts) // the syntax has been checked
	for _, raw := range parts {
		if raw[0] == '"' {
			c.text += unquote(raw[1 : len(raw)-1])
			continue
		}
		var p struct{ Text, Thinking, Refusal text }
		_ = json.Unmarshal(raw, &p) // other shapes say nothing
		c.text += string(p.Text) + string(p.Refusal)
		c.reasoning += string(p.Thinking)
	}
	return nil
}

type openaiFunction struct {
	Name      text
	Arguments arguments
}

// arguments are JSON text, or the JSON itself.
type arguments string

// UnmarshalJSON never fails.
func (a *arguments) UnmarshalJSON(b []byte) error {
	*a = ""
	switch b[0] {
	case '"':
		*a = arguments(unquote(b[1 : len(b)-1]))
	case '{', '[':
		*a = arguments(b)
	}
	return nil
}

type openaiUsage struct {
	Prompt       count `json:"prompt_tokens"`
	Completion   count `json:"completion_tokens"`
	Total        count `json:"total_tokens"`
	CacheHit     count `json:"prompt_cache_hit_tokens"`
	CacheWrite   count `json:"cache_creation_input_tokens"`
	PromptDetail struct {
		Cached        count `json:"cached_tokens"`
		CacheWrite    count `json:"cache_write_tokens"`
		CacheCreation count `json:"cache_creation_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetail struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *openaiUsage) tokens() *agui.TokenUsage {
	if *u == (openaiUsage{}) {
		return nil
	}
	return &agui.TokenUsage{
		InputTokens: int64(u.Prompt), OutputTokens: int64(u.Completion), TotalTokens: int64(u.Total),
		CachedInputTokens:     int64(max(u.CacheHit, u.PromptDetail.Cached)),
		CacheWriteInputTokens: int64(max(u.CacheWrite, u.PromptDetail.CacheWrite, u.PromptDetail.CacheCreation)),
		ReasoningTokens:       int64(u.CompletionDetail.Reasoning),
	}
}

func decodeOpenAI(data []byte, event string) (chunk, error) {
	var in openaiChunk
	if err := decode(data, &in); err != nil {
		return chunk{}, err
	}
	switch {
	case len(in.Error) > 0 && string(in.Error) != "null":
		return chunk{}, readError(in.Error)
	case event == "error":
		return chunk{}, readError(data)
	case in.Object == "error":
		return chunk{}, &serverError{word: string(in.Code), message: string(in.Message)}
	}
	out := chunk{model: string(in.Model), usage: in.Usage.tokens()}
	if out.usage == nil {
		out.usage = in.XGroq.Usage.tokens()
	}
	for i := range in.Choices {
		c := &in.Choices[i]
		if c.Index != 0 {
			continue // an alternative
		}
		for _, d := range []*openaiDelta{&c.Delta, &c.Message} {
			switch {
			case d.ReasoningContent != "":
				out.reasoning += string(d.ReasoningContent)
			case d.Reasoning != "":
				out.reasoning += string(d.Reasoning)
			default:
				for _, part := range d.ReasoningDetails {
					out.reasoning += string(part.Text + part.Summary)
				}
			}
			out.reasoning += d.Content.reasoning
			out.text += d.Content.text + string(d.Refusal)
			for _, t := range d.ToolCalls {
				p := pieces.Piece{ID: string(t.ID), Name: string(t.Function.Name), Arguments: string(t.Function.Arguments)}
				if t.Index != nil {
					p.Index, p.Indexed = int64(*t.Index), true
				}
				out.calls = append(out.calls, p)
			}
			if f := d.FunctionCall; f != nil && (f.Name != "" || f.Arguments != "") {
				out.calls = append(out.calls, pieces.Piece{Name: string(f.Name), Arguments: string(f.Arguments)})
			}
		}
		switch c.Finish {
		case "":
		case "error", "abort", "insufficient_system_resource":
			return out, &serverError{message: "the model stopped with " + string(c.Finish)}
		default:
			out.finish = string(c.Finish)
		}
	}
	return out, nil
}

// openaiChoice is the tool choice as langchaingo's openai provider sends it.
func openaiChoice(c chat.ToolChoice, n *toolname.Table) any {
	named := map[string]any{"type": "function", "function": map[string]any{"name": n.Theirs(c.Name)}}
	return map[chat.ToolMode]any{chat.ToolsNone: "none", chat.ToolsRequired: "required", chat.ToolsNamed: named}[c.Mode]
}
