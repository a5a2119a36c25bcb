package jsonpatch

import (
	"bytes"
	"strconv"
)

// corresponds reports whether a value of a document looks like what a typed
// value was decoded from, given what that marshals to: the same kind; equal
// scalars, numbers as a Go float would have them; of two objects, at least half
// of the scalars that both have. null may have become anything.
func (r *rebaser) corresponds(doc, typed []byte) bool {
	if len(doc) == 0 || len(typed) == 0 {
		return false
	}
	if doc[0] == 'n' || doc[0] == '[' && typed[0] == '[' {
		return true
	}
	same, all := r.compare(doc, typed)
	return 2*same >= all
}

// compare counts the scalars that both values have, and those that are equal.
func (r *rebaser) compare(doc, typed []byte) (same, all int) {
	if bytes.Equal(doc, typed) {
		return 1, 1
	}
	if doc[0] != '{' || typed[0] != '{' {
		if sameScalar(doc, typed) {
			same = 1
		}
		return same, 1
	}
	has, ok := members(r.members[:0], doc, 1, len(doc)-1)
	r.members = has
	if !ok {
		return 0, 1
	}
	ix := nameIndex{text: doc, list: has}
	for i, k := 1, 0; i < len(typed)-1; k++ {
		m, ok := nextMember(typed, i, len(typed)-1)
		if !ok {
			return 0, 1
		}
		i = m.value.to + 1
		at := ix.find(m.name.of(typed), k)
		if at < 0 {
			continue
		}
		x, y := has[at].value.of(doc), m.value.of(typed)
		if len(x) == 0 || len(y) == 0 || isContainer(x) || isContainer(y) || x[0] == 'n' || y[0] == 'n' {
			continue
		}
		all++
		if sameScalar(x, y) {
			same++
		}
	}
	return same, all
}

// displaced reports whether an element of doc that does not look like element
// i of before's array, which starts at b[start], looks like another one of it:
// then the type's codec gave the elements another order. If it looks like none,
// the codec writes them in its own way (a time, say).
func (r *rebaser) displaced(doc, b []byte, start, i int) bool {
	if len(doc) == 0 {
		return true
	}
	for k, s := range elements(nil, b, start+1, max(start+1, skip(b, start)-1)) {
		if typed := s.of(b); k != i && len(typed) > 0 {
			if same, all := r.compare(doc, typed); same > 0 && 2*same >= all {
				return true
			}
		}
	}
	return false
}

func sameScalar(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	switch {
	case a[0] == '"' && b[0] == '"':
		// On decoding, a surrogate without its other half becomes U+FFFD.
		return bytes.Equal(decodable(plain(a)), decodable(plain(b)))
	case isNumber(a[0]) && isNumber(b[0]):
		x, errX := strconv.ParseFloat(string(a), 64)
		y, errY := strconv.ParseFloat(string(b), 64)
		return errX == nil && errY == nil && (x == y || float32(x) == float32(y)) || sameNumber(a, b)
	}
	return false
}

// decodable puts U+FFFD in place of the surrogates that unquote left.
func decodable(s []byte) []byte {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == 0xed && s[i+1] >= 0xa0 {
			s = bytes.Clone(s)
			for ; i+2 < len(s); i++ {
				if s[i] == 0xed && s[i+1] >= 0xa0 {
					copy(s[i:], "\uFFFD")
				}
			}
		}
	}
	return s
}
