package openai

import (
	"bytes"
	"errors"
	"iter"
	"strconv"

	"github.com/aguistate/aguistate/adapters/internal/pieces"
)

// errJSON says that a chunk is not a JSON object.
var errJSON = errors.New("not a JSON object")

// maxDepth bounds nesting, as encoding/json does.
const maxDepth = 10000

// cursor walks one JSON text from left to right. Servers disagree about the
// shapes of members (numbers for strings, arrays for strings, null for
// anything), so every reading method takes whatever stands there and reports
// whether it was of use; only broken syntax is an error, and it stays in err.
type cursor struct {
	b     []byte
	i     int
	depth int
	err   error
}

func (c *cursor) fail() {
	if c.err == nil {
		c.err = errJSON
	}
	c.i = len(c.b)
}

// peek returns the next byte that is not space, 0 at the end.
func (c *cursor) peek() byte {
	for ; c.i < len(c.b); c.i++ {
		switch c.b[c.i] {
		case ' ', '\t', '\n', '\r':
		default:
			return c.b[c.i]
		}
	}
	return 0
}

// take consumes the next byte if it is b.
func (c *cursor) take(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.i++
	return true
}

// end reports whether nothing but space is left.
func (c *cursor) end() bool { return c.peek() == 0 && c.i == len(c.b) }

// members yields the keys of the object that stands next; the loop's body
// reads the value, or leaves it to be skipped. Another value is skipped.
func (c *cursor) members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if c.peek() != '{' {
			c.skip()
			return
		}
		c.open()
		for first := true; ; first = false {
			if c.take('}') {
				break
			}
			if !first && !c.take(',') {
				c.fail()
				return
			}
			key, ok := c.quoted()
			if !ok || !c.take(':') {
				c.fail()
				return
			}
			at := c.i
			yield(key)
			if c.i == at {
				c.skip()
			}
			if c.err != nil {
				return
			}
		}
		c.depth--
	}
}

// elements yields once for each element of the array that stands next, under
// the rules of members.
func (c *cursor) elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		if c.peek() != '[' {
			c.skip()
			return
		}
		c.open()
		for n := 0; ; n++ {
			if c.take(']') {
				break
			}
			if n > 0 && !c.take(',') {
				c.fail()
				return
			}
			at := c.i
			yield(n)
			if c.i == at {
				c.skip()
			}
			if c.err != nil {
				return
			}
		}
		c.depth--
	}
}

func (c *cursor) open() {
	c.i++
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
}

// text reads a string. Any other value is skipped and gives "".
func (c *cursor) text() string {
	return string(c.word())
}

// word is text whose bytes are those of the JSON where they can be.
func (c *cursor) word() []byte {
	if c.peek() != '"' {
		c.skip()
		return nil
	}
	b, ok := c.quoted()
	if !ok {
		c.fail()
	}
	return b
}

// label reads a string, or a number as its digits. Any other value gives "".
func (c *cursor) label() string {
	switch b := c.peek(); {
	case b == '"':
		return c.text()
	case b == '-' || '0' <= b && b <= '9':
		return string(c.raw())
	}
	c.skip()
	return ""
}

// number reads a number, rounded towards zero. Any other value gives false.
func (c *cursor) number() (int64, bool) {
	if b := c.peek(); b != '-' && (b < '0' || b > '9') {
		c.skip()
		return 0, false
	}
	raw := c.raw()
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f > 1<<53 || f < -(1<<53) {
		return 0, false
	}
	return int64(f), true
}

// null consumes a null.
func (c *cursor) null() bool {
	if c.peek() != 'n' {
		return false
	}
	c.skip()
	return true
}

// raw returns the bytes of the next value. They are not copied.
func (c *cursor) raw() []byte {
	c.peek()
	from := c.i
	c.skip()
	if c.err != nil {
		return nil
	}
	return c.b[from:c.i]
}

// skip consumes one value.
func (c *cursor) skip() {
	switch b := c.peek(); {
	case b == '{':
		for range c.members() {
		}
	case b == '[':
		for range c.elements() {
		}
	case b == '"':
		if !c.pass() {
			c.fail()
		}
	case b == 't':
		c.literal("true")
	case b == 'f':
		c.literal("false")
	case b == 'n':
		c.literal("null")
	case b == '-' || '0' <= b && b <= '9':
		c.digits()
	default:
		c.fail()
	}
}

func (c *cursor) literal(word string) {
	if len(c.b)-c.i < len(word) || string(c.b[c.i:c.i+len(word)]) != word {
		c.fail()
		return
	}
	c.i += len(word)
}

// digits consumes a number by the grammar of RFC 8259 section 6.
func (c *cursor) digits() {
	run := func() bool {
		from := c.i
		for c.i < len(c.b) && '0' <= c.b[c.i] && c.b[c.i] <= '9' {
			c.i++
		}
		return c.i > from
	}
	is := func(set string) bool {
		for k := 0; c.i < len(c.b) && k < len(set); k++ {
			if c.b[c.i] == set[k] {
				c.i++
				return true
			}
		}
		return false
	}
	is("-")
	ok := is("0") || run()
	if ok && is(".") {
		ok = run()
	}
	if ok && is("eE") {
		is("+-")
		ok = run()
	}
	if !ok {
		c.fail()
	}
}

// pass consumes a string without decoding it.
func (c *cursor) pass() bool {
	for c.i++; c.i < len(c.b); c.i++ {
		switch c.b[c.i] {
		case '"':
			c.i++
			return true
		case '\\':
			c.i++
		}
	}
	return false
}

// quoted decodes a string. Its bytes need not be UTF-8, and half a surrogate
// pair becomes its three bytes: a [pieces.Seam] joins what a server has split.
func (c *cursor) quoted() ([]byte, bool) {
	if c.peek() != '"' {
		return nil, false
	}
	from := c.i + 1
	if !c.pass() {
		return nil, false
	}
	b := c.b[from : c.i-1]
	if bytes.IndexByte(b, '\\') < 0 {
		return b, true
	}
	return pieces.Unescape(b)
}
