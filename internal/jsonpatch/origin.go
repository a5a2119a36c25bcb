package jsonpatch

import (
	"bytes"
	"strconv"
	"strings"
)

// origins finds the elements that have moved from one array to another: those
// of all arrays that one [Key] names are told apart by it together.
type origins struct {
	doc, before, after []byte
	keys               []Key
	found              []map[string]origin // of each key, by the member's text; nil until it is asked for
}

// origin is an element as it was. It is zero where a key is there twice.
type origin struct{ doc, before []byte }

// of returns what an element of after, new in the array at path, was in
// another array.
func (o *origins) of(path, element []byte) (origin, bool) {
	if o == nil {
		return origin{}, false
	}
	for i, k := range o.keys {
		if !matches(k.Path, string(path)) {
			continue
		}
		key := keyOf(element, k.Member)
		if key == nil || !strings.Contains(k.Path, "*") {
			return origin{}, false
		}
		if o.found == nil {
			o.found = make([]map[string]origin, len(o.keys))
		}
		if o.found[i] == nil {
			o.found[i] = o.collect(k)
		}
		was, ok := o.found[i][string(key)]
		return was, ok && was.before != nil
	}
	return origin{}, false
}

// collect lists the elements of before by key, without those whose key is
// there twice, then or now.
func (o *origins) collect(k Key) map[string]origin {
	list := map[string]origin{}
	walkArrays(k.Path, o.doc, o.before, func(doc, before []byte) {
		key := keyOf(before, k.Member)
		if key == nil {
			return
		}
		if _, twice := list[string(key)]; twice || !bytes.Equal(keyOf(doc, k.Member), key) {
			doc, before = nil, nil
		}
		list[string(key)] = origin{doc, before}
	})
	now := map[string]bool{}
	walkArrays(k.Path, o.after, o.after, func(_, after []byte) {
		if key := keyOf(after, k.Member); key != nil {
			if now[string(key)] {
				delete(list, string(key))
			}
			now[string(key)] = true
		}
	})
	return list
}

// walkArrays yields the elements of the arrays at a pattern of two values that
// say the same, as far as they do.
func walkArrays(pattern string, a, b []byte, yield func(a, b []byte)) {
	if len(a) < 2 || len(b) < 2 || a[0] != b[0] {
		return
	}
	token, rest, last := "*", "", pattern == ""
	if !last {
		token, rest, _ = strings.Cut(pattern[1:], "/")
		if len(rest) > 0 || strings.HasSuffix(pattern, "/") {
			rest = pattern[1+len(token):]
		}
	}
	switch {
	case b[0] == '[':
		x, y := elements(nil, a, 1, len(a)-1), elements(nil, b, 1, len(b)-1)
		if len(x) != len(y) {
			return
		}
		for i := range y {
			switch {
			case last:
				yield(x[i].of(a), y[i].of(b))
			case token == "*" || token == strconv.Itoa(i):
				walkArrays(rest, x[i].of(a), y[i].of(b), yield)
			}
		}
	case b[0] == '{' && !last:
		for m := range membersOf(b, 0) {
			name := m.name.of(b)
			if token != "*" && token != string(appendToken(nil, plain(name))[1:]) {
				continue
			}
			if there, ok := findMember(a, 0, name); ok {
				walkArrays(rest, a[there.value:skip(a, there.value)], b[m.value:skip(b, m.value)], yield)
			}
		}
	}
}
