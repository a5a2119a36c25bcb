package jsonpatch

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/aguistate/aguistate/middleware/agui"
)

// DefaultMaxResult is the size of a document, in bytes, that [Apply] does not
// let a patch exceed.
const DefaultMaxResult = 64 << 20

// ApplyError says which operation of a patch could not be applied, and why.
type ApplyError struct {
	Index  int // of the operation in the patch
	Op     agui.Op
	Path   string
	Reason string
	err    error
}

// Unwrap returns the cause, such as a *[SyntaxError] in an operation's value.
func (e *ApplyError) Unwrap() error { return e.err }

func (e *ApplyError) Error() string {
	return fmt.Sprintf("jsonpatch: operation %d, %s at %q: %s", e.Index, e.Op, e.Path, e.Reason)
}

// Apply returns doc changed by the patch (RFC 6902), and leaves doc alone. It
// is all or nothing: the first operation that fails, as §4 and RFC 6901 have
// it, ends it with a *[ApplyError]. Numbers keep their digits, members their
// order, new members come last, and text that no operation went into keeps its
// bytes. Removing the root leaves null.
//
// doc is taken to be valid JSON; what no operation goes into is not looked at.
// Opened containers are written without white space. The work grows with the
// document once and then with the patch; the result is at most
// [DefaultMaxResult] bytes, see [ApplyWithin].
func Apply(doc []byte, p agui.Patch) ([]byte, error) { return ApplyWithin(doc, p, DefaultMaxResult) }

// ApplyWithin is [Apply] with another bound, in bytes, on the document
// together with all that the patch adds and copies.
func ApplyWithin(doc []byte, p agui.Patch, maxBytes int) ([]byte, error) {
	if len(p) == 0 {
		return doc, nil
	}
	raw := bytes.TrimSpace(doc)
	if len(raw) == 0 {
		return nil, &SyntaxError{Reason: "the document is empty"}
	}
	t := &tree{root: node{raw: raw}, size: len(raw), max: maxBytes}
	for i := range p {
		op := &p[i]
		if err := t.apply(op); err != nil {
			return nil, &ApplyError{Index: i, Op: op.Op, Path: op.Path, Reason: err.Error(), err: err}
		}
	}
	out, err := t.root.text(make([]byte, 0, t.size), 0)
	if err != nil {
		last := &p[len(p)-1]
		return nil, &ApplyError{Index: len(p) - 1, Op: last.Op, Path: last.Path, Reason: err.Error(), err: err}
	}
	return out, nil
}

// tree is a document of which only the containers that operations went into
// are opened.
type tree struct {
	root       node
	size, max  int
	path, from []string
}

func (t *tree) apply(op *agui.Operation) (err error) {
	if t.path, err = parsePointer(t.path[:0], op.Path); err != nil {
		return err
	}
	var value []byte
	switch op.Op {
	case agui.OpAdd, agui.OpReplace, agui.OpTest:
		if len(op.Value) == 0 {
			return errors.New("the value is missing")
		}
		if value, err = Compact(nil, op.Value); err != nil {
			return fmt.Errorf("the value is not valid: %w", err)
		}
	case agui.OpMove, agui.OpCopy:
		if t.from, err = parsePointer(t.from[:0], op.From); err != nil {
			return fmt.Errorf("from: %w", err)
		}
	}
	switch op.Op {
	case agui.OpAdd:
		if err := t.grow(len(value)); err != nil {
			return err
		}
		return t.add(t.path, node{raw: value})
	case agui.OpReplace:
		target, err := t.find(t.path)
		if err != nil {
			return err
		}
		if err := t.grow(len(value)); err != nil {
			return err
		}
		*target = node{raw: value}
		return nil
	case agui.OpRemove:
		_, err := t.remove(t.path)
		return err
	case agui.OpTest:
		target, err := t.find(t.path)
		if err != nil {
			return err
		}
		return t.test(target, value)
	case agui.OpMove:
		return t.move(op)
	case agui.OpCopy:
		source, err := t.find(t.from)
		if err != nil {
			return fmt.Errorf("from: %w", err)
		}
		text := source.raw
		if source.box != nil {
			if text, err = source.text(nil, 0); err != nil {
				return err
			}
		}
		if err := t.grow(len(text)); err != nil {
			return err
		}
		return t.add(t.path, node{raw: text})
	}
	return fmt.Errorf("there is no operation %q", op.Op)
}

func (t *tree) grow(n int) error {
	if t.size += n; t.size > t.max {
		return fmt.Errorf("the result would be larger than %d bytes", t.max)
	}
	return nil
}

func (t *tree) test(target *node, value []byte) error {
	text := target.raw
	if target.box != nil {
		var err error
		if text, err = target.text(nil, 0); err != nil {
			return err
		}
	}
	if bytes.Equal(text, value) {
		return nil
	}
	text, err := Compact(nil, text)
	if err != nil {
		return err
	}
	if !byValue.equal(text, value) {
		return errors.New("the value there is another")
	}
	return nil
}

func (t *tree) move(op *agui.Operation) error {
	if len(op.Path) > len(op.From) && op.Path[:len(op.From)] == op.From && op.Path[len(op.From)] == '/' {
		return errors.New("a value cannot move into itself")
	}
	if op.Path == op.From {
		_, err := t.find(t.path)
		return err
	}
	v, err := t.remove(t.from)
	if err != nil {
		return fmt.Errorf("from: %w", err)
	}
	return t.add(t.path, v)
}

// find returns the value at a pointer, which must exist.
func (t *tree) find(path []string) (*node, error) {
	n := &t.root
	for depth, token := range path {
		b, err := n.open()
		switch {
		case err != nil:
			return nil, err
		case b == nil:
			return nil, fmt.Errorf("the value at %q has no members", joinPointer(path[:depth]))
		case b.object:
			i := b.find(token)
			if i < 0 {
				return nil, fmt.Errorf("there is no %q", joinPointer(path[:depth+1]))
			}
			n = &b.fields[i].value
		default:
			i, ok := parseIndex(token)
			if !ok {
				return nil, fmt.Errorf("%q is no index of an array", token)
			}
			if i >= b.list.len {
				return nil, fmt.Errorf("the array at %q has %d elements", joinPointer(path[:depth]), b.list.len)
			}
			n = b.list.at(i)
		}
	}
	return n, nil
}

// parent returns the opened container that the last token of path is about.
func (t *tree) parent(path []string) (*box, error) {
	n, err := t.find(path[:len(path)-1])
	if err != nil {
		return nil, err
	}
	b, err := n.open()
	if err == nil && b == nil {
		err = fmt.Errorf("the value at %q has no members", joinPointer(path[:len(path)-1]))
	}
	return b, err
}

func (t *tree) add(path []string, v node) error {
	if len(path) == 0 {
		t.root = v
		return nil
	}
	b, err := t.parent(path)
	if err != nil {
		return err
	}
	token := path[len(path)-1]
	if b.object {
		if i := b.find(token); i >= 0 {
			b.fields[i].value = v
			return nil
		}
		name := appendQuoted(nil, token)
		if err := t.grow(len(name) + 2); err != nil {
			return err
		}
		b.put(name, v)
		return nil
	}
	i, ok := parseIndex(token)
	if token == "-" {
		i, ok = b.list.len, true
	}
	if !ok {
		return fmt.Errorf("%q is no index of an array", token)
	}
	if i > b.list.len {
		return fmt.Errorf("the array at %q has %d elements", joinPointer(path[:len(path)-1]), b.list.len)
	}
	b.list.insert(i, v)
	return nil
}

func (t *tree) remove(path []string) (node, error) {
	if len(path) == 0 {
		v := t.root
		t.root = node{raw: []byte("null")}
		return v, nil
	}
	b, err := t.parent(path)
	if err != nil {
		return node{}, err
	}
	token := path[len(path)-1]
	if b.object {
		i := b.find(token)
		if i < 0 {
			return node{}, fmt.Errorf("there is no %q", joinPointer(path))
		}
		v := b.fields[i].value
		b.drop(i)
		return v, nil
	}
	i, ok := parseIndex(token)
	if !ok {
		return node{}, fmt.Errorf("%q is no index of an array", token)
	}
	if i >= b.list.len {
		return node{}, fmt.Errorf("the array at %q has %d elements", joinPointer(path[:len(path)-1]), b.list.len)
	}
	v := *b.list.at(i)
	b.list.remove(i)
	return v, nil
}

func joinPointer(tokens []string) string {
	var p []byte
	for _, t := range tokens {
		p = appendToken(p, t)
	}
	return string(p)
}
