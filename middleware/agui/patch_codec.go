package agui

func (w *writer) patch(name string, p Patch) {
	w.name(name)
	w.enter(name)
	w.operations(p)
	w.leave()
}

func (w *writer) operations(p Patch) {
	w.open('[')
	for i := range p {
		w.comma()
		w.element(i)
		w.operation(&p[i])
		w.leave()
	}
	w.close(']')
}

func (w *writer) operation(o *Operation) {
	w.open('{')
	w.string("op", string(o.Op))
	switch o.Op {
	case OpMove, OpCopy:
		w.jsonPointer("from", o.From)
		w.jsonPointer("path", o.Path)
	case OpRemove:
		w.jsonPointer("path", o.Path)
	case OpAdd, OpReplace, OpTest:
		w.jsonPointer("path", o.Path)
		w.json("value", o.Value)
	default:
		w.fail("op", "is not an operation of RFC 6902: "+quoted(string(o.Op)))
	}
	w.close('}')
}

func (w *writer) jsonPointer(name, value string) {
	if reason := jsonPointerFault(value); reason != "" {
		w.fail(name, reason)
	}
	w.string(name, value)
}

// patch reads a JSON Patch that must be there. An operation that RFC 6902 does
// not have is dropped by a client, which applies the rest.
func (r *reader) patch(object uint32, name string) Patch {
	i := r.required(object, name)
	if i == 0 {
		return nil
	}
	if r.kind(i) != '[' {
		r.wrongKind(i, "an array")
		return nil
	}
	return r.operations(i)
}

func (r *reader) operations(array uint32) Patch {
	p := make(Patch, 0, r.objects(array))
	for e := range r.elements(array) {
		if !r.object(e) {
			return nil
		}
		if o, ok := r.operation(e); ok {
			p = append(p, o)
		}
	}
	return p
}

func (r *reader) operation(i uint32) (o Operation, ok bool) {
	o.Op = Op(r.choice(i, "op"))
	switch o.Op {
	case OpAdd, OpReplace, OpTest:
		o.Path = r.jsonPointer(i, "path")
		o.Value = r.json(i, "value")
	case OpMove, OpCopy:
		o.From = r.jsonPointer(i, "from")
		o.Path = r.jsonPointer(i, "path")
	case OpRemove:
		o.Path = r.jsonPointer(i, "path")
	default:
		if !r.client {
			r.unchosen(i, "op", "add, remove, replace, move, copy or test")
		}
		return o, false
	}
	return o, true
}

func (r *reader) jsonPointer(object uint32, name string) string {
	i := r.required(object, name)
	if i == 0 {
		return ""
	}
	p := r.text(i)
	if reason := jsonPointerFault(p); reason != "" {
		r.fail(i, reason)
	}
	return p
}

// jsonPointerFault says what is wrong with a JSON Pointer (RFC 6901 §3), or "".
func jsonPointerFault(p string) string {
	if p != "" && p[0] != '/' {
		return "must be empty or begin with a slash (RFC 6901)"
	}
	for i := 0; i < len(p); i++ {
		if p[i] == '~' && (i+1 == len(p) || p[i+1] != '0' && p[i+1] != '1') {
			return "has a ~ that is not followed by 0 or 1 (RFC 6901)"
		}
	}
	return ""
}
