package standin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// maxDepth bounds how deep a JSON document may nest before it is refused.
const maxDepth = 128

var errTooDeep = errors.New("the JSON nests too deeply")

// object is a JSON object that keeps the order of its members, as a model that
// follows a schema writes them in the schema's order.
type object struct {
	keys []string
	vals map[string]any
}

func newObject() *object { return &object{vals: map[string]any{}} }

func (o *object) get(key string) any {
	if o == nil {
		return nil
	}
	return o.vals[key]
}

func (o *object) has(key string) bool {
	if o == nil {
		return false
	}
	_, ok := o.vals[key]
	return ok
}

func (o *object) set(key string, v any) {
	if !o.has(key) {
		o.keys = append(o.keys, key)
	}
	o.vals[key] = v
}

func (o *object) clone() *object {
	c := newObject()
	if o != nil {
		for _, k := range o.keys {
			c.set(k, o.vals[k])
		}
	}
	return c
}

func (o *object) str(key string) string { s, _ := o.get(key).(string); return s }

func (o *object) obj(key string) *object { c, _ := o.get(key).(*object); return c }

func (o *object) arr(key string) []any { a, _ := o.get(key).([]any); return a }

// parseValue decodes exactly one JSON value.
func parseValue(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := readValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is something after the JSON value")
	}
	return v, nil
}

func readValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := newObject()
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := readValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			o.set(k.(string), v)
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		a := []any{}
		for d.More() {
			v, err := readValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
		_, err := d.Token()
		return a, err
	}
	return t, nil
}

// appendValue writes v as compact JSON. Strings keep <, > and & as they are.
func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case *object:
		if v == nil {
			return append(dst, "null"...)
		}
		dst = append(dst, '{')
		for i, k := range v.keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, k), ':')
			dst = appendValue(dst, v.vals[k])
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, e)
		}
		return append(dst, ']')
	case string:
		return appendString(dst, v)
	case json.Number:
		return append(dst, v...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return append(dst, "null"...)
}

func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string always encodes
		return append(dst, `""`...)
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

func valueString(v any) string { return string(appendValue(nil, v)) }

// maxCandidates bounds how many opening braces of one text are tried.
const maxCandidates = 64

// objectsIn finds the JSON objects that stand in a text, whether bare, in a
// fence or after a sentence, and returns them with the text around them.
func objectsIn(text string) (found []*object, around string) {
	var rest strings.Builder
	for range maxCandidates {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		rest.WriteString(text[:i])
		d := json.NewDecoder(strings.NewReader(text[i:]))
		d.UseNumber()
		v, err := readValue(d, 0)
		if err != nil {
			rest.WriteByte('{')
			text = text[i+1:]
			continue
		}
		found = append(found, v.(*object))
		text = text[i+int(d.InputOffset()):]
	}
	rest.WriteString(text)
	return found, rest.String()
}

func jsonNumber(s string) json.Number { return json.Number(s) }
