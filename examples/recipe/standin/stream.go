package standin

import (
	"context"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// frame is one write: what a step reports and what goes out.
type frame struct{ data, wire string }

// Sizes of pieces in runes.
const (
	maxWord  = 16 // longer words are parted
	jsonStep = 10 // a piece of JSON
)

// pieces cuts a text as a model's tokens would: by words, and JSON a few
// characters at a time. No rune is ever cut.
func pieces(s string, json bool) []string {
	var out []string
	start, n := 0, 0
	word := false // a word has begun in this piece
	for i, r := range s {
		cut := json && n >= jsonStep
		if !json {
			cut = n >= maxWord || unicode.IsSpace(r) && word
		}
		if cut {
			out = append(out, s[start:i])
			start, n, word = i, 0, false
		}
		n++
		word = word || !unicode.IsSpace(r)
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// limit cuts a reply at its stop sequences and its token limit, a piece being
// one token. The limit ends an answer with "length".
func limit(r *completionRequest, rep reply) reply {
	for _, s := range r.stop {
		if i := strings.Index(rep.text, s); s != "" && i >= 0 {
			rep.text = rep.text[:i]
		}
	}
	most := r.MaxCompletionTokens
	if most == nil {
		most = r.MaxTokens
	}
	if most == nil {
		return rep
	}
	left := *most
	take := func(s string, json bool) string {
		p := pieces(s, json)
		if len(p) > left {
			p, rep.finish = p[:left], "length"
		}
		left -= len(p)
		return strings.Join(p, "")
	}
	rep.text = take(rep.text, rep.json)
	for i := range rep.calls {
		if left <= 0 {
			rep.calls, rep.finish = rep.calls[:i], "length"
			break
		}
		rep.calls[i].args = take(rep.calls[i].args, true)
	}
	return rep
}

func (rep reply) tokens() int {
	n := len(pieces(rep.text, rep.json)) + len(pieces(rep.refusal, false))
	for _, c := range rep.calls {
		n += len(pieces(c.args, true)) + 1
	}
	return n
}

func promptTokens(r *completionRequest) int {
	n := 0
	for _, m := range r.Messages {
		n += 4 + (utf8.RuneCountInString(m.text)+3)/4
		for _, c := range m.ToolCalls {
			n += (len(*c.Function.Arguments) + 3) / 4
		}
	}
	return n
}

// head is what all chunks of an answer, or the whole of it, begin with.
type head struct {
	id, model string
	created   int64
	callIDs   func(i int) string
}

func (h head) object(kind string) *object {
	o := newObject()
	o.set("id", h.id)
	o.set("object", kind)
	o.set("created", number(int(h.created)))
	o.set("model", h.model)
	o.set("service_tier", "default")
	o.set("system_fingerprint", "fp_standin")
	return o
}

// framesOf writes a reply as the frames of a stream, and tells how many of them
// come before the one with the finish reason. The end mark rides on the last.
func framesOf(h head, rep reply, usage *usage) (frames []frame, body int) {
	add := func(choices []any, u any) {
		o := h.object("chat.completion.chunk")
		o.set("choices", choices)
		if usage != nil {
			o.set("usage", u)
		}
		s := valueString(o)
		frames = append(frames, frame{s, "data: " + s + "\n\n"})
	}
	chunk := func(finish any, members ...any) {
		delta := newObject()
		for i := 0; i < len(members); i += 2 {
			delta.set(members[i].(string), members[i+1])
		}
		c := newObject()
		c.set("index", number(0))
		c.set("delta", delta)
		c.set("logprobs", nil)
		c.set("finish_reason", finish)
		add([]any{c}, nil)
	}
	if len(rep.calls) > 0 {
		chunk(nil, "role", "assistant", "content", nil)
	} else {
		chunk(nil, "role", "assistant", "content", "", "refusal", nil)
	}
	for _, p := range pieces(rep.text, rep.json) {
		chunk(nil, "content", p)
	}
	for _, p := range pieces(rep.refusal, false) {
		chunk(nil, "refusal", p)
	}
	for i, c := range rep.calls {
		chunk(nil, "tool_calls", []any{callValue(i, h.callIDs(i), c.name, "", true)})
		for _, p := range pieces(c.args, true) {
			chunk(nil, "tool_calls", []any{callValue(i, "", "", p, true)})
		}
	}
	body = len(frames)
	chunk(rep.finish)
	if usage != nil {
		add([]any{}, usage.value())
	}
	frames[len(frames)-1].wire += "data: [DONE]\n\n"
	return frames, body
}

// callValue is a tool call, or a delta of one: its head, then its arguments.
func callValue(i int, id, name, args string, delta bool) *object {
	o := newObject()
	if delta {
		o.set("index", number(i))
	}
	f := newObject()
	if id != "" {
		o.set("id", id)
		o.set("type", "function")
		f.set("name", name)
	}
	f.set("arguments", args)
	o.set("function", f)
	return o
}

// wholeOf writes a reply as one JSON body.
func wholeOf(h head, rep reply, usage *usage) string {
	m := newObject()
	m.set("role", "assistant")
	m.set("content", rep.text)
	m.set("refusal", nil)
	if rep.refusal != "" {
		m.set("content", nil)
		m.set("refusal", rep.refusal)
	}
	if len(rep.calls) > 0 {
		m.set("content", nil)
		list := []any{}
		for i, c := range rep.calls {
			list = append(list, callValue(i, h.callIDs(i), c.name, c.args, false))
		}
		m.set("tool_calls", list)
	}
	c := newObject()
	c.set("index", number(0))
	c.set("message", m)
	c.set("logprobs", nil)
	c.set("finish_reason", rep.finish)
	o := h.object("chat.completion")
	o.set("choices", []any{c})
	o.set("usage", usage.value())
	return valueString(o)
}

// send writes the frames, each when the gate lets it, and flushes each. It
// returns at once when the client is gone.
func send(ctx context.Context, w http.ResponseWriter, p *pass, frames []frame) error {
	defer p.leave()
	rc := http.NewResponseController(w)
	for i, f := range frames {
		if err := p.wait(ctx); err != nil {
			return err
		}
		if _, err := w.Write([]byte(f.wire)); err != nil {
			return err
		}
		if err := rc.Flush(); err != nil {
			return err
		}
		p.written(f.data, i == len(frames)-1)
	}
	return nil
}
