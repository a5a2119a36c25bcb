package openai

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
	"github.com/aguistate/aguistate/adapters/internal/silence"
	"github.com/aguistate/aguistate/middleware/chat"
)

// frames turns what a server sends under status 200 into the SSE that the
// SDK's reader understands: one data line for each event and nothing else. It
// accepts all that the WHATWG grammar allows (CR and CRLF, many data lines in
// one event, a byte order mark), a last line without its end, events that are
// not separated by blank lines, errors in fields of their own, and a plain
// JSON answer where a stream was asked for.
type frames struct {
	in    *silence.Body
	r     *bufio.Reader
	limit int
	// spaced says that the reader tells errors itself. The SDK's reader holds
	// them back until another line comes, and loses those that are no object;
	// it does not know them with a space in front.
	spaced bool

	out     []byte // to be read
	at      int
	line    []byte // the line in the making
	event   []byte // the data of the event in the making
	shape   pieces.Shape
	failing bool // it is an event of type error
	begun   bool
	plain   bool // the answer is one JSON document
	skipLF  bool
	done    bool // [DONE] has come
	err     error
}

func newFrames(in *silence.Body, limit int, spaced bool) *frames {
	return &frames{in: in, r: bufio.NewReaderSize(in, 8<<10), limit: limit, spaced: spaced}
}

// Read returns at least one whole line if there is one.
func (f *frames) Read(p []byte) (int, error) {
	for f.at == len(f.out) {
		if f.err != nil {
			return 0, f.err
		}
		f.out, f.at = f.out[:0], 0
		f.next()
	}
	n := copy(p, f.out[f.at:])
	f.at += n
	return n, nil
}

// Close closes the body. That of a finished stream is read to its end first.
func (f *frames) Close() error {
	if f.done {
		f.in.Drain()
	}
	return f.in.Close()
}

// next reads one line, and writes to out what it completes.
func (f *frames) next() {
	if f.done {
		f.err = io.EOF
		return
	}
	if !f.begun {
		f.begin()
		return
	}
	err := f.readLine()
	if err == nil {
		f.take(f.line)
		f.line = f.line[:0]
		return
	}
	if err == io.EOF {
		// A server may leave out the end of its last line.
		if len(f.line) > 0 {
			f.take(f.line)
		}
		if f.shape.First == '{' && !f.whole() {
			err = io.ErrUnexpectedEOF
		} else {
			f.dispatch()
		}
	}
	f.err = err
}

// begin looks at the first byte: an event stream does not begin with a
// bracket, and a page of HTML with nothing else.
func (f *frames) begin() {
	f.begun = true
	if b, _ := f.r.Peek(3); string(b) == "\xEF\xBB\xBF" {
		f.r.Discard(3)
	}
	for {
		b, err := f.r.ReadByte()
		if err != nil {
			f.err = err
			return
		}
		switch b {
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[':
			f.plain = true
		case '<':
			f.err = chat.ModelError(chat.CodeBadResponse, errors.New("openai: the server answered with a page in place of a stream"))
			return
		}
		f.r.UnreadByte()
		break
	}
	if f.plain {
		f.document()
	}
}

// document reads a plain JSON answer as the only event.
func (f *frames) document() {
	b, err := io.ReadAll(io.LimitReader(f.r, int64(f.limit)+1))
	switch {
	case err != nil:
		f.err = err
	case len(b) > f.limit:
		f.err = f.tooLong()
	default:
		f.add(b)
		if f.err = io.ErrUnexpectedEOF; f.shape.Complete() {
			f.dispatch()
			f.err = io.EOF
		}
	}
}

// readLine appends to line until its end, which is LF, CR or CRLF and is left
// out.
func (f *frames) readLine() error {
	for {
		if _, err := f.r.Peek(1); err != nil {
			return err
		}
		buf, _ := f.r.Peek(f.r.Buffered())
		if f.skipLF && buf[0] == '\n' {
			f.skipLF = false
			f.r.Discard(1)
			continue
		}
		f.skipLF = false
		i := bytes.IndexByte(buf, '\n')
		if k := bytes.IndexByte(buf[:max(i, 0)], '\r'); k >= 0 {
			i = k
		} else if i < 0 {
			i = bytes.IndexByte(buf, '\r')
		}
		n := i
		if i < 0 {
			n = len(buf)
		}
		f.line = append(f.line, buf[:n]...)
		if len(f.line)+len(f.event) > f.limit {
			return f.tooLong()
		}
		if i < 0 {
			f.r.Discard(n)
			continue
		}
		f.skipLF = buf[i] == '\r'
		f.r.Discard(n + 1)
		return nil
	}
}

func (f *frames) tooLong() error { return fmt.Errorf("%w of %d bytes", ErrTooLong, f.limit) }

// take reads one line.
func (f *frames) take(line []byte) {
	if len(line) == 0 {
		f.dispatch()
		return
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		if len(f.event) > 0 {
			if f.whole() {
				f.dispatch() // no blank line in between
			} else {
				f.event = append(f.event, ' ')
			}
		}
		f.add(value)
		// Not to wait for the blank line: it may come with the next event,
		// or never.
		if f.whole() {
			f.dispatch()
		}
	case "event":
		f.failing = string(bytes.TrimSpace(value)) == "error"
	case "error":
		f.dispatch()
		f.failing = true
		f.add(value)
		f.dispatch()
	}
}

// whole reports whether the event cannot go on: it is [DONE], or an object
// whose brackets are closed.
func (f *frames) whole() bool {
	if f.shape.First == '[' {
		return len(f.event) < 64 && string(bytes.TrimSpace(f.event)) == "[DONE]"
	}
	return f.shape.First == '{' && f.shape.Complete()
}

// add adds to the data of the event in the making.
func (f *frames) add(data []byte) {
	f.event = append(f.event, data...)
	pieces.Follow(&f.shape, data)
}

// dispatch writes the event in the making to out.
func (f *frames) dispatch() {
	data := bytes.TrimSpace(f.event)
	failing := f.failing
	f.event, f.failing, f.shape = f.event[:0], false, pieces.Shape{}
	if len(data) == 0 {
		return
	}
	if !f.spaced && finishes(data) {
		f.in.Ended.Store(true) // the reader cannot say so
	}
	if string(data) == "[DONE]" {
		f.done = true
		f.out = append(f.out, "data: [DONE]\n\n"...)
		return
	}
	f.out = append(f.out, "data: "...)
	switch {
	case failing && !hasError(data):
		f.out = append(f.out, '{')
		if f.spaced {
			f.out = append(f.out, ' ')
		}
		f.out = append(f.out, `"error":`...)
		c := cursor{b: data}
		if c.skip(); c.err == nil && c.end() {
			f.out = appendLine(f.out, data)
		} else {
			f.out = appendQuoted(f.out, data)
		}
		f.out = append(f.out, '}')
	case f.spaced && data[0] == '{':
		f.out = append(f.out, "{ "...)
		f.out = appendLine(f.out, data[1:])
	default:
		f.out = appendLine(f.out, data)
	}
	f.out = append(f.out, "\n\n"...)
}

// finishes reports whether the data is a chunk with the answer's finish reason.
func finishes(data []byte) bool {
	said := false
	for rest := data; !said; {
		var found bool
		if _, rest, found = bytes.Cut(rest, []byte(`"finish_reason"`)); !found {
			return false // most chunks: they are not read twice
		}
		said = bytes.HasPrefix(bytes.TrimLeft(rest, ": \t"), []byte{'"'})
	}
	var k chunk
	return k.parse(data) == nil && slices.ContainsFunc(k.choices, func(c choice) bool { return c.index == 0 && c.finish != "" })
}

// hasError reports whether the data is an object with a member "error".
func hasError(data []byte) bool {
	c := cursor{b: data}
	found := false
	for key := range c.members() {
		found = found || string(key) == "error"
	}
	return found
}

// appendLine appends JSON without the line ends in it.
func appendLine(dst, data []byte) []byte {
	from := len(dst)
	dst = append(dst, data...)
	for i, b := range dst[from:] {
		if b == '\n' || b == '\r' {
			dst[from+i] = ' '
		}
	}
	return dst
}

// appendQuoted appends text as a JSON string.
func appendQuoted(dst, text []byte) []byte {
	b, _ := marshal(string(text)) // a string cannot fail
	return append(dst, b...)
}
