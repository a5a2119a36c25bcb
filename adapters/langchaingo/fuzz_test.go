package langchaingo

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/adapters/internal/toolname"
	"github.com/aguistate/aguistate/middleware/chat"
)

// FuzzRelay reads any body on any wire: it comes to an end, says whole JSON
// only, and tells as many chunks as tokens, whatever the pieces in which the
// body comes.
func FuzzRelay(f *testing.F) {
	for i, w := range wires {
		f.Add(i, []byte(w.open+w.token+w.close))
		f.Add(i, []byte(w.close))
	}
	f.Add(0, []byte("data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":{\"q\":1}}}]}}]}\r\n\r\n: x\nevent: error\ndata: gone"))
	f.Add(0, []byte("{\"choices\":\n[{\"message\":{\"content\":[{\"text\":\"\\ud83c\"}]}}]}"))
	f.Add(1, []byte("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n"))
	f.Add(2, []byte("{\"error\":\"gone\"}\n{\"done\":true}"))
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		w := wires[uint(which)%uint(len(wires))]
		var first []chunk
		var firstErr string
		for i, src := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body)), iotest.DataErrReader(bytes.NewReader(body))} {
			x := &exchange{stream: true}
			out, err := io.ReadAll(newRelay(w, x, io.NopCloser(src)))
			if err != nil {
				t.Fatal(err)
			}
			chunks := x.take()
			text, errText := strings.TrimPrefix(string(out), w.open), ""
			if x.err != nil {
				errText = x.err.Error()
			}
			if want := strings.Repeat(w.token, len(chunks)) + w.close; text != want {
				t.Fatalf("the provider reads %q, want %q", text, want)
			}
			if x.done == (x.err != nil) {
				t.Fatalf("done %v, error %v", x.done, x.err)
			}
			if i == 0 {
				first, firstErr = chunks, errText
			}
			if len(first) != len(chunks) || firstErr != errText {
				t.Fatalf("in other pieces %d chunks and error %q, not %d and %q", len(chunks), errText, len(first), firstErr)
			}
			cs := pieces.Calls{IDs: chat.NewCallIDs(nil), Names: toolname.New(nil)}
			for k, c := range chunks {
				if c.text != first[k].text || c.finish != first[k].finish || !json.Valid(c.raw) {
					t.Fatalf("chunk %d: %+v, %+v", k, c, first[k])
				}
				for _, p := range c.calls {
					cs.Add(nil, p)
				}
			}
			if _, err := cs.Finish(nil); err != nil && err != pieces.ErrNameless {
				t.Fatal(err)
			}
		}
	})
}

// FuzzDeltas streams data as text, and as the JSON of a call: what is in the
// content of the response is text, to the byte, and nothing else is.
func FuzzDeltas(f *testing.F) {
	f.Add([]byte(`[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]`), true)
	f.Add([]byte(`[{"type":"","function":{"name":"","arguments":"\u003c"}}]`), false)
	f.Add([]byte(`{"name":"f","arguments":"{}"}`), true)
	f.Add([]byte(`[{"a":{"b":{}}}]`), false)
	f.Fuzz(func(t *testing.T, data []byte, asText bool) {
		d := deltas{on: true}
		held := d.hold(data)
		content := "Hi" + string(data)
		if held && !asText {
			content = "Hi"
		}
		text, calls := d.settle(strings.TrimPrefix(content, "Hi"))
		if !held {
			text, calls = string(data), nil
		}
		if "Hi"+text != content || (len(calls) > 0) != (held && !asText) {
			t.Errorf("%q became the text %q and %+v", data, text, calls)
		}
	})
}

// FuzzSplitter cuts an agent's text anywhere: it is divided in the same place.
func FuzzSplitter(f *testing.F) {
	f.Add("Thought: no\nFinal Answer: 42", 5, 16)
	f.Add("final answer:  x", 1, 3)
	f.Add("Final Final Answer", 7, 9)
	f.Add("finAl Answer:\x9b00", 0, 3)
	f.Fuzz(func(t *testing.T, s string, i, j int) {
		i, j = int(uint(i)%uint(len(s)+1)), int(uint(j)%uint(len(s)+1))
		i, j = min(i, j), max(i, j)
		divide := func(pieces ...string) (reasoning, text string) {
			m := splitter{marker: "Final Answer:"}
			for _, p := range pieces {
				r, t := m.add(p)
				reasoning, text = reasoning+r, text+t
			}
			r, rest := m.rest()
			return reasoning + r, text + rest
		}
		reasoning, text := divide(s)
		if r, x := divide(s[:i], s[i:j], s[j:]); r != reasoning || x != text {
			t.Errorf("%q, %q in pieces, %q, %q as a whole", r, x, reasoning, text)
		}
	})
}
