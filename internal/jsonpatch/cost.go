package jsonpatch

import "bytes"

// The costs are bytes of operations, estimated: an index is taken for three.

func (m *matcher) removeCost() int { return len(`{"op":"remove","path":"/000"},`) + m.overhead }

func (m *matcher) addCost(j int32) int {
	return len(`{"op":"add","path":"/000","value":},`) + m.overhead + m.new[j].to - m.new[j].from
}

func (m *matcher) moveCost() int {
	return len(`{"op":"move","from":"/000","path":"/000"},`) + 2*m.overhead
}

func (m *matcher) editCost(i, j int32) int {
	return estimate(m.old[i].of(m.a), m.new[j].of(m.b), m.overhead+len("/000"), 0)
}

func (m *matcher) cost(al *alignment) int {
	n := al.moves * m.moveCost()
	for j, from := range al.from {
		if from < 0 {
			n += m.addCost(int32(j))
		} else if al.edits[j] {
			n += m.editCost(from, int32(j))
		}
	}
	for _, f := range al.fate {
		if f == removed {
			n += m.removeCost()
		}
	}
	return n
}

// estimate guesses the bytes of the operations that turn value a, at a path
// of the given length, into b.
func estimate(a, b []byte, path, depth int) int {
	if bytes.Equal(a, b) {
		return 0
	}
	whole := len(`{"op":"replace","path":"","value":},`) + path + len(b)
	if len(a) < 2 || len(b) < 2 || a[0] != b[0] {
		return whole
	}
	switch a[0] {
	case '{':
		return min(whole, estimateObject(a, b, path, depth))
	case '[':
		p := commonPrefix(a, b)
		s := commonSuffix(a[p:], b[p:])
		return min(whole, whole-p-s+len("/000"))
	}
	return whole
}

func estimateObject(a, b []byte, path, depth int) int {
	if depth > 2 {
		return len(b)
	}
	total := 0
	i, j := 1, 1
	for i < len(a)-1 && j < len(b)-1 {
		x, okA := nextMember(a, i, len(a)-1)
		y, okB := nextMember(b, j, len(b)-1)
		if !okA || !okB {
			return total + len(b)
		}
		name := y.name.to - y.name.from
		switch {
		case bytes.Equal(x.name.of(a), y.name.of(b)):
			total += estimate(x.value.of(a), y.value.of(b), path+name, depth+1)
			i, j = x.value.to+1, y.value.to+1
		case len(a)-x.value.to > len(b)-y.value.to: // the old one has more to come
			total += len(`{"op":"remove","path":""},`) + path + name
			i = x.value.to + 1
		default:
			total += len(`{"op":"add","path":"","value":},`) + path + name + y.value.to - y.value.from
			j = y.value.to + 1
		}
	}
	if i < len(a)-1 {
		total += len(`{"op":"remove","path":""},`) + path
	}
	if j < len(b)-1 {
		total += len(`{"op":"add","path":"","value":},`) + path + len(b) - j
	}
	return total
}

// common is how many bytes of two containers say the same: equal members of
// objects, equal ends of arrays.
func common(a, b []byte, depth int) int {
	if len(a) < 2 || len(b) < 2 || a[0] != b[0] || depth > 2 {
		return 0
	}
	switch a[0] {
	case '[':
		p := commonPrefix(a, b)
		return p + commonSuffix(a[p:], b[p:])
	case '{':
		as, okA := members(nil, a, 1, len(a)-1)
		if !okA {
			return 0
		}
		ix := nameIndex{text: a, list: as}
		n := 0
		for i, k := 1, 0; i < len(b)-1; k++ {
			m, ok := nextMember(b, i, len(b)-1)
			if !ok {
				break
			}
			i = m.value.to + 1
			at := ix.find(m.name.of(b), k)
			if at < 0 {
				continue
			}
			if x, y := as[at].value.of(a), m.value.of(b); bytes.Equal(x, y) {
				n += m.value.to - m.name.from
			} else {
				n += common(x, y, depth+1)
			}
		}
		return n
	}
	return 0
}
