package state

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguistate/aguistate/internal/jsonpatch"
)

// keepHidden puts into next, which a model wrote that does not see what is
// hidden, what text has of that: it is kept like members that S does not know.
func keepHidden(text, next []byte, hidden []string, o *jsonpatch.Options) ([]byte, error) {
	if len(hidden) == 0 {
		return next, nil
	}
	before, err := without(text, hidden)
	if err != nil {
		return nil, err
	}
	after, err := without(next, hidden)
	if err != nil {
		return nil, err
	}
	return jsonpatch.Rebase(text, before, after, o)
}

// hide takes what a pattern names out of the schema of the value at target.
func hide(s *jsonschema.Schema, target, pattern []string) {
	for _, token := range target {
		if len(pattern) == 0 || pattern[0] != token && pattern[0] != "*" {
			return
		}
		pattern = pattern[1:]
	}
	hideBelow(s, pattern)
}

func hideBelow(s *jsonschema.Schema, pattern []string) {
	if s == nil || len(pattern) == 0 {
		return
	}
	token, last := pattern[0], len(pattern) == 1
	for name, member := range s.Properties {
		switch {
		case token != name && token != "*":
		case !last:
			hideBelow(member, pattern[1:])
		default:
			delete(s.Properties, name)
			is := func(other string) bool { return other == name }
			s.Required = slices.DeleteFunc(s.Required, is)
			s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, is)
		}
	}
	if _, err := strconv.Atoi(token); (err == nil || token == "*") && !last {
		hideBelow(s.Items, pattern[1:])
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil && !last {
		hideBelow(s.AdditionalProperties, pattern[1:])
	}
}

func pointerTokens(p string) []string { return slices.Collect(jsontext.Pointer(p).Tokens()) }

// firstToken splits a pointer that is not empty after its first token.
func firstToken(p jsontext.Pointer) (token string, rest jsontext.Pointer) {
	for token = range p.Tokens() {
		break
	}
	if i := strings.IndexByte(string(p[1:]), '/'); i >= 0 {
		rest = p[1+i:]
	}
	return token, rest
}
