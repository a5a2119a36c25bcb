package agui

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// parser checks a JSON text (RFC 8259) in one pass and, when doc is set,
// indexes it.
type parser struct {
	data     []byte
	doc      *document
	pos      int
	depth    int
	maxDepth int
	unique   bool // a repeated member name is a fault
	index    indexing

	spaced  bool // there is space between tokens
	badUTF8 int  // offset + 1 of the first byte that is not UTF-8, or 0

	at     int // where the fault is
	reason string
}

func (p *parser) fail(at int, format string, args ...any) bool {
	p.at, p.reason = at, fmt.Sprintf(format, args...)
	return false
}

// unexpected is the fault that something else should stand at pos.
func (p *parser) unexpected(want string) bool {
	if p.pos >= len(p.data) {
		if len(p.data) == 0 {
			return p.fail(0, "is not JSON: it is empty")
		}
		return p.fail(len(p.data), "is not JSON: it ends early, at byte %d", p.pos)
	}
	r, _ := utf8.DecodeRune(p.data[p.pos:])
	return p.fail(p.pos, "is not JSON: %q at byte %d, where %s should be", r, p.pos, want)
}

func (p *parser) document() bool {
	if uint64(len(p.data)) > math.MaxUint32 {
		return p.fail(0, "is larger than 4 GiB")
	}
	if !utf8.Valid(p.data) {
		for i := 0; p.badUTF8 == 0; {
			r, n := utf8.DecodeRune(p.data[i:])
			if r == utf8.RuneError && n == 1 {
				p.badUTF8 = i + 1
			}
			i += n
		}
	}
	p.space()
	if !p.value() {
		return false
	}
	p.space()
	if p.pos < len(p.data) {
		return p.fail(len(p.data), "is followed by more text, at byte %d", p.pos)
	}
	return true
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\n', '\r', '\t':
			p.pos++
			p.spaced = true
		default:
			return
		}
	}
}

func (p *parser) value() bool {
	if p.pos >= len(p.data) {
		return p.unexpected("a value")
	}
	if d := p.doc; d != nil && cap(d.nodes)-len(d.nodes) < 2 {
		p.grow() // for this value and the name of the next
	}
	switch c := p.data[p.pos]; c {
	case '{', '[':
		if p.depth++; p.depth > p.maxDepth {
			return p.fail(p.pos, "is nested deeper than %d levels", p.maxDepth)
		}
		ok := false
		if c == '{' {
			ok = p.object()
		} else {
			ok = p.array()
		}
		p.depth--
		return ok
	case '"':
		return p.string()
	case 't':
		return p.literal("true")
	case 'f':
		return p.literal("false")
	case 'n':
		return p.literal("null")
	default:
		if c == '-' || isDigit(c) {
			return p.number()
		}
		return p.unexpected("a value")
	}
}

// manyMembers is where comparing each name with all before it ends and a map
// begins.
const manyMembers = 16

func (p *parser) object() bool {
	self := p.open('{')
	p.pos++
	p.space()
	if p.pos < len(p.data) && p.data[p.pos] == '}' {
		p.pos++
		p.close(self)
		return true
	}
	var seen map[string]struct{}
	outer := p.index
	for members := 0; ; members++ {
		if p.pos >= len(p.data) || p.data[p.pos] != '"' {
			return p.unexpected("a member name")
		}
		name := p.pos
		if !p.string() {
			return false
		}
		if p.unique && !p.once(self, members, &seen) {
			return p.fail(name, "is there twice")
		}
		p.space()
		if p.pos >= len(p.data) || p.data[p.pos] != ':' {
			return p.unexpected("a colon")
		}
		p.pos++
		p.space()
		if outer == typed && p.pos < len(p.data) && (p.data[p.pos] == '{' || p.data[p.pos] == '[') {
			p.index = indexUnder(p.doc.inside(uint32(len(p.doc.nodes) - 1)))
		}
		if !p.value() {
			return false
		}
		p.index = outer
		if p.index == nothing && seen != nil {
			p.doc.nodes = p.doc.nodes[:self+1] // the names are in seen
		}
		p.space()
		if p.pos >= len(p.data) {
			return p.unexpected("a comma or a closing brace")
		}
		switch p.data[p.pos] {
		case ',':
			p.pos++
			p.space()
		case '}':
			p.pos++
			p.close(self)
			return true
		default:
			return p.unexpected("a comma or a closing brace")
		}
	}
}

// once reports whether the name just read, which has members before it, is
// new to its object.
func (p *parser) once(object uint32, members int, seen *map[string]struct{}) bool {
	d := p.doc
	name := uint32(len(d.nodes) - 1)
	if members < manyMembers {
		for i := object + 1; i < name; i = d.nodes[i+1].next {
			if d.same(i, name) {
				return false
			}
		}
		return true
	}
	if *seen == nil {
		*seen = make(map[string]struct{}, 4*manyMembers)
		for i := object + 1; i < name; i = d.nodes[i+1].next {
			(*seen)[d.text(i)] = struct{}{}
		}
	}
	before := len(*seen)
	(*seen)[d.text(name)] = struct{}{}
	return len(*seen) > before
}

func (p *parser) array() bool {
	self := p.open('[')
	p.pos++
	p.space()
	if p.pos < len(p.data) && p.data[p.pos] == ']' {
		p.pos++
		p.close(self)
		return true
	}
	for {
		if !p.value() {
			return false
		}
		if p.index == nothing {
			// Only how many they were is still wanted, for a fault's pointer.
			p.doc.nodes = p.doc.nodes[:self+1]
			p.doc.nodes[self].end++
		}
		p.space()
		if p.pos >= len(p.data) {
			return p.unexpected("a comma or a closing bracket")
		}
		switch p.data[p.pos] {
		case ',':
			p.pos++
			p.space()
		case ']':
			p.pos++
			p.close(self)
			return true
		default:
			return p.unexpected("a comma or a closing bracket")
		}
	}
}

func (p *parser) string() bool {
	self := p.open('"')
	start := p.pos
	data := p.data
	escaped := false
	for i := p.pos + 1; i < len(data); i++ {
		if len(data)-i >= 8 {
			n := special(binary.LittleEndian.Uint64(data[i:]), ^uint64(0))
			if n == 8 {
				i += 7
				continue
			}
			i += n
		}
		c := data[i]
		if plain[c] || c >= utf8.RuneSelf {
			continue
		}
		if c == '"' {
			p.pos = i + 1
			if p.doc != nil {
				p.doc.nodes[self].escaped = escaped
			}
			p.close(self)
			if bad := p.badUTF8 - 1; bad >= start && bad < p.pos {
				return p.fail(start, "is not UTF-8, at byte %d", bad)
			}
			return true
		}
		if c != '\\' {
			return p.fail(start, "is not JSON: an unescaped control character in a string, at byte %d", i)
		}
		escaped = true
		i++
		if i >= len(data) {
			break
		}
		switch data[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			for range 4 {
				if i++; i >= len(data) {
					p.pos = len(data)
					return p.unexpected("")
				}
				if !isHex(data[i]) {
					return p.fail(start, "is not JSON: a broken \\u escape in a string, at byte %d", i)
				}
			}
		default:
			return p.fail(start, "is not JSON: an unknown escape in a string, at byte %d", i)
		}
	}
	p.pos = len(data)
	return p.unexpected("")
}

func (p *parser) literal(word string) bool {
	if len(p.data)-p.pos < len(word) || string(p.data[p.pos:p.pos+len(word)]) != word {
		return p.unexpected("a value")
	}
	self := p.open(word[0])
	p.pos += len(word)
	p.close(self)
	return true
}

func (p *parser) number() bool {
	self := p.open('0')
	if p.data[p.pos] == '-' {
		p.pos++
	}
	if p.pos < len(p.data) && p.data[p.pos] == '0' {
		p.pos++
	} else if !p.digits() {
		return p.unexpected("a digit")
	}
	if p.pos < len(p.data) && p.data[p.pos] == '.' {
		p.pos++
		if !p.digits() {
			return p.unexpected("a digit")
		}
	}
	if p.pos < len(p.data) && (p.data[p.pos] == 'e' || p.data[p.pos] == 'E') {
		p.pos++
		if p.pos < len(p.data) && (p.data[p.pos] == '+' || p.data[p.pos] == '-') {
			p.pos++
		}
		if !p.digits() {
			return p.unexpected("a digit")
		}
	}
	p.close(self)
	return true
}

func (p *parser) digits() bool {
	start := p.pos
	for p.pos < len(p.data) && isDigit(p.data[p.pos]) {
		p.pos++
	}
	return p.pos > start
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
