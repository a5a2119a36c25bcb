package jsonpatch

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep a document may nest before [Compact] refuses it.
const maxDepth = 10_000

// walkDepth is how deep values are walked in order to compare them: what lies
// deeper is compared by its bytes and replaced as a whole. Each level may scan
// its text anew, so this bounds the cost of a hostile document to walkDepth
// scans.
const walkDepth = 256

// class sorts bytes outside strings by what they mean to the structure.
type class uint8

const (
	other class = iota
	quote
	opens
	shuts
	comma
)

var classes = [256]class{'"': quote, '{': opens, '[': opens, '}': shuts, ']': shuts, ',': comma}

// ends marks the bytes that end a number or a literal.
var ends = [256]bool{',': true, ']': true, '}': true, ' ': true, '\t': true, '\n': true, '\r': true}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zeroBytes has the high bit of each byte of x that is zero, and maybe of
// bytes above the lowest such one, which is all that callers look at.
func zeroBytes(x uint64) uint64 { return (x - ones) & ^x & highs }

// skipString returns the offset past the quote that ends the string whose
// first byte after the opening quote is b[i], or len(b) when it does not end.
func skipString(b []byte, i int) int {
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			if m := zeroBytes(w^ones*'"') | zeroBytes(w^ones*'\\'); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(b) {
			return len(b)
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		default:
			i++
		}
	}
}

// skip returns the offset past the value that starts at b[i]. It is total: on
// text that is not JSON it stops somewhere in [i, len(b)].
func skip(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return skipString(b, i+1)
	case '{', '[':
		return skipOut(b, i+1, 1)
	}
	for i < len(b) && !ends[b[i]] {
		i++
	}
	return i
}

// stride is how many bytes are compared at once while they are equal.
const stride = 512

// commonPrefix returns the length of the longest common prefix.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+stride <= n && string(a[i:i+stride]) == string(b[i:i+stride]) {
		i += stride
	}
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonSuffix returns the length of the longest common suffix.
func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := n
	for i >= stride && string(a[i-stride:i]) == string(b[i-stride:i]) {
		i -= stride
	}
	for ; i >= 8; i -= 8 {
		if x := binary.LittleEndian.Uint64(a[i-8:]) ^ binary.LittleEndian.Uint64(b[i-8:]); x != 0 {
			return n - i + bits.LeadingZeros64(x)>>3
		}
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return n - i
}

// span is a stretch of a text.
type span struct{ from, to int }

func (s span) of(b []byte) []byte { return b[s.from:s.to] }

// member is one name and value of an object in compact text; the name keeps
// its quotes and escapes.
type member struct{ name, value span }

// nextMember reads the member at b[i]. ok is false where there is none, which
// in valid text is never.
func nextMember(b []byte, i, end int) (m member, ok bool) {
	if i >= end || b[i] != '"' {
		return m, false
	}
	j := skipString(b[:end], i+1)
	if j >= end || b[j] != ':' {
		return m, false
	}
	return member{span{i, j}, span{j + 1, skip(b[:end], j+1)}}, true
}

// members appends the members of compact b[i:end].
func members(dst []member, b []byte, i, end int) (_ []member, ok bool) {
	for i < end {
		m, ok := nextMember(b, i, end)
		if !ok {
			return dst, false
		}
		dst = append(dst, m)
		i = m.value.to + 1
	}
	return dst, true
}
