package jsonpatch

import (
	"bytes"
	"hash/maphash"
	"math"
	"strconv"
)

// equality says how numbers are compared.
type equality bool

const (
	byText  equality = false // 1 and 1.0 differ
	byValue equality = true  // RFC 6902 §4.6: numerically equal
)

// equal reports whether two compact texts are the same JSON value: member
// order does not count, strings are compared by what they say.
func (e equality) equal(a, b []byte) bool { return e.deep(a, b, 0) }

func (e equality) deep(a, b []byte, depth int) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || depth > walkDepth {
		return false
	}
	switch {
	case a[0] == '"' && b[0] == '"':
		return sameString(a, b)
	case a[0] == '[' && b[0] == '[':
		i, j := 1, 1
		for i < len(a)-1 && j < len(b)-1 {
			ie, je := skip(a, i), skip(b, j)
			if !e.deep(a[i:ie], b[j:je], depth+1) {
				return false
			}
			i, j = ie+1, je+1
		}
		return i >= len(a)-1 && j >= len(b)-1
	case a[0] == '{' && b[0] == '{':
		return e.objects(a, b, depth)
	case e == byValue && isNumber(a[0]) && isNumber(b[0]):
		return sameNumber(a, b)
	}
	return false
}

func (e equality) objects(a, b []byte, depth int) bool {
	i, j := 1, 1
	for i < len(a)-1 && j < len(b)-1 { // while the order agrees
		ma, okA := nextMember(a, i, len(a)-1)
		mb, okB := nextMember(b, j, len(b)-1)
		if !okA || !okB {
			return false
		}
		if !sameString(ma.name.of(a), mb.name.of(b)) {
			break
		}
		if !e.deep(ma.value.of(a), mb.value.of(b), depth+1) {
			return false
		}
		i, j = ma.value.to+1, mb.value.to+1
	}
	as, okA := members(nil, a, i, len(a)-1)
	bs, okB := members(nil, b, j, len(b)-1)
	if !okA || !okB || len(as) != len(bs) {
		return false
	}
	if len(as) == 0 {
		return true
	}
	ix := nameIndex{text: b, list: bs}
	for k, m := range as {
		at := ix.find(m.name.of(a), k)
		if at < 0 || !e.deep(m.value.of(a), bs[at].value.of(b), depth+1) {
			return false
		}
	}
	return true
}

// nameIndex finds members by name: the place where it is expected first, then
// one by one, and for wide objects in a map, made on first need.
type nameIndex struct {
	text   []byte
	list   []member
	byName map[string]int
}

// fewMembers is up to how many members looking at each is cheaper than a map.
const fewMembers = 24

func (ix *nameIndex) find(name []byte, expected int) int {
	if expected < len(ix.list) && bytes.Equal(ix.list[expected].name.of(ix.text), name) {
		return expected
	}
	if len(ix.list) <= fewMembers {
		for i := range ix.list {
			if bytes.Equal(ix.list[i].name.of(ix.text), name) {
				return i
			}
		}
		escaped := bytes.IndexByte(name, '\\') >= 0
		for i := range ix.list {
			other := ix.list[i].name.of(ix.text)
			if (escaped || bytes.IndexByte(other, '\\') >= 0) && sameString(other, name) {
				return i
			}
		}
		return -1
	}
	if ix.byName == nil {
		ix.byName = make(map[string]int, len(ix.list))
		for i, m := range ix.list {
			ix.byName[string(plain(m.name.of(ix.text)))] = i
		}
	}
	if i, ok := ix.byName[string(plain(name))]; ok {
		return i
	}
	return -1
}

func isNumber(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

// sameNumber compares the values of two numbers exactly, whatever their size.
func sameNumber(a, b []byte) bool {
	x, y := decimalOf(a), decimalOf(b)
	return x.neg == y.neg && x.exp == y.exp && x.ok && y.ok && bytes.Equal(x.digits, y.digits) ||
		bytes.Equal(a, b)
}

// decimal is digits × 10^exp, without zeros at either end; zero has none.
type decimal struct {
	neg    bool
	digits []byte
	exp    int64
	ok     bool // the exponent fits
}

func decimalOf(n []byte) decimal {
	d := decimal{ok: true}
	if len(n) > 0 && n[0] == '-' {
		d.neg, n = true, n[1:]
	}
	if i := bytes.IndexAny(n, "eE"); i >= 0 {
		e, err := strconv.ParseInt(string(bytes.TrimPrefix(n[i+1:], []byte("+"))), 10, 64)
		d.exp, d.ok, n = e, err == nil && e < math.MaxInt64/2 && e > math.MinInt64/2, n[:i]
	}
	d.digits = n
	if i := bytes.IndexByte(n, '.'); i >= 0 {
		d.digits = append(append(make([]byte, 0, len(n)), n[:i]...), n[i+1:]...)
		d.exp -= int64(len(n) - i - 1)
	}
	d.digits = bytes.TrimLeft(d.digits, "0")
	kept := bytes.TrimRight(d.digits, "0")
	d.exp += int64(len(d.digits) - len(kept))
	d.digits = kept
	if len(kept) == 0 {
		return decimal{ok: true} // zero, of either sign and any exponent
	}
	return d
}

// hasher gives equal values (by text) equal hashes. The seed is new for each
// use, so no input can be made to collide.
type hasher struct{ seed maphash.Seed }

func newHasher() hasher { return hasher{maphash.MakeSeed()} }

// bytes hashes a text, not what it says.
func (h hasher) bytes(v []byte) uint64 { return maphash.Bytes(h.seed, v) }

func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return h
}

func (h hasher) value(v []byte, depth int) uint64 {
	if len(v) < 2 || depth > walkDepth {
		return maphash.Bytes(h.seed, v)
	}
	switch v[0] {
	case '"':
		return maphash.Bytes(h.seed, plain(v)) + 1
	case '[':
		sum := uint64(2)
		for i := 1; i < len(v)-1; {
			j := skip(v, i)
			sum = mix(sum + h.value(v[i:j], depth+1))
			i = j + 1
		}
		return sum
	case '{':
		sum := uint64(3) // a sum does not know the order
		for i := 1; i < len(v)-1; {
			m, ok := nextMember(v, i, len(v)-1)
			if !ok {
				break
			}
			sum += mix(maphash.Bytes(h.seed, plain(m.name.of(v))) ^ mix(h.value(m.value.of(v), depth+1)))
			i = m.value.to + 1
		}
		return sum
	}
	return maphash.Bytes(h.seed, v)
}
