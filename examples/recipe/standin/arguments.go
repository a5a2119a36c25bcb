package standin

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

// fill writes a tool's arguments from what is known by name.
func (p planner) fill(t tool, known map[string]any) *object {
	words := map[string]any{}
	for k, v := range known {
		words[k] = v
	}
	if props := t.schema.obj("properties"); props != nil {
		for _, k := range props.keys { // "emoji" is an icon
			if v, ok := words[iconName(k)]; ok {
				words[memberKey(k)] = v
			}
		}
	}
	w := &writer{root: t.schema, words: words}
	o, ok := w.write(t.schema, nil, 0).(*object)
	if !ok || w.fault != "" {
		return newObject()
	}
	return o
}

// thing calls a tool about one ingredient.
func (p planner) thing(t tool, name, amount string) call {
	ing := newObject()
	ing.set("icon", iconOf(name))
	ing.set("name", upperFirst(name))
	ing.set("amount", amount)
	known := map[string]any{"name": upperFirst(name), "amount": amount, "quantity": amount, "icon": iconOf(name), "ingredient": ing}
	if amount == "" {
		known["name"] = name
	}
	o := p.fill(t, known)
	if k := t.param("string", thingNames...); k != "" && o.get(k) != known["name"] {
		o.set(k, known["name"])
	} else if k := t.param("array", thingNames...); k != "" && t.param("object", thingNames...) == "" {
		w := &writer{root: t.schema, words: map[string]any{"name": known["name"], "amount": amount, "icon": ing.get("icon")}}
		list := []any{known["name"]}
		if items := t.schema.obj("properties").obj(k).obj("items"); slices.Contains(typesOf(items), "object") {
			list = []any{ing}
		}
		o.set(k, w.write(t.schema.obj("properties").get(k), list, 0))
	}
	return call{t.name, valueString(o)}
}

// generic calls a tool with what the sentence gives: its number, its thing, the
// recipe where one is asked for.
func (p planner) generic(t tool, said string) call {
	r := carryOut(p.u.wishes, p.c.recipe)
	known := knownWords(conversation{recipe: r}, understanding{said: p.c.said, ask: &question{topic: askSummary}})
	if t.role != roleWhole {
		delete(known, "ingredient") // a tool about one ingredient does not want them all
	}
	for _, w := range p.u.wishes {
		switch w.act {
		case actAdd, actRemove, actAmount, actReplace:
			known["name"], known["ingredient"], known["item"], known["amount"] = w.name, w.name, w.name, w.amount
			known["icon"] = iconOf(w.name)
		case actScale:
			known["factor"] = ratNumber(w.factor, nil)
		}
	}
	if m := quantity.Number.FindString(said); m != "" {
		if v, _, ok := quantity.Parse(m); ok {
			n := ratNumber(v, nil)
			for _, k := range []string{"factor", "number", "count", "n", "times", "by", "serving", "people"} {
				if _, has := known[k]; !has {
					known[k] = n
				}
			}
		}
	}
	for _, k := range []string{"query", "question", "prompt", "request", "input"} {
		known[k] = said
	}
	w := &writer{root: t.schema, words: known}
	v := w.write(t.schema, nil, 0)
	if o, ok := v.(*object); ok && w.fault == "" {
		return call{t.name, valueString(o)}
	}
	return call{t.name, "{}"}
}

func ratNumber(f *big.Rat, schema *object) any {
	w := &writer{}
	s := f.FloatString(6)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if slices.Contains(typesOf(schema), "integer") {
		return w.write(schema, jsonNumber(s), 0)
	}
	return jsonNumber(s)
}

// markdown writes the recipe as a document.
func markdown(r recipe) string {
	var b strings.Builder
	b.WriteString("# " + r.title + "\n\n")
	b.WriteString(strings.Join(slices.DeleteFunc([]string{r.skill, r.time, strings.Join(r.prefs, ", ")}, func(s string) bool { return s == "" }), " · "))
	b.WriteString("\n\n## Ingredients\n\n")
	for _, in := range r.ingredients {
		b.WriteString("- " + in.String() + "\n")
	}
	b.WriteString("\n## Instructions\n\n")
	for i, s := range r.steps {
		b.WriteString(strconv.Itoa(i+1) + ". " + s + "\n")
	}
	return b.String()
}
