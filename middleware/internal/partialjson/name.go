package partialjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// wide is the number of names from which they are looked up in a map.
const wide = 16

// endName ends a member's name.
func (r *Reader) endName() error {
	top := &r.stack[len(r.stack)-1]
	name := span{r.str.start, len(r.out)}
	if r.twice(top, name) {
		return r.fail(r.offset, "the member "+string(r.out[name.from:name.to])+" a second time")
	}
	r.names = append(r.names, name)
	r.state = colon
	return nil
}

// twice reports whether the object has the name already.
func (r *Reader) twice(f *frame, name span) bool {
	quoted, before := r.out[name.from:name.to], r.names[f.names:]
	if len(before) < wide {
		for _, b := range before {
			if sameName(r.out[b.from:b.to], quoted) {
				return true
			}
		}
		return false
	}
	if f.seen == nil {
		f.seen = make(map[string]struct{}, 4*wide)
		for _, b := range before {
			f.seen[unquote(r.out[b.from:b.to])] = struct{}{}
		}
	}
	n := len(f.seen)
	f.seen[unquote(quoted)] = struct{}{}
	return len(f.seen) == n
}

// name is the name of the current member of the innermost container, quoted.
func (r *Reader) name() []byte {
	n := r.names[len(r.names)-1]
	return r.out[n.from:n.to]
}

// pointer is the place of the value that is being read, or else of the
// innermost container (RFC 6901).
func (r *Reader) pointer() string {
	inValue := false
	switch r.state {
	case firstValue, beforeValue, inNumber, inLiteral:
		inValue = true
	case inString:
		inValue = !r.str.name
	}
	var p []byte
	for i, f := range r.stack {
		last := i+1 == len(r.stack)
		if last && !inValue {
			break
		}
		p = append(p, '/')
		if !f.object {
			p = strconv.AppendInt(p, int64(f.index), 10)
			continue
		}
		n := len(r.names)
		if !last {
			n = r.stack[i+1].names
		}
		at := r.names[n-1]
		p = append(p, tokens.Replace(unquote(r.out[at.from:at.to]))...)
	}
	return string(p)
}

var tokens = strings.NewReplacer("~", "~0", "/", "~1")

// unquote returns what a quoted string says.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		var s string
		if json.Unmarshal(quoted, &s) == nil {
			return s
		}
	}
	if len(quoted) < 2 {
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}

// sameName reports whether two quoted strings say the same.
func sameName(a, b []byte) bool {
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return bytes.Equal(a, b)
	}
	return unquote(a) == unquote(b)
}
