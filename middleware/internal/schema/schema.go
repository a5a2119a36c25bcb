// Package schema makes JSON Schemas from Go types, for tools and structured
// answers.
package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// Check reports what in a type cannot be JSON, naming the field: channels,
// functions, complex numbers, interfaces with methods, maps whose keys are no
// text, and two fields of one JSON name. Types that marshal themselves are
// taken on trust.
func Check(t reflect.Type) error {
	return check(t, t.String(), map[reflect.Type]bool{})
}

func check(t reflect.Type, path string, seen map[reflect.Type]bool) error {
	if seen[t] || implements(t, marshaler) || implements(t, textMarshaler) {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("%s: a %s cannot be JSON", path, t.Kind())
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Errorf("%s: JSON cannot be decoded into the interface %s", path, t)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return check(t.Elem(), path, seen)
	case reflect.Map:
		switch k := t.Key(); {
		case k.Kind() == reflect.String, isInteger(k.Kind()), implements(k, textMarshaler):
		default:
			return fmt.Errorf("%s: a map key of type %s cannot be JSON", path, k)
		}
		return check(t.Elem(), path, seen)
	case reflect.Struct:
		return checkStruct(t, path, seen)
	}
	return nil
}

func checkStruct(t reflect.Type, path string, seen map[reflect.Type]bool) error {
	names := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, skip := jsonName(f)
		if skip {
			continue
		}
		at := path + "." + f.Name
		// Names may be shadowed through embedding, which is Go's rule for
		// fields; two of one struct are dropped in silence, both.
		if name != "" {
			if other, ok := names[name]; ok {
				return fmt.Errorf("%s: the JSON name %q is also that of %s", at, name, other)
			}
			names[name] = f.Name
		}
		if err := check(f.Type, at, seen); err != nil {
			return err
		}
	}
	return nil
}

// jsonName returns a field's member name, "" for an embedded struct whose
// fields are promoted, and whether encoding/json skips the field.
func jsonName(f reflect.StructField) (name string, options []string, skip bool) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return "", nil, true
	}
	name, rest, _ := strings.Cut(tag, ",")
	if rest != "" {
		options = strings.Split(rest, ",")
	}
	if f.Anonymous && name == "" {
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			return "", options, !f.IsExported() && f.Type.Kind() == reflect.Pointer
		}
	}
	if !f.IsExported() {
		return "", nil, true
	}
	if name == "" {
		name = f.Name
	}
	return name, options, false
}

func isInteger(k reflect.Kind) bool {
	return k >= reflect.Int && k <= reflect.Uintptr
}

func implements(t, i reflect.Type) bool {
	return t.Implements(i) || t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(i)
}

// For returns the JSON Schema of a Go type. Fields without omitempty are
// required; a `jsonschema` tag describes a field; an `enum:"a,b"` tag lists
// the values of a string field, or of the elements of a list of strings. A
// type that marshals itself may be any JSON unless the schema library knows
// it.
func For(t reflect.Type) (*jsonschema.Schema, error) {
	if err := Check(t); err != nil {
		return nil, err
	}
	types := map[reflect.Type]*jsonschema.Schema{}
	custom(t, types, map[reflect.Type]bool{})
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		return nil, err
	}
	refine(t, s)
	return s, nil
}

// custom finds the types that marshal themselves.
func custom(t reflect.Type, types map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		if implements(t, marshaler) && !known(t) {
			types[t] = &jsonschema.Schema{}
			return
		}
		if implements(t, textMarshaler) && !known(t) {
			types[t] = &jsonschema.Schema{Type: "string"}
			return
		}
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		custom(t.Elem(), types, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() || f.Anonymous {
				custom(f.Type, types, seen)
			}
		}
	}
}

// known reports whether the schema library has its own schema for the type.
func known(t reflect.Type) bool {
	switch t.PkgPath() {
	case "time", "log/slog", "math/big":
		return true
	}
	return false
}

// refine adds what the library does not read off the type: enums; and takes
// off what we do not send: null for lists.
func refine(t reflect.Type, s *jsonschema.Schema) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if implements(t, marshaler) {
		return
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if slices.Equal(s.Types, []string{"null", "array"}) {
			s.Types, s.Type = nil, "array"
		}
		if s.Items != nil {
			refine(t.Elem(), s.Items)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			refine(t.Elem(), s.AdditionalProperties)
		}
	case reflect.Struct:
		refineStruct(t, s)
	}
}

func refineStruct(t reflect.Type, s *jsonschema.Schema) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, skip := jsonName(f)
		if skip {
			continue
		}
		if name == "" {
			e := f.Type
			if e.Kind() == reflect.Pointer {
				e = e.Elem()
			}
			refineStruct(e, s)
			continue
		}
		p := s.Properties[name]
		if p == nil {
			continue
		}
		refine(f.Type, p)
		if enum := f.Tag.Get("enum"); enum != "" {
			to := p
			if p.Items != nil {
				to = p.Items
			}
			for v := range strings.SplitSeq(enum, ",") {
				to.Enum = append(to.Enum, strings.TrimSpace(v))
			}
		}
	}
}

// Strict rewrites a schema into the form that OpenAI's strict mode takes:
// every member required, those that were optional nullable, nothing
// additional. It reports false, and the schema is of no use, when the schema
// has what that form cannot say: maps and members of any type.
func Strict(s *jsonschema.Schema) bool {
	if s.Type == "" && len(s.Types) == 0 && len(s.Enum) == 0 {
		return false
	}
	if s.Items != nil && !Strict(s.Items) {
		return false
	}
	if s.Type != "object" && !slices.Contains(s.Types, "object") {
		return true
	}
	if s.Properties == nil || s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
		if len(s.Properties) == 0 {
			return false
		}
	}
	names := s.PropertyOrder
	if len(names) == 0 {
		for name := range s.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	for _, name := range names {
		p := s.Properties[name]
		if p == nil || !Strict(p) {
			return false
		}
		if !slices.Contains(s.Required, name) && p.Type != "" {
			p.Types, p.Type = []string{p.Type, "null"}, ""
			if len(p.Enum) > 0 {
				p.Enum = append(p.Enum, nil)
			}
		}
	}
	s.Required = slices.Clone(names)
	return true
}

// Format returns the text of a schema for a response format, and whether it is
// in the strict form.
func Format(s *jsonschema.Schema) (text json.RawMessage, strict bool) {
	loose, err := json.Marshal(s)
	if err != nil {
		panic("schema: " + err.Error()) // one that was made here always marshals
	}
	if c := s.CloneSchemas(); Strict(c) {
		if text, err := json.Marshal(c); err == nil {
			return text, true
		}
	}
	return loose, false
}
