package agui

import "slices"

// indexing says which values become nodes. All are checked alike.
type indexing uint8

const (
	everything indexing = iota
	// typed is inside the objects of an input: what the protocol gives a form
	// becomes nodes, and so does metadata; the rest stays raw, one node each.
	typed
	// nothing is inside a value that stays raw.
	nothing
)

// indexUnder is the indexing of an object or an array that stands under a name
// in a typed object.
func indexUnder(name []byte) indexing {
	switch string(name) {
	case "messages", "tools", "context", "resume", "content", "source", "toolCalls", "function":
		return typed
	case "metadata":
		return everything
	}
	return nothing
}

// open adds a node for the value that begins at pos.
func (p *parser) open(kind byte) uint32 {
	if p.doc == nil {
		return 0
	}
	i := len(p.doc.nodes)
	p.doc.nodes = append(p.doc.nodes, node{start: uint32(p.pos), kind: kind})
	return uint32(i)
}

// grow makes room for the nodes that the rest of the text needs if it is like
// what came before, within bounds: a large one is not copied again and again.
func (p *parser) grow() {
	n := len(p.doc.nodes)
	more := float64(n) * float64(len(p.data)-p.pos) / float64(p.pos+1)
	p.doc.nodes = slices.Grow(p.doc.nodes, min(max(int(more), n/4)+64, 3*n+64))
}

// close ends the node of the value that ends at pos.
func (p *parser) close(i uint32) {
	if p.doc == nil {
		return
	}
	if p.index == nothing {
		p.doc.nodes = p.doc.nodes[:i+1] // nobody will ask for what is inside
	}
	n := &p.doc.nodes[i]
	n.end, n.next = uint32(p.pos), uint32(len(p.doc.nodes))
}
