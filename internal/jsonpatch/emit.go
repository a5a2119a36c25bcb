package jsonpatch

import (
	"bytes"
	"unicode/utf8"

	"github.com/aguistate/aguistate/middleware/agui"
)

// mark remembers d.path, so that tokens can be pushed and taken off again.
type mark struct{ path, unsafe int }

func (d *differ) mark() mark { return mark{len(d.path), d.unsafe} }

func (d *differ) reset(m mark) { d.path, d.unsafe = d.path[:m.path], m.unsafe }

func (d *differ) pushIndex(i int) { d.path = appendIndex(d.path, i) }

func (d *differ) pushName(quoted []byte) {
	name := plain(quoted)
	if unsafeToken(d.path, name) {
		d.unsafe++
	}
	d.path = appendToken(d.path, name)
}

func unsafeToken(path, name []byte) bool {
	switch len(name) {
	case 0:
		return true
	case len("__proto__"): // as long as "prototype"
		if string(name) == "__proto__" || string(name) == "prototype" && bytes.HasSuffix(path, []byte("/constructor")) {
			return true
		}
	}
	return plainRun(name) < len(name) && !utf8.Valid(name)
}

func (d *differ) replaceSize(b []byte) int {
	return len(`{"op":"replace","path":"","value":},`) + escapedLen(d.path) + len(b)
}

func (d *differ) replace(b []byte, limit int) bool { return d.emit(agui.OpReplace, b, limit) }

// emit adds an operation at d.path.
func (d *differ) emit(op agui.Op, value []byte, limit int) bool {
	if d.unsafe > 0 {
		d.err = &UnsafeError{Path: string(d.path)}
		return false
	}
	size := len(`{"op":"","path":""},`) + len(op) + escapedLen(d.path)
	if value != nil {
		size += len(`,"value":`) + len(value)
	}
	if d.size+size > limit {
		return false
	}
	d.size += size
	d.patch = append(d.patch, agui.Operation{Op: op, Path: string(d.path), Value: value[:len(value):len(value)]})
	return true
}

// emitAt adds an operation on the element i of the array at d.path.
func (d *differ) emitAt(op agui.Op, i int, value []byte, limit int) bool {
	n := len(d.path)
	d.pushIndex(i)
	ok := d.emit(op, value, limit)
	d.path = d.path[:n]
	return ok
}

// emitMove moves an element of the array at d.path; to counts without it.
func (d *differ) emitMove(from, to, limit int) bool {
	n := len(d.path)
	d.pushIndex(from)
	source := string(d.path)
	d.path = d.path[:n]
	d.pushIndex(to)
	target := string(d.path)
	d.path = d.path[:n]
	if d.unsafe > 0 {
		d.err = &UnsafeError{Path: target}
		return false
	}
	size := len(`{"op":"move","from":"","path":""},`) + escapedLen(source) + escapedLen(target)
	if d.size+size > limit {
		return false
	}
	d.size += size
	d.patch = append(d.patch, agui.Operation{Op: agui.OpMove, From: source, Path: target})
	return true
}
