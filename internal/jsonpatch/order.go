package jsonpatch

import (
	"slices"
	"strconv"

	"github.com/wI2L/jsondiff"
)

// inOrder returns pairs of equal elements, ascending on both sides. Elements
// whose value is on one side only are out of the question; if the others are
// not the same sequence already, jsondiff finds the longest common one, and
// beyond its bound nearlySame or occurrences do.
func (m *matcher) inOrder() [][2]int32 {
	var x, y []int32 // indexes of elements whose value both have
	for i, c := range m.ca {
		if c >= 0 {
			x = append(x, int32(i))
		}
	}
	for j, c := range m.cb {
		if c >= 0 {
			y = append(y, int32(j))
		}
	}
	pairs := make([][2]int32, 0, min(len(x), len(y)))
	for len(x) > 0 && len(y) > 0 && m.ca[x[0]] == m.cb[y[0]] {
		pairs = append(pairs, [2]int32{x[0], y[0]})
		x, y = x[1:], y[1:]
	}
	tail := 0
	for tail < min(len(x), len(y)) && m.ca[x[len(x)-1-tail]] == m.cb[y[len(y)-1-tail]] {
		tail++
	}
	mx, my := x[:len(x)-tail], y[:len(y)-tail]
	switch {
	case len(mx) == 0 || len(my) == 0:
	case len(mx)*len(my) <= maxLCS:
		pairs = append(pairs, m.lcs(mx, my)...)
	default:
		more, ok := m.nearlySame(mx, my)
		if !ok {
			more = m.occurrences(mx, my)
		}
		pairs = append(pairs, more...)
	}
	for k := range tail {
		pairs = append(pairs, [2]int32{x[len(mx)+k], y[len(my)+k]})
	}
	return pairs
}

// lcs asks jsondiff how one sequence of classes becomes the other, and reads
// from its operations which elements they leave alone. The elements stand in
// as strings, so no value is decoded.
func (m *matcher) lcs(x, y []int32) [][2]int32 {
	src, tgt := make([]any, len(x)), make([]any, len(y))
	for i, k := range x {
		src[i] = strconv.Itoa(int(m.ca[k]))
	}
	for j, k := range y {
		tgt[j] = strconv.Itoa(int(m.cb[k]))
	}
	patch, err := jsondiff.CompareWithoutMarshal(src, tgt, jsondiff.LCS())
	if err != nil {
		return nil
	}
	var pairs [][2]int32
	i, j := 0, 0
	until := func(end int) {
		for j < end && i < len(x) && j < len(y) {
			pairs = append(pairs, [2]int32{x[i], y[j]})
			i++
			j++
		}
	}
	for _, op := range patch {
		// Everything before an operation is final, so its index counts new
		// elements.
		at, err := strconv.Atoi(op.Path[1:])
		if err != nil {
			return nil
		}
		until(at)
		switch op.Type {
		case jsondiff.OperationAdd:
			j++
		case jsondiff.OperationRemove:
			i++
		case jsondiff.OperationReplace:
			i++
			j++
		}
	}
	until(len(y))
	return pairs
}

// nearlySame finds the longest common subsequence of sequences that few
// insertions and deletions tell apart (Myers' greedy algorithm); ok is false
// when it takes more than maxEdits. Time is in proportion to the length times
// the edits, memory to the square of the edits.
func (m *matcher) nearlySame(x, y []int32) (pairs [][2]int32, ok bool) {
	const off = maxEdits + 1
	reach := make([]int32, 2*off+1) // by diagonal: how far into x
	var history [][]int32
	for d := 0; d <= maxEdits; d++ {
		for k := -d; k <= d; k += 2 {
			i := reach[off+k+1]
			if k != -d && (k == d || reach[off+k-1] >= i) {
				i = reach[off+k-1] + 1
			}
			j := int(i) - k
			for int(i) < len(x) && j < len(y) && m.ca[x[i]] == m.cb[y[j]] {
				i++
				j++
			}
			reach[off+k] = i
			if int(i) >= len(x) && j >= len(y) {
				return m.retrace(x, y, history), true
			}
		}
		history = append(history, slices.Clone(reach[off-d-1:off+d+2]))
	}
	return nil, false
}

// retrace follows the way that nearlySame went, from the end.
func (m *matcher) retrace(x, y []int32, history [][]int32) [][2]int32 {
	var pairs [][2]int32
	i, j := len(x), len(y)
	for d := len(history); d > 0; d-- {
		reach := history[d-1] // of the diagonals -d to d
		k := i - j
		from := k + 1
		if k != -d && (k == d || reach[k-1+d] >= reach[k+1+d]) {
			from = k - 1
		}
		pi := int(reach[from+d])
		pj := pi - from
		for i > pi && j > pj {
			i, j = i-1, j-1
			pairs = append(pairs, [2]int32{x[i], y[j]})
		}
		i, j = pi, pj
	}
	for i > 0 && j > 0 {
		i, j = i-1, j-1
		pairs = append(pairs, [2]int32{x[i], y[j]})
	}
	slices.Reverse(pairs)
	return pairs
}

// occurrences pairs the k-th occurrence of a value with the k-th on the other
// side and keeps the longest increasing run of pairs: exact where no value
// repeats, n log n in time, and a few words an element in memory.
func (m *matcher) occurrences(x, y []int32) [][2]int32 {
	pairs := make([][2]int32, 0, min(len(x), len(y)))
	waiting := newQueues(m.classes, m.ca, x)
	for _, j := range y {
		if i := waiting.next(m.cb[j]); i >= 0 {
			pairs = append(pairs, [2]int32{i, j})
		}
	}
	return increasing(pairs)
}

// increasing returns the longest subsequence of pairs with ascending first
// parts (patience sorting).
func increasing(pairs [][2]int32) [][2]int32 {
	prev := make([]int32, len(pairs))
	var tops []int32 // by length: the pair with the least first part that ends such a run
	for k, p := range pairs {
		lo, hi := 0, len(tops)
		for lo < hi {
			mid := (lo + hi) / 2
			if pairs[tops[mid]][0] < p[0] {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		prev[k] = -1
		if lo > 0 {
			prev[k] = tops[lo-1]
		}
		if lo == len(tops) {
			tops = append(tops, int32(k))
		} else {
			tops[lo] = int32(k)
		}
	}
	out := make([][2]int32, len(tops))
	if len(tops) > 0 {
		k := tops[len(tops)-1]
		for n := len(tops) - 1; n >= 0; n-- {
			out[n] = pairs[k]
			k = prev[k]
		}
	}
	return out
}

// queues hold, by class, elements in order.
type queues struct{ head, link []int32 }

func newQueues(classes int, class []int32, of []int32) queues {
	q := queues{make([]int32, classes), make([]int32, len(class))}
	for c := range q.head {
		q.head[c] = -1
	}
	for k := len(of) - 1; k >= 0; k-- {
		i := of[k]
		q.link[i], q.head[class[i]] = q.head[class[i]], i
	}
	return q
}

func (q queues) next(class int32) int32 {
	i := q.head[class]
	if i >= 0 {
		q.head[class] = q.link[i]
	}
	return i
}
