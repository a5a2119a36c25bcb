package jsonpatch

import (
	"bytes"
	"cmp"
	"slices"
)

// The bounds of array matching.
const (
	// maxLCS is the number of cells, old times new elements, up to which
	// jsondiff's longest common subsequence is asked for. It takes eight bytes
	// a cell.
	maxLCS = 100_000
	// maxEdits is up to how many insertions and deletions long sequences with
	// repeated values are still matched exactly.
	maxEdits = 128
	// maxGap is the number of cells up to which unmatched elements between two
	// kept ones are paired by likeness rather than by position.
	maxGap = 1024
	// maxLike is the number of bytes that pairing by likeness may look at in
	// one array.
	maxLike = 1 << 20
)

// fate is what becomes of an old element.
type fate uint8

const (
	removed fate = iota
	kept         // in order with the other kept ones
	moved
)

// alignment pairs the elements of two arrays.
type alignment struct {
	from  []int32 // of each new element: the old one it comes from, or -1
	edits []bool  // of each new element: it comes from a different value
	fate  []fate  // of each old element
	moves int
}

func newAlignment(n, m int) *alignment {
	al := &alignment{make([]int32, m), make([]bool, m), make([]fate, n), 0}
	for j := range al.from {
		al.from[j] = -1
	}
	return al
}

// matcher aligns two runs of elements.
type matcher struct {
	a, b     []byte
	old, new []span
	overhead int  // bytes of the array's path
	keep     bool // what is paired matters more than what the operations cost
	classes  int
	ca, cb   []int32 // classes of equal values; those on one side only are -1
}

// align finds which elements stay, which move, which are edited and which come
// and go: equal values first, as many in order as can be; then what is left
// between two kept elements by likeness and position.
func (m *matcher) align() *alignment {
	al := newAlignment(len(m.old), len(m.new))
	m.classify()
	for _, p := range m.inOrder() {
		al.from[p[1]], al.fate[p[0]] = p[0], kept
	}
	plain := m.withMoves(al)
	m.pairGaps(al)
	m.pairAcross(al)
	if plain != nil && !m.keep { // an element may be shorter than a move
		m.pairGaps(plain)
		if m.cost(plain) < m.cost(al) {
			return plain
		}
	}
	return al
}

// classify numbers the values that both sides have: by their bytes first, which
// is cheap, and what then is on one side only by what it says.
func (m *matcher) classify() {
	m.ca, m.cb = make([]int32, len(m.old)), make([]int32, len(m.new))
	for i := range m.ca {
		m.ca[i] = -1
	}
	for j := range m.cb {
		m.cb[j] = -1
	}
	h := newHasher()
	if left := m.classifyBy(h.bytes, bytes.Equal); left {
		m.classifyBy(func(v []byte) uint64 { return h.value(v, 0) }, byText.equal)
	}
}

// classifyBy gives elements that have no class yet one if the other side has
// the same value. It reports whether both sides have elements left.
func (m *matcher) classifyBy(hash func([]byte) uint64, same func(a, b []byte) bool) bool {
	type class struct {
		sample span // in the old text
		id     int32
	}
	var list []class
	byHash := make(map[uint64]int32, len(m.old))
	find := func(v []byte) (k uint64, at int32) {
		for k = hash(v); ; k++ { // the next one after a collision
			at, ok := byHash[k]
			if !ok {
				return k, -1
			}
			if same(list[at].sample.of(m.a), v) {
				return k, at
			}
		}
	}
	classOf := make([]int32, len(m.old))
	for i, s := range m.old {
		if m.ca[i] >= 0 {
			classOf[i] = -1
			continue
		}
		k, at := find(s.of(m.a))
		if at < 0 {
			at = int32(len(list))
			byHash[k] = at
			list = append(list, class{s, -1})
		}
		classOf[i] = at
	}
	oldLeft, newLeft := false, false
	for j, s := range m.new {
		if m.cb[j] >= 0 {
			continue
		}
		_, at := find(s.of(m.b))
		if at < 0 {
			newLeft = true
			continue
		}
		if list[at].id < 0 {
			list[at].id = int32(m.classes)
			m.classes++
		}
		m.cb[j] = list[at].id
	}
	for i, at := range classOf {
		if at >= 0 {
			m.ca[i] = list[at].id
			oldLeft = oldLeft || m.ca[i] < 0
		}
	}
	return oldLeft && newLeft
}

// withMoves pairs equal elements that are not in order. It returns al without
// them, or nil when there are none.
func (m *matcher) withMoves(al *alignment) *alignment {
	var free []int32
	for i, c := range m.ca {
		if c >= 0 && al.fate[i] == removed {
			free = append(free, int32(i))
		}
	}
	if len(free) == 0 {
		return nil
	}
	var without *alignment
	waiting := newQueues(m.classes, m.ca, free)
	for j, c := range m.cb {
		if c < 0 || al.from[j] >= 0 {
			continue
		}
		i := waiting.next(c)
		if i < 0 {
			continue
		}
		if without == nil {
			without = al.clone()
		}
		al.from[j], al.fate[i] = i, moved
		al.moves++
	}
	return without
}

func (al *alignment) clone() *alignment {
	return &alignment{
		append([]int32(nil), al.from...), append([]bool(nil), al.edits...),
		append([]fate(nil), al.fate...), al.moves,
	}
}

// pairGaps pairs what is left between kept elements: an edit in place instead
// of a removal and an addition.
func (m *matcher) pairGaps(al *alignment) {
	i := 0
	var x, y []int32
	budget := maxLike
	flush := func() {
		m.pairGap(al, x, y, &budget)
		x, y = x[:0], y[:0]
	}
	until := func(end int) {
		for ; i < end; i++ {
			if al.fate[i] == removed {
				x = append(x, int32(i))
			}
		}
	}
	for j, from := range al.from {
		switch {
		case from < 0:
			y = append(y, int32(j))
		case al.fate[from] == kept && !al.edits[j]:
			until(int(from))
			flush()
			i = int(from) + 1
		}
	}
	until(len(al.fate))
	flush()
}

// pairGap chooses the pairs, in order, that cost least.
func (m *matcher) pairGap(al *alignment, x, y []int32, budget *int) {
	pair := func(i, j int32) { al.from[j], al.fate[i], al.edits[j] = i, kept, true }
	if len(x) == 0 || len(y) == 0 {
		return
	}
	look := m.look(x, y)
	if len(x)*len(y) > maxGap || look > *budget || m.sideBySide(x, y) {
		for k := range min(len(x), len(y)) {
			pair(x[k], y[k])
		}
		return
	}
	*budget -= look
	// least[p][q] is the cost of what is left after p old and q new ones.
	w := len(y) + 1
	least := make([]int, (len(x)+1)*w)
	edit := make([]int, len(x)*len(y))
	for p := len(x); p >= 0; p-- {
		for q := len(y); q >= 0; q-- {
			if p == len(x) && q == len(y) {
				continue
			}
			best := int(^uint(0) >> 1)
			if p < len(x) {
				best = least[(p+1)*w+q] + m.removeCost()
			}
			if q < len(y) {
				best = min(best, least[p*w+q+1]+m.addCost(y[q]))
			}
			if p < len(x) && q < len(y) {
				e := m.editCost(x[p], y[q])
				edit[p*len(y)+q] = e
				best = min(best, least[(p+1)*w+q+1]+e)
			}
			least[p*w+q] = best
		}
	}
	for p, q := 0, 0; p < len(x) && q < len(y); {
		switch least[p*w+q] {
		case least[(p+1)*w+q+1] + edit[p*len(y)+q]:
			pair(x[p], y[q])
			p++
			q++
		case least[(p+1)*w+q] + m.removeCost():
			p++
		default:
			q++
		}
	}
}

// pairAcross pairs what is still left, wherever it is: an element that was
// moved and edited, if that shows.
func (m *matcher) pairAcross(al *alignment) {
	var x, y []int32
	for i, f := range al.fate {
		if f == removed {
			x = append(x, int32(i))
		}
	}
	for j, i := range al.from {
		if i < 0 {
			y = append(y, int32(j))
		}
	}
	if len(x) == 0 || len(y) == 0 {
		return
	}
	pair := func(i, j int32) { al.from[j], al.fate[i], al.edits[j], al.moves = i, moved, true, al.moves+1 }
	if m.keep {
		for _, j := range y {
			if int(j) < len(al.fate) && al.fate[j] == removed {
				pair(j, j)
			}
		}
	}
	if len(x)*len(y) > maxGap || m.look(x, y) > maxLike {
		return
	}
	type candidate struct {
		cost int
		i, j int32
	}
	var list []candidate
	for _, i := range x {
		for _, j := range y {
			if m.keep {
				old, new := m.old[i].of(m.a), m.new[j].of(m.b)
				if c := common(old, new, 0); 2*c >= min(len(old), len(new)) {
					list = append(list, candidate{-c, i, j})
				}
				continue
			}
			if gain := m.editCost(i, j) + m.moveCost() - m.removeCost() - m.addCost(j); gain < 0 {
				list = append(list, candidate{gain, i, j})
			}
		}
	}
	slices.SortStableFunc(list, func(p, q candidate) int { return cmp.Compare(p.cost, q.cost) })
	for _, c := range list {
		if al.from[c.j] < 0 && al.fate[c.i] == removed {
			pair(c.i, c.j)
		}
	}
}

// look is how many bytes comparing each of x with each of y reads.
func (m *matcher) look(x, y []int32) int {
	n := len(x) * len(y)
	for _, i := range x {
		n += len(y) * (m.old[i].to - m.old[i].from)
	}
	return n
}

// sideBySide reports whether elements at the same place are alike enough to
// look no further.
func (m *matcher) sideBySide(x, y []int32) bool {
	if len(x) != len(y) {
		return false
	}
	edits, values := 0, 0
	for k := range x {
		edits += m.editCost(x[k], y[k])
		values += m.new[y[k]].to - m.new[y[k]].from
	}
	return len(x) == 1 || edits < values/2
}
