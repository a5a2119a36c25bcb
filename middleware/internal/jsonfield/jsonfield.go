// Package jsonfield knows which members encoding/json gives to a struct.
package jsonfield

import (
	"reflect"
	"slices"
	"strings"
)

// Field is a member of a struct's JSON.
type Field struct {
	reflect.StructField
	// Name is the member's.
	Name string
	// String says that the value stands in a string: the option of that name.
	String bool
	// Optional says that the member may be absent: by its own options, or
	// because a pointer to the struct that it comes from may be nil.
	Optional bool

	index  []int
	tagged bool
}

// Of lists the members of a struct type, those of embedded structs among them,
// in the order in which they are written. Of several fields for one name the
// least nested counts, then the one with the name in its tag; where that leaves
// several, none does.
func Of(t reflect.Type) []Field {
	type embedded struct {
		t     reflect.Type
		index []int
		maybe bool
		twice bool // embedded more than once at this level: no name of its counts
	}
	var out []Field
	taken, visited := map[string]bool{}, map[reflect.Type]bool{t: true}
	for level := []embedded{{t: t}}; len(level) > 0; {
		var deeper []embedded
		found := map[string][]Field{}
		for _, e := range level {
			for i := range e.t.NumField() {
				f := e.t.Field(i)
				tag := f.Tag.Get("json")
				if tag == "-" {
					continue
				}
				name, rest, _ := strings.Cut(tag, ",")
				options := strings.Split(rest, ",")
				index := append(slices.Clip(e.index), i)
				if s := structOf(f); f.Anonymous && name == "" && s != nil {
					pointer := f.Type.Kind() == reflect.Pointer
					again := slices.IndexFunc(deeper, func(d embedded) bool { return d.t == s })
					switch {
					case again >= 0:
						deeper[again].twice = true
					case !visited[s]:
						deeper = append(deeper, embedded{t: s, index: index, maybe: e.maybe || pointer, twice: e.twice})
					}
					continue
				}
				if !f.IsExported() {
					continue
				}
				m := Field{
					StructField: f, Name: name, tagged: name != "", index: index,
					String:   slices.Contains(options, "string"),
					Optional: e.maybe || slices.Contains(options, "omitempty") || slices.Contains(options, "omitzero"),
				}
				if name == "" {
					m.Name = f.Name
				}
				found[m.Name] = append(found[m.Name], m)
				if e.twice {
					found[m.Name] = append(found[m.Name], m)
				}
			}
		}
		for name, fields := range found {
			if !taken[name] {
				out = append(out, dominant(fields)...)
			}
			taken[name] = true
		}
		for _, d := range deeper {
			visited[d.t] = true
		}
		level = deeper
	}
	slices.SortFunc(out, func(a, b Field) int { return slices.Compare(a.index, b.index) })
	return out
}

// structOf is the struct that an embedded field may give its members from.
func structOf(f reflect.StructField) reflect.Type {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// dominant is the one field of a level that counts, or none.
func dominant(fields []Field) []Field {
	if len(fields) > 1 {
		fields = slices.DeleteFunc(fields, func(f Field) bool { return !f.tagged })
	}
	if len(fields) != 1 {
		return nil
	}
	return fields
}
