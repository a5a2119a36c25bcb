package standin

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

// planCalls are the calls that the wish needs now: none when it needs none, when
// no tool fits, or when they have been made. must makes at least one.
func planCalls(r *completionRequest, c conversation, u understanding, must bool) []call {
	tools := readTools(r.Tools)
	if f := r.choice.function; f != "" {
		i := slices.IndexFunc(tools, func(t tool) bool { return t.name == f })
		p := planner{tools: tools[i : i+1], c: c, u: u}
		if calls := p.plan(); len(calls) > 0 {
			return calls
		}
		return []call{p.generic(tools[i], u.said)}
	}
	p := planner{tools: tools, c: c, u: u}
	var calls []call
	if !c.told {
		for _, k := range p.plan() {
			if !p.madeAlready(k) {
				calls = append(calls, k)
			}
		}
	}
	if len(calls) == 0 && must {
		return []call{p.generic(tools[0], u.said)}
	}
	return calls
}

type planner struct {
	tools []tool
	c     conversation
	u     understanding
}

func (p planner) tool(of role) (tool, bool) {
	i := slices.IndexFunc(p.tools, func(t tool) bool { return t.role == of })
	if i < 0 {
		return tool{}, false
	}
	return p.tools[i], true
}

// plan turns the wishes into calls: small tools where there is one for each
// wish, otherwise one that takes the whole recipe.
func (p planner) plan() []call {
	// A tool whose own name the user spoke is what the user means.
	if t, ok := p.spokenOf(); ok {
		return []call{p.generic(t, p.u.said)}
	}
	if len(p.u.wishes) == 0 {
		return nil
	}
	calls, handled := p.confirmFirst()
	asking := len(calls) > 0
	if handled {
		// What needs no confirmation need not wait for it.
		p.u.wishes = slices.DeleteFunc(slices.Clone(p.u.wishes), p.deletes)
	}
	whole := false
	for _, w := range p.u.wishes {
		k, ok := p.small(w)
		if !ok {
			whole = true // the other wishes still have their calls, should no tool take it all
		}
		calls = append(calls, k...)
	}
	if !whole || asking || len(p.u.wishes) == 0 {
		return calls
	}
	return p.large(calls)
}

// large makes one call with the whole new recipe, or falls back to the calls
// that small tools can do.
func (p planner) large(small []call) []call {
	if len(p.c.done) > 0 && !p.onlyConfirmed() {
		return nil // it is in the state now, or it failed; a second time would double it
	}
	next := carryOut(p.u.wishes, p.c.recipe)
	if t, ok := p.tool(roleWhole); ok {
		now := p.c
		now.recipe = next
		w := &writer{root: t.schema, words: knownWords(now, p.u)}
		v := w.write(t.schema, document(now), 0)
		if w.fault == "" {
			return []call{{t.name, valueString(v)}}
		}
	}
	if t, ok := p.tool(roleDocument); ok {
		o := p.fill(t, nil)
		o.set(t.param("string", "document", "content", "markdown", "text"), markdown(next))
		return []call{{t.name, valueString(o)}}
	}
	return small
}

func (p planner) onlyConfirmed() bool {
	return !slices.ContainsFunc(p.c.done, func(d pastCall) bool { return !p.confirms(d.name) })
}

func (p planner) confirms(name string) bool {
	t, ok := p.tool(roleConfirm)
	return ok && t.name == name
}

// confirmFirst asks before something is taken away, where a tool to ask with is
// offered, and goes on by what the answer was.
func (p planner) confirmFirst() (calls []call, handled bool) {
	t, ok := p.tool(roleConfirm)
	if !ok || !deletingRE.MatchString(t.about) {
		return nil, false
	}
	var names []string
	for _, w := range p.u.wishes {
		switch {
		case !p.deletes(w):
		case w.act == actRemove:
			names = append(names, p.nameInState(w.name))
		default:
			names = append(names, "the whole recipe")
		}
	}
	if len(names) == 0 {
		return nil, false
	}
	for _, d := range p.c.done {
		if d.name == t.name {
			return nil, verdict(d.result) != resultFine // handled when refused: nothing to do
		}
	}
	if k := t.param("array", thingNames...); k != "" {
		o := p.fill(t, nil)
		o.set(k, textValues(names))
		return []call{{t.name, valueString(o)}}, true
	}
	for _, n := range names {
		o := p.fill(t, map[string]any{
			"message": "Remove " + n + "?", "question": "Remove " + n + "?", "text": "Remove " + n + "?", "prompt": "Remove " + n + "?",
			"reason": "You asked for it.", "description": "Remove " + n + " from the recipe.", "action": "remove",
		})
		if k := t.param("string", thingNames...); k != "" {
			o.set(k, n)
		}
		calls = append(calls, call{t.name, valueString(o)})
	}
	return calls, true
}

// deletes tells whether a wish takes something away that nobody would be asked
// about otherwise.
func (p planner) deletes(w wish) bool {
	if w.act == actClear {
		t, ok := p.tool(roleClear)
		return !ok || !asksItselfRE.MatchString(t.about)
	}
	return w.act == actRemove
}

// nameInState is how the state calls a thing the user named.
func (p planner) nameInState(name string) string {
	if i := p.c.recipe.find(name); i >= 0 {
		return p.c.recipe.ingredients[i].name
	}
	return name
}

// small turns one wish into calls of small tools. What the state shows to be so
// already needs no call.
func (p planner) small(w wish) ([]call, bool) {
	r := p.c.recipe
	switch w.act {
	case actAdd:
		t, ok := p.tool(roleAdd)
		if !ok {
			return nil, false
		}
		amount := w.amount
		if amount == "" {
			amount = usualAmount(w.name)
		}
		if i := r.find(w.name); i >= 0 && r.ingredients[i].amount == amount {
			return nil, true
		}
		return []call{p.thing(t, w.name, amount)}, true
	case actRemove:
		t, ok := p.tool(roleRemove)
		if !ok {
			return nil, false
		}
		if p.c.doc != nil && r.find(w.name) < 0 || p.did(t, w.name) != nil {
			return nil, true
		}
		return []call{p.thing(t, p.nameInState(w.name), "")}, true
	case actReplace:
		return p.replacing(w)
	case actClear:
		t, ok := p.tool(roleClear)
		if !ok {
			return nil, false
		}
		return []call{{t.name, valueString(p.fill(t, map[string]any{"title": ""}))}}, true
	case actScale, actServings:
		return p.scaling(w)
	case actTitle:
		return p.setter(roleRename, w.name)
	case actSkill:
		return p.setter(roleSkill, step(skillLevels, r.skill, w.name, w.n))
	case actTime:
		next := carryOut([]wish{w}, r)
		return p.setter(roleTime, next.time)
	case actDiet:
		drop, ok1 := p.tool(roleRemove)
		add, ok2 := p.tool(roleAdd)
		if _, whole := p.tool(roleWhole); !ok1 || !ok2 || whole {
			return nil, false
		}
		var calls []call
		for _, in := range r.ingredients {
			if _, s, bad := diets[w.name].unfit(in.name); bad {
				calls = append(calls, p.thing(drop, in.name, ""), p.thing(add, matchCase(s.name, in.name), in.amount))
			}
		}
		return calls, true
	}
	return nil, false
}

func (p planner) setter(of role, value string) ([]call, bool) {
	t, ok := p.tool(of)
	if !ok {
		return nil, false
	}
	keys := stringParams(t)
	if len(keys) == 0 {
		return nil, false
	}
	o := p.fill(t, nil)
	key := keys[0]
	if k := t.param("string", "title", "name", "level", "skill", "time", "to", "new"); k != "" {
		key = k
	}
	w := &writer{root: t.schema}
	o.set(key, w.write(t.schema.obj("properties").get(key), value, 0))
	return []call{{t.name, valueString(o)}}, true
}

func (p planner) scaling(w wish) ([]call, bool) {
	t, ok := p.tool(roleScale)
	if !ok || w.name != "" {
		return nil, false
	}
	o := p.fill(t, nil)
	factor := w.factor
	if w.act == actServings {
		factor = servingsFactor(p.c.recipe, w.n)
	}
	if k := t.param("number", "factor", "multiplier", "by", "times", "ratio", "scale"); k != "" {
		o.set(k, ratNumber(factor, t.schema.obj("properties").obj(k)))
		return []call{{t.name, valueString(o)}}, true
	}
	if k := t.param("number", "servings", "people", "portions", "persons"); k != "" {
		n := w.n
		if w.act == actScale {
			have := p.c.recipe.statedServings()
			if have == 0 {
				have = defaultServings
			}
			f, _ := new(big.Rat).Mul(factor, big.NewRat(int64(have), 1)).Float64()
			n = max(1, min(int(f+0.5), maxServings))
		}
		o.set(k, number(n))
		return []call{{t.name, valueString(o)}}, true
	}
	return nil, false
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

// spokenOf finds a tool that no wish of the cook's covers, but whose name the
// user spoke: "publish the recipe" is publish_recipe.
func (p planner) spokenOf() (tool, bool) {
	if len(p.c.done) > 0 {
		return tool{}, false
	}
	said := strings.Fields(nameKey(p.u.said))
	best, most := tool{}, 0
	for _, t := range p.tools {
		if t.role != roleOther || p.u.ask != nil {
			continue
		}
		hits := 0
		for _, w := range t.words {
			if slices.Contains(said, singular(w)) {
				hits++
			}
		}
		if hits == len(t.words) && hits > most {
			best, most = t, hits
		}
	}
	return best, most > 0
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

// madeAlready tells whether a call was made since the user spoke: the same one,
// or, where once is all there is to it, one of the same tool.
func (p planner) madeAlready(k call) bool {
	i := slices.IndexFunc(p.tools, func(t tool) bool { return t.name == k.name })
	switch p.tools[i].role {
	case roleWhole, roleScale, roleDocument, roleClear, roleRename, roleSkill, roleTime:
		return slices.ContainsFunc(p.c.done, func(d pastCall) bool { return d.name == k.name })
	}
	return slices.ContainsFunc(p.c.done, func(d pastCall) bool {
		return d.name == k.name && (d.args == nil && k.args == "{}" || d.args != nil && valueString(d.args) == k.args)
	})
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
