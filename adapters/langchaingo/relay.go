package langchaingo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aguistate/aguistate/adapters/internal/silence"
	"github.com/aguistate/aguistate/middleware/chat"
)

// relay is the body that a provider reads in place of the real one: a token
// for each object of the answer, which is in the exchange by then.
//
// It takes server-sent events as servers write them: with any line end or
// none, with or without blank lines, with comments, with data over several
// lines, with errors in events or fields of their own; and a plain JSON answer
// where a stream was asked for.
type relay struct {
	mu     sync.Mutex // held while reading
	wire   *wire
	x      *exchange
	body   io.ReadCloser
	src    *bufio.Reader
	decode func(data []byte, event string) (chunk, error)
	out    []byte
	event  string // the name of the event in hand
	data   []byte // its data
	begun  bool
	plain  bool // no stream: the answer is one object
	skipLF bool // the line before ended with CR
	done   bool
	// finished says that a finish reason has come, and only the tail is awaited.
	finished atomic.Bool
}

func newRelay(w *wire, x *exchange, body io.ReadCloser) *relay {
	r := &relay{wire: w, x: x, body: body, src: bufio.NewReaderSize(body, 8<<10), decode: w.decoder()}
	if b, ok := body.(*silence.Body); ok {
		b.Ended = &r.finished
	}
	if x.stream {
		r.out = []byte(w.open)
	}
	return r
}

// Read returns tokens, as many as are known without waiting.
func (r *relay) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.out) == 0 {
		if r.done {
			return 0, io.EOF
		}
		r.next()
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// Close closes the real body. That of a finished answer is read to its end
// first.
func (r *relay) Close() error {
	if r.mu.TryLock() { // providers read from one goroutine and close from another
		if b, ok := r.body.(*silence.Body); ok && r.done {
			b.Drain()
		}
		r.mu.Unlock()
	}
	return r.body.Close()
}

// next reads one line.
func (r *relay) next() {
	line, err := r.line()
	last := err == io.EOF
	if err == nil || last && len(line) > 0 {
		if err = r.take(line); err != nil {
			r.end(err)
		}
	}
	switch {
	case last:
		r.end(r.flush())
	case err != nil:
		r.end(err)
	}
}

// end ends the answer; err is nil when it was read to its end.
func (r *relay) end(err error) {
	if r.done {
		return
	}
	r.done = true
	r.x.set(func() { r.x.done, r.x.err = err == nil, err })
	if !r.x.stream {
		r.out = []byte(r.wire.whole)
		return
	}
	r.out = append(r.out, r.wire.close...)
}

// line reads a line, without its end: LF, CR or CRLF.
func (r *relay) line() ([]byte, error) {
	var line []byte
	for {
		if _, err := r.src.Peek(1); err != nil {
			return line, err
		}
		buf, _ := r.src.Peek(r.src.Buffered())
		if r.skipLF && buf[0] == '\n' {
			buf = buf[1:]
			_, _ = r.src.Discard(1) // it is there
		}
		r.skipLF = false
		end := bytes.IndexAny(buf, "\r\n")
		if end < 0 {
			end = len(buf)
		}
		if line = append(line, buf[:end]...); len(line)+len(r.data) > maxObject {
			return nil, chat.ModelError(chat.CodeBadResponse, fmt.Errorf("langchaingo: an object of the stream has more than %d bytes", maxObject))
		}
		if end == len(buf) {
			_, _ = r.src.Discard(end)
			continue
		}
		r.skipLF = buf[end] == '\r'
		_, _ = r.src.Discard(end + 1)
		return line, nil
	}
}

// take reads a line of the wire.
func (r *relay) take(line []byte) error {
	if !r.begun {
		line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
		trimmed := bytes.TrimLeft(line, " \t")
		if len(trimmed) == 0 {
			return nil
		}
		r.begun = true
		if trimmed[0] == '<' {
			return chat.ModelError(chat.CodeBadResponse, errors.New("langchaingo: the server answered with a page in place of a stream"))
		}
		r.plain = r.wire.sse && (trimmed[0] == '{' || trimmed[0] == '[')
	}
	switch {
	case r.plain:
		r.data = append(append(r.data, line...), '\n')
		return nil
	case !r.wire.sse:
		r.data = line
		return r.flush()
	case len(line) == 0:
		return r.flush()
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "event":
		r.event = string(bytes.TrimSpace(value))
	case "error":
		r.event, r.data = "error", value
		return r.flush()
	case "data":
		if len(r.data) > 0 {
			r.data = append(append(r.data, '\n'), value...)
			return nil
		}
		r.data = append(r.data, value...)
		// Not to wait for the blank line: it may come with the next event,
		// or never.
		if value = bytes.TrimSpace(value); string(value) == "[DONE]" {
			return r.flush()
		} else if json.Valid(value) {
			return r.tell(bytes.Clone(value))
		}
	}
	return nil
}

// flush hands on the object in hand.
func (r *relay) flush() error {
	data := bytes.TrimSpace(r.data)
	switch {
	case len(data) == 0:
		r.data, r.event = nil, ""
		return nil
	case string(data) == "[DONE]":
		r.end(nil)
		return nil
	case json.Valid(data):
		return r.tell(data)
	case r.event == "error":
		return &serverError{message: fmt.Sprintf("%.1000s", data)}
	case strings.HasPrefix("[DONE", string(data)):
		return io.ErrUnexpectedEOF
	case data[0] == '{' && errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(new(any)), io.ErrUnexpectedEOF):
		return fmt.Errorf("%w inside an object", io.ErrUnexpectedEOF)
	}
	return chat.ModelError(chat.CodeBadResponse, fmt.Errorf("langchaingo: not JSON in the stream: %.200q", data))
}

// tell reads an object, which is JSON, and keeps what it says.
func (r *relay) tell(data []byte) error {
	event := r.event
	r.data, r.event = nil, ""
	c, err := r.decode(data, event)
	if err != nil {
		return err
	}
	c.raw = data
	r.x.push(c)
	if c.finish != "" {
		r.finished.Store(true)
	}
	if r.x.stream {
		r.out = append(r.out, r.wire.token...)
	}
	return nil
}
