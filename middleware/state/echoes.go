package state

import (
	"encoding/json"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/internal/schema"
)

// withoutEchoes takes the members out of what a model wrote, decoded to v, that
// its schema has no place for and that are in the document too: the model was
// shown them, and is to keep what it was shown. The document keeps them anyway.
func (r *generation[S]) withoutEchoes(value json.RawMessage, v any) json.RawMessage {
	var shown map[string]bool
	var patch agui.Patch
	for pointer, pattern := range strangers(v, r.wanted.schema) {
		if shown == nil {
			shown = r.strangersShown()
		}
		if shown[pattern] {
			patch = append(patch, agui.Operation{Op: agui.OpRemove, Path: pointer})
		}
	}
	if next, err := jsonpatch.Apply(value, patch); err == nil {
		return next
	}
	return value
}

// strangersShown are the patterns of the members that the model is shown of
// the target and that its schema has no place for.
func (r *generation[S]) strangersShown() map[string]bool {
	patterns := map[string]bool{}
	doc, err := r.core.document()
	if err != nil {
		return patterns
	}
	seen, err := without(doc, r.core.hidden)
	if err != nil {
		return patterns
	}
	v, err := schema.Decode(lookup(seen, r.o.Target))
	if err != nil {
		return patterns
	}
	for _, pattern := range strangers(v, r.wanted.schema) {
		patterns[pattern] = true
	}
	return patterns
}

// strangers yields the pointers of the members in a value that its schema has
// no place for, and as a pattern where they are: with a * for any element or
// member alike.
func strangers(v any, s *jsonschema.Schema) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) { strange(v, s, "", "", yield) }
}

func strange(v any, s *jsonschema.Schema, at, pattern jsontext.Pointer, yield func(string, string) bool) bool {
	if s == nil {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
		for name, m := range v {
			at, member := at.AppendToken(name), s.Properties[name]
			switch {
			case member != nil:
				if !strange(m, member, at, pattern.AppendToken(name), yield) {
					return false
				}
			case closed:
				if !yield(string(at), string(pattern.AppendToken(name))) {
					return false
				}
			default:
				if !strange(m, s.AdditionalProperties, at, pattern.AppendToken("*"), yield) {
					return false
				}
			}
		}
	case []any:
		for i, e := range v {
			if !strange(e, s.Items, at.AppendToken(strconv.Itoa(i)), pattern.AppendToken("*"), yield) {
				return false
			}
		}
	}
	return true
}
