package schema

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestValidateSaysNull(t *testing.T) {
	for name, c := range map[string]struct{ schema, value, want string }{
		"fits":        {`{"type":"array"}`, `[null]`, ``},
		"one type":    {`{"type":"array"}`, `null`, `validating root: it is null, want "array"`},
		"in an array": {`{"items":{"type":["array","string"]}}`, `[null]`, `validating root: validating /items: it is null, want one of "array, string"`},
		"in an enum":  {`{"enum":["a","b"]}`, `null`, `validating root: enum: null does not equal any of: [a b]`},
		"another":     {`{"type":"array"}`, `5`, `validating root: type: 5 has type "integer", want "array"`},
	} {
		t.Run(name, func(t *testing.T) {
			var s jsonschema.Schema
			if err := json.Unmarshal([]byte(c.schema), &s); err != nil {
				t.Fatal(err)
			}
			resolved, err := s.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			v, err := Decode([]byte(c.value))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := Validate(resolved, v); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
