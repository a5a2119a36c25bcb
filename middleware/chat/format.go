package chat

import (
	"fmt"
	"reflect"
	"regexp"

	"github.com/aguistate/aguistate/middleware/internal/schema"
)

var formatName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// FormatFor returns the response format that asks for a T as JSON. The schema
// comes from the type, as in [NewTool]. It is strict where OpenAI's strict
// mode can say it: every member is then required, and one with omitempty may
// be null. A type with maps or members of any type is asked for without it.
//
// It panics when T cannot be JSON, naming the field, when it is no object, and
// when the name has other characters than letters, digits, _ and -.
func FormatFor[T any](name, description string) *ResponseFormat {
	t := reflect.TypeFor[T]()
	if !formatName.MatchString(name) {
		panic(fmt.Sprintf("chat: FormatFor: the name %q has other characters than letters, digits, _ and -", name))
	}
	s, err := schema.For(t)
	if err != nil {
		panic(fmt.Sprintf("chat: FormatFor: %v", err))
	}
	if s.Type != "object" {
		panic(fmt.Sprintf("chat: FormatFor: %s is no JSON object", t))
	}
	f := &ResponseFormat{Name: name, Description: description}
	f.Schema, f.Strict = schema.Format(s)
	return f
}
