package jsonpatch

import (
	"bytes"
	"strings"
)

// Key says that a member is the identity of an array's elements: an element
// that was both moved and edited is still the same one when that member is
// equal, and is another one when it is not. Elements without the member, or
// that share its value with others, are paired as if there were no key.
type Key struct {
	// Path is the array's JSON Pointer, in which the token * stands for any:
	// "/recipe/ingredients", "/orders/*/lines". An element that moves between
	// the arrays that it stands for is still the same one too, if nothing else
	// in them has its key.
	Path string
	// Member is the name of the member, such as "id".
	Member string
}

// keyAt returns the key member for the array at a path, or "".
func keyAt(keys []Key, path []byte) string {
	for _, k := range keys {
		if matches(k.Path, string(path)) {
			return k.Member
		}
	}
	return ""
}

func matches(pattern, path string) bool {
	for {
		if pattern == "" || path == "" {
			return pattern == path
		}
		want, _, _ := strings.Cut(pattern[1:], "/")
		have, _, _ := strings.Cut(path[1:], "/")
		if want != "*" && want != have || pattern[0] != '/' {
			return false
		}
		pattern, path = pattern[1+len(want):], path[1+len(have):]
	}
}

// keyOf returns the text of an element's key member, or nil.
func keyOf(element []byte, name string) []byte {
	if len(element) == 0 || element[0] != '{' {
		return nil
	}
	for i := 1; i < len(element)-1; {
		m, ok := nextMember(element, i, len(element)-1)
		if !ok {
			return nil
		}
		if string(plain(m.name.of(element))) == name {
			v := m.value.of(element)
			if isContainer(v) || bytes.Equal(v, []byte("null")) {
				return nil
			}
			return v
		}
		i = m.value.to + 1
	}
	return nil
}

// sameKey reports whether two elements are the same one as far as their keys
// tell: they have none, or equal ones.
func sameKey(a, b []byte, name string) bool {
	return bytes.Equal(keyOf(a, name), keyOf(b, name))
}
