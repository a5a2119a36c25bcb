package partialjson

import "slices"

// str is the string being read.
type str struct {
	start int  // of its opening quote in out
	solid int  // end in out of its last whole character
	name  bool // it is a member's name
	grows bool
	high  int // where in out an escaped high surrogate waits for its other half; 0: none

	part   part
	need   int  // bytes or digits that are missing
	lo, hi byte // between which the next byte of a rune lies
	code   rune // of a \u escape
}

// part is where in a string the next byte is.
type part uint8

const (
	plain  part = iota
	inRune      // of several bytes
	escape      // after a backslash
	hex         // after \u
)

func (r *Reader) beginString(name bool, s Shape) {
	at := len(r.out)
	r.out = append(r.out, '"')
	r.str = str{start: at, solid: at + 1, name: name, grows: !name && r.hold == 0 && (s == nil || s.Grows())}
	r.state = inString
}

// run reads the plain ASCII that p begins with, and returns its length.
func (r *Reader) run(p []byte) int {
	if r.str.part != plain {
		return 0
	}
	n := 0
	for n < len(p) && p[n] >= ' ' && p[n] < 0x80 && p[n] != '"' && p[n] != '\\' {
		n++
	}
	if n > 0 {
		r.lone()
		r.out = append(r.out, p[:n]...)
		r.str.solid = len(r.out)
	}
	return n
}

// readString reads a byte that [Reader.run] did not.
func (r *Reader) readString(c byte) error {
	s := &r.str
	switch s.part {
	case plain:
		return r.readPlain(c)
	case inRune:
		if c < s.lo || c > s.hi {
			return r.fail(r.offset, "a string that is not UTF-8")
		}
		r.out = append(r.out, c)
		s.lo, s.hi = 0x80, 0xBF
		if s.need--; s.need == 0 {
			s.part, s.solid = plain, len(r.out)
		}
	case escape:
		switch c {
		case 'u':
			s.part, s.need, s.code = hex, 4, 0
			r.out = append(r.out, c)
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			r.lone()
			r.out = append(r.out, c)
			s.part, s.solid = plain, len(r.out)
		default:
			return r.expected("an escape", c)
		}
	case hex:
		d, ok := digit(c)
		if !ok {
			return r.expected("a hexadecimal digit", c)
		}
		s.code = s.code<<4 | d
		r.out = append(r.out, c)
		if s.need--; s.need == 0 {
			s.part = plain
			r.endCode()
		}
	}
	return nil
}

// readPlain reads a byte with which something new begins.
func (r *Reader) readPlain(c byte) error {
	s := &r.str
	switch {
	case c == '\\':
		// It may be the other half of a surrogate.
		s.part = escape
		r.out = append(r.out, c)
		return nil
	case c == '"':
		r.lone()
		r.out = append(r.out, c)
		if s.name {
			return r.endName()
		}
		r.end()
		return nil
	case c < ' ':
		return r.expected("a control character to be escaped", c)
	}
	s.lo, s.hi = 0x80, 0xBF
	// The table of RFC 3629 §4: no overlong form, no surrogate, at most U+10FFFF.
	switch {
	case 0xC2 <= c && c <= 0xDF:
		s.need = 1
	case 0xE0 <= c && c <= 0xEF:
		s.need = 2
		if c == 0xE0 {
			s.lo = 0xA0
		} else if c == 0xED {
			s.hi = 0x9F
		}
	case 0xF0 <= c && c <= 0xF4:
		s.need = 3
		if c == 0xF0 {
			s.lo = 0x90
		} else if c == 0xF4 {
			s.hi = 0x8F
		}
	default:
		return r.fail(r.offset, "a string that is not UTF-8")
	}
	r.lone()
	s.part = inRune
	r.out = append(r.out, c)
	return nil
}

// endCode ends a \u escape.
func (r *Reader) endCode() {
	s := &r.str
	at := len(r.out) - len(`\u0000`)
	switch {
	case 0xD800 <= s.code && s.code < 0xDC00:
		r.lone() // the one before
		s.high = len(r.out) - len(`\u0000`)
	case 0xDC00 <= s.code && s.code < 0xE000:
		if s.high == 0 {
			s.high = at
			r.lone()
			return
		}
		s.high, s.solid = 0, len(r.out)
	default:
		r.lone()
		s.solid = len(r.out)
	}
}

// lone replaces the escaped surrogate that waited for its other half, when
// something else has come.
func (r *Reader) lone() {
	s := &r.str
	if s.high == 0 {
		return
	}
	r.out = slices.Replace(r.out, s.high, s.high+len(`\u0000`), []byte("\uFFFD")...)
	s.solid = s.high + len("\uFFFD")
	s.high = 0
}

func digit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10, true
	}
	return 0, false
}
