package standin

import (
	"encoding/json"
	"strings"
)

// think works out the answer to a request that has been found valid.
func think(r *completionRequest) (reply, *apiError) {
	c := readConversation(r)
	u := understand(c.said)
	if r.choice.mode != "none" {
		must := r.choice.mode == "required"
		if calls := planCalls(r, c, u, must); len(calls) > 0 {
			if r.ParallelToolCalls != nil && !*r.ParallelToolCalls {
				calls = calls[:1]
			}
			return reply{calls: calls, finish: "tool_calls"}, nil
		}
	}
	schema, name := wantedSchema(r, c)
	anyJSON := r.ResponseFormat != nil && r.ResponseFormat.Type == "json_object"
	if schema == nil && !anyJSON {
		return reply{text: speak(c, u), finish: "stop"}, nil
	}
	if len(c.done) == 0 { // what tool calls have carried out is in the state already
		c.recipe = carryOut(u.wishes, c.recipe)
	}
	next := document(c)
	if schema == nil {
		return reply{text: valueString(next), finish: "stop", json: true}, nil
	}
	w := &writer{root: schema, words: knownWords(c, u)}
	v := w.write(schema, next, 0)
	if w.fault != "" {
		return reply{}, invalid("response_format", "", "Invalid schema for response_format '%s': %s.", name, w.fault)
	}
	return reply{text: valueString(v), finish: "stop", json: true}, nil
}

// wantedSchema is the schema the answer has to follow: the request's own, or
// one that the prompt holds, as is done where a request cannot say it.
func wantedSchema(r *completionRequest, c conversation) (*object, string) {
	if f := r.ResponseFormat; f != nil && f.Type == "json_schema" {
		return f.JSONSchema.schema, f.JSONSchema.Name
	}
	return c.inPrompt, "in the prompt"
}

// document puts the recipe back where the state had it; without any state it is
// the member "recipe".
func document(c conversation) *object {
	if c.doc != nil && !c.whole {
		return c.recipe.value()
	}
	o := c.doc.clone()
	o.set("recipe", c.recipe.value())
	return o
}

// knownWords are what a schema's members may ask for by name beside the state.
func knownWords(c conversation, u understanding) map[string]any {
	r := c.recipe
	v := r.value()
	said := speak(c, u)
	out := map[string]any{"recipe": v}
	for _, k := range v.keys {
		out[memberKey(k)] = v.get(k)
	}
	for alias, k := range map[string]string{"step": "instructions", "difficulty": "skill_level", "level": "skill_level", "preference": "special_preferences", "time": "cooking_time"} {
		out[alias] = v.get(k)
	}
	for _, k := range []string{"summary", "message", "answer", "reply", "explanation", "description", "response", "text"} {
		out[k] = said
	}
	if n := r.statedServings(); n > 0 {
		out["serving"] = number(n)
	}
	return out
}

// speak is the answer in words.
func speak(c conversation, u understanding) string {
	if len(c.done) == 0 {
		return answer(u, c)
	}
	return report(c, u)
}

// report tells what the calls of this turn came to, and what the recipe is now.
func report(c conversation, u understanding) string {
	var failed, refused, fine []string
	for _, d := range c.done {
		what := d.describe()
		switch verdict(d.result) {
		case resultFailed:
			failed = append(failed, what+" ("+shortened(d.result)+")")
		case resultRefused:
			refused = append(refused, what)
		default:
			fine = append(fine, what)
		}
	}
	var out []string
	if len(fine) > 0 {
		out = append(out, "Done: "+enumerate(fine)+".")
	}
	if len(refused) > 0 {
		out = append(out, "Not done, because you said no: "+enumerate(refused)+".")
	}
	if len(failed) > 0 {
		out = append(out, "This did not work: "+enumerate(failed)+".")
	}
	if c.doc != nil && len(u.wishes) > 0 {
		out = append(out, tellWishes(u.wishes, c.recipe))
	}
	if u.ask != nil {
		out = append(out, u.ask.answer(c))
	}
	return strings.Join(out, " ")
}

func shortened(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 160 {
		s = string(r[:159]) + "…"
	}
	return s
}

type outcome int

const (
	resultFine outcome = iota
	resultFailed
	resultRefused
)

// verdict reads a tool's result: JSON that says so, or the words people use.
func verdict(result string) outcome {
	s := strings.TrimSpace(result)
	if v, err := parseValue([]byte(s)); err == nil {
		switch v := v.(type) {
		case bool:
			if !v {
				return resultRefused
			}
			return resultFine
		case string:
			s = v
		case *object:
			for _, k := range []string{"confirmed", "approved", "accepted", "ok", "allowed"} {
				if v.get(k) == false {
					return resultRefused
				}
			}
			if v.get("error") != nil {
				return resultFailed
			}
			if v.get("success") == false {
				return resultFailed
			}
			s = v.str("status") + v.str("result")
		case json.Number:
			return resultFine
		}
	}
	l := " " + strings.Join(wordsOf(s), " ") + " "
	for _, w := range []string{" error ", " failed ", " failure ", " unknown tool ", " invalid ", " panic ", " not found "} {
		if strings.Contains(l, w) {
			return resultFailed
		}
	}
	for _, w := range []string{" denied ", " declined ", " rejected ", " cancelled ", " canceled ", " refused ", " not approved ", " not confirmed "} {
		if strings.Contains(l, w) {
			return resultRefused
		}
	}
	if l == " no " || l == " false " || strings.HasPrefix(l, " no ") {
		return resultRefused
	}
	return resultFine
}

// describe names a call in words: "add ingredient (Spinach, 2 cups)".
func (d pastCall) describe() string {
	s := strings.Join(nameWords(d.name), " ")
	var args []string
	if d.args != nil {
		for _, k := range d.args.keys {
			if t := text(d.args.get(k)); t != "" && len(t) <= maxName && iconName(k) != "icon" {
				args = append(args, t)
			}
		}
	}
	if len(args) > 0 {
		s += " (" + strings.Join(args, ", ") + ")"
	}
	return s
}
