package langchaingo

import (
	"encoding/json"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// anthropicWire is the messages wire of Anthropic.
var anthropicWire = wire{
	path:    "/messages",
	sse:     true,
	edit:    editAnthropic,
	decoder: func() func([]byte, string) (chunk, error) { return new(anthropicAnswer).decode },
	open: `data: {"type":"message_start","message":{"usage":{"input_tokens":0}}}` + "\n\n" +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text"}}` + "\n\n",
	token: `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"."}}` + "\n\n",
	close: `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":0}}` + "\n\n" +
		`data: {"type":"message_stop"}` + "\n\n",
	whole: `{"type":"message","role":"assistant","content":[{"type":"text","text":"."}],"stop_reason":"end_turn"}`,
}

func editAnthropic(body map[string]any, w *wants) error {
	o := w.options
	set(body, "temperature", o.Temperature)
	set(body, "top_p", o.TopP)
	if !given(body, "tools") {
		return nil
	}
	choice := map[string]any{}
	switch w.choice.Mode {
	case chat.ToolsNone:
		choice["type"] = "none"
	case chat.ToolsRequired:
		choice["type"] = "any"
	case chat.ToolsNamed:
		choice["type"], choice["name"] = "tool", w.names.Theirs(w.choice.Name)
	}
	if p := o.ParallelToolCalls; p != nil && w.choice.Mode != chat.ToolsNone {
		if len(choice) == 0 {
			choice["type"] = "auto"
		}
		choice["disable_parallel_tool_use"] = !*p
	}
	if len(choice) > 0 {
		body["tool_choice"] = choice
	}
	return nil
}

// anthropicAnswer reads the events of one answer.
type anthropicAnswer struct {
	usage anthropicUsage
	calls map[int]int64 // the call that a content block is
}

type anthropicUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
}

// add takes the counts that are there: later events repeat some of them.
func (u *anthropicUsage) add(v anthropicUsage) {
	u.Input = max(u.Input, v.Input)
	u.Output = max(u.Output, v.Output)
	u.CacheWrite = max(u.CacheWrite, v.CacheWrite)
	u.CacheRead = max(u.CacheRead, v.CacheRead)
}

func (u *anthropicUsage) tokens() *agui.TokenUsage {
	if *u == (anthropicUsage{}) {
		return nil
	}
	// Anthropic counts the tokens of the cache beside the input.
	input := u.Input + u.CacheRead + u.CacheWrite
	return &agui.TokenUsage{
		InputTokens: input, OutputTokens: u.Output, TotalTokens: input + u.Output,
		CachedInputTokens: u.CacheRead, CacheWriteInputTokens: u.CacheWrite,
	}
}

type anthropicBlock struct {
	Type      string
	ID        label
	Name      text
	Text      text
	Thinking  text
	Signature text
	Data      text
	Input     json.RawMessage
	Partial   text `json:"partial_json"`
}

func (a *anthropicAnswer) decode(data []byte, event string) (chunk, error) {
	var in struct {
		Type    string
		Index   int
		Message struct {
			Model text
			Usage anthropicUsage
		}
		Block anthropicBlock `json:"content_block"`
		Delta struct {
			anthropicBlock
			Stop text `json:"stop_reason"`
		}
		Usage anthropicUsage
		Error json.RawMessage
		// A whole answer in place of a stream.
		Model   text
		Content []anthropicBlock
		Stop    text `json:"stop_reason"`
	}
	if err := decode(data, &in); err != nil {
		return chunk{}, err
	}
	if len(in.Error) > 0 && string(in.Error) != "null" {
		return chunk{}, readError(in.Error)
	}
	if event == "error" || in.Type == "error" {
		return chunk{}, readError(data)
	}
	a.usage.add(in.Usage)
	a.usage.add(in.Message.Usage)
	var out chunk
	switch in.Type {
	case "message_start":
		out.model = string(in.Message.Model)
	case "content_block_start":
		a.block(&out, in.Index, in.Block)
	case "content_block_delta":
		d := in.Delta
		out.text, out.reasoning, out.opaque = string(d.Text), string(d.Thinking), string(d.Signature)
		if n, ok := a.calls[in.Index]; ok && d.Partial != "" {
			out.calls = []pieces.Piece{{Index: n, Indexed: true, Arguments: string(d.Partial)}}
		}
	case "message_delta":
		out.finish = string(in.Delta.Stop)
	case "message":
		out.model, out.finish = string(in.Model), string(in.Stop)
		for i, b := range in.Content {
			a.block(&out, i, b)
		}
	}
	if out.finish != "" {
		out.usage = a.usage.tokens()
	}
	return out, nil
}

// block reads a content block as it begins: of a stream's the content follows.
func (a *anthropicAnswer) block(out *chunk, index int, b anthropicBlock) {
	out.text += string(b.Text)
	out.reasoning += string(b.Thinking)
	out.opaque += string(b.Signature + b.Data)
	if b.Type != "tool_use" {
		return
	}
	if a.calls == nil {
		a.calls = map[int]int64{}
	}
	n := int64(len(a.calls))
	a.calls[index] = n
	p := pieces.Piece{Index: n, Indexed: true, ID: string(b.ID), Name: string(b.Name)}
	if input := string(b.Input); input != "" && input != "{}" && input != "null" {
		p.Arguments = input
	}
	out.calls = append(out.calls, p)
}
