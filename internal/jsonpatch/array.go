package jsonpatch

import (
	"bytes"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

// array compares the elements of the array at d.path that lie in pl; the first
// of them has index base in both texts.
func (d *differ) array(a, b []byte, pl place, base, limit int) bool {
	as := elements(d.take(), a, pl.old.from, pl.old.to)
	bs := elements(d.take(), b, pl.new.from, pl.new.to)
	defer func() { d.give(as); d.give(bs) }()
	x, y := trim(a, b, as, bs, &base)
	if len(x) == len(y) && pairUp(a, b, x, y) {
		for i := range x {
			if !d.element(base+i, x[i].of(a), y[i].of(b), limit) {
				return false
			}
		}
		return true
	}
	m := &matcher{a: a, b: b, old: x, new: y, overhead: len(d.path)}
	al := m.align()
	if d.size+al.floor(len(d.path)) > limit || !d.script(al, y, b, base, limit) {
		return false
	}
	for j, e := range al.edits {
		if e && !d.element(base+j, x[al.from[j]].of(a), y[j].of(b), limit) {
			return false
		}
	}
	return true
}

func (d *differ) element(i int, a, b []byte, limit int) bool {
	if bytes.Equal(a, b) {
		return true
	}
	mark := d.mark()
	d.pushIndex(i)
	ok := d.value(a, b, limit)
	d.reset(mark)
	return ok
}

// take and give lend slices, so that nested arrays do not allocate each time.
func (d *differ) take() []span {
	if n := len(d.spans); n > 0 {
		s := d.spans[n-1]
		d.spans = d.spans[:n-1]
		return s[:0]
	}
	return nil
}

func (d *differ) give(s []span) {
	if len(d.spans) < 8 && cap(s) <= 1<<16 {
		d.spans = append(d.spans, s)
	}
}

// trim takes equal elements off both ends and moves base past the first ones.
func trim(a, b []byte, x, y []span, base *int) ([]span, []span) {
	for len(x) > 0 && len(y) > 0 && bytes.Equal(x[0].of(a), y[0].of(b)) {
		x, y, *base = x[1:], y[1:], *base+1
	}
	for len(x) > 0 && len(y) > 0 && bytes.Equal(x[len(x)-1].of(a), y[len(y)-1].of(b)) {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return x, y
}

// pairUp reports whether two runs of elements of the same length are the same
// elements in the same order, some of them edited: no value that left its
// place turns up at another.
func pairUp(a, b []byte, x, y []span) bool {
	if len(x) <= 1 {
		return true
	}
	h := newHasher()
	hash := h.bytes
	var unlike []int // by their bytes: then it may be the spelling that differs
	left := make(map[uint64]struct{}, len(x))
	meets := func(i int) bool {
		_, ok := left[hash(y[i].of(b))]
		return ok
	}
	for i := range x {
		if v, w := x[i].of(a), y[i].of(b); !bytes.Equal(v, w) {
			left[hash(v)] = struct{}{}
			if p := commonPrefix(v, w); 2*(p+commonSuffix(v[p:], w[p:])) < min(len(v), len(w)) {
				unlike = append(unlike, i)
			}
		}
	}
	changed := len(left)
	for i := range y {
		if !bytes.Equal(x[i].of(a), y[i].of(b)) && meets(i) {
			return false
		}
	}
	clear(left)
	hash = func(v []byte) uint64 { return h.value(v, 0) }
	for _, i := range unlike {
		left[hash(x[i].of(a))] = struct{}{}
	}
	if slices.ContainsFunc(unlike, meets) {
		return false
	}
	// Many edited elements may still be fewer, put in at one end and taken off
	// the other; then nothing is equal, and likeness decides.
	return changed < len(x) || len(x)*len(x) > maxGap
}

// floor is less than the operations of an alignment take.
func (al *alignment) floor(path int) int {
	n := al.moves * (len(`{"op":"move","from":"/0","path":"/0"},`) + 2*path)
	for _, from := range al.from {
		if from < 0 {
			n += len(`{"op":"add","path":"/0","value":0},`) + path
		}
	}
	for _, f := range al.fate {
		if f == removed {
			n += len(`{"op":"remove","path":"/0"},`) + path
		}
	}
	return n
}

// script adds the operations that bring the elements into their new order, in
// one walk over the new elements. c is where the walk stands in the array as
// the operations so far left it: before it lie the new elements that are done,
// and those old ones passed by that a later move will fetch.
func (d *differ) script(al *alignment, y []span, b []byte, base, limit int) bool {
	var moves *moveIndex
	if al.moves > 0 {
		moves = newMoveIndex(al)
	}
	i, c := 0, base
	// pass takes the walk over the old elements before x.
	pass := func(x, done int) bool {
		for ; i < x; i++ {
			switch al.fate[i] {
			case removed:
				if !d.emitAt(agui.OpRemove, c, nil, limit) {
					return false
				}
			case moved:
				if moves.pass(i, done) {
					c++
				}
			}
		}
		return true
	}
	for j, x := range al.from {
		switch {
		case x < 0:
			if !d.emitAt(agui.OpAdd, c, y[j].of(b), limit) {
				return false
			}
			c++
		case al.fate[x] == kept:
			if !pass(int(x), j) {
				return false
			}
			i++
			c++
		case int(x) < i: // passed by: it lies before c
			if !d.emitMove(base+moves.behind(int(x)), c-1, limit) {
				return false
			}
		default:
			if from := c + moves.ahead(i, int(x)); from != c {
				if !d.emitMove(from, c, limit) {
					return false
				}
			}
			moves.fetch(int(x))
			c++
		}
	}
	return pass(len(al.fate), len(al.from))
}

// moveIndex knows where the elements to be moved are at present.
type moveIndex struct {
	before []int32 // of each old element: how many to be moved precede it
	placed []int32 // of each passed by: new elements done at that moment
	gone   fenwick // those moved already
	absent []bool
}

func newMoveIndex(al *alignment) *moveIndex {
	n := len(al.fate)
	m := &moveIndex{make([]int32, n+1), make([]int32, n), make(fenwick, n+1), make([]bool, n)}
	for i, f := range al.fate {
		m.before[i+1] = m.before[i]
		if f == moved {
			m.before[i+1]++
		}
	}
	return m
}

// pass notes that the walk goes by old element i with done new elements before
// it, and reports whether the element is still there.
func (m *moveIndex) pass(i, done int) bool {
	m.placed[i] = int32(done)
	return !m.absent[i]
}

// behind returns the index of element i, which was passed by, and fetches it.
func (m *moveIndex) behind(i int) int {
	at := int(m.placed[i]) + int(m.before[i]) - m.gone.sum(i)
	m.fetch(i)
	return at
}

// ahead returns how far in front of the walk, at i, the old element x lies.
func (m *moveIndex) ahead(i, x int) int { return x - i - (m.gone.sum(x) - m.gone.sum(i)) }

func (m *moveIndex) fetch(i int) {
	m.absent[i] = true
	m.gone.add(i)
}

// fenwick counts marks below an index in logarithmic time.
type fenwick []int32

func (f fenwick) add(i int) {
	for i++; i < len(f); i += i & -i {
		f[i]++
	}
}

func (f fenwick) sum(i int) int {
	n := 0
	for ; i > 0; i -= i & -i {
		n += int(f[i])
	}
	return n
}
