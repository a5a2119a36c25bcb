package partialjson

import (
	"errors"
	"io"
	"slices"
)

// MaxDepth is how deep containers may nest.
const MaxDepth = 1000

// Step says how the visible value changed.
type Step uint8

const (
	// Unchanged: nothing that shows is different.
	Unchanged Step = iota
	// Grown: the string that is being written appeared or got longer, and
	// nothing else changed.
	Grown
	// Finished: a value became whole, or a container opened or closed.
	Finished
)

// Reader reads one JSON value (RFC 8259) from pieces cut anywhere, and knows
// at any time the longest prefix of it that can be shown.
//
// Visible are: a container from its opening bracket on; a string that grows
// from its first character on, character by character; anything else when it
// is whole. A member is visible when its value is, an empty string when it is
// closed. What waits meanwhile: numbers (until the byte behind them), true,
// false and null, names, escapes, the bytes of one rune, the halves of a
// surrogate pair, and what the Shape holds back. An escaped surrogate without
// its other half becomes U+FFFD, as in encoding/json; every other byte of a
// string or number is kept as it was written.
//
// What is visible depends on the bytes written so far and not on the cuts
// between them, and is never taken back: without what closes it, each visible
// text is a prefix of the next.
//
// The zero value is ready for use; set the fields before the first Write. The
// work is linear in the bytes written. A Reader is not for concurrent use.
type Reader struct {
	// Shape says which strings grow, and what waits until it is whole. With
	// nil every string grows.
	Shape Shape
	// Prose accepts one object inside other text, such as a sentence or a
	// Markdown fence. The object begins at the first brace; what precedes it,
	// and what follows the balanced whole, is skipped. An array before it, or
	// an object or array behind it, is an error: which one is meant is unclear.
	// A bracket counts when what follows it could be JSON, so a link's does not.
	Prose bool

	out     []byte // what was read, compact
	visible int    // how much of it shows
	stack   []frame
	names   []span // of the open objects, the innermost's last
	hold    int    // depth of the outermost container that waits, or 0
	state   state
	step    Step
	offset  int // of the byte being read
	err     error
	closed  bool

	str    str    // the string being read
	num    num    // the number being read
	word   string // what is still to come of a literal
	bom    int    // bytes of a byte order mark that were read
	around around // the text around the object

	pointerOf int // start of the string that grewAt points to
	grewAt    string
}

// frame is a container that is open.
type frame struct {
	object bool
	shape  Shape
	index  int // of the current element
	names  int // where its names begin
	seen   map[string]struct{}
}

type span struct{ from, to int }

// Write reads the next piece and reports how the visible value changed by it,
// also when an error follows what changed it. The error, a [*SyntaxError], is
// about text that cannot become JSON, an object with the same name twice, or
// nesting beyond [MaxDepth]; every later call returns it again, and the value
// stays as it was. Writing after Close is an error too. Write does not retain p.
func (r *Reader) Write(p []byte) (Step, error) {
	if r.err != nil {
		return Unchanged, r.err
	}
	if r.closed && len(p) > 0 {
		r.err = errors.New("partialjson: written after Close")
		return Unchanged, r.err
	}
	r.step = Unchanged
	for len(p) > 0 {
		n := 0
		if r.state == inString {
			n = r.run(p)
		}
		if n == 0 {
			if r.err = r.read(p[0]); r.err != nil {
				break
			}
			n = 1
		}
		r.offset += n
		p = p[n:]
	}
	r.grow()
	return r.step, r.err
}

// WriteString is Write for a string, without a copy.
func (r *Reader) WriteString(s string) (Step, error) { return r.Write([]byte(s)) }

// Close says that nothing follows. It returns what Write returned last, or a
// [*SyntaxError] that wraps io.ErrUnexpectedEOF when the value is cut, or one
// that says that the prose held no object. A number that nothing follows
// becomes visible now. Only after a nil error is the value the model's answer:
// with Prose, a complete object may still turn out to be the first of several.
func (r *Reader) Close() error {
	if r.err != nil || r.closed {
		return r.err
	}
	r.closed = true
	if r.state == inNumber && len(r.stack) == 0 && r.num.whole() {
		r.end()
	}
	switch {
	case r.state == done:
	case r.state == start && r.Prose:
		r.err = r.fail(r.offset, "the text holds no JSON object")
	case r.state == start:
		r.err = &SyntaxError{Offset: r.offset, Reason: "the text is empty", Err: io.ErrUnexpectedEOF}
	default:
		r.err = &SyntaxError{Offset: r.offset, Pointer: r.pointer(), Reason: "the JSON is cut off", Err: io.ErrUnexpectedEOF}
	}
	return r.err
}

// Done reports whether the value is complete and nothing was wrong so far.
func (r *Reader) Done() bool { return r.state == done && r.err == nil }

// Value returns the visible value as compact JSON, closed where it is not
// complete, and how many containers along its rightmost path are still open:
// 0 when it is complete, or a scalar. The text is nil while nothing is
// visible, and is the caller's.
func (r *Reader) Value() (text []byte, open int) {
	if r.visible == 0 {
		return nil, 0
	}
	open = r.open()
	text = make([]byte, r.visible, r.visible+1+open)
	copy(text, r.out)
	if r.growing() {
		text = append(text, '"')
	}
	for _, f := range slices.Backward(r.stack[:open]) {
		if f.object {
			text = append(text, '}')
		} else {
			text = append(text, ']')
		}
	}
	return text, open
}

// open is the number of containers that are visible and not closed. A
// container is visible at once, and with it all around it, unless it waits.
func (r *Reader) open() int {
	if r.hold > 0 {
		return r.hold - 1
	}
	return len(r.stack)
}

// Growing returns the place of the visible string that is being written, a
// JSON Pointer (RFC 6901), and its length so far, in the bytes between its
// quotes in the text. ok is false when there is none.
func (r *Reader) Growing() (pointer string, length int, ok bool) {
	if !r.growing() {
		return "", 0, false
	}
	if r.pointerOf != r.str.start+1 {
		r.pointerOf, r.grewAt = r.str.start+1, r.pointer()
	}
	return r.grewAt, r.visible - r.str.start - 1, true
}

// growing reports whether the end of what is visible is an open string.
func (r *Reader) growing() bool {
	return r.state == inString && r.visible > r.str.start
}

// grow shows what is whole of a string that grows.
func (r *Reader) grow() {
	if r.state == inString && r.str.grows && r.str.solid > max(r.visible, r.str.start+1) {
		r.visible = r.str.solid
		r.step = max(r.step, Grown)
	}
}
