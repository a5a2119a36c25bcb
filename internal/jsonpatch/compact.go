package jsonpatch

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// SyntaxError says why a text is not a document that can be patched.
type SyntaxError struct {
	Offset  int    // in bytes from the start of the text
	Pointer string // of the value that was being read (RFC 6901)
	Reason  string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("jsonpatch: %s at offset %d, in %q", e.Reason, e.Offset, e.Pointer)
}

// Check reports whether src is compact, that is without white space between
// its tokens. The error, a *[SyntaxError], says that it is not one JSON value
// (RFC 8259), is not valid UTF-8, has an object with the same name twice, or
// nests deeper than 10,000.
func Check(src []byte) (compact bool, err error) {
	c := checker{src: src}
	err = c.run()
	return c.gaps == nil, err
}

// Compact appends src to dst without the white space between its tokens, after
// the checks of [Check]; nothing else changes. With a nil dst, a src that is
// compact is returned itself, not a copy. On error dst is returned as it was.
func Compact(dst, src []byte) ([]byte, error) {
	c := checker{src: src}
	if err := c.run(); err != nil {
		return dst, err
	}
	if c.gaps == nil {
		if dst == nil {
			return src, nil
		}
		return append(dst, src...), nil
	}
	if dst == nil {
		dst = make([]byte, 0, len(src))
	}
	i := 0
	for _, g := range c.gaps {
		dst = append(dst, src[i:g.from]...)
		i = g.to
	}
	return append(dst, src[i:]...), nil
}

// checker reads one text once. The containers that are open are a stack of
// its own, so depth costs no Go stack.
type checker struct {
	src   []byte
	open  []container
	names []span // of the open objects, those of the innermost last
	gaps  []span // white space
	// escape is set by a string that has an escape.
	escape bool
	store  [16]container
	list   [64]span
}

type container struct {
	object  bool
	names   int                 // where its names begin
	index   int                 // of the current element
	seen    map[string]struct{} // the names, once there are many
	escaped bool                // some name has an escape
}

// wideObject is the number of names from which an object's are kept in a map.
const wideObject = 16

func (c *checker) run() error {
	c.open, c.names = c.store[:0], c.list[:0]
	i, err := c.space(0), error(nil)
	for {
		// A value begins.
		if i, err = c.begin(i); err != nil {
			return err
		}
		if i < 0 { // an opened container with something in it
			i = -i
			continue
		}
		// A value has ended: close what ends with it.
		for {
			i = c.space(i)
			if len(c.open) == 0 {
				if i < len(c.src) {
					return c.fail(i, "more text after the value")
				}
				return nil
			}
			top := &c.open[len(c.open)-1]
			if i >= len(c.src) {
				return c.fail(i, "the text ends early")
			}
			if b := c.src[i]; b == ',' {
				i = c.space(i + 1)
				top.index++
				if top.object {
					if i, err = c.name(i); err != nil {
						return err
					}
				}
				break
			} else if b != '}' && b != ']' || (b == '}') != top.object {
				return c.fail(i, "expected a comma or the closing bracket")
			}
			c.close()
			i++
		}
	}
}

func (c *checker) close() {
	top := &c.open[len(c.open)-1]
	c.names = c.names[:top.names]
	c.open = c.open[:len(c.open)-1]
}

// begin reads a scalar, an empty container, or the start of a container; of
// the last it returns the negated offset of its first value.
func (c *checker) begin(i int) (int, error) {
	if i >= len(c.src) {
		return i, c.fail(i, "the text ends early")
	}
	switch b := c.src[i]; b {
	case '"':
		return c.str(i)
	case '{', '[':
		if len(c.open) >= maxDepth {
			return i, c.fail(i, fmt.Sprintf("nested deeper than %d", maxDepth))
		}
		i = c.space(i + 1)
		if i < len(c.src) && c.src[i] == b+2 { // '}' and ']' are two further on
			return i + 1, nil
		}
		c.open = append(c.open, container{object: b == '{', names: len(c.names)})
		if b == '{' {
			var err error
			if i, err = c.name(i); err != nil {
				return i, err
			}
		}
		return -i, nil
	case 't':
		return c.literal(i, "true")
	case 'f':
		return c.literal(i, "false")
	case 'n':
		return c.literal(i, "null")
	}
	return c.number(i)
}

func (c *checker) literal(i int, word string) (int, error) {
	if end := i + len(word); end <= len(c.src) && string(c.src[i:end]) == word {
		return end, nil
	}
	return i, c.fail(i, "expected a value")
}

func (c *checker) number(i int) (int, error) {
	b, start := c.src, i
	digits := func() bool {
		from := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case !digits():
		if i == start {
			return i, c.fail(i, "expected a value")
		}
		return i, c.fail(i, "malformed number")
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return i, c.fail(i, "malformed number")
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return i, c.fail(i, "malformed number")
		}
	}
	return i, nil
}

// str reads the string at i and returns the offset past its closing quote.
func (c *checker) str(i int) (int, error) {
	b := c.src
	for i++; ; {
		i += plainRun(b[i:])
		if i >= len(b) {
			return i, c.fail(i, "the string does not end")
		}
		switch ch := b[i]; {
		case ch == '"':
			return i + 1, nil
		case ch == '\\':
			c.escape = true
			if i+1 >= len(b) {
				return i, c.fail(i, "the string does not end")
			}
			switch b[i+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i += 2
			case 'u':
				if _, ok := hex4(b[i+2:]); !ok {
					return i, c.fail(i, "malformed escape")
				}
				i += 6
			default:
				return i, c.fail(i, "malformed escape")
			}
		case ch < 0x20:
			return i, c.fail(i, "control character in a string")
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n <= 1 {
				return i, c.fail(i, "invalid UTF-8")
			}
			i += n
		}
	}
}

// name reads a member's name and colon, and returns the offset of its value.
func (c *checker) name(i int) (int, error) {
	if i >= len(c.src) || c.src[i] != '"' {
		return i, c.fail(i, "expected a name")
	}
	c.escape = false
	end, err := c.str(i)
	if err != nil {
		return end, err
	}
	top := &c.open[len(c.open)-1]
	if c.repeats(top, c.src[i:end]) {
		return i, c.fail(i, fmt.Sprintf("the name %s is there twice", c.src[i:end]))
	}
	c.names = append(c.names, span{i, end})
	i = c.space(end)
	if i >= len(c.src) || c.src[i] != ':' {
		return i, c.fail(i, "expected a colon")
	}
	return c.space(i + 1), nil
}

func (c *checker) repeats(top *container, name []byte) bool {
	names := c.names[top.names:]
	top.escaped = top.escaped || c.escape
	if len(names) < wideObject {
		for _, s := range names {
			if s.to-s.from == len(name) && string(s.of(c.src)) == string(name) {
				return true
			}
		}
		for i := 0; top.escaped && i < len(names); i++ {
			if sameString(names[i].of(c.src), name) {
				return true
			}
		}
		return false
	}
	if top.seen == nil {
		top.seen = make(map[string]struct{}, 4*wideObject)
		for _, s := range names {
			top.seen[string(plain(s.of(c.src)))] = struct{}{}
		}
	}
	n := len(top.seen)
	top.seen[string(plain(name))] = struct{}{}
	return len(top.seen) == n
}

func (c *checker) space(i int) int {
	b := c.src
	if i >= len(b) || b[i] > ' ' {
		return i
	}
	from := i
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	if i > from {
		c.gaps = append(c.gaps, span{from, i})
	}
	return i
}

// fail makes the error, with the pointer of the value that is being read.
func (c *checker) fail(i int, reason string) error {
	var p []byte
	for k := range c.open {
		f := &c.open[k]
		if !f.object {
			p = appendIndex(p, f.index)
			continue
		}
		last := len(c.names)
		if k+1 < len(c.open) {
			last = c.open[k+1].names
		}
		if last > f.names {
			p = appendToken(p, plain(c.names[last-1].of(c.src)))
		}
	}
	return &SyntaxError{Offset: i, Pointer: string(bytes.ToValidUTF8(p, []byte("\uFFFD"))), Reason: reason}
}
