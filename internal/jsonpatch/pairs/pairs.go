// Package pairs makes up pairs of JSON documents of which the second is the
// first one edited, for tests of differs and appliers. The same seed gives the
// same pairs.
package pairs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Source makes up documents. It is not for concurrent use.
type Source struct {
	r *rand.Rand
	// Orderly keeps equal objects equal texts: members are not reordered.
	Orderly bool
	// Wide is the length that arrays may reach; zero is 12.
	Wide int
}

// New returns the source of a seed.
func New(seed uint64) *Source { return &Source{r: rand.New(rand.NewPCG(seed, 0x5eed))} }

type value interface {
	write(dst []byte, s *Source) []byte
}

type (
	scalar string // its text
	array  struct{ of []value }
	object struct{ of []member }
	member struct {
		name  string // its text, quoted
		value value
	}
)

func (v scalar) write(dst []byte, _ *Source) []byte { return append(dst, v...) }

func (v *array) write(dst []byte, s *Source) []byte {
	dst = append(dst, '[')
	for i, e := range v.of {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.write(dst, s)
	}
	return append(dst, ']')
}

func (v *object) write(dst []byte, s *Source) []byte {
	dst = append(dst, '{')
	for i, m := range v.of {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, m.name...), ':')
		dst = m.value.write(dst, s)
	}
	return append(dst, '}')
}

func copyOf(v value) value {
	switch v := v.(type) {
	case *array:
		c := &array{slices.Clone(v.of)}
		for i := range c.of {
			c.of[i] = copyOf(c.of[i])
		}
		return c
	case *object:
		c := &object{slices.Clone(v.of)}
		for i := range c.of {
			c.of[i].value = copyOf(c.of[i].value)
		}
		return c
	}
	return v
}

// Pair returns a document and an edited one, both compact, with an object or
// array as root.
func (s *Source) Pair() (old, new []byte) {
	a := s.container(s.r.IntN(4))
	b := copyOf(a)
	for range 1 + s.r.IntN(1+s.r.IntN(8)) {
		b = s.edit(b)
	}
	if s.r.IntN(50) == 0 {
		b = s.container(2)
	}
	if s.r.IntN(8) == 0 && !s.Orderly {
		s.reorder(b)
	}
	return a.write(nil, s), b.write(nil, s)
}

var names = []string{
	`"a"`, `"b"`, `"c"`, `"d"`, `"e"`, `"id"`, `"name"`, `"items"`, `"ingredients"`, `"x1"`, `"x2"`, `"x3"`,
	`"a/b"`, `"m~n"`, `"~1"`, `"~01"`, `"/"`, `"~"`, `" "`, `"é"`, `"😀"`, `"\u0061"`, `"\""`, `"\\"`, `"\n"`,
	`"0"`, `"1"`, `"-"`, `"toString"`, `"constructor"`,
}

var oddNames = []string{`""`, `"__proto__"`, `"prototype"`, `"\ud800"`}

var scalars = []string{
	`null`, `true`, `false`, `0`, `1`, `2`, `3`, `42`, `-1`, `1.5`, `-0.25`, `1e3`,
	`""`, `"a"`, `"b"`, `"ab"`, `"\\"`, `"x\\"`, `"\""`, `"\u0041"`, `"A"`, `"é"`, `"\u00e9"`, `"日本"`, `"😀"`, `"\ud83d\ude00"`,
	`"a \"quoted\" thing, {with} [brackets]: and commas"`, `"line\nline"`, `"\u0000"`, `"<&>"`, `"],["`, `"},{"`,
}

var wildScalars = []string{
	`-0`, `1.0`, `1.10`, `1e400`, `9007199254740993`, `9007199254740992`, `18446744073709551615`,
	`123456789012345678901234567890.5`, `1E5`, `0.1e-7`, `"\ud800"`, `"\udc00x"`,
}

func pick[T any](s *Source, of []T) T { return of[s.r.IntN(len(of))] }

func (s *Source) name() string {
	if s.r.IntN(150) == 0 {
		return pick(s, oddNames)
	}
	return pick(s, names)
}

func (s *Source) scalar() value {
	switch s.r.IntN(6) {
	case 0:
		return scalar(strconv.Itoa(s.r.IntN(1000)))
	case 1:
		return scalar(fmt.Sprintf(`"item %d"`, s.r.IntN(1000)))
	case 2:
		return scalar(pick(s, wildScalars))
	}
	return scalar(pick(s, scalars))
}

func (s *Source) value(depth int) value {
	if depth <= 0 || s.r.IntN(3) == 0 {
		return s.scalar()
	}
	return s.container(depth)
}

func (s *Source) container(depth int) value {
	wide := s.Wide
	if wide == 0 {
		wide = 12
	}
	n := s.r.IntN(1 + s.r.IntN(wide))
	if s.r.IntN(2) == 0 {
		v := &object{}
		for range min(n, 40) {
			v.set(s.name(), s.value(depth-1))
		}
		return v
	}
	v := &array{}
	switch s.r.IntN(4) {
	case 0: // alike objects, as lists of things have them
		for i := range n {
			v.of = append(v.of, &object{[]member{
				{`"id"`, scalar(strconv.Itoa(i))}, {`"name"`, s.scalar()}, {`"amount"`, s.scalar()}, {`"tags"`, s.value(depth - 2)},
			}})
		}
	case 1: // few different values
		from := []value{s.scalar(), s.scalar(), s.scalar()}
		for range n {
			v.of = append(v.of, pick(s, from))
		}
	default:
		if n > 30 {
			depth = min(depth, 2)
		}
		for range n {
			v.of = append(v.of, s.value(depth-1))
		}
	}
	return v
}

func (v *object) set(name string, to value) {
	for i := range v.of {
		if v.of[i].name == name || name == `"a"` && v.of[i].name == `"\u0061"` || name == `"\u0061"` && v.of[i].name == `"a"` {
			v.of[i].value = to
			return
		}
	}
	v.of = append(v.of, member{name, to})
}

// containers lists those of v, with v.
func containers(dst []value, v value) []value {
	switch v := v.(type) {
	case *array:
		dst = append(dst, v)
		for _, e := range v.of {
			dst = containers(dst, e)
		}
	case *object:
		dst = append(dst, v)
		for _, m := range v.of {
			dst = containers(dst, m.value)
		}
	}
	return dst
}

func (s *Source) edit(root value) value {
	all := containers(nil, root)
	v := pick(s, all)
	fresh := func() value {
		if s.r.IntN(3) == 0 {
			return copyOf(pick(s, containers(nil, root))) // share structure
		}
		return s.value(1 + s.r.IntN(2))
	}
	switch v := v.(type) {
	case *object:
		n := len(v.of)
		switch k := s.r.IntN(5); {
		case n == 0 || k == 0:
			v.set(s.name(), fresh())
		case k == 1:
			i := s.r.IntN(n)
			v.of = slices.Delete(v.of, i, i+1)
		case k == 2: // another name for the same
			i := s.r.IntN(n)
			m := v.of[i]
			v.of = slices.Delete(v.of, i, i+1)
			v.set(s.name(), m.value)
		case k == 3:
			v.of[s.r.IntN(n)].value = s.scalar()
		default:
			v.of[s.r.IntN(n)].value = fresh()
		}
	case *array:
		s.editArray(v, fresh)
	}
	return root
}

func (s *Source) editArray(v *array, fresh func() value) {
	n := len(v.of)
	if n == 0 {
		v.of = append(v.of, fresh())
		return
	}
	i, j := s.r.IntN(n), s.r.IntN(n)
	switch s.r.IntN(12) {
	case 0:
		v.of = slices.Insert(v.of, 0, fresh())
	case 1:
		v.of = slices.Insert(v.of, i, fresh())
	case 2:
		v.of = append(v.of, fresh())
	case 3:
		v.of = slices.Delete(v.of, i, i+1)
	case 4:
		v.of = slices.Delete(v.of, min(i, j), max(i, j)+1)
	case 5:
		e := v.of[i]
		v.of = slices.Insert(slices.Delete(v.of, i, i+1), s.r.IntN(n), e)
	case 6:
		v.of[i], v.of[j] = v.of[j], v.of[i]
	case 7:
		slices.Reverse(v.of)
	case 8:
		s.r.Shuffle(n, func(i, j int) { v.of[i], v.of[j] = v.of[j], v.of[i] })
	case 9:
		v.of = slices.Insert(v.of, i, copyOf(v.of[j]))
	case 10:
		v.of[i] = s.scalar()
	default:
		v.of[i] = fresh()
	}
}

// reorder shuffles the members of some objects.
func (s *Source) reorder(root value) {
	for _, v := range containers(nil, root) {
		if o, ok := v.(*object); ok && s.r.IntN(2) == 0 {
			s.r.Shuffle(len(o.of), func(i, j int) { o.of[i], o.of[j] = o.of[j], o.of[i] })
		}
	}
}
