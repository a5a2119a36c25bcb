package jsonpatch

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/aguistate/aguistate/middleware/agui"
)

// Options of [Diff], [Edit] and [Rebase]. The zero value, and nil, set no
// bound and name no keys.
type Options struct {
	// MaxBytes is the size (see [Size]) that a patch must stay below. The
	// work stops as soon as it is reached. Zero is no bound.
	MaxBytes int
	// Keys name the identities of array elements, for [Edit] and [Rebase].
	Keys []Key
}

// Errors of [Diff] that mean: send the whole document instead.
var (
	// ErrTooBig says that the patch would reach [Options.MaxBytes].
	ErrTooBig = errors.New("jsonpatch: the patch reaches its size limit")
	// ErrScalarRoot says that one of the documents is not an object or array.
	// Appliers differ on those.
	ErrScalarRoot = errors.New("jsonpatch: the document is neither an object nor an array")
	// ErrMalformed says that a document was not compact JSON (see [Compact]).
	ErrMalformed = errors.New("jsonpatch: the document is not compact JSON")
)

// UnsafeError says that an operation's path has a reference token that some
// RFC 6902 implementations refuse or misread: "__proto__", "prototype" below
// "constructor", the empty token, or a name that UTF-8 cannot express.
type UnsafeError struct {
	Path string // of the operation
}

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("jsonpatch: not every client applies an operation at %q", e.Path)
}

// Diff returns the operations that turn old into new, as few bytes as it can
// find. Both must be as [Compact] leaves them; text that is not is reported as
// [ErrMalformed] where it is noticed, and never makes Diff panic. Equal
// documents give a nil patch: member order does not count, strings count by
// what they say, numbers by their text.
//
// ErrTooBig, ErrScalarRoot and *UnsafeError mean that there is no patch that
// can be promised to be small or safe enough.
//
// The values of the operations are the bytes of new, and share its memory.
// Diff is safe for concurrent use.
func Diff(old, new []byte, o *Options) (agui.Patch, error) {
	if bytes.Equal(old, new) {
		return nil, nil
	}
	if !isContainer(old) || !isContainer(new) {
		if byText.equal(old, new) {
			return nil, nil
		}
		return nil, ErrScalarRoot
	}
	d := differs.Get().(*differ)
	defer d.release()
	limit := math.MaxInt
	if o != nil && o.MaxBytes > 0 {
		limit = o.MaxBytes - 1
	}
	d.size = 1
	if !d.value(old, new, limit) && d.err == nil {
		return nil, ErrTooBig
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.patch, nil
}

func isContainer(b []byte) bool { return len(b) > 1 && (b[0] == '{' || b[0] == '[') }

// differ collects the operations of one Diff. Its methods report whether the
// operations that they added keep the patch within limit; after false the
// caller drops them and replaces its own value as a whole, or passes false on.
type differ struct {
	patch  agui.Patch
	size   int // of the patch, with a bracket before and a comma after each operation
	err    error
	path   []byte
	unsafe int // tokens of path that must not be in one
	depth  int
	frames []frame // scratch of narrow
	spans  [][]span
}

var differs = sync.Pool{New: func() any { return new(differ) }}

func (d *differ) release() {
	*d = differ{path: d.path[:0], frames: d.frames[:0], spans: d.spans}
	differs.Put(d)
}

// value adds what turns a into b, two values at d.path that may be equal.
func (d *differ) value(a, b []byte, limit int) bool {
	if len(a) == 0 || len(b) == 0 {
		d.err = ErrMalformed
		return false
	}
	if !isContainer(a) || !isContainer(b) || a[0] != b[0] || d.depth >= walkDepth {
		return byText.equal(a, b) || d.replace(b, limit)
	}
	if bytes.Equal(a, b) {
		return true
	}
	d.depth++
	defer func() { d.depth-- }()
	n, size := len(d.patch), d.size
	if d.inside(a, b, min(limit, size+d.replaceSize(b))) {
		return true
	}
	d.patch, d.size = d.patch[:n], size
	return d.err == nil && d.replace(b, limit)
}

// inside goes to where two containers differ and compares what is there.
func (d *differ) inside(a, b []byte, limit int) bool {
	pl := narrow(d.frames[:0], a, b)
	if len(pl.frames) == 0 {
		d.err = ErrMalformed
		return false
	}
	d.frames = pl.frames
	mark := d.mark()
	defer d.reset(mark)
	for _, f := range pl.frames[:len(pl.frames)-1] {
		if a[f.start] == '[' {
			d.pushIndex(f.index)
		} else if m, ok := nextMember(a, f.item, len(a)); ok {
			d.pushName(m.name.of(a))
		} else {
			d.err = ErrMalformed
			return false
		}
	}
	f := pl.frames[len(pl.frames)-1]
	n, size := len(d.patch), d.size
	whole := b
	if f.start > 0 {
		whole = b[f.start:skip(b, f.start)]
		limit = min(limit, size+d.replaceSize(whole))
	}
	var ok bool
	if a[f.start] == '[' {
		ok = d.array(a, b, pl, f.index, limit)
	} else {
		ok = d.object(a, b, pl.old, pl.new, limit)
	}
	if ok || f.start == 0 || d.err != nil {
		return ok
	}
	d.patch, d.size = d.patch[:n], size
	return d.replace(whole, limit)
}

// object compares members: side by side while the names agree, and by name
// from where they do not.
func (d *differ) object(a, b []byte, old, new span, limit int) bool {
	i, j := old.from, new.from
	for i < old.to && j < new.to {
		ma, okA := nextMember(a, i, old.to)
		if !okA {
			d.err = ErrMalformed
			return false
		}
		name, value := ma.name.of(a), ma.value.of(a)
		if !bytes.HasPrefix(b[j:new.to], a[ma.name.from:ma.value.from]) {
			break
		}
		j += len(name) + 1
		if end := j + len(value); end <= new.to && bytes.Equal(b[j:end], value) &&
			(end == new.to || b[end] == ',') {
			j = end + 1
		} else {
			end := skip(b[:new.to], j)
			if !d.member(name, value, b[j:end], limit) {
				return false
			}
			j = end + 1
		}
		i = ma.value.to + 1
	}
	if i >= old.to && j >= new.to {
		return true
	}
	return d.byName(a, b, span{i, old.to}, span{j, new.to}, limit)
}

func (d *differ) byName(a, b []byte, old, new span, limit int) bool {
	as, okA := members(nil, a, old.from, old.to)
	bs, okB := members(nil, b, new.from, new.to)
	if !okA || !okB {
		d.err = ErrMalformed
		return false
	}
	ix := nameIndex{text: b, list: bs}
	found := make([]bool, len(bs))
	next := 0
	for _, m := range as {
		name := m.name.of(a)
		at := ix.find(name, next)
		if at < 0 {
			if !d.removeMember(name, limit) {
				return false
			}
			continue
		}
		found[at], next = true, at+1
		if !d.member(name, m.value.of(a), bs[at].value.of(b), limit) {
			return false
		}
	}
	for i, m := range bs {
		if !found[i] && !d.addMember(m.name.of(b), m.value.of(b), limit) {
			return false
		}
	}
	return true
}

func (d *differ) member(name, a, b []byte, limit int) bool {
	mark := d.mark()
	d.pushName(name)
	ok := d.value(a, b, limit)
	d.reset(mark)
	return ok
}

func (d *differ) removeMember(name []byte, limit int) bool {
	mark := d.mark()
	d.pushName(name)
	ok := d.emit(agui.OpRemove, nil, limit)
	d.reset(mark)
	return ok
}

func (d *differ) addMember(name, value []byte, limit int) bool {
	mark := d.mark()
	d.pushName(name)
	ok := d.emit(agui.OpAdd, value, limit)
	d.reset(mark)
	return ok
}
