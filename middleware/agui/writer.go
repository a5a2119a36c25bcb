package agui

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxInteger is the largest integer that every peer keeps: 2^53-1.
const maxInteger = 1<<53 - 1

// maxWriteSteps is more than the steps from an event to its deepest part:
// input, messages, 0, content, 0, source.
const maxWriteSteps = 8

type step struct {
	name  string
	index int // of an array's element, when name is ""
}

// writer appends the JSON of a value. The first fault stays; what is written
// after it is thrown away by whoever owns the buffer.
type writer struct {
	buf   []byte
	fault *fault
	path  [maxWriteSteps]step
	depth int
}

func (w *writer) enter(name string) {
	w.path[w.depth] = step{name: name}
	w.depth++
}

func (w *writer) element(i int) {
	w.path[w.depth] = step{index: i}
	w.depth++
}

func (w *writer) leave() { w.depth-- }

// fail notes what is wrong with a member of the object being written; "" is
// the object itself.
func (w *writer) fail(name, reason string) {
	if w.fault != nil {
		return
	}
	var b strings.Builder
	for _, s := range w.path[:w.depth] {
		b.WriteByte('/')
		if s.name != "" {
			b.WriteString(escapePointer(s.name))
		} else {
			b.WriteString(strconv.Itoa(s.index))
		}
	}
	if name != "" {
		b.WriteString("/" + escapePointer(name))
	}
	w.fault = &fault{pointer: b.String(), reason: reason}
}

// name writes a member's name, with the comma before it.
func (w *writer) name(name string) {
	w.comma()
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '"', ':')
}

func (w *writer) comma() {
	if c := w.buf[len(w.buf)-1]; c != '{' && c != '[' {
		w.buf = append(w.buf, ',')
	}
}

func (w *writer) open(c byte) { w.buf = append(w.buf, c) }

func (w *writer) close(c byte) { w.buf = append(w.buf, c) }

func (w *writer) string(name, value string) {
	w.name(name)
	w.buf = appendString(w.buf, value)
}

// optional leaves "" out.
func (w *writer) optional(name, value string) {
	if value != "" {
		w.string(name, value)
	}
}

// pointer leaves nil out.
func (w *writer) pointer(name string, value *string) {
	if value != nil {
		w.string(name, *value)
	}
}

func (w *writer) tag(t Tag) { w.pointer("subagentRunId", t.SubagentRunID) }

func (w *writer) strings(name string, values []string) {
	w.name(name)
	w.open('[')
	for _, v := range values {
		w.comma()
		w.buf = appendString(w.buf, v)
	}
	w.close(']')
}

// json writes any JSON; nothing is null.
func (w *writer) json(name string, value json.RawMessage) {
	w.name(name)
	if len(value) == 0 {
		w.buf = append(w.buf, "null"...)
		return
	}
	var reason string
	if w.buf, reason = appendJSON(w.buf, value); reason != "" {
		w.fail(name, reason)
	}
}

// optionalJSON leaves nothing, and null, out.
func (w *writer) optionalJSON(name string, value json.RawMessage) {
	if !isAbsent(value) {
		w.json(name, value)
	}
}

// objectJSON writes a JSON object.
func (w *writer) objectJSON(name string, value json.RawMessage) {
	if jsonKind(value) != '{' {
		w.fail(name, "must be an object")
		return
	}
	w.json(name, value)
}

// count leaves 0 out.
func (w *writer) count(name string, value int64) {
	if value == 0 {
		return
	}
	if value < 0 || value > maxInteger {
		w.fail(name, "must be from 0 to 2^53-1")
		return
	}
	w.name(name)
	w.buf = strconv.AppendInt(w.buf, value, 10)
}

// metadata leaves nil out.
func (w *writer) metadata(m Metadata) {
	if m == nil {
		return
	}
	w.name("metadata")
	w.anyObject("metadata", m, 1)
}

// anyObject writes a map with its names sorted, so that equal maps are equal
// bytes. A fault is the fault of the named member.
func (w *writer) anyObject(name string, m map[string]any, depth int) {
	w.open('{')
	if len(m) == 1 {
		for k, v := range m {
			w.anyMember(name, k, v, depth)
		}
	} else {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			w.anyMember(name, k, m[k], depth)
		}
	}
	w.close('}')
}

func (w *writer) anyMember(name, key string, value any, depth int) {
	w.comma()
	w.buf = appendString(w.buf, key)
	w.buf = append(w.buf, ':')
	w.any(name, value, depth)
}

// any writes a Go value as encoding/json does, except that <, > and & stay.
func (w *writer) any(name string, value any, depth int) {
	if depth > maxEventDepth {
		w.fail(name, "is nested too deep, or holds itself")
	}
	if w.fault != nil {
		return
	}
	switch v := value.(type) {
	case nil:
		w.buf = append(w.buf, "null"...)
	case bool:
		w.buf = strconv.AppendBool(w.buf, v)
	case string:
		w.buf = appendString(w.buf, v)
	case int:
		w.buf = strconv.AppendInt(w.buf, int64(v), 10)
	case int64:
		w.buf = strconv.AppendInt(w.buf, v, 10)
	case map[string]any:
		if v == nil {
			w.buf = append(w.buf, "null"...)
			return
		}
		w.anyObject(name, v, depth+1)
	case []any:
		if v == nil {
			w.buf = append(w.buf, "null"...)
			return
		}
		w.open('[')
		for _, e := range v {
			w.comma()
			w.any(name, e, depth+1)
		}
		w.close(']')
	case json.Number:
		w.checked(name, []byte(v))
	case json.RawMessage:
		if v == nil {
			w.buf = append(w.buf, "null"...)
			return
		}
		w.checked(name, v)
	default:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			w.fail(name, "cannot be written: "+err.Error())
			return
		}
		w.buf = append(w.buf, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
	}
}

func (w *writer) checked(name string, src []byte) {
	var reason string
	if w.buf, reason = appendJSON(w.buf, src); reason != "" {
		w.fail(name, reason)
	}
}

// base writes what every event may carry.
func (w *writer) base(b *Base) {
	if b.Timestamp != 0 {
		if b.Timestamp > maxInteger || b.Timestamp < -maxInteger {
			w.fail("timestamp", "must be within 2^53-1")
		}
		w.name("timestamp")
		w.buf = strconv.AppendInt(w.buf, b.Timestamp, 10)
	}
	w.optionalJSON("rawEvent", b.RawEvent)
	w.metadata(b.Metadata)
}

// extra writes members that the protocol does not name.
func (w *writer) extra(extra map[string]json.RawMessage, written func(name string) bool) {
	for _, k := range slices.Sorted(maps.Keys(extra)) {
		if written(k) {
			w.fail(k, "is a member of the protocol and cannot be in Extra")
			return
		}
		w.comma()
		w.buf = appendString(w.buf, k)
		w.buf = append(w.buf, ':')
		if len(extra[k]) == 0 {
			w.buf = append(w.buf, "null"...)
			continue
		}
		w.checked(k, extra[k])
	}
}
