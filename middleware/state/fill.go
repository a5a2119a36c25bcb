package state

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"
)

// filler makes the nil slices and maps of an addressable value empty ones, so
// that they become [] and {} and not null: a front end that maps over a list
// breaks on null. It reports whether it changed anything.
type filler func(v reflect.Value, depth int) bool

// fillDepth is how deep a filler follows pointers and what interfaces hold: a
// value that contains itself has no end, which the encoder then reports.
const fillDepth = 1000

// fillerFor returns the filler of a type, or nil when there is nothing to
// fill. What marshals itself is left alone.
func fillerFor(t reflect.Type) filler {
	f := fillers{}.get(t)
	if !f.does {
		return nil
	}
	return f.fill
}

// fillers holds the fillers of the types met so far; a recursive type finds
// its own.
type fillers map[reflect.Type]*typeFiller

type typeFiller struct {
	fill filler
	does bool
}

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	timeType        = reflect.TypeFor[time.Time]()
)

func (fs fillers) get(t reflect.Type) *typeFiller {
	if f, ok := fs[t]; ok {
		return f
	}
	f := &typeFiller{fill: func(reflect.Value, int) bool { return false }}
	fs[t] = f
	for _, m := range []reflect.Type{jsonMarshaler, textMarshaler} {
		if t.Kind() != reflect.Interface && (t.Implements(m) || reflect.PointerTo(t).Implements(m)) {
			return f
		}
	}
	switch t.Kind() {
	case reflect.Slice:
		f.does = true
		f.fill = fillSlice(t, fs.get(t.Elem()))
	case reflect.Map:
		f.does = true
		f.fill = fillMap(t, fs.get(t.Elem()))
	case reflect.Array:
		e := fs.get(t.Elem())
		f.does = e.does
		f.fill = func(v reflect.Value, depth int) bool { return fillElements(v, e, depth) }
	case reflect.Pointer:
		// A type that is on its way is recursive, and so holds something.
		_, recursive := fs[t.Elem()]
		e := fs.get(t.Elem())
		f.does = e.does || recursive
		f.fill = func(v reflect.Value, depth int) bool {
			return !v.IsNil() && depth < fillDepth && e.fill(v.Elem(), depth+1)
		}
	case reflect.Interface:
		f.does = true
		f.fill = fillInterface
	case reflect.Struct:
		fs.structType(t, f)
	}
	return f
}

func (fs fillers) structType(t reflect.Type, f *typeFiller) {
	type field struct {
		index int
		fill  *typeFiller
	}
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		_, options, _ := strings.Cut(tag, ",")
		// omitzero omits a nil slice and keeps an empty one: the difference
		// is the user's.
		if tag == "-" || strings.Contains(options, "omitzero") || !sf.IsExported() && !sf.Anonymous {
			continue
		}
		if !sf.IsExported() && sf.Type.Kind() != reflect.Struct {
			continue
		}
		if e := fs.get(sf.Type); e.does {
			fields = append(fields, field{i, e})
		}
	}
	f.does = len(fields) > 0
	f.fill = func(v reflect.Value, depth int) bool {
		changed := false
		for _, fd := range fields {
			if fd.fill.fill(v.Field(fd.index), depth) {
				changed = true
			}
		}
		return changed
	}
}

func fillSlice(t reflect.Type, e *typeFiller) filler {
	return func(v reflect.Value, depth int) bool {
		if v.IsNil() {
			if !v.CanSet() {
				return false
			}
			v.Set(reflect.MakeSlice(t, 0, 0))
			return true
		}
		return fillElements(v, e, depth)
	}
}

func fillElements(v reflect.Value, e *typeFiller, depth int) bool {
	if !e.does || depth >= fillDepth {
		return false
	}
	changed := false
	for i := range v.Len() {
		if e.fill(v.Index(i), depth+1) {
			changed = true
		}
	}
	return changed
}

func fillMap(t reflect.Type, e *typeFiller) filler {
	return func(v reflect.Value, depth int) bool {
		if v.IsNil() {
			if !v.CanSet() {
				return false
			}
			v.Set(reflect.MakeMap(t))
			return true
		}
		if !e.does || depth >= fillDepth {
			return false
		}
		changed := false
		for it := v.MapRange(); it.Next(); {
			// A map's values cannot be set in place.
			c := reflect.New(t.Elem()).Elem()
			c.Set(it.Value())
			if e.fill(c, depth+1) {
				v.SetMapIndex(it.Key(), c)
				changed = true
			}
		}
		return changed
	}
}

// dynamicFillers caches the fillers of types found in interfaces.
var dynamicFillers sync.Map // reflect.Type → *typeFiller

func dynamicFiller(t reflect.Type) *typeFiller {
	if f, ok := dynamicFillers.Load(t); ok {
		return f.(*typeFiller)
	}
	f, _ := dynamicFillers.LoadOrStore(t, fillers{}.get(t))
	return f.(*typeFiller)
}

// fillInterface fills the value that an interface holds.
func fillInterface(v reflect.Value, depth int) bool {
	if v.IsNil() || depth >= fillDepth {
		return false
	}
	switch v.Elem().Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct, reflect.Array, reflect.Pointer:
	default:
		return false
	}
	f := dynamicFiller(v.Elem().Type())
	if !f.does {
		return false
	}
	c := reflect.New(v.Elem().Type()).Elem()
	c.Set(v.Elem())
	if !f.fill(c, depth+1) {
		return false
	}
	v.Set(c)
	return true
}
