package agui

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// metadata reads an object that may be absent, which is nil.
func (r *reader) metadata(object uint32) Metadata {
	i := r.get(object, "metadata")
	if i == 0 {
		return nil
	}
	if r.kind(i) != '{' {
		r.wrongKind(i, "an object")
		return nil
	}
	return r.anyObject(i)
}

func (r *reader) anyObject(object uint32) map[string]any {
	m := map[string]any{}
	for key, value := range r.members(object) {
		if !r.takes(value) {
			break
		}
		m[r.doc.text(key)] = r.any(value)
	}
	return m
}

// maxUntyped is how many values an input may have that the protocol gives no
// form, and that are read nevertheless: those inside metadata, and members that
// it does not name. A map is fifty times as large as the text of a small object.
const maxUntyped = 1 << 17

// takes counts such a value. It reports whether to read it. What a server says
// is not counted: it is asked for.
func (r *reader) takes(i uint32) bool {
	if r.untyped++; r.untyped > maxUntyped && !r.client {
		r.fail(i, "is one too many: metadata and members that the protocol does not name may have "+
			strconv.Itoa(maxUntyped)+" values in all")
	}
	return r.fault == nil
}

// any reads a value as encoding/json does, with exact numbers.
func (r *reader) any(i uint32) any {
	switch r.kind(i) {
	case '{':
		return r.anyObject(i)
	case '[':
		list := make([]any, 0, r.room(i))
		for e := range r.elements(i) {
			if !r.takes(e) {
				break
			}
			list = append(list, r.any(e))
		}
		return list
	case '"':
		return r.doc.text(i)
	case '0':
		return json.Number(r.doc.bytes(i))
	case 't':
		return true
	case 'f':
		return false
	}
	return nil
}

// extra keeps the members of an object that are not among the known ones.
func (r *reader) extra(object uint32, known []string) map[string]json.RawMessage {
	if r.client {
		return nil
	}
	var extra map[string]json.RawMessage
next:
	for key, value := range r.members(object) {
		for _, k := range known {
			if r.doc.is(key, k) {
				continue next
			}
		}
		if !r.spelled(key, known) || !r.takes(value) {
			break
		}
		if extra == nil {
			extra = map[string]json.RawMessage{}
		}
		extra[r.doc.text(key)] = bytes.Clone(r.doc.bytes(value))
	}
	return extra
}
