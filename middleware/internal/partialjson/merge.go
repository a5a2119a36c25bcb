package partialjson

// Merge returns what is visible while a value is written over an old one.
// Partial and open are what [Reader.Value] returned; old is compact JSON, or
// empty.
//
// A container that is open in partial covers what it holds so far: an open
// object keeps the members of old that it does not have, in old's order, and
// those that only it has follow; an open array keeps old's elements behind
// its own. The member or element that is itself open is merged alike with
// old's of that name or index, when both are objects or both arrays. What is
// closed in partial is exactly partial's, and so is a root of another kind.
// With open 0 the result is partial, and with an empty partial it is old; both
// may be returned themselves, not copied. The bytes of every value are kept.
//
// The work is linear. For any other texts the result is of no use, but Merge
// does not panic.
func Merge(old, partial []byte, open int) []byte {
	if len(partial) == 0 {
		return old
	}
	if open <= 0 || open > len(partial) || len(old) == 0 {
		return partial
	}
	starts := openContainers(partial[:len(partial)-open])
	if len(starts) != open {
		return partial
	}
	m := merger{old: old, partial: partial, starts: starts, dst: make([]byte, 0, len(old)+len(partial))}
	m.value(0, 0)
	return m.dst
}

// openContainers returns where the containers begin that are open at the end
// of compact text.
func openContainers(b []byte) (starts []int) {
	for i := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			starts = append(starts, i)
		case '}', ']':
			if len(starts) == 0 {
				return nil
			}
			starts = starts[:len(starts)-1]
		}
		i++
	}
	return starts
}

type merger struct {
	dst, old, partial []byte
	starts            []int // of the containers open in partial, outermost first
}

// end is the offset past the open container of a level: the closing brackets
// are the last bytes of the text.
func (m *merger) end(level int) int { return len(m.partial) - level }

// nested is the start of the container that is open in the one of a level, or
// -1.
func (m *merger) nested(level int) int {
	if level+1 < len(m.starts) {
		return m.starts[level+1]
	}
	return -1
}

// value appends the open container of a level, merged with the value at
// old[i], and returns the offset past that.
func (m *merger) value(level, i int) int {
	from, to := m.starts[level], m.end(level)
	if m.old[i] != m.partial[from] {
		m.dst = append(m.dst, m.partial[from:to]...)
		return skip(m.old, i)
	}
	open := m.partial[from]
	m.dst = append(m.dst, open)
	begin := len(m.dst)
	if open == '{' {
		i = m.object(level, i+1)
	} else {
		i = m.array(level, i+1)
	}
	if len(m.dst) > begin {
		m.dst = m.dst[:len(m.dst)-1] // the last comma
	}
	m.dst = append(m.dst, open+2) // '}' and ']' are two further on
	return min(i+1, len(m.old))
}

// more reports whether a value or member of the open container follows at
// old[i].
func (m *merger) more(i int, closing byte) bool { return i < len(m.old) && m.old[i] != closing }

// pass returns the offset past a comma.
func pass(b []byte, i int) int {
	if i < len(b) && b[i] == ',' {
		i++
	}
	return i
}

func (m *merger) append(b []byte) { m.dst = append(append(m.dst, b...), ',') }

// array appends the elements of the array open at a level, those of old from
// old[i] on behind them, each with a comma.
func (m *merger) array(level, i int) int {
	end, nested := m.end(level)-1, m.nested(level)
	for p := m.starts[level] + 1; p < end; {
		if p == nested {
			if m.more(i, ']') {
				i = pass(m.old, m.value(level+1, i))
				m.dst = append(m.dst, ',')
			} else {
				m.append(m.partial[p:end])
			}
			break
		}
		e := skip(m.partial[:end], p)
		m.append(m.partial[p:e])
		p = pass(m.partial[:end], e)
		if m.more(i, ']') {
			i = pass(m.old, skip(m.old, i))
		}
	}
	for m.more(i, ']') {
		e := skip(m.old, i)
		m.append(m.old[i:e])
		i = pass(m.old, e)
	}
	return i
}

// object appends the members of the object open at a level and those of old
// from old[i] on, each with a comma.
func (m *merger) object(level, i int) int {
	ms := m.members(level)
	nested := m.nested(level)
	for m.more(i, '}') {
		name := i
		value := colonAfter(m.old, i)
		k := ms.find(m.old[name:max(name, value-1)])
		if k < 0 || value >= len(m.old) {
			i = skip(m.old, value)
			m.append(m.old[name:i])
		} else {
			ms.list[k].used = true
			m.dst = append(m.dst, m.old[name:value]...)
			if v := ms.list[k].value; v.from == nested {
				i = m.value(level+1, value)
				m.dst = append(m.dst, ',')
			} else {
				m.append(m.partial[v.from:v.to])
				i = skip(m.old, value)
			}
		}
		i = pass(m.old, i)
	}
	for _, x := range ms.list {
		if !x.used {
			m.append(m.partial[x.name.from:x.value.to])
		}
	}
	return i
}

// members are those of an object in partial.
type members struct {
	text  []byte
	list  []member
	index map[string]int // by name, where they are many
}

type member struct {
	name, value span // the name quoted
	used        bool
}

func (m *merger) members(level int) members {
	end, nested := m.end(level)-1, m.nested(level)
	ms := members{text: m.partial}
	for p := m.starts[level] + 1; p < end; {
		v := colonAfter(m.partial[:end], p)
		e := end
		if v != nested {
			e = skip(m.partial[:end], v)
		}
		ms.list = append(ms.list, member{name: span{p, max(p, v-1)}, value: span{v, e}})
		p = pass(m.partial[:end], e)
	}
	if len(ms.list) > wide {
		ms.index = make(map[string]int, len(ms.list))
		for k, x := range ms.list {
			ms.index[unquote(ms.text[x.name.from:x.name.to])] = k
		}
	}
	return ms
}

// find returns the index of the member with a quoted name, or -1.
func (ms *members) find(quoted []byte) int {
	if ms.index != nil {
		if k, ok := ms.index[unquote(quoted)]; ok {
			return k
		}
		return -1
	}
	for k, x := range ms.list {
		if sameName(ms.text[x.name.from:x.name.to], quoted) {
			return k
		}
	}
	return -1
}
