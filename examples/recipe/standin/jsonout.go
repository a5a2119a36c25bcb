package standin

import (
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

// writer fills a JSON schema from what the cook knows. It writes the members in
// the schema's order, only those the schema has, and each enum's own words.
type writer struct {
	root  *object
	words map[string]any // what is known, by member name, beside the value at hand
	nodes int            // how many values were written
	fault string         // why the schema cannot be followed
}

// maxNodes bounds the document that a schema may ask for.
const maxNodes = 50_000

// maxRefs bounds how many references are followed from one node.
const maxRefs = 32

// write gives the value for a schema; known is what stands there now.
func (w *writer) write(schema any, known any, depth int) any {
	if w.nodes++; w.nodes > maxNodes || w.fault != "" {
		w.fault = cmp.Or(w.fault, "the schema asks for a document that is too large")
		return nil
	}
	if b, ok := schema.(bool); ok && b {
		return known
	}
	s, ok := schema.(*object)
	if !ok {
		w.fault = "a schema node is neither an object nor true"
		return nil
	}
	for i := 0; s.has("$ref"); i++ {
		target, ok := w.resolve(s.str("$ref"))
		if !ok || i > maxRefs {
			w.fault = "the reference '" + text(s.get("$ref")) + "' leads nowhere"
			return nil
		}
		s = target
	}
	if depth > maxDepth/2 {
		if !allowsNull(s) {
			w.fault = "the schema asks for a document without end"
		}
		return nil
	}
	if s.has("const") {
		return s.get("const")
	}
	if e := s.arr("enum"); len(e) > 0 {
		return closest(e, known)
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if alts := s.arr(k); len(alts) > 0 {
			return w.write(w.choose(alts, known), known, depth+1)
		}
	}
	if all := s.arr("allOf"); len(all) > 0 {
		s = w.join(s, all)
	}
	switch t := w.typeFor(s, known); t {
	case "object":
		return w.writeObject(s, known, depth)
	case "array":
		return w.writeArray(s, known, depth)
	case "string":
		return fitString(s, known)
	case "integer", "number":
		return numberFor(s, known, t == "integer")
	case "boolean":
		b, _ := known.(bool)
		return b
	case "null":
		return nil
	}
	return known
}

func (w *writer) resolve(ref string) (*object, bool) {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	at := w.root
	for _, k := range strings.Split(rest, "/")[1:] {
		k = strings.NewReplacer("~1", "/", "~0", "~").Replace(k)
		at = at.obj(k)
	}
	return at, at != nil
}

// typeFor picks the one of a node's types that the value has, or the first.
func (w *writer) typeFor(s *object, known any) string {
	types := typesOf(s)
	if len(types) == 0 {
		switch {
		case s.has("properties"):
			return "object"
		case s.has("items"):
			return "array"
		}
		return ""
	}
	have := jsonType(known)
	for _, t := range types {
		if t == have || t == "integer" && have == "number" {
			return t
		}
	}
	if known == nil && slices.Contains(types, "null") {
		return "null"
	}
	return types[0]
}

func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case *object:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return "number"
}

func allowsNull(s *object) bool {
	return slices.Contains(typesOf(s), "null") ||
		slices.ContainsFunc(s.arr("anyOf"), func(e any) bool { o, _ := e.(*object); return o.str("type") == "null" })
}

// choose picks the alternative whose type the value has, or the first.
func (w *writer) choose(alts []any, known any) any {
	have := jsonType(known)
	for _, a := range alts {
		s, _ := a.(*object)
		for i := 0; s.has("$ref") && i < maxRefs; i++ {
			s, _ = w.resolve(s.str("$ref"))
		}
		types := typesOf(s)
		if slices.Contains(types, have) || have == "number" && slices.Contains(types, "integer") || have == "object" && s.has("properties") {
			return a
		}
	}
	return alts[0]
}

func (w *writer) join(s *object, all []any) *object {
	out := s.clone()
	props, required := newObject(), []any{}
	take := func(o *object) {
		if t := o.get("type"); t != nil {
			out.set("type", t)
		}
		if p := o.obj("properties"); p != nil {
			for _, k := range p.keys {
				props.set(k, p.get(k))
			}
		}
		required = append(required, o.arr("required")...)
	}
	take(s)
	for _, a := range all {
		o, _ := a.(*object)
		for i := 0; o.has("$ref") && i < maxRefs; i++ {
			o, _ = w.resolve(o.str("$ref"))
		}
		take(o)
	}
	if len(props.keys) > 0 {
		out.set("properties", props)
		out.set("required", required)
	}
	return out
}

func (w *writer) writeObject(s *object, known any, depth int) any {
	have, _ := known.(*object)
	out := newObject()
	props := s.obj("properties")
	required := texts(s.arr("required"))
	if props != nil {
		for _, k := range props.keys {
			v, ok := have.get(k), have.has(k)
			if !ok {
				v, ok = w.guess(k, depth)
			}
			if !ok && !slices.Contains(required, k) {
				continue
			}
			out.set(k, w.write(props.get(k), v, depth+1))
			if w.fault != "" {
				return nil
			}
		}
	}
	switch extra := s.get("additionalProperties").(type) {
	case *object: // a map
		if have != nil {
			for _, k := range have.keys {
				if !props.has(k) {
					out.set(k, w.write(extra, have.get(k), depth+1))
				}
			}
		}
	case bool:
		if !extra || props != nil || have == nil {
			break
		}
		return have
	case nil:
		if props == nil && have != nil {
			return have
		}
	}
	for _, k := range required {
		if !out.has(k) {
			out.set(k, nil)
		}
	}
	return out
}

// memberKey folds "skill_level", "skillLevel" and "Skill levels" into one.
func memberKey(name string) string { return nameKey(strings.Join(nameWords(name), " ")) }

// guess gives what is known for a member that the value at hand has not.
func (w *writer) guess(name string, depth int) (any, bool) {
	v, ok := w.words[memberKey(name)]
	if _, deep := v.(*object); deep && depth > 2 {
		return nil, false
	}
	return v, ok
}

func (w *writer) writeArray(s *object, known any, depth int) any {
	have, _ := known.([]any)
	out := []any{}
	items := s.get("items")
	limit := len(have)
	if n, ok := intOf(s.get("maxItems")); ok {
		limit = min(limit, max(n, 0))
	}
	o, _ := items.(*object)
	for _, e := range have[:limit] {
		if items == nil {
			out = append(out, e)
			continue
		}
		if allowed := o.arr("enum"); len(allowed) > 0 {
			if !slices.ContainsFunc(allowed, func(a any) bool { return same(a, e) }) {
				continue // a word the schema does not know has no place in its list
			}
		}
		out = append(out, w.write(items, e, depth+1))
		if w.fault != "" {
			return nil
		}
	}
	n, _ := intOf(s.get("minItems"))
	for len(out) < min(n, 64) && items != nil && w.fault == "" {
		out = append(out, w.write(items, nil, depth+1))
	}
	return out
}

// closest is the enum's value that equals the known one, if need be but for
// case; otherwise the first.
func closest(enum []any, known any) any {
	for _, e := range enum {
		if same(e, known) {
			return e
		}
	}
	for _, e := range enum {
		if strings.EqualFold(text(e), text(known)) && text(e) != "" {
			return e
		}
	}
	return enum[0]
}

func same(a, b any) bool { return valueString(a) == valueString(b) }

func fitString(s *object, known any) any {
	out := ""
	switch v := known.(type) {
	case string:
		out = v
	case json.Number:
		out = v.String()
	case []any:
		out = strings.Join(texts(v), "\n")
	case *object:
		out = valueString(v)
	}
	if n, ok := intOf(s.get("maxLength")); ok && n >= 0 {
		if r := []rune(out); len(r) > n {
			out = string(r[:n])
		}
	}
	return out
}

func intOf(v any) (int, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return int(i), err == nil
}

// numberFor gives a number within the schema's bounds; a text's leading number
// counts, so that an amount "2 cups" fits a number.
func numberFor(s *object, known any, whole bool) any {
	out := big.NewRat(0, 1)
	if n, ok := known.(json.Number); ok {
		if len(n) > 40 {
			return n
		}
		if !whole && !s.has("minimum") && !s.has("maximum") {
			return n
		}
		out = ratOf(n)
	} else if t, ok := known.(string); ok {
		if m := quantity.Number.FindString(t); m != "" {
			if v, _, ok := quantity.Parse(m); ok {
				out = v
			}
		}
	}
	if lo, ok := s.get("minimum").(json.Number); ok && out.Cmp(ratOf(lo)) < 0 {
		out = ratOf(lo)
	}
	if hi, ok := s.get("maximum").(json.Number); ok && out.Cmp(ratOf(hi)) > 0 {
		out = ratOf(hi)
	}
	if whole || out.IsInt() {
		return json.Number(new(big.Int).Quo(out.Num(), out.Denom()).String())
	}
	return json.Number(strings.TrimRight(out.FloatString(6), "0"))
}

// ratOf reads a JSON number; one with a huge exponent counts as 0.
func ratOf(n json.Number) *big.Rat {
	f, err := n.Float64()
	if err != nil || f > 1e15 || f < -1e15 {
		return big.NewRat(0, 1)
	}
	if r := new(big.Rat).SetFloat64(f); r != nil {
		if exact, ok := new(big.Rat).SetString(n.String()); ok && len(n) <= 24 && !strings.ContainsAny(string(n), "eE") {
			return exact
		}
		return r
	}
	return big.NewRat(0, 1)
}
