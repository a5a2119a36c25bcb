package jsonpatch

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
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
//     as can be; then, between two that stay, by likeness and position; then
//     those at the same index, and those that are alike wherever they are. In
//     an array for which a [Key] is named, the key decides instead, also
//     between all the arrays that its path stands for: an element that moves
//     from one to another is still the same. What is paired keeps what the type
//     does not know; what is not is removed, or put in as after has it.
//   - Names match exactly, whatever encoding/json makes of case: a name that
//     differs in case is another member, unknown to the type.
//   - Where an array of doc does not correspond to before's, element by
//     element, because the type's own codec sorted or dropped elements, the
//     array becomes what after has.
//
// An absent (empty) doc becomes after. The result may share memory with doc
// and after. Text that is not compact JSON is reported as [ErrMalformed] where
// it is noticed, and never makes Rebase panic. Rebase is safe for concurrent
// use.
func Rebase(doc, before, after []byte, o *Options) ([]byte, error) {
	r, err := rebase(doc, before, after, o, false)
	if err != nil {
		return nil, err
	}
	return r.text(after)
}

// Edit is [Rebase] and [Diff] in one: it returns the changed document, and the
// patch from doc to it, mostly for the cost of Rebase alone. When the document
// changed and there is no patch for it, next is right all the same and err is
// one of those that Diff has for that; with any other error next is nil.
func Edit(doc, before, after []byte, o *Options) (next []byte, patch agui.Patch, err error) {
	r, err := rebase(doc, before, after, o, true)
	if err != nil {
		return nil, nil, err
	}
	if next, err = r.text(after); err != nil {
		return nil, nil, err
	}
	if r.moved || !isContainer(doc) {
		patch, err = Diff(doc, next, o)
		return next, patch, err
	}
	patch, err = r.patch(o)
	return next, patch, err
}

func rebase(doc, before, after []byte, o *Options, operations bool) (*rebaser, error) {
	r := &rebaser{doc: doc, moved: !operations}
	if o != nil {
		if r.keys = o.Keys; len(r.keys) > 0 {
			r.origins = &origins{doc: doc, before: before, after: after, keys: r.keys}
		}
	}
	switch {
	case bytes.Equal(before, after):
	case len(before) == 0 || len(after) == 0:
		return nil, ErrMalformed
	case len(doc) == 0:
		r.doc = after
	default:
		r.value(0, before, after)
	}
	return r, r.err
}

// splice replaces a stretch of doc, which is what op at path does to it, or
// ops do.
type splice struct {
	span
	text  []byte
	ops   agui.Patch
	op    agui.Op
	value []byte
	path  string
	// unsafe says that the path has a token that is.
	unsafe bool
}

// rebaser collects the splices that change one text.
type rebaser struct {
	doc     []byte
	keys    []Key
	origins *origins // nil without keys
	splices []splice
	size    int  // of the splices as operations, about
	moved   bool // they are no operations, or not the shortest
	path    []byte
	unsafe  int // tokens of path that are
	err     error
	depth   int
	frames  []frame
	members []member // scratch of corresponds
}

// text returns doc with the splices in it. Where that is what is there already,
// nothing is copied.
func (r *rebaser) text(there []byte) ([]byte, error) {
	if len(r.splices) == 0 || r.err != nil {
		return r.doc, r.err
	}
	slices.SortStableFunc(r.splices, func(x, y splice) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	})
	n, i := len(r.doc), 0
	for _, s := range r.splices {
		if s.from < i || s.to < s.from || s.to > len(r.doc) { // in no valid text
			return nil, ErrMalformed
		}
		n += len(s.text) - (s.to - s.from)
		i = s.to
	}
	if n == len(there) && r.makes(there) {
		return there, nil
	}
	out := make([]byte, 0, n)
	i = 0
	for _, s := range r.splices {
		out = append(append(out, r.doc[i:s.from]...), s.text...)
		i = s.to
	}
	return append(out, r.doc[i:]...), nil
}

// makes reports whether the splices, which are in order, make text of doc.
func (r *rebaser) makes(text []byte) bool {
	i := 0
	for _, s := range r.splices {
		var same, put bool
		if text, same = bytes.CutPrefix(text, r.doc[i:s.from]); !same {
			return false
		}
		if text, put = bytes.CutPrefix(text, s.text); !put {
			return false
		}
		i = s.to
	}
	return bytes.Equal(text, r.doc[i:])
}

// patch returns the splices as operations.
func (r *rebaser) patch(o *Options) (agui.Patch, error) {
	if len(r.splices) == 0 {
		return nil, nil
	}
	p := make(agui.Patch, 0, len(r.splices))
	for _, s := range r.splices {
		if s.unsafe {
			if s.ops != nil {
				s.path = s.ops[0].Path
			}
			return nil, &UnsafeError{Path: s.path}
		}
		if s.ops != nil {
			p = append(p, s.ops...)
			continue
		}
		p = append(p, agui.Operation{Op: s.op, Path: s.path, Value: s.value})
	}
	if o != nil && o.MaxBytes > 0 && Size(p) >= o.MaxBytes {
		return nil, ErrTooBig
	}
	return p, nil
}

// put replaces doc[from:to], which is what op does at r.path.
func (r *rebaser) put(op agui.Op, from, to int, text, value []byte) {
	r.add(splice{span: span{from, to}, text: text, op: op, value: value[:len(value):len(value)]})
}

// add takes a splice that is an operation at r.path.
func (r *rebaser) add(s splice) {
	if s.unsafe = r.unsafe > 0; !r.moved { // or else nobody asks for the path
		s.path = string(r.path)
	}
	r.size += len(`{"op":"replace","path":"","value":},`) + len(r.path) + len(s.value)
	r.splices = append(r.splices, s)
}

// within notes, of a container of which at least n bytes are in doc, whether
// the operations on it, since the total was size, are longer than that: then
// it may be shorter to replace it, which is for Diff to find out.
func (r *rebaser) within(n, size int) {
	if r.size-size > n+len(`{"op":"replace","path":"","value":},`)+len(r.path) {
		r.moved = true
	}
}

func (r *rebaser) replace(from, to int, value []byte) {
	r.put(agui.OpReplace, from, to, value, value)
}

// shift replaces a stretch that is not one operation's doing.
func (r *rebaser) shift(from, to int, text []byte) {
	r.splices = append(r.splices, splice{span: span{from, to}, text: text})
}

func (r *rebaser) pushName(name []byte) mark {
	m := mark{len(r.path), r.unsafe}
	if unsafeToken(r.path, name) {
		r.unsafe++
	}
	r.path = appendToken(r.path, name)
	return m
}

func (r *rebaser) pushIndex(i int) mark {
	m := mark{len(r.path), r.unsafe}
	r.path = appendIndex(r.path, i)
	return m
}

func (r *rebaser) reset(m mark) { r.path, r.unsafe = r.path[:m.path], m.unsafe }

// nested is Rebase on a value within, whose place in the result is not its
// place in doc.
func (r *rebaser) nested(doc, before, after []byte) []byte {
	sub := rebaser{doc: doc, keys: r.keys, origins: r.origins, path: r.path, depth: r.depth, moved: true}
	sub.value(0, before, after)
	text, err := sub.text(nil)
	if err != nil {
		r.err = err
	}
	return text
}

// value changes the value of doc at offset at by the difference between
// before and after.
func (r *rebaser) value(at int, before, after []byte) {
	if r.err != nil || bytes.Equal(before, after) {
		return
	}
	if at >= len(r.doc) || len(before) == 0 || len(after) == 0 {
		r.err = ErrMalformed
		return
	}
	if isContainer(before) && isContainer(after) && before[0] == after[0] && before[0] == r.doc[at] && r.depth < walkDepth {
		r.depth++
		m := mark{len(r.path), r.unsafe}
		r.inside(at, before, after)
		r.reset(m)
		r.depth--
		return
	}
	if !byText.equal(before, after) {
		r.replace(at, skip(r.doc, at), after)
	}
}

// inside goes to where before and after differ, in doc along with them, and
// changes what is there.
func (r *rebaser) inside(at int, before, after []byte) {
	pl := narrow(r.frames[:0], before, after)
	if len(pl.frames) == 0 {
		r.err = ErrMalformed
		return
	}
	r.frames = pl.frames
	last := len(pl.frames) - 1
	for k, f := range pl.frames {
		if before[f.start] == '[' && k < last && keyAt(r.keys, r.path) != "" {
			// Whether this element is still the same one is for its key to say.
			last = k
			pl.old = span{f.item, skip(before, f.item)}
			pl.new = span{f.item, skip(after, f.item)}
		}
		if k == last {
			if before[f.start] == '[' {
				r.array(at, before, after, pl, f)
			} else {
				r.object(at, before, after, pl, f)
			}
			return
		}
		if before[f.start] == '[' {
			at = r.enterElement(at, before, after, f)
		} else {
			at = r.enterMember(at, before, after, f)
		}
		if at < 0 {
			return
		}
	}
}

// enterElement returns the offset in doc of the element that holds the
// difference. Where doc's array is not before's, it replaces that and returns
// -1.
func (r *rebaser) enterElement(at int, before, after []byte, f frame) int {
	list := r.elements(at, f.index, 1, false)
	if len(list.spans) == 1 {
		el := list.spans[0]
		was := before[f.item:skip(before, f.item)]
		if el.from < len(r.doc) && len(was) > 0 && r.doc[el.from] == was[0] &&
			(r.corresponds(el.of(r.doc), was) || !r.displaced(el.of(r.doc), before, f.start, f.index)) {
			r.pushIndex(f.index)
			return el.from
		}
	}
	r.replace(at, skip(r.doc, at), after[f.start:skip(after, f.start)])
	return -1
}

// enterMember returns the offset in doc of the value of the member that holds
// the difference. Where doc lacks it, or has another kind of value, it puts
// after's there and returns -1.
func (r *rebaser) enterMember(at int, before, after []byte, f frame) int {
	j := skipString(before, f.item+1)
	if j+1 >= min(len(before), len(after)) {
		r.err = ErrMalformed
		return -1
	}
	name, was := before[f.item:j], j+1 // the text of after is the same up to there
	k, ok := findMember(r.doc, at, name)
	if !ok {
		r.addMember(at, name, after[was:skip(after, was)])
		return -1
	}
	r.pushName(plain(k.name.of(r.doc)))
	if k.value >= len(r.doc) {
		r.err = ErrMalformed
		return -1
	}
	if r.doc[k.value] != before[was] {
		r.replace(k.value, skip(r.doc, k.value), after[was:skip(after, was)])
		return -1
	}
	return k.value
}
