// Package schema makes JSON Schemas from Go types, for tools and structured
// answers.
package schema

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguistate/aguistate/middleware/internal/jsonfield"
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
// the values of a string field, or of the elements of a list or map of strings. A
// type that marshals itself may be any JSON unless the schema library knows
// it.
func For(t reflect.Type) (*jsonschema.Schema, error) {
	if err := Check(t); err != nil {
		return nil, err
	}
	b := builder{types: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.Number](): {Type: "number"},
		reflect.TypeFor[big.Int]():     {Type: "integer"},
	}}
	if err := b.custom(t, map[reflect.Type]bool{}); err != nil {
		return nil, err
	}
	return b.schema(t)
}

// builder makes the schemas of one type and of what is in it.
type builder struct {
	types map[reflect.Type]*jsonschema.Schema // those that the library has no or another schema for
}

func (b *builder) schema(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: b.types})
	if err != nil {
		return nil, err
	}
	return s, b.refine(t, s)
}

// custom finds the types that the library reads otherwise than encoding/json
// writes them: those that marshal themselves, bytes, and maps by number.
func (b *builder) custom(t reflect.Type, seen map[reflect.Type]bool) error {
	if seen[t] || b.types[t] != nil {
		return nil
	}
	seen[t] = true
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		if implements(t, marshaler) && !known(t) {
			b.types[t] = &jsonschema.Schema{}
			return nil
		}
		if implements(t, textMarshaler) && !known(t) {
			b.types[t] = &jsonschema.Schema{Type: "string"}
			return nil
		}
	}
	switch t.Kind() {
	case reflect.Slice:
		if isBytes(t) {
			b.types[t] = &jsonschema.Schema{Type: "string", Description: "bytes, in base64"}
			return nil
		}
		return b.custom(t.Elem(), seen)
	case reflect.Map:
		if err := b.custom(t.Elem(), seen); err != nil || t.Key().Kind() == reflect.String {
			return err
		}
		s, err := b.schema(t.Elem())
		if err != nil {
			return err
		}
		b.types[t] = &jsonschema.Schema{Type: "object", AdditionalProperties: s}
	case reflect.Pointer, reflect.Array:
		return b.custom(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() || f.Anonymous {
				if err := b.custom(f.Type, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// isBytes reports whether encoding/json writes a slice as base64.
func isBytes(t reflect.Type) bool {
	return t.Elem().Kind() == reflect.Uint8 && !implements(t.Elem(), marshaler) && !implements(t.Elem(), textMarshaler)
}

// known reports whether the schema library has its own schema for the type.
func known(t reflect.Type) bool {
	switch t.PkgPath() {
	case "time", "log/slog":
		return true
	}
	return false
}

// refine adds what the library does not read off the type, and takes off what
// we do not send: null for lists.
func (b *builder) refine(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if implements(t, marshaler) || implements(t, textMarshaler) {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if slices.Equal(s.Types, []string{"null", "array"}) {
			s.Types, s.Type = nil, "array"
		}
		if s.Items != nil {
			return b.refine(t.Elem(), s.Items)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			return b.refine(t.Elem(), s.AdditionalProperties)
		}
	case reflect.Struct:
		return b.refineStruct(t, s)
	}
	return nil
}

// refineStruct makes the members those that encoding/json writes, each with
// what its field's tags say.
func (b *builder) refineStruct(t reflect.Type, s *jsonschema.Schema) error {
	fields := jsonfield.Of(t)
	if embeds(t) { // the library has its own rules there
		s.Properties, s.Required, s.PropertyOrder = map[string]*jsonschema.Schema{}, nil, nil
		for _, f := range fields {
			p, err := jsonschema.ForType(f.Type, &jsonschema.ForOptions{TypeSchemas: b.types})
			if err != nil {
				return err
			}
			p.Description = cmp.Or(f.Tag.Get("jsonschema"), p.Description)
			s.Properties[f.Name] = p
			s.PropertyOrder = append(s.PropertyOrder, f.Name)
			if !f.Optional {
				s.Required = append(s.Required, f.Name)
			}
		}
	}
	for _, f := range fields {
		p := s.Properties[f.Name]
		if p == nil {
			continue
		}
		if err := b.refine(f.Type, p); err != nil {
			return err
		}
		if f.String {
			inString(f.Type, p)
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			setEnum(p, enum)
		}
	}
	return nil
}

func embeds(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			return true
		}
	}
	return false
}

// inString makes the schema of a number or boolean that of one in a string.
func inString(t reflect.Type, s *jsonschema.Schema) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if implements(t, marshaler) || implements(t, textMarshaler) {
		return
	}
	switch k := t.Kind(); {
	case k == reflect.Bool, k == reflect.String, k == reflect.Float32, k == reflect.Float64, isInteger(k):
		s.Minimum, s.Maximum = nil, nil
		if s.Type != "" {
			s.Type = "string"
		} else {
			s.Types = []string{"null", "string"}
		}
	}
}

// setEnum lists the values of a string, or of the strings in a list or map.
func setEnum(s *jsonschema.Schema, values string) {
	switch {
	case s.Items != nil:
		s = s.Items
	case s.Type == "object" && s.AdditionalProperties != nil:
		s = s.AdditionalProperties
	}
	for v := range strings.SplitSeq(values, ",") {
		s.Enum = append(s.Enum, strings.TrimSpace(v))
	}
	if slices.Contains(s.Types, "null") {
		s.Enum = append(s.Enum, nil)
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
