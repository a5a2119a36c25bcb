package agui

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"strconv"
)

// reader takes typed values out of a document. The first fault stays; what is
// read after it is of no use.
type reader struct {
	doc *document
	// client reads as the reference client reads a server's events: it repairs
	// the nulls of older servers, and drops what the protocol does not know.
	// Without it, what the protocol does not know is a fault or is kept.
	client bool
	// legacy accepts the binary parts of clients before 1.0.
	legacy  bool
	untyped int    // values counted by takes
	needed  uint32 // the value asked for last that must be there; the whole, at first
	fault   *fault
}

func (r *reader) kind(i uint32) byte { return r.doc.nodes[i].kind }

// fail notes what is wrong with a value.
func (r *reader) fail(i uint32, reason string) {
	if r.fault == nil {
		r.fault = &fault{pointer: r.doc.pointer(i), reason: reason}
	}
}

// missing notes that an object lacks a member.
func (r *reader) missing(object uint32, name string) {
	if r.fault != nil {
		return
	}
	reason := "is required"
	if other := r.misspelt(object, name); other != "" {
		reason += ": " + quoted(other) + " is not a name of the protocol, write " + strconv.Quote(name)
	}
	r.fault = &fault{pointer: r.doc.pointer(object) + "/" + escapePointer(name), reason: reason}
}

// misspelt finds a member whose name is the wanted one in another case or
// with other separators: thread_id or ThreadId for threadId.
func (r *reader) misspelt(object uint32, name string) string {
	want := foldName(name)
	for key := range r.members(object) {
		if other := r.doc.text(key); foldName(other) == want {
			return other
		}
	}
	return ""
}

func foldName(name string) string {
	b := make([]byte, 0, len(name))
	for i := range len(name) {
		c := name[i]
		if c == '_' || c == '-' {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}

func kindName(kind byte) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}

func (r *reader) wrongKind(i uint32, want string) {
	reason := "must be " + want + ", not " + kindName(r.kind(i))
	if r.kind(i) == 'n' && i != r.needed {
		reason += "; leave it out when there is none"
	}
	r.fail(i, reason)
}

// members ranges over an object's names and values.
func (r *reader) members(object uint32) iter.Seq2[uint32, uint32] {
	return func(yield func(key, value uint32) bool) {
		end := r.doc.nodes[object].next
		for i := object + 1; i < end; i = r.doc.nodes[i+1].next {
			if !yield(i, i+1) {
				return
			}
		}
	}
}

// elements ranges over an array.
func (r *reader) elements(array uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		end := r.doc.nodes[array].next
		for i := array + 1; i < end; i = r.doc.nodes[i].next {
			if !yield(i) {
				return
			}
		}
	}
}

// room is how much to make for an array's elements at first: not so much that
// an array of nonsense costs more memory than it has text.
func (r *reader) room(array uint32) (n int) {
	for range r.elements(array) {
		if n++; n == 64 {
			break
		}
	}
	return n
}

// leastObject is less than the text of any object that the protocol has in
// arrays and that takes memory of some size.
const leastObject = 24

// objects is how much to make for an array's objects: for all that are long
// enough to be some of the protocol's.
func (r *reader) objects(array uint32) (n int) {
	for e := range r.elements(array) {
		if o := &r.doc.nodes[e]; o.kind == '{' && o.end-o.start >= leastObject {
			n++
		}
	}
	return n
}

func (r *reader) get(object uint32, name string) uint32 { return r.doc.member(object, name) }

// required finds a member that must be there.
func (r *reader) required(object uint32, name string) uint32 {
	i := r.get(object, name)
	if i == 0 {
		r.missing(object, name)
	}
	r.needed = i
	return i
}

// text reads a string.
func (r *reader) text(i uint32) string {
	if r.kind(i) != '"' {
		r.wrongKind(i, "a string")
		return ""
	}
	return r.doc.text(i)
}

// string reads a member that must be there.
func (r *reader) string(object uint32, name string) string {
	if i := r.required(object, name); i != 0 {
		return r.text(i)
	}
	return ""
}

// optional reads a member that may be absent, which is "".
func (r *reader) optional(object uint32, name string) string {
	if i := r.get(object, name); i != 0 {
		return r.text(i)
	}
	return ""
}

// pointer reads a member that may be absent, which is nil.
func (r *reader) pointer(object uint32, name string) *string {
	if i := r.get(object, name); i != 0 {
		return new(r.text(i))
	}
	return nil
}

// repaired reports whether a member is a null that the reference client
// repairs.
func (r *reader) repaired(object uint32, name string) bool {
	i := r.get(object, name)
	return r.client && i != 0 && r.kind(i) == 'n'
}

func (r *reader) tag(object uint32) Tag {
	return Tag{SubagentRunID: r.pointer(object, "subagentRunId")}
}

// json reads any JSON that must be there; null is a value.
func (r *reader) json(object uint32, name string) json.RawMessage {
	if i := r.required(object, name); i != 0 {
		return bytes.Clone(r.doc.bytes(i))
	}
	return nil
}

// optionalJSON reads any JSON but null; absent is nil.
func (r *reader) optionalJSON(object uint32, name string) json.RawMessage {
	i := r.get(object, name)
	if i == 0 {
		return nil
	}
	if r.kind(i) == 'n' {
		r.wrongKind(i, "any JSON but null")
		return nil
	}
	return bytes.Clone(r.doc.bytes(i))
}

// repairedJSON is optionalJSON of a member whose null the client repairs.
func (r *reader) repairedJSON(object uint32, name string) json.RawMessage {
	if r.repaired(object, name) {
		return nil
	}
	return r.optionalJSON(object, name)
}

// objectJSON reads the text of an object.
func (r *reader) objectJSON(i uint32) json.RawMessage {
	if r.kind(i) != '{' {
		r.wrongKind(i, "an object")
		return nil
	}
	return bytes.Clone(r.doc.bytes(i))
}

// integer reads an integer within 2^53-1. As in JavaScript, 1.0 and 1e3 are
// integers too.
func (r *reader) integer(i uint32) int64 {
	if r.kind(i) != '0' {
		r.wrongKind(i, "an integer")
		return 0
	}
	text := string(r.doc.bytes(i))
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(f) > maxInteger || f != math.Trunc(f) {
			r.fail(i, "must be an integer within 2^53-1, not "+quoted(text))
			return 0
		}
		n = int64(f)
	}
	if n > maxInteger || n < -maxInteger {
		r.fail(i, "must be an integer within 2^53-1, not "+quoted(text))
	}
	return n
}

// count reads an integer that is not negative; absent is 0.
func (r *reader) count(object uint32, name string) int64 {
	i := r.get(object, name)
	if i == 0 {
		return 0
	}
	n := r.integer(i)
	if n < 0 {
		r.fail(i, "must not be negative")
	}
	return n
}

// array finds an array that may be absent. What it returns must be asked with
// present before it is ranged over.
func (r *reader) array(object uint32, name string) (i uint32, present bool) {
	i = r.get(object, name)
	if i == 0 {
		return 0, false
	}
	if r.kind(i) != '[' {
		r.wrongKind(i, "an array")
		return 0, false
	}
	return i, true
}

// strings reads an array of strings that may be absent, which is nil.
func (r *reader) strings(object uint32, name string) []string {
	array, ok := r.array(object, name)
	if !ok {
		return nil
	}
	list := make([]string, 0, r.room(array))
	for e := range r.elements(array) {
		list = append(list, r.text(e))
	}
	return list
}

// object reports whether a value is an object, and worth reading; it is a
// fault if it is none.
func (r *reader) object(i uint32) bool {
	if r.kind(i) != '{' {
		r.wrongKind(i, "an object")
	}
	return r.fault == nil
}

// choice reads the member that says which of several an object is, "" when
// there is none or it is no string.
func (r *reader) choice(object uint32, name string) string {
	if i := r.get(object, name); i != 0 && r.kind(i) == '"' {
		return r.doc.text(i)
	}
	return ""
}

// unchosen notes that the member which says what an object is says nothing
// known.
func (r *reader) unchosen(object uint32, name, want string) {
	i := r.required(object, name)
	switch {
	case i == 0:
	case r.kind(i) != '"':
		r.wrongKind(i, "a string")
	default:
		r.fail(i, "must be "+want+", not "+quoted(r.doc.text(i)))
	}
}
