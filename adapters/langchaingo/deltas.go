package langchaingo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/chat"
)

// deltas tells tool calls from text in what a streaming function gets.
// langchaingo's openai provider hands over both: of a chunk with tool calls
// the JSON of their pieces, without index, and of any other the text. A model
// may write that JSON as text, and only the response tells: text is in its
// content, calls are not. So from what looks like a call on, all is held back
// until the response is there.
type deltas struct {
	on    bool
	tools []chat.Tool
	names *toolname.Table
	held  []held
}

// held is what the streaming function got, and the pieces of calls that it is
// unless it is text.
type held struct {
	raw   string
	calls []pieces.Piece
}

// hold keeps data back if it may be a call, or comes behind one.
func (d *deltas) hold(data []byte) bool {
	if !d.on {
		return false
	}
	calls, ok := read(data)
	if !ok && len(d.held) == 0 {
		return false
	}
	d.held = append(d.held, held{string(data), calls})
	return true
}

// settle returns the text and the calls in what was held back. rest is what the
// response's content has beyond what has been said.
func (d *deltas) settle(rest string) (text string, calls []pieces.Piece) {
	for _, h := range d.held {
		switch i := strings.Index(rest, h.raw); {
		case i >= 0:
			// Text in front of it was in a chunk of calls, which hides it.
			text += rest[:i+len(h.raw)]
			rest = rest[i+len(h.raw):]
		case h.calls == nil:
			text += h.raw
		default:
			calls = append(calls, h.calls...)
		}
	}
	d.held = nil
	return text + rest, calls
}

// delta is a piece of a call as langchaingo writes it.
type delta struct {
	ID       string `json:"id,omitempty"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// read returns the pieces in data, or false for text: calls are byte for byte
// what langchaingo writes.
func read(data []byte) ([]pieces.Piece, bool) {
	var in []delta
	switch {
	case framed(data, `[{"`, `}}]`):
		if !exactly(data, &in) {
			return nil, false
		}
	case framed(data, `{"name":"`, `"}`): // the call of old
		in = make([]delta, 1)
		if !exactly(data, &in[0].Function) {
			return nil, false
		}
	default:
		return nil, false
	}
	out := make([]pieces.Piece, 0, len(in))
	for _, p := range in {
		out = append(out, pieces.Piece{ID: p.ID, Name: p.Function.Name, Arguments: p.Function.Arguments})
	}
	return out, true
}

func framed(data []byte, first, last string) bool {
	return bytes.HasPrefix(data, []byte(first)) && bytes.HasSuffix(data, []byte(last))
}

// exactly decodes data, and reports whether v is written so.
func exactly(data []byte, v any) bool {
	if json.Unmarshal(data, v) != nil {
		return false
	}
	again, err := json.Marshal(v)
	return err == nil && bytes.Equal(again, data)
}

// check refuses a piece that may belong to several calls: one without an id
// behind calls of which more than one wait for arguments.
func (d *deltas) check(calls []*pieces.Call, p pieces.Piece) error {
	if p.ID != "" || p.Name != "" || p.Arguments == "" || len(calls) < 2 {
		return nil
	}
	last := len(calls) - 1
	for _, c := range calls[:last] {
		if d.waits(c) {
			return chat.ModelError(chat.CodeBadResponse, fmt.Errorf("langchaingo: the pieces of the calls of %q and %q alternate, and langchaingo hands them over without saying whose they are: build the model with langchaingo.HTTPClient",
				c.Name, calls[last].Name))
		}
	}
	return nil
}

// waits reports whether a call may go on: it has begun arguments, or has none
// though its tool takes some.
func (d *deltas) waits(c *pieces.Call) bool {
	if c.Begun() {
		return !c.Complete()
	}
	for _, t := range d.tools {
		if d.names.Theirs(t.Name) == c.Name {
			var s struct{ Properties map[string]json.RawMessage }
			return json.Unmarshal(schemaOf(t), &s) != nil || len(s.Properties) > 0
		}
	}
	return true
}
