package state

import (
	"bytes"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/jsonfield"
)

// lookup returns the value at a JSON Pointer, nil when there is none.
func lookup(doc []byte, pointer string) []byte {
	for token := range jsontext.Pointer(pointer).Tokens() {
		if doc = child(doc, token); doc == nil {
			return nil
		}
	}
	return doc
}

// child returns a member or element, nil when there is none.
func child(doc []byte, token string) []byte {
	for name, v := range children(doc) {
		if name == token {
			return bytes.Clone(v)
		}
	}
	return nil
}

// children yields the members or elements of a value, whose bytes are good
// until the next one.
func children(doc []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(doc))
		open, err := d.ReadToken()
		if err != nil || open.Kind() != '{' && open.Kind() != '[' {
			return
		}
		object := open.Kind() == '{'
		for i := 0; d.PeekKind() != '}' && d.PeekKind() != ']'; i++ {
			name := strconv.Itoa(i)
			if object {
				t, err := d.ReadToken()
				if err != nil {
					return
				}
				name = t.String()
			}
			v, err := d.ReadValue()
			if err != nil || !yield(name, v) {
				return
			}
		}
	}
}

// matches yields the pointers of what is in a document where a pattern leads:
// a JSON Pointer, or one with a * for any member or element.
func matches(doc []byte, pattern string) iter.Seq[string] {
	return func(yield func(string) bool) { match(doc, jsontext.Pointer(pattern), "", yield) }
}

func match(doc []byte, pattern, at jsontext.Pointer, yield func(string) bool) bool {
	if pattern == "" {
		return yield(string(at))
	}
	token, rest := firstToken(pattern)
	for name, v := range children(doc) {
		if (name == token || token == "*") && !match(bytes.Clone(v), rest, at.AppendToken(name), yield) {
			return false
		}
	}
	return true
}

// put returns the document with a value at a JSON Pointer. What the pointer
// goes through and is null or not there becomes an object.
func put(doc []byte, pointer string, value []byte) ([]byte, error) {
	if pointer == "" {
		return value, nil
	}
	p := jsontext.Pointer(pointer)
	if parent := lookup(doc, string(p.Parent())); parent == nil || string(parent) == "null" {
		object, err := jsonpatch.Apply([]byte("{}"), agui.Patch{{Op: agui.OpAdd, Path: memberPointer(p.LastToken()), Value: value}})
		if err != nil {
			return nil, err
		}
		return put(doc, string(p.Parent()), object)
	}
	op := agui.OpAdd
	if lookup(doc, pointer) != nil {
		op = agui.OpReplace
	}
	return jsonpatch.Apply(doc, agui.Patch{{Op: op, Path: pointer, Value: value}})
}

// typeAt returns the type that a JSON Pointer leads to in a type.
func typeAt(t reflect.Type, pointer string) (reflect.Type, error) {
	if !jsontext.Pointer(pointer).IsValid() {
		return nil, fmt.Errorf("%q is no JSON Pointer", pointer)
	}
	for token := range jsontext.Pointer(pointer).Tokens() {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Struct:
			fields := jsonfield.Of(t)
			i := slices.IndexFunc(fields, func(f jsonfield.Field) bool { return f.Name == token })
			if i < 0 {
				return nil, fmt.Errorf("%s has no member %q", t, token)
			}
			t = fields[i].Type
		case reflect.Map:
			key := t.Key()
			if numbered := reflect.Int <= key.Kind() && key.Kind() <= reflect.Uintptr; numbered && !key.Implements(textMarshaler) && !isNumber(token) {
				return nil, fmt.Errorf("%s has no member %q", t, token)
			}
			t = t.Elem()
		case reflect.Slice, reflect.Array:
			if !isNumber(token) || token[0] == '-' {
				return nil, fmt.Errorf("%s has no element %q", t, token)
			}
			t = t.Elem()
		default:
			return nil, fmt.Errorf("%s has no member %q", t, token)
		}
	}
	return t, nil
}

// isNumber reports whether a token is a whole number in its one spelling.
func isNumber(token string) bool {
	n, err := strconv.Atoi(token)
	return err == nil && strconv.Itoa(n) == token
}
