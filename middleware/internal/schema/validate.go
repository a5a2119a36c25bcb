package schema

import (
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Validate is the schema's own, with an error that says null where the library
// shows how Go has it.
func Validate(s *jsonschema.Resolved, v any) error {
	err := s.Validate(v)
	if err == nil || !strings.Contains(err.Error(), noValue) {
		return err
	}
	return errors.New(nulls.Replace(err.Error()))
}

// noValue is how the library prints null.
const noValue = "<invalid reflect.Value>"

var nulls = strings.NewReplacer(
	"type: "+noValue+` has type "null", want`, "it is null, want",
	noValue, "null",
)
