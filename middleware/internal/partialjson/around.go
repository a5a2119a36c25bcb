package partialjson

import "strings"

// around is where in the text around the object a bracket waits for the byte
// that says whether it is JSON's.
type around struct {
	bracket byte // 0: none
	offset  int
}

const byteOrderMark = "\uFEFF"

// readStart reads a byte before the value.
func (r *Reader) readStart(c byte) error {
	if r.Prose {
		return r.readAround(c)
	}
	switch {
	case r.bom == r.offset && r.bom < len(byteOrderMark) && c == byteOrderMark[r.bom]:
		r.bom++
	case 0 < r.bom && r.bom < len(byteOrderMark):
		return r.expected("the rest of a byte order mark", c)
	case !isSpace(c):
		return r.begin(c)
	}
	return nil
}

// readAround reads a byte before or behind the object.
func (r *Reader) readAround(c byte) error {
	a := &r.around
	if a.bracket != 0 && !isSpace(c) {
		json := strings.IndexByte(`"{[]-0123456789`, c) >= 0
		if a.bracket == '{' {
			json = c == '"' || c == '}'
		}
		if json {
			return r.unclear()
		}
		a.bracket = 0
	}
	switch {
	case c == '{' && r.state == start:
		return r.enter(c)
	case c == '{', c == '[':
		*a = around{c, r.offset}
	}
	return nil
}

// unclear says that the object is not the only JSON in the text.
func (r *Reader) unclear() error {
	reason := "a JSON array where an object is wanted"
	if r.state == done {
		reason = "a second JSON object"
		if r.around.bracket == '[' {
			reason = "a JSON array behind the object"
		}
	}
	return r.fail(r.around.offset, reason)
}
