package aguiclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// DefaultMaxFrame is the size of a frame, in bytes, above which a stream is
// refused: that of the reference client.
const DefaultMaxFrame = 10 << 20

// readSize is how much is asked of a connection at a time.
const readSize = 32 << 10

// frames reads an event stream (WHATWG HTML, "Server-sent events") as far as
// AG-UI uses it: the data of each frame. Lines end with LF, CRLF or CR; a byte
// order mark at the start, comments and other fields are skipped. At the
// stream's end the last frame counts without its empty line, as for the
// reference client.
//
// Memory is bound by max, and a line that is no data is not kept at all.
type frames struct {
	in     *bufio.Reader
	max    int
	data   []byte
	has    bool // data belongs to a frame, even when empty
	count  int
	begun  bool // the start of the stream is behind
	cr     bool // the last line ended with CR: a LF belongs to it
	broken error
}

func newFrames(r io.Reader, max int) *frames {
	if max <= 0 {
		max = DefaultMaxFrame
	}
	return &frames{in: bufio.NewReaderSize(r, readSize), max: max}
}

// next returns the data of the next frame; it is valid until the next call.
// The error is io.EOF at the end of the stream, a *FrameError, or the
// reader's.
func (f *frames) next() ([]byte, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	f.data, f.has = f.data[:0], false
	for {
		empty, err := f.line()
		if err == nil && !empty || err == nil && !f.has {
			continue
		}
		if err == nil || f.has && errors.Is(err, io.EOF) {
			f.broken = err
			f.count++
			return f.data, nil
		}
		f.broken = err
		return nil, err
	}
}

var dataField = []byte("data:")

// line reads one line and keeps what it says of data. At the end of the
// stream it also returns the error.
func (f *frames) line() (empty bool, err error) {
	if !f.begun {
		f.begun = true
		if mark, _ := f.in.Peek(3); string(mark) == "\xef\xbb\xbf" {
			_, _ = f.in.Discard(3)
		}
	}
	var head [6]byte // enough to tell what the line is
	n := 0           // bytes of the line so far
	for {
		// What is there already is looked at in one go.
		if _, err := f.in.Peek(1); err != nil {
			if errors.Is(err, io.EOF) {
				return n == 0, io.EOF
			}
			return false, err
		}
		buf, _ := f.in.Peek(f.in.Buffered())
		if f.cr && n == 0 {
			f.cr = false
			if buf[0] == '\n' {
				_, _ = f.in.Discard(1)
				continue
			}
		}
		end := bytes.IndexAny(buf, "\r\n")
		piece := buf
		if end >= 0 {
			piece = buf[:end]
		}
		if err := f.take(&head, n, piece); err != nil {
			return false, err
		}
		n += len(piece)
		if end < 0 {
			_, _ = f.in.Discard(len(buf))
			continue
		}
		f.cr = buf[end] == '\r'
		_, _ = f.in.Discard(end + 1)
		return n == 0, nil
	}
}

// take adds a piece of a line, which has n bytes before it, to the data.
func (f *frames) take(head *[6]byte, n int, piece []byte) error {
	if n+len(piece) > f.max {
		return f.tooLarge()
	}
	for n < len(head) && len(piece) > 0 {
		head[n] = piece[0]
		piece = piece[1:]
		n++
		switch {
		case n < len(dataField) || !bytes.HasPrefix(head[:], dataField):
		case n == len(dataField):
			if f.has {
				f.data = append(f.data, '\n')
			}
			f.has = true
		case head[5] != ' ':
			f.data = append(f.data, head[5])
		}
	}
	if !bytes.HasPrefix(head[:], dataField) {
		return nil
	}
	// Also what the head has added counts: a line of next to nothing is one.
	if len(f.data)+len(piece) > f.max {
		return f.tooLarge()
	}
	f.data = append(f.data, piece...)
	return nil
}

func (f *frames) tooLarge() error {
	return &FrameError{Frame: f.count + 1, Reason: fmt.Sprintf("it is larger than %d bytes", f.max)}
}
