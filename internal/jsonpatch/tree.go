package jsonpatch

import (
	"errors"
	"slices"
)

// node is a value of a document that is being patched: text as it was, or,
// where an operation went inside, a box.
type node struct {
	raw []byte
	box *box
}

// box is an object or array that was opened.
type box struct {
	object bool
	list   list           // of an array
	fields []field        // of an object, in order; a removed one has no name
	byName map[string]int // of a wide object
	live   int            // fields not removed
}

type field struct {
	name  []byte // quoted, as it was; nil when removed
	value node
}

var errMalformed = errors.New("the document is malformed there")

// open makes a box of the node's text, or returns nil for a scalar. It tolerates
// white space.
func (n *node) open() (*box, error) {
	if n.box != nil || len(n.raw) == 0 || n.raw[0] != '{' && n.raw[0] != '[' {
		return n.box, nil
	}
	raw := n.raw
	b := &box{object: raw[0] == '{'}
	shut := raw[0] + 2 // '}' and ']' are two further on
	i := blank(raw, 1)
	if i < len(raw) && raw[i] == shut {
		n.box, n.raw = b, nil
		return b, nil
	}
	for {
		var name []byte
		if b.object {
			if i >= len(raw) || raw[i] != '"' {
				return nil, errMalformed
			}
			j := skipString(raw, i+1)
			name = raw[i:j:j]
			i = blank(raw, j)
			if i >= len(raw) || raw[i] != ':' {
				return nil, errMalformed
			}
			i = blank(raw, i+1)
		}
		j := skip(raw, i)
		if j == i {
			return nil, errMalformed
		}
		v := node{raw: raw[i:j:j]}
		if !b.object {
			b.list.push(v)
		} else if b.find(string(plain(name))) >= 0 {
			return nil, errors.New("the object has a name twice: " + string(name))
		} else {
			b.put(name, v)
		}
		i = blank(raw, j)
		if i >= len(raw) || raw[i] != ',' {
			break
		}
		i = blank(raw, i+1)
	}
	if i >= len(raw) || raw[i] != shut {
		return nil, errMalformed
	}
	n.box, n.raw = b, nil
	return b, nil
}

// blank returns the offset of the first byte from i that is not white space.
func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// find returns the place of the field with that name, or -1.
func (b *box) find(name string) int {
	if b.byName == nil && len(b.fields) >= wideObject {
		b.byName = make(map[string]int, 2*len(b.fields))
		for i, f := range b.fields {
			if f.name != nil {
				b.byName[string(plain(f.name))] = i
			}
		}
	}
	if b.byName != nil {
		if i, ok := b.byName[name]; ok {
			return i
		}
		return -1
	}
	for i, f := range b.fields {
		if f.name != nil && string(plain(f.name)) == name {
			return i
		}
	}
	return -1
}

// put appends a field whose name is new.
func (b *box) put(quoted []byte, v node) {
	if b.byName != nil {
		b.byName[string(plain(quoted))] = len(b.fields)
	}
	b.fields = append(b.fields, field{quoted, v})
	b.live++
}

// drop removes the field at i. Its place stays empty until half are.
func (b *box) drop(i int) {
	if b.byName != nil {
		delete(b.byName, string(plain(b.fields[i].name)))
	}
	b.fields[i] = field{}
	b.live--
	if len(b.fields) > wideObject && b.live < len(b.fields)/2 {
		b.fields = slices.DeleteFunc(b.fields, func(f field) bool { return f.name == nil })
		b.byName = nil
	}
}

// text appends the node's text.
func (n *node) text(dst []byte, depth int) ([]byte, error) {
	if n.box == nil {
		return append(dst, n.raw...), nil
	}
	if depth > maxDepth {
		return dst, errors.New("the result nests too deep")
	}
	var err error
	if !n.box.object {
		dst = append(dst, '[')
		first := true
		for _, chunk := range n.box.list.chunks {
			for i := range chunk {
				if !first {
					dst = append(dst, ',')
				}
				first = false
				if dst, err = chunk[i].text(dst, depth+1); err != nil {
					return dst, err
				}
			}
		}
		return append(dst, ']'), nil
	}
	dst = append(dst, '{')
	first := true
	for i := range n.box.fields {
		f := &n.box.fields[i]
		if f.name == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, f.name...), ':')
		if dst, err = f.value.text(dst, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// list is an array in chunks, so that an insertion moves a chunk's worth of
// elements and not all of them.
type list struct {
	chunks [][]node
	len    int
}

const chunkSize = 512

func (l *list) push(v node) {
	n := len(l.chunks)
	if n == 0 || len(l.chunks[n-1]) == chunkSize {
		var c []node
		if n > 0 {
			c = make([]node, 0, chunkSize)
		}
		l.chunks = append(l.chunks, c)
		n++
	}
	l.chunks[n-1] = append(l.chunks[n-1], v)
	l.len++
}

// at returns the element i, which exists.
func (l *list) at(i int) *node {
	c, i := l.chunk(i)
	return &l.chunks[c][i]
}

// chunk returns where element i is; i may be one past the end.
func (l *list) chunk(i int) (int, int) {
	for c := range l.chunks {
		if n := len(l.chunks[c]); i < n || i == n && c == len(l.chunks)-1 {
			return c, i
		} else {
			i -= n
		}
	}
	return 0, 0
}

func (l *list) insert(i int, v node) {
	if i == l.len {
		l.push(v)
		return
	}
	c, i := l.chunk(i)
	if len(l.chunks[c]) == chunkSize {
		half := chunkSize / 2
		right := append(make([]node, 0, chunkSize), l.chunks[c][half:]...)
		l.chunks[c] = l.chunks[c][:half]
		l.chunks = slices.Insert(l.chunks, c+1, right)
		if i > half {
			c, i = c+1, i-half
		}
	}
	l.chunks[c] = slices.Insert(l.chunks[c], i, v)
	l.len++
}

func (l *list) remove(i int) {
	c, i := l.chunk(i)
	l.chunks[c] = slices.Delete(l.chunks[c], i, i+1)
	if len(l.chunks[c]) == 0 {
		l.chunks = slices.Delete(l.chunks, c, c+1)
	}
	l.len--
}
