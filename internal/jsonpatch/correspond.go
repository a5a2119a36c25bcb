package jsonpatch

import (
	"bytes"
	"strconv"
)

// corresponds reports whether a value of a document may be what a typed value
// was decoded from, given what that marshals to: the same kind; equal scalars,
// numbers as a Go float would have them; of two objects, at least half of the
// scalars that both have. null may have become anything.
func (r *rebaser) corresponds(doc, typed []byte) bool {
	if len(doc) == 0 || len(typed) == 0 {
		return false
	}
	if bytes.Equal(doc, typed) || doc[0] == 'n' {
		return true
	}
	switch {
	case doc[0] == '[' && typed[0] == '[':
		return true
	case doc[0] == '{' && typed[0] == '{':
		return r.objectsCorrespond(doc, typed)
	}
	return sameScalar(doc, typed)
}

func (r *rebaser) objectsCorrespond(doc, typed []byte) bool {
	has, ok := members(r.members[:0], doc, 1, len(doc)-1)
	r.members = has
	if !ok {
		return false
	}
	ix := nameIndex{text: doc, list: has}
	same, all, k := 0, 0, 0
	for i := 1; i < len(typed)-1; k++ {
		m, ok := nextMember(typed, i, len(typed)-1)
		if !ok {
			return false
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
	return 2*same >= all
}

func sameScalar(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	switch {
	case a[0] == '"' && b[0] == '"':
		return sameString(a, b)
	case isNumber(a[0]) && isNumber(b[0]):
		x, errX := strconv.ParseFloat(string(a), 64)
		y, errY := strconv.ParseFloat(string(b), 64)
		return errX == nil && errY == nil && (x == y || float32(x) == float32(y)) || sameNumber(a, b)
	}
	return false
}
