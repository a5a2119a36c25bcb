package agui

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
)

// node is one JSON value of a document. The nodes of a document lie in the
// order of the text: an object's members follow it as name, value, name, …,
// an array's elements one after the other. No tree is built and no text is
// copied; what is not asked for costs one node.
type node struct {
	start, end uint32 // of the text; a string's includes the quotes
	next       uint32 // the node behind this value; 0 while it is being read (an array's end then counts dropped elements)
	kind       byte   // '{' '[' '"' '0' 't' 'f' 'n'
	escaped    bool   // of a string: has a backslash
}

// document is a JSON text, checked and indexed.
type document struct {
	data  []byte
	nodes []node
}

// How deep JSON may be nested. Beyond maxInputDepth an input is an attack, not
// a state; an event may be deeper, as its producer may be somebody else.
const (
	maxInputDepth = 128
	maxEventDepth = 1000
)

var documents = sync.Pool{New: func() any { return new(document) }}

// maxPooledNodes keeps one huge input from staying in memory for ever.
const maxPooledNodes = 1 << 14

// readDocument checks data and indexes it. The document must be released.
func readDocument(p parser) (*document, *fault) {
	d := documents.Get().(*document)
	d.data, d.nodes = p.data, d.nodes[:0]
	p.doc = d
	if !p.document() {
		f := &fault{pointer: d.pointerAt(p.at), reason: p.reason}
		d.release()
		return nil, f
	}
	return d, nil
}

func (d *document) release() {
	d.data = nil
	if cap(d.nodes) <= maxPooledNodes {
		documents.Put(d)
	}
}

// bytes is the text of a value as it stands.
func (d *document) bytes(i uint32) []byte {
	n := d.nodes[i]
	return d.data[n.start:n.end]
}

// inside is what a string says; it is not to be kept or changed.
func (d *document) inside(i uint32) []byte {
	n := d.nodes[i]
	in := d.data[n.start+1 : n.end-1]
	if n.escaped {
		return appendUnescaped(make([]byte, 0, len(in)), in)
	}
	return in
}

// text is what a string says, in memory of its own.
func (d *document) text(i uint32) string { return string(d.inside(i)) }

// is reports whether a string says s.
func (d *document) is(i uint32, s string) bool { return string(d.inside(i)) == s }

// same reports whether two strings say the same.
func (d *document) same(i, j uint32) bool {
	a, b := d.nodes[i], d.nodes[j]
	if a.escaped || b.escaped {
		return d.text(i) == d.text(j)
	}
	return bytes.Equal(d.data[a.start:a.end], d.data[b.start:b.end])
}

// member finds an object's member; the last of several counts, as in
// JavaScript. It is 0, which is never a member, when there is none.
func (d *document) member(object uint32, name string) (value uint32) {
	end := d.nodes[object].next
	for i := object + 1; i < end; i = d.nodes[i+1].next {
		if d.is(i, name) {
			value = i + 1
		}
	}
	return value
}

// pointer is the JSON Pointer of a value.
func (d *document) pointer(i uint32) string { return d.pointerAt(int(d.nodes[i].start)) }

// pointerAt is the JSON Pointer of the innermost value around an offset. It
// also works on a document that broke off there.
func (d *document) pointerAt(offset int) string {
	var b strings.Builder
	at := uint32(0)
	inside := func(i uint32) bool {
		return int(i) < len(d.nodes) && int(d.nodes[i].start) <= offset &&
			(d.nodes[i].next == 0 || offset < int(d.nodes[i].end))
	}
	for inside(at) {
		var child uint32
		switch n := d.nodes[at]; n.kind {
		case '{':
			for i := at + 1; int(i) < len(d.nodes) && (n.next == 0 || i < n.next); {
				named := d.nodes[i].next != 0 && (inside(i) || inside(i+1) || int(i+1) == len(d.nodes))
				if named {
					b.WriteString("/" + escapePointer(d.text(i)))
					child = i + 1
					break
				}
				if int(i+1) >= len(d.nodes) || d.nodes[i+1].next == 0 {
					break
				}
				i = d.nodes[i+1].next
			}
		case '[':
			index := 0
			if n.next == 0 {
				index = int(n.end)
			}
			for i := at + 1; int(i) < len(d.nodes) && (n.next == 0 || i < n.next); index++ {
				if inside(i) {
					b.WriteString("/" + strconv.Itoa(index))
					child = i
					break
				}
				i = d.nodes[i].next
			}
		}
		if child == 0 {
			break
		}
		at = child
	}
	return b.String()
}

func escapePointer(token string) string {
	token = strings.ToValidUTF8(token, "\uFFFD")
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}
