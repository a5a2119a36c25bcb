package aguiclient

import (
	"iter"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

// conversation is the messages of a mirror, in order. Results go behind the
// message of their call and the results that are there, so it is kept in
// pieces: a message, and the results right behind it. That way no event takes
// a walk over the whole, however an agent uses ids.
type conversation struct {
	pieces []*piece
	n      int
	byID   map[string]*entry       // the first with this id
	calls  map[string][]*callEntry // those with this id, in order
}

// piece is a message and the results behind it. The first piece has no message
// when the conversation begins with results.
type piece struct {
	at      int // among the pieces
	message *entry
	results []*entry
}

// place is where an entry is: the message of a piece, or a result of it,
// counted from 1.
type place struct {
	piece *piece
	at    int
}

func (p place) before(q place) bool {
	if p.piece != q.piece {
		return p.piece.at < q.piece.at
	}
	return p.at < q.at
}

func isResult(n *entry) bool { return n.msg.Role == agui.RoleTool }

// all ranges over the entries in order.
func (c *conversation) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, p := range c.pieces {
			if p.message != nil && !yield(p.message) {
				return
			}
			for _, n := range p.results {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// add puts an entry at the end.
func (c *conversation) add(n *entry) {
	if last := len(c.pieces) - 1; isResult(n) && last >= 0 {
		c.addTo(c.pieces[last], n)
		return
	}
	p := &piece{at: len(c.pieces)}
	c.pieces = append(c.pieces, p)
	if isResult(n) {
		c.addTo(p, n)
		return
	}
	p.message, n.place = n, place{piece: p}
	c.note(n)
}

// addBehind puts a result behind another entry and the results that are there.
func (c *conversation) addBehind(owner, n *entry) { c.addTo(owner.place.piece, n) }

func (c *conversation) addTo(p *piece, n *entry) {
	p.results = append(p.results, n)
	n.place = place{piece: p, at: len(p.results)}
	c.note(n)
}

// note makes an entry and its calls known by their ids.
func (c *conversation) note(n *entry) {
	if c.byID == nil {
		c.byID, c.calls = map[string]*entry{}, map[string][]*callEntry{}
	}
	c.n++
	if first := c.byID[n.msg.ID]; first == nil || n.place.before(first.place) {
		c.byID[n.msg.ID] = n
	}
	for _, call := range n.calls {
		c.noteCall(call)
	}
}

func (c *conversation) noteCall(call *callEntry) {
	id := call.call.ID
	c.calls[id] = append(c.calls[id], call)
}

// call returns the first call with an id, or nil.
func (c *conversation) call(id string) *callEntry {
	if all := c.calls[id]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// lastCall returns the last call with an id, or nil.
func (c *conversation) lastCall(id string) *callEntry {
	if all := c.calls[id]; len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}

// become makes another message of an entry, in its place. One that was a
// result begins a piece of its own.
func (c *conversation) become(n *entry, msg agui.Message) {
	for _, call := range n.calls {
		id := call.call.ID
		c.calls[id] = slices.DeleteFunc(c.calls[id], func(other *callEntry) bool { return other == call })
	}
	at, wasResult := n.place, isResult(n)
	*n = *newEntry(msg)
	n.place = at
	if !wasResult || isResult(n) {
		return
	}
	p := at.piece
	behind := &piece{message: n, results: slices.Clone(p.results[at.at:])}
	p.results = p.results[:at.at-1]
	c.pieces = slices.Insert(c.pieces, p.at+1, behind)
	for i := p.at + 1; i < len(c.pieces); i++ {
		c.pieces[i].at = i
	}
	n.place = place{piece: behind}
	for i, r := range behind.results {
		r.place = place{piece: behind, at: i + 1}
	}
}
