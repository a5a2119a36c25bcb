package standin

import (
	"fmt"
	"slices"
	"strings"
)

// strictFault tells in what a schema breaks the rules of strict mode, or "".
// Every object lists all its properties as required and allows no others; the
// root is an object; some keywords are not served.
func strictFault(schema *object) string {
	if schema.get("type") != "object" {
		return "the root of a strict schema has to have the type \"object\""
	}
	return strictNode(schema, "")
}

var unservedKeywords = []string{"allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "oneOf", "unevaluatedProperties"}

func strictNode(v any, at string) string {
	s, ok := v.(*object)
	if !ok {
		return fmt.Sprintf("at '%s': a strict schema's node is an object, not %s", at, typeName(v))
	}
	for _, k := range unservedKeywords {
		if s.has(k) {
			return fmt.Sprintf("at '%s': strict mode does not serve '%s'", at, k)
		}
	}
	if ref := s.str("$ref"); ref != "" && !strings.HasPrefix(ref, "#") {
		return fmt.Sprintf("at '%s': '%s' points outside the schema", at, ref)
	}
	if slices.Contains(typesOf(s), "object") || s.has("properties") {
		if s.get("additionalProperties") != false {
			return fmt.Sprintf("at '%s': 'additionalProperties' has to be given, and to be false", at)
		}
		props := s.obj("properties")
		required := texts(s.arr("required"))
		if props != nil {
			for _, k := range props.keys {
				if !slices.Contains(required, k) {
					return fmt.Sprintf("at '%s': 'required' has to list every property; '%s' is missing", at, k)
				}
				if why := strictNode(props.get(k), at+"/properties/"+k); why != "" {
					return why
				}
			}
		}
		for _, k := range required {
			if !props.has(k) {
				return fmt.Sprintf("at '%s': 'required' lists '%s', which is no property", at, k)
			}
		}
	}
	if slices.Contains(typesOf(s), "array") {
		if !s.has("items") {
			return fmt.Sprintf("at '%s': an array has to have 'items'", at)
		}
		if why := strictNode(s.get("items"), at+"/items"); why != "" {
			return why
		}
	}
	for i, e := range s.arr("anyOf") {
		if why := strictNode(e, fmt.Sprintf("%s/anyOf/%d", at, i)); why != "" {
			return why
		}
	}
	for _, defs := range []string{"$defs", "definitions"} {
		d := s.obj(defs)
		if d == nil {
			continue
		}
		for _, k := range d.keys {
			if why := strictNode(d.get(k), at+"/"+defs+"/"+k); why != "" {
				return why
			}
		}
	}
	return ""
}

// typesOf lists the types a schema node allows by its 'type'.
func typesOf(s *object) []string {
	if t := s.str("type"); t != "" {
		return []string{t}
	}
	return texts(s.arr("type"))
}
