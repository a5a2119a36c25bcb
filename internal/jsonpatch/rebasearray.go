package jsonpatch

import "bytes"

// array changes the elements of the array of doc at offset at.
func (r *rebaser) array(at int, before, after []byte) {
	end := skip(r.doc, at)
	olds := elements(nil, before, 1, len(before)-1)
	news := elements(nil, after, 1, len(after)-1)
	has := elements(nil, r.doc, at+1, end-1)
	base := 0
	x, y := trim(before, after, olds, news, &base)
	if len(x) == 0 && len(y) == 0 {
		return
	}
	from := r.pair(before, after, x, y, base)
	inPlace := len(x) == len(y)
	for j, i := range from {
		inPlace = inPlace && int(i) == j
	}
	if !r.parallel(has, before, after, olds, x, y, from, base, inPlace) {
		r.put(at, end, after)
		return
	}
	if inPlace {
		for j := range x {
			n := len(r.path)
			r.path = appendIndex(r.path, base+j)
			r.value(has[base+j].from, x[j].of(before), y[j].of(after))
			r.path = r.path[:n]
		}
		return
	}
	var text []byte
	for j, i := range from {
		text = append(text, ',')
		if i < 0 {
			text = append(text, y[j].of(after)...)
			continue
		}
		n := len(r.path)
		r.path = appendIndex(r.path, base+j)
		text = append(text, r.nested(has[base+int(i)].of(r.doc), x[i].of(before), y[j].of(after))...)
		r.path = r.path[:n]
	}
	r.spliceElements(at, has, base, len(x), text)
}

// spliceElements replaces n elements from base by text, in which each element
// has a comma before it.
func (r *rebaser) spliceElements(at int, has []span, base, n int, text []byte) {
	switch {
	case n > 0 && len(text) > 0:
		r.put(has[base].from, has[base+n-1].to, text[1:])
	case n > 0 && base > 0:
		r.put(has[base-1].to, has[base+n-1].to, nil)
	case n > 0 && n < len(has):
		r.put(has[0].from, has[n].from, nil)
	case n > 0:
		r.put(has[0].from, has[n-1].to, nil)
	case base > 0:
		r.put(has[base-1].to, has[base-1].to, text)
	case len(has) > 0:
		r.put(has[0].from, has[0].from, append(text[1:], ','))
	default:
		r.put(at+1, at+1, text[1:])
	}
}

// pair tells of each new element which old one it comes from, or -1.
func (r *rebaser) pair(before, after []byte, x, y []span, base int) []int32 {
	key := keyAt(r.keys, r.path)
	if key == "" {
		if len(x) == len(y) && pairUp(before, after, x, y) {
			return identity(len(x))
		}
		m := &matcher{a: before, b: after, old: x, new: y, overhead: len(r.path)}
		return m.align().from
	}
	return r.pairByKey(before, after, x, y, key)
}

func identity(n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
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
		m := &matcher{a: before, b: after, old: restX, new: restY, overhead: len(r.path)}
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

// parallel reports whether the elements of doc that the change concerns are
// the ones that before's were decoded from.
func (r *rebaser) parallel(has []span, before, after []byte, olds, x, y []span, from []int32, base int, inPlace bool) bool {
	if inPlace {
		if len(has) < base+len(x) {
			return false
		}
	} else if len(has) != len(olds) {
		return false
	}
	stays := make([]bool, len(x))
	for j, i := range from {
		if i >= 0 && int(i) == j && bytes.Equal(x[i].of(before), y[j].of(after)) {
			stays[i] = true
		}
	}
	for i, s := range x {
		if !stays[i] && !corresponds(has[base+i].of(r.doc), s.of(before)) {
			return false
		}
	}
	return true
}
