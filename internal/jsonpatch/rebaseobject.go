package jsonpatch

import (
	"bytes"
	"iter"

	"github.com/aguistate/aguistate/middleware/agui"
)

// object changes the members of the object of doc at offset at, of which those
// in pl differ.
func (r *rebaser) object(at int, before, after []byte, pl place, f frame) {
	size := r.size
	list, n := sameNames(before, after, pl)
	switch {
	case n == 1:
		c := list[0]
		r.member(at, c.new.name.of(after), c.old.value.of(before), c.new.value.of(after))
		return
	case n > 1 && r.inDoc(at, before, pl, f, list[:n]):
		for _, c := range list[:n] {
			m := r.pushName(plain(c.old.name.of(before)))
			r.value(c.at, c.old.value.of(before), c.new.value.of(after))
			r.reset(m)
		}
	default:
		r.byName(at, before, after, pl)
	}
	if n := r.size - size; n > 0 && n > pl.old.to-pl.old.from {
		r.within(skip(r.doc, at)-at, size)
	}
}

// inDoc finds, of members with names that before and doc both have, where
// their values are in doc. It reports whether all are there.
func (r *rebaser) inDoc(at int, before []byte, pl place, f frame, list []memberPair) bool {
	// Where doc reads as before does, its members are where before's are.
	if bytes.HasPrefix(r.doc[at:], before[f.start:pl.old.to]) {
		for k := range list {
			list[k].at = at + list[k].old.value.from - f.start
		}
		return true
	}
	for k := range list {
		m, ok := findMember(r.doc, at, list[k].old.name.of(before))
		if !ok {
			return false
		}
		list[k].at = m.value
	}
	return true
}

// memberPair is a member of both sides that differs.
type memberPair struct {
	old, new member
	at       int // where its value is in doc
}

// sameNames lists the members that differ, if both sides have the same names
// in the same order and few members differ; otherwise n is 0.
func sameNames(before, after []byte, pl place) (list [4]memberPair, n int) {
	i, j := pl.old.from, pl.new.from
	for i < pl.old.to && j < pl.new.to {
		old, okA := nextMember(before, i, pl.old.to)
		new, okB := nextMember(after, j, pl.new.to)
		if !okA || !okB || !bytes.Equal(old.name.of(before), new.name.of(after)) {
			return list, 0
		}
		if !bytes.Equal(old.value.of(before), new.value.of(after)) {
			if n == len(list) {
				return list, 0
			}
			list[n] = memberPair{old: old, new: new}
			n++
		}
		i, j = old.value.to+1, new.value.to+1
	}
	if i < pl.old.to || j < pl.new.to {
		return list, 0
	}
	return list, n
}

// byName changes members that are found by their names.
func (r *rebaser) byName(at int, before, after []byte, pl place) {
	olds, okA := members(nil, before, pl.old.from, pl.old.to)
	news, okB := members(nil, after, pl.new.from, pl.new.to)
	if !okA || !okB {
		r.err = ErrMalformed
		return
	}
	end := skip(r.doc, at) - 1
	has, ok := members(nil, r.doc, at+1, end)
	if !ok {
		r.err = ErrMalformed
		return
	}
	c := memberChanges{
		r: r, has: has, gone: make([]bool, len(has)), end: end,
		index: nameIndex{text: r.doc, list: has},
	}
	oldIndex, newIndex := nameIndex{text: before, list: olds}, nameIndex{text: after, list: news}
	for i, m := range olds {
		if name := m.name.of(before); newIndex.find(name, i) < 0 {
			if k := c.index.find(name, i); k >= 0 {
				c.gone[k] = true
			}
		}
	}
	for i, m := range news {
		name, value := m.name.of(after), m.value.of(after)
		old := oldIndex.find(name, i)
		if old < 0 { // new to the type, though doc may have it
			c.set(c.index.find(name, i), m.name.of(after), nil, value)
		} else if was := olds[old].value.of(before); !byText.equal(was, value) {
			c.set(c.index.find(name, i), m.name.of(after), was, value)
		}
	}
	c.finish()
}

// member changes the one member that differs.
func (r *rebaser) member(at int, name, was, value []byte) {
	if byText.equal(was, value) {
		return
	}
	k, ok := findMember(r.doc, at, name)
	if !ok {
		r.addMember(at, name, value)
		return
	}
	m := r.pushName(plain(k.name.of(r.doc)))
	r.value(k.value, was, value)
	r.reset(m)
}

// addMember adds a member at the end of the object of doc at offset at.
func (r *rebaser) addMember(at int, name, value []byte) {
	end := skip(r.doc, at) - 1
	c := memberChanges{r: r, end: end, any: end > at+1}
	c.set(-1, name, nil, value)
	c.finish()
}

// found is a member of which the value is not read yet.
type found struct {
	name  span
	value int // where it begins
}

// findMember looks for a name in the object at b[at], and reads no further
// than that.
func findMember(b []byte, at int, name []byte) (found, bool) {
	for m := range membersOf(b, at) {
		if sameString(m.name.of(b), name) {
			return m, true
		}
	}
	return found{}, false
}

// membersOf yields the members of the object at b[at]; a value is read only
// when the next member is asked for.
func membersOf(b []byte, at int) iter.Seq[found] {
	return func(yield func(found) bool) {
		for i := at + 1; i < len(b) && b[i] == '"'; {
			j := skipString(b, i+1)
			if j >= len(b) || b[j] != ':' || !yield(found{span{i, j}, j + 1}) {
				return
			}
			if i = skip(b, j+1); i >= len(b) || b[i] != ',' {
				return
			}
			i++
		}
	}
}

// addition is a new member.
type addition struct{ name, value []byte }

// memberChanges are what happens to the members of one object of doc.
type memberChanges struct {
	r     *rebaser
	has   []member
	gone  []bool
	index nameIndex
	any   bool // the object has members, if has does not say
	end   int  // of the object's content
	added []byte
	adds  []addition
}

// set gives member k of doc, or a new one, a value; was is what it had in
// before, if it was there.
func (c *memberChanges) set(k int, name, was, value []byte) {
	if k < 0 {
		c.added = append(append(append(append(c.added, ','), name...), ':'), value...)
		c.adds = append(c.adds, addition{name, value})
		return
	}
	at := c.has[k].value
	m := c.r.pushName(plain(c.has[k].name.of(c.r.doc)))
	c.gone[k] = false
	if was == nil {
		c.r.replace(at.from, at.to, value)
	} else {
		c.r.value(at.from, was, value)
	}
	c.r.reset(m)
}

// finish takes out the members that are gone, each with the comma that is its
// own, and puts in the new ones.
func (c *memberChanges) finish() {
	stays := c.any // a member before this one
	for k, m := range c.has {
		if !c.gone[k] {
			stays = true
			continue
		}
		from, to := m.name.from, m.value.to
		if stays {
			from = c.has[k-1].value.to
		} else if k+1 < len(c.has) {
			to = c.has[k+1].name.from
		}
		mark := c.r.pushName(plain(m.name.of(c.r.doc)))
		c.r.put(agui.OpRemove, from, to, nil, nil)
		c.r.reset(mark)
	}
	for i, a := range c.adds {
		s := splice{span: span{c.end, c.end}, op: agui.OpAdd, value: a.value[:len(a.value):len(a.value)]}
		if i == 0 { // it brings the text of all
			s.text = c.added
			if !stays {
				s.text = s.text[1:]
			}
		}
		mark := c.r.pushName(plain(a.name))
		c.r.add(s)
		c.r.reset(mark)
	}
}
