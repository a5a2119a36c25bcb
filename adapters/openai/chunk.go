package openai

import (
	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/middleware/agui"
)

// chunk is what matters of one chunk of the stream, in whatever spelling its
// server has for it.
type chunk struct {
	model   []byte
	object  []byte
	choices []choice
	usage   *usage
	err     []byte // the member "error", as it came
	// message and code are the top-level members that old vLLM servers report
	// an error in.
	message, code string
}

// choice is one choice of a chunk; index 0 is the answer.
type choice struct {
	index            int64
	text             string
	refusal          string
	reasoning        string
	reasoningDetails []byte // the entries that are opaque, as they came
	calls            []pieces.Piece
	finish           string
}

// usage counts tokens.
type usage struct {
	input, output, total, reasoning, cached, cacheWrite int64
}

// parse reads a chunk, an object or null, in place of what k was. It fails on
// what is not JSON, and not on the shapes of members.
func (k *chunk) parse(raw []byte) error {
	*k = chunk{choices: k.choices[:0]}
	c := cursor{b: raw}
	if b := c.peek(); b != '{' && b != 'n' {
		return errJSON
	}
	for key := range c.members() {
		switch string(key) {
		case "model":
			k.model = c.word()
		case "object":
			k.object = c.word()
		case "choices":
			for range c.elements() {
				k.choices = append(k.choices, c.choice())
			}
		case "usage":
			if u := c.usage(); u != nil {
				k.usage = u
			}
		case "x_groq":
			for key := range c.members() {
				if string(key) == "usage" && k.usage == nil {
					k.usage = c.usage()
				}
			}
		case "error":
			if !c.null() {
				k.err = c.raw()
			}
		case "message":
			k.message = c.text()
		case "code":
			k.code = c.label()
		}
	}
	if c.err == nil && !c.end() {
		c.err = errJSON
	}
	return c.err
}

func (c *cursor) choice() (ch choice) {
	for key := range c.members() {
		switch string(key) {
		case "index":
			ch.index, _ = c.number()
		case "finish_reason":
			ch.finish = pieces.Mend(c.text())
		case "delta", "message":
			c.delta(&ch)
		}
	}
	return ch
}

func (c *cursor) delta(ch *choice) {
	// A server may say the same reasoning under several names: the first
	// that says something counts.
	var reasoning, details string
	for key := range c.members() {
		switch string(key) {
		case "content":
			c.content(ch)
		case "refusal":
			ch.refusal = c.text()
		case "reasoning_content":
			if s := c.text(); s != "" {
				ch.reasoning = s
			}
		case "reasoning":
			reasoning = c.text()
		case "reasoning_details":
			details = c.reasoningDetails(ch)
		case "tool_calls":
			for range c.elements() {
				ch.calls = append(ch.calls, c.call())
			}
		case "function_call": // the older form: one call, neither id nor index
			if p := c.function(pieces.Piece{}); p.Name != "" || p.Arguments != "" {
				ch.calls = append(ch.calls, p)
			}
		}
	}
	switch {
	case ch.reasoning != "":
	case reasoning != "":
		ch.reasoning = reasoning
	default:
		ch.reasoning = details
	}
}

// content reads text, or an array of parts whose thinking is reasoning.
func (c *cursor) content(ch *choice) {
	if c.peek() != '[' {
		ch.text += c.text()
		return
	}
	for range c.elements() {
		if c.peek() == '"' {
			ch.text += c.text()
			continue
		}
		for key := range c.members() {
			switch string(key) {
			case "text":
				ch.text += c.text()
			case "refusal":
				ch.refusal += c.text()
			case "thinking":
				ch.reasoning += c.joined()
			}
		}
	}
}

// joined reads text, or an array of text parts as one.
func (c *cursor) joined() (s string) {
	if c.peek() != '[' {
		return c.text()
	}
	for range c.elements() {
		for key := range c.members() {
			if string(key) == "text" {
				s += c.text()
			}
		}
	}
	return s
}

// reasoningDetails returns the readable text of the entries, and gathers
// those that are not readable.
func (c *cursor) reasoningDetails(ch *choice) (readable string) {
	for range c.elements() {
		from := c.i
		var opaque bool
		for key := range c.members() {
			switch string(key) {
			case "text", "summary":
				readable += c.text()
			case "data", "signature":
				opaque = opaque || c.text() != ""
			}
		}
		if opaque && c.err == nil {
			if ch.reasoningDetails != nil {
				ch.reasoningDetails = append(ch.reasoningDetails, ',')
			}
			ch.reasoningDetails = append(ch.reasoningDetails, c.b[from:c.i]...)
		}
	}
	return readable
}

func (c *cursor) call() (p pieces.Piece) {
	for key := range c.members() {
		switch string(key) {
		case "index":
			p.Index, p.Indexed = c.number()
		case "id":
			p.ID = pieces.Mend(c.label())
		case "function":
			p = c.function(p)
		case "extra_content":
			if c.peek() == '{' {
				p.EncryptedReasoning = string(c.raw())
			}
		}
	}
	return p
}

func (c *cursor) function(p pieces.Piece) pieces.Piece {
	for key := range c.members() {
		switch string(key) {
		case "name":
			p.Name = c.text()
		case "arguments":
			switch c.peek() {
			case '"':
				p.Arguments = c.text()
			case '{', '[': // not as text but as JSON
				p.Arguments = string(c.raw())
			}
		}
	}
	return p
}

// usage reads a usage object; null and one that counts nothing are nil.
func (c *cursor) usage() *usage {
	if c.null() {
		return nil
	}
	var u usage
	count := func(n *int64) {
		if v, _ := c.number(); v > 0 {
			*n = v
		}
	}
	for key := range c.members() {
		switch string(key) {
		case "prompt_tokens", "input_tokens":
			count(&u.input)
		case "completion_tokens", "output_tokens":
			count(&u.output)
		case "total_tokens":
			count(&u.total)
		case "prompt_cache_hit_tokens":
			count(&u.cached)
		case "cache_creation_input_tokens":
			count(&u.cacheWrite)
		case "prompt_tokens_details":
			for key := range c.members() {
				switch string(key) {
				case "cached_tokens":
					count(&u.cached)
				case "cache_write_tokens", "cache_creation_tokens":
					count(&u.cacheWrite)
				}
			}
		case "completion_tokens_details":
			for key := range c.members() {
				if string(key) == "reasoning_tokens" {
					count(&u.reasoning)
				}
			}
		}
	}
	if u == (usage{}) {
		return nil
	}
	return &u
}

func (u *usage) tokens(provider, model string) *agui.TokenUsage {
	return &agui.TokenUsage{
		Provider:              provider,
		Model:                 model,
		InputTokens:           u.input,
		OutputTokens:          u.output,
		TotalTokens:           u.total,
		ReasoningTokens:       u.reasoning,
		CachedInputTokens:     u.cached,
		CacheWriteInputTokens: u.cacheWrite,
	}
}
