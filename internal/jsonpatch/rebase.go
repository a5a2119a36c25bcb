package jsonpatch

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Rebase applies the difference between before and after to doc, where before
// and after are two marshallings of a typed value and doc is the document that
// the value before was decoded from. All three must be as [Compact] leaves
// them. The result is a new text; when there is no difference it is doc itself.
//
//   - What did not change keeps its bytes: members that the type does not know,
//     at any depth and in elements that moved; the order of members; digits
//     that a Go number cannot hold; members whose value equals its default and
//     that doc does not have.
//   - A member that changed and is missing in doc is added, after all others,
//     in the order of after, and whole. So is one where doc has null or a value
//     of another kind.
//   - A member of before that is not in after is removed from doc, with all
//     that doc has in it.
//   - Elements of an array are paired by equal value first, as many in order
//     as can be, then by identity (see [Key]), then, between two that stay, by
//     likeness and position. What is paired keeps what the type does not know;
//     what is not is removed, or put in as after has it.
//   - Names match exactly. Where doc lacks the name but has another that
//     encoding/json takes for it, differing in case only, and that holds what
//     before shows, then that member is the one that is changed.
//   - Where an array of doc does not correspond to before's, element by
//     element, because the type's own codec sorted or dropped elements, the
//     array becomes what after has.
//
// Rebase is safe for concurrent use.
func Rebase(doc, before, after []byte, o *Options) ([]byte, error) {
	r := rebaser{doc: doc}
	if o != nil {
		r.keys = o.Keys
	}
	if bytes.Equal(before, after) {
		return doc, nil
	}
	if len(before) == 0 || len(after) == 0 {
		return nil, ErrMalformed
	}
	if len(doc) == 0 {
		return after, nil
	}
	r.value(0, before, after)
	if r.err != nil {
		return nil, r.err
	}
	return r.text(), nil
}

// splice replaces a stretch of doc.
type splice struct {
	span
	text []byte
}

// rebaser collects the splices that change one text.
type rebaser struct {
	doc     []byte
	keys    []Key
	splices []splice
	path    []byte
	err     error
	depth   int
}

func (r *rebaser) text() []byte {
	if len(r.splices) == 0 {
		return r.doc
	}
	slices.SortStableFunc(r.splices, func(x, y splice) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	})
	n := len(r.doc)
	for _, s := range r.splices {
		n += len(s.text) - (s.to - s.from)
	}
	out := make([]byte, 0, n)
	i := 0
	for _, s := range r.splices {
		out = append(append(out, r.doc[i:s.from]...), s.text...)
		i = s.to
	}
	return append(out, r.doc[i:]...)
}

func (r *rebaser) put(from, to int, text []byte) {
	r.splices = append(r.splices, splice{span{from, to}, text})
}

// nested is Rebase on a value within, whose place in the result is not its
// place in doc.
func (r *rebaser) nested(doc, before, after []byte) []byte {
	sub := rebaser{doc: doc, keys: r.keys, path: r.path, depth: r.depth}
	sub.value(0, before, after)
	if sub.err != nil {
		r.err = sub.err
	}
	return sub.text()
}

// value changes the value of doc at offset at by the difference between
// before and after.
func (r *rebaser) value(at int, before, after []byte) {
	if bytes.Equal(before, after) || r.err != nil {
		return
	}
	if at >= len(r.doc) || len(before) == 0 || len(after) == 0 {
		r.err = ErrMalformed
		return
	}
	kind := r.doc[at]
	if isContainer(before) && before[0] == after[0] && before[0] == kind && r.depth < walkDepth {
		r.depth++
		if kind == '{' {
			r.object(at, before, after)
		} else {
			r.array(at, before, after)
		}
		r.depth--
		return
	}
	if !byText.equal(before, after) {
		r.put(at, skip(r.doc, at), after)
	}
}

// object changes the members of the object of doc at offset at.
func (r *rebaser) object(at int, before, after []byte) {
	olds, okA := members(nil, before, 1, len(before)-1)
	news, okB := members(nil, after, 1, len(after)-1)
	end := skip(r.doc, at) - 1
	has, okC := members(nil, r.doc, at+1, end)
	if !okA || !okB || !okC {
		r.err = ErrMalformed
		return
	}
	oldIndex := nameIndex{text: before, list: olds}
	newIndex := nameIndex{text: after, list: news}
	docIndex := nameIndex{text: r.doc, list: has}
	gone := make([]bool, len(has))
	for i, m := range olds {
		if name := m.name.of(before); newIndex.find(name, i) < 0 {
			if k := r.find(&docIndex, &oldIndex, &newIndex, name, m.value.of(before), i); k >= 0 {
				gone[k] = true
			}
		}
	}
	var added []byte
	for i, m := range news {
		name, value := m.name.of(after), m.value.of(after)
		old := oldIndex.find(name, i)
		if old < 0 { // new to the type, though doc may have it
			if k := docIndex.find(name, i); k >= 0 {
				gone[k] = false
				r.put(has[k].value.from, has[k].value.to, value)
			} else {
				added = append(append(added, ','), after[m.name.from:m.value.to]...)
			}
			continue
		}
		was := olds[old].value.of(before)
		if byText.equal(was, value) {
			continue
		}
		k := r.find(&docIndex, &oldIndex, &newIndex, name, was, i)
		if k < 0 {
			added = append(append(added, ','), after[m.name.from:m.value.to]...)
			continue
		}
		n := len(r.path)
		r.path = appendToken(r.path, plain(name))
		r.value(has[k].value.from, was, value)
		r.path = r.path[:n]
	}
	r.cutMembers(has, gone, end, added)
}

// cutMembers removes members with the comma that is theirs, and adds members
// at the end.
func (r *rebaser) cutMembers(has []member, gone []bool, end int, added []byte) {
	left := false // a member stays before this one
	for k, m := range has {
		switch {
		case !gone[k]:
			left = true
		case left:
			r.put(has[k-1].value.to, m.value.to, nil)
		case k+1 < len(has):
			r.put(m.name.from, has[k+1].name.from, nil)
		default:
			r.put(m.name.from, m.value.to, nil)
		}
	}
	if len(added) > 0 {
		if !left {
			added = added[1:] // the comma
		}
		r.put(end, end, added)
	}
}

// find returns the member of doc that a member of the type was decoded from.
func (r *rebaser) find(doc, old, new *nameIndex, name, was []byte, expected int) int {
	if k := doc.find(name, expected); k >= 0 {
		return k
	}
	folded := string(plain(name))
	for k := len(doc.list) - 1; k >= 0; k-- { // the last one wins on decoding
		other := doc.list[k].name.of(doc.text)
		if strings.EqualFold(string(plain(other)), folded) &&
			old.find(other, k) < 0 && new.find(other, k) < 0 &&
			corresponds(doc.list[k].value.of(doc.text), was) {
			return k
		}
	}
	return -1
}
