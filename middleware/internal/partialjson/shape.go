package partialjson

import (
	"encoding"
	"encoding/json"
	"reflect"

	"github.com/aguistate/aguistate/middleware/internal/jsonfield"
)

// Shape says of a value, and of what it may hold, what can be shown before it
// is whole. A nil Shape lets every string below it grow.
type Shape interface {
	// Member is the shape of an object's member.
	Member(name string) Shape
	// Element is the shape of an array's elements.
	Element() Shape
	// Grows reports whether a string may be shown before it is whole.
	Grows() bool
	// Whole reports whether also an object or array waits until it is whole.
	Whole() bool
}

// ShapeOf returns the shape of the JSON that decodes into a Go type with the
// rules of encoding/json, member names matched exactly. It is safe for
// concurrent use.
//
// Strings grow, except where half of one would not decode or would mean
// something else: in a field with an `enum` tag (also the elements of a list
// and the values of a map), with the option `string`, in a []byte, a
// json.Number, or a place where no string belongs. A type that decodes itself,
// from JSON or from text, waits until it is whole, with all that is in it.
// Below an interface or a json.RawMessage, and in members that the type does
// not know, every string grows.
func ShapeOf(t reflect.Type) Shape { return shapes{}.of(t) }

type shape struct {
	grows, whole bool
	members      map[string]Shape // of a struct
	element      Shape            // of a list or map
}

func (s *shape) Member(name string) Shape {
	if s.members != nil {
		return s.members[name]
	}
	return s.element
}
func (s *shape) Element() Shape { return s.element }
func (s *shape) Grows() bool    { return s.grows }
func (s *shape) Whole() bool    { return s.whole }

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	rawMessage      = reflect.TypeFor[json.RawMessage]()
	number          = reflect.TypeFor[json.Number]()
)

// shapes are those of the types met so far; a recursive type finds its own.
type shapes map[reflect.Type]*shape

func (ss shapes) of(t reflect.Type) Shape {
	if t = pointedTo(t); t == nil || t == rawMessage {
		return nil
	}
	custom := decodesItself(t)
	if t.Kind() == reflect.Interface && !custom {
		return nil
	}
	if s, ok := ss[t]; ok {
		return s
	}
	s := &shape{whole: custom}
	ss[t] = s
	if custom {
		return s
	}
	switch t.Kind() {
	case reflect.String:
		s.grows = t != number
	case reflect.Slice, reflect.Array, reflect.Map:
		s.element = ss.of(t.Elem())
	case reflect.Struct:
		s.members = map[string]Shape{}
		for _, f := range jsonfield.Of(t) {
			s.members[f.Name] = ss.field(f)
		}
	}
	return s
}

// field is the shape of what a struct's field holds.
func (ss shapes) field(f jsonfield.Field) Shape {
	t := pointedTo(f.Type)
	if t == nil || decodesItself(t) {
		return ss.of(f.Type)
	}
	enum := f.Tag.Get("enum") != ""
	switch t.Kind() {
	case reflect.String:
		if enum || f.String {
			return &shape{}
		}
	case reflect.Slice, reflect.Array, reflect.Map:
		if e := pointedTo(t.Elem()); enum && e != nil && e.Kind() == reflect.String {
			return &shape{element: &shape{whole: decodesItself(e)}}
		}
	}
	return ss.of(t)
}

// decodesItself reports whether a type has a say in how it is decoded. The
// third method is that of encoding/json/v2.
func decodesItself(t reflect.Type) bool {
	if t == rawMessage {
		return false
	}
	p := t
	if t.Kind() != reflect.Interface {
		p = reflect.PointerTo(t)
	}
	_, v2 := p.MethodByName("UnmarshalJSONFrom")
	return v2 || p.Implements(unmarshaler) || p.Implements(textUnmarshaler)
}

// pointedTo follows pointers; nil for one that leads to itself.
func pointedTo(t reflect.Type) reflect.Type {
	for seen := map[reflect.Type]bool(nil); t.Kind() == reflect.Pointer; t = t.Elem() {
		if seen[t] {
			return nil
		}
		if t.Name() != "" { // only a named type can lead to itself
			if seen == nil {
				seen = map[reflect.Type]bool{}
			}
			seen[t] = true
		}
	}
	return t
}
