package jsonpatch

import (
	"bytes"
	"math/bits"

	"github.com/aguistate/aguistate/middleware/agui"
)

// array changes the elements of the array of doc at offset at, of which those
// in pl differ; f is the array in before and after.
func (r *rebaser) array(at int, before, after []byte, pl place, f frame) {
	base := f.index
	olds := elements(nil, before, pl.old.from, pl.old.to)
	news := elements(nil, after, pl.new.from, pl.new.to)
	x, y := trim(before, after, olds, news, &base)
	if len(x) == 0 && len(y) == 0 {
		return
	}
	from := r.pair(before, after, x, y)
	inPlace := len(x) == len(y)
	for j, i := range from {
		inPlace = inPlace && int(i) == j
	}
	list := r.elements(at, base, len(x), !inPlace)
	if !inPlace && list.count != countElements(before, f.start) || !r.parallel(list, before, after, x, y, from, f.start, base) {
		r.replace(at, skip(r.doc, at), after[f.start:skip(after, f.start)])
		return
	}
	if inPlace {
		size := r.size
		for j := range x {
			m := r.pushIndex(base + j)
			r.value(list.spans[j].from, x[j].of(before), y[j].of(after))
			r.reset(m)
		}
		r.within(list.spans[len(x)-1].to-list.spans[0].from, size)
		return
	}
	var text []byte
	coming := make([][]byte, len(y)) // those that come, as they are put in
	for j, i := range from {
		text = append(text, ',')
		if i < 0 {
			coming[j] = r.coming(base+j, y[j].of(after))
			text = append(text, coming[j]...)
			continue
		}
		m := r.pushIndex(base + j)
		text = append(text, r.nested(list.spans[i].of(r.doc), x[i].of(before), y[j].of(after))...)
		r.reset(m)
	}
	first := len(r.splices)
	r.splice(list, base, len(x), text)
	if ops, ok := r.comings(before, after, x, y, from, coming, base); ok {
		s := &r.splices[first]
		s.ops, s.unsafe = ops, r.unsafe > 0
		size := r.size
		r.size += Size(ops)
		r.within(len(text), size)
	} else {
		r.moved = true
	}
}

// coming is what to put in for an element that is new to the array at r.path:
// what it was in another array, changed to what it is.
func (r *rebaser) coming(i int, element []byte) []byte {
	was, ok := r.origins.of(r.path, element)
	if !ok {
		return element
	}
	m := r.pushIndex(i)
	defer r.reset(m)
	return r.nested(was.doc, was.before, element)
}

// maxComings is up to how many elements that come and go [Edit] makes the
// operations itself; otherwise, and when elements moved or were edited besides,
// that is for [Diff].
const maxComings = 64

// comings returns the operations of elements that come and go while the others
// stay as they are and in order.
func (r *rebaser) comings(before, after []byte, x, y []span, from []int32, coming [][]byte, base int) (p agui.Patch, ok bool) {
	if r.moved || len(x)+len(y) > maxComings {
		return nil, false
	}
	op := func(op agui.Op, i int, value []byte) {
		m := r.pushIndex(i)
		p = append(p, agui.Operation{Op: op, Path: string(r.path), Value: value[:len(value):len(value)]})
		r.reset(m)
	}
	i := 0
	for j, k := range from {
		if k < 0 {
			op(agui.OpAdd, base+j, coming[j])
			continue
		}
		if int(k) < i || !bytes.Equal(x[k].of(before), y[j].of(after)) {
			return nil, false
		}
		for ; i < int(k); i++ {
			op(agui.OpRemove, base+j, nil)
		}
		i++
	}
	for ; i < len(x); i++ {
		op(agui.OpRemove, base+len(from), nil)
	}
	return p, true
}

// splice replaces n elements from base by text, in which each element has a
// comma before it.
func (r *rebaser) splice(list elementList, base, n int, text []byte) {
	s := list.spans
	switch {
	case n > 0 && len(text) > 0:
		r.shift(s[0].from, s[n-1].to, text[1:])
	case n > 0 && base > 0: // with the comma before them
		r.shift(s[0].from-1, s[n-1].to, nil)
	case n > 0 && n < list.count: // with the comma after them
		r.shift(s[0].from, s[n-1].to+1, nil)
	case n > 0:
		r.shift(s[0].from, s[n-1].to, nil)
	case base < list.count:
		r.shift(list.next, list.next, append(text[1:], ','))
	case base > 0:
		r.shift(list.end, list.end, text)
	default:
		r.shift(list.end, list.end, text[1:])
	}
}

// elementList is a stretch of the elements of an array.
type elementList struct {
	spans []span
	next  int // offset of the element after them
	count int // of the whole array, and
	end   int // the offset of its closing bracket, if those were asked for
}

// elements lists n elements from index base of the array of doc at offset at,
// or as many as there are, in one reading that goes to the array's end only if
// whole is true.
func (r *rebaser) elements(at, base, n int, whole bool) elementList {
	list := elementList{next: -1, spans: make([]span, 0, n)}
	item, index, depth := at+1, 0, 0
	l := lexer{text: r.doc, next: at + 1}
	ended := func(end int) {
		switch {
		case index >= base && index < base+n:
			list.spans = append(list.spans, span{item, end})
		case index == base+n:
			list.next = item
		}
		index++
		item = end + 1
	}
	for {
		bl, ok := l.read()
		if !ok {
			return list
		}
		for m := bl.brackets; ; m &= m - 1 {
			k := bits.TrailingZeros64(m) // 64 after the last
			if depth == 0 {
				for c := bl.commas & (1<<k - 1); c != 0; c &= c - 1 {
					ended(bl.at + bits.TrailingZeros64(c))
				}
				if !whole && index >= base+n {
					return list
				}
			}
			if m == 0 {
				break
			}
			bl.commas &= ^uint64(0) << k
			switch i := bl.at + k; {
			case opening(r.doc[i]):
				depth++
			case depth > 0:
				depth--
			default:
				if i > at+1 {
					ended(i)
				}
				list.count, list.end = index, i
				return list
			}
		}
	}
}

// countElements returns how many elements the array at b[start] has.
func countElements(b []byte, start int) int {
	n, depth := 0, 0
	if start+1 < len(b) && b[start+1] == ']' {
		return 0
	}
	l := lexer{text: b, next: start + 1}
	for {
		bl, ok := l.read()
		if !ok {
			return n
		}
		for m := bl.brackets; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if depth == 0 {
				n += bits.OnesCount64(bl.commas & (1<<k - 1))
			}
			bl.commas &= ^uint64(0) << k
			if opening(b[bl.at+k]) {
				depth++
			} else if depth--; depth < 0 {
				return n + 1
			}
		}
		if depth == 0 {
			n += bits.OnesCount64(bl.commas)
		}
	}
}

// pair tells of each new element which old one it comes from, or -1.
func (r *rebaser) pair(before, after []byte, x, y []span) []int32 {
	if key := keyAt(r.keys, r.path); key != "" {
		return r.pairByKey(before, after, x, y, key)
	}
	if len(x) == len(y) && pairUp(before, after, x, y) {
		from := make([]int32, len(x))
		for i := range from {
			from[i] = int32(i)
		}
		return from
	}
	m := &matcher{a: before, b: after, old: x, new: y, overhead: len(r.path), keep: true}
	return m.align().from
}

// pairByKey pairs elements with the same key, and the others as if they were
// alone in the array.
func (r *rebaser) pairByKey(before, after []byte, x, y []span, key string) []int32 {
	from := make([]int32, len(y))
	olds := uniqueKeys(before, x, key)
	news := uniqueKeys(after, y, key)
	var restX, restY []span
	var atX, atY []int32
	for i, s := range x {
		k := keyOf(s.of(before), key)
		if _, unique := olds[string(k)]; k == nil || !unique {
			restX, atX = append(restX, s), append(atX, int32(i))
		}
	}
	for j, s := range y {
		k := keyOf(s.of(after), key)
		from[j] = -1
		if _, unique := news[string(k)]; k == nil || !unique {
			restY, atY = append(restY, s), append(atY, int32(j))
		} else if i, ok := olds[string(k)]; ok {
			from[j] = i
		}
	}
	if len(restX) > 0 && len(restY) > 0 {
		m := &matcher{a: before, b: after, old: restX, new: restY, overhead: len(r.path), keep: true}
		for j, i := range m.align().from {
			if i >= 0 && sameKey(restX[i].of(before), restY[j].of(after), key) {
				from[atY[j]] = atX[i]
			}
		}
	}
	return from
}

// uniqueKeys returns the elements by key, without those that share theirs.
func uniqueKeys(text []byte, list []span, key string) map[string]int32 {
	byKey := make(map[string]int32, len(list))
	var shared []string
	for i, s := range list {
		k := keyOf(s.of(text), key)
		if k == nil {
			continue
		}
		if _, twice := byKey[string(k)]; twice {
			shared = append(shared, string(k))
		}
		byKey[string(k)] = int32(i)
	}
	for _, k := range shared {
		delete(byKey, k)
	}
	return byKey
}

// maxDisplaced is for how many elements it is looked whether they are displaced.
const maxDisplaced = 8

// parallel reports whether the elements of doc that the change concerns are
// there, and may be the ones that before's were decoded from.
func (r *rebaser) parallel(list elementList, before, after []byte, x, y []span, from []int32, start, base int) bool {
	if len(list.spans) != len(x) {
		return false
	}
	stays := make([]bool, len(x))
	for j, i := range from {
		if i >= 0 && int(i) == j && bytes.Equal(x[i].of(before), y[j].of(after)) {
			stays[i] = true
		}
	}
	strange := 0
	for i, s := range x {
		if stays[i] || r.corresponds(list.spans[i].of(r.doc), s.of(before)) {
			continue
		}
		if strange++; strange > maxDisplaced {
			break
		}
		if r.displaced(list.spans[i].of(r.doc), before, start, base+i) {
			return false
		}
	}
	return true
}
