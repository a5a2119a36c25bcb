package agui

// marshal writes one object of the protocol.
func marshal(write func(w *writer)) ([]byte, error) {
	var w writer
	write(&w)
	if w.fault != nil {
		return nil, w.fault.input()
	}
	return w.buf, nil
}

// unmarshal reads one object of the protocol, as strictly as [ParseInput].
// Null changes nothing, as encoding/json has it.
func unmarshal(data []byte, kind byte, read func(r *reader)) error {
	d, f := readDocument(parser{data: data, maxDepth: maxEventDepth, unique: true})
	if f != nil {
		return f.input()
	}
	defer d.release()
	r := reader{doc: d}
	switch {
	case r.kind(0) == 'n':
		return nil
	case r.kind(0) != kind && kind != 0:
		r.wrongKind(0, kindName(kind))
	default:
		read(&r)
	}
	return r.fault.input()
}

// MarshalJSON returns the input as a client sends it: absent members are left
// out, so give Tools and Context empty slices for servers before 1.0. The
// error is an [*InputError].
func (in RunAgentInput) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.input(&in) })
}

// UnmarshalJSON reads an input as [ParseInput] does.
func (in *RunAgentInput) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	parsed, err := ParseInput(data)
	if err == nil {
		*in = *parsed
	}
	return err
}

// MarshalJSON returns the message with the members of its role. The error is
// an [*InputError].
func (m Message) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.message(&m) })
}

// UnmarshalJSON reads a message as [ParseInput] does.
func (m *Message) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *m, _ = r.message(0) })
}

// MarshalJSON returns the call as a part of an assistant message.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.toolCall(&c) })
}

// UnmarshalJSON reads a call as [ParseInput] does.
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *c = r.toolCall(0) })
}

// MarshalJSON returns the tool as a part of an input.
func (t Tool) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.tool(&t) })
}

// UnmarshalJSON reads a tool as [ParseInput] does.
func (t *Tool) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *t = r.tool(0) })
}

// MarshalJSON returns the context as a part of an input.
func (c Context) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.context(&c) })
}

// UnmarshalJSON reads a context as [ParseInput] does.
func (c *Context) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *c = r.contextEntry(0) })
}

// MarshalJSON returns the entry as a part of an input.
func (e ResumeEntry) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.resumeEntry(&e) })
}

// UnmarshalJSON reads an entry as [ParseInput] does.
func (e *ResumeEntry) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *e = r.resumeEntry(0) })
}

// MarshalJSON returns text as a string, parts as an array, and null for absent
// content.
func (c Content) MarshalJSON() ([]byte, error) {
	switch c.kind {
	case contentAbsent:
		return []byte("null"), nil
	case contentText:
		return appendString(nil, c.text), nil
	}
	return marshal(func(w *writer) { w.partList(c.parts) })
}

// UnmarshalJSON reads a string or an array of parts.
func (c *Content) UnmarshalJSON(data []byte) error {
	return unmarshal(data, 0, func(r *reader) { *c = r.contentOf(0, true) })
}

// MarshalJSON returns the part with the members of its type.
func (p Part) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.part(&p) })
}

// UnmarshalJSON reads a part as [ParseInput] does.
func (p *Part) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *p, _ = r.part(0, true) })
}

// MarshalJSON returns the source with the members of its type.
func (s Source) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.source(&s) })
}

// UnmarshalJSON reads a source as [ParseInput] does.
func (s *Source) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *s, _ = r.source(0) })
}

// MarshalJSON returns the outcome with the members of its type.
func (o RunOutcome) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.runOutcome(&o) })
}

// UnmarshalJSON reads an outcome; an unknown type is an error.
func (o *RunOutcome) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) {
		if read := r.readRunOutcome(0); read != nil {
			*o = *read
		}
	})
}

// MarshalJSON returns the outcome with the members of its type.
func (o SubagentOutcome) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.subagentOutcome(&o) })
}

// UnmarshalJSON reads an outcome; an unknown type is an error.
func (o *SubagentOutcome) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) {
		if read := r.readSubagentOutcome(0); read != nil {
			*o = *read
		}
	})
}

// MarshalJSON returns the interrupt as a part of an outcome.
func (i Interrupt) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.interrupt(&i) })
}

// UnmarshalJSON reads an interrupt.
func (i *Interrupt) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *i = r.interrupt(0) })
}

// MarshalJSON returns the counts that are not 0.
func (u TokenUsage) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.tokenUsage(&u) })
}

// UnmarshalJSON reads counts.
func (u *TokenUsage) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *u = r.tokenUsage(0) })
}

// MarshalJSON returns the operation with the members that it has in RFC 6902.
func (o Operation) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.operation(&o) })
}

// UnmarshalJSON reads an operation of RFC 6902; an unknown one is an error.
func (o *Operation) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *o, _ = r.operation(0) })
}

// MarshalJSON returns the patch; nil is [].
func (p Patch) MarshalJSON() ([]byte, error) {
	return marshal(func(w *writer) { w.operations(p) })
}

// UnmarshalJSON reads a JSON Patch (RFC 6902); an unknown operation is an
// error.
func (p *Patch) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '[', func(r *reader) { *p = r.operations(0) })
}

// MarshalJSON returns an object with its names sorted; nil is null.
func (m Metadata) MarshalJSON() ([]byte, error) {
	if m == nil {
		return []byte("null"), nil
	}
	return marshal(func(w *writer) { w.anyObject("", m, 1) })
}

// UnmarshalJSON reads an object, with numbers as json.Number.
func (m *Metadata) UnmarshalJSON(data []byte) error {
	return unmarshal(data, '{', func(r *reader) { *m = r.anyObject(0) })
}
