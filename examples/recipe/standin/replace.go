package standin

import "slices"

// The calls that were made change the state, and what is left of a wish cannot be
// read from the state alone: "swap X for Y" would swap them back.

// replacing are the calls that put one thing in another's place.
func (p planner) replacing(w wish) ([]call, bool) {
	w = p.directed(w)
	if t, ok := p.tool(roleReplace); ok {
		if p.did(t, w.name, w.to) != nil {
			return nil, true
		}
		keys := stringParams(t)
		o := p.fill(t, map[string]any{"amount": w.amount})
		o.set(keys[0], p.nameInState(w.name))
		o.set(keys[1], w.to)
		return []call{{t.name, valueString(o)}}, true
	}
	drop, ok1 := p.tool(roleRemove)
	add, ok2 := p.tool(roleAdd)
	if !ok1 || !ok2 {
		return nil, false
	}
	amount := w.amount
	if gone := p.did(drop, w.name); gone != nil {
		if verdict(gone.result) != resultFine || p.did(add, w.to) != nil {
			return nil, true
		}
		if amount == "" {
			amount = usualAmount(w.to) // whose place it takes is not known any more
		}
		return []call{p.thing(add, w.to, amount)}, true
	}
	i := p.c.recipe.find(w.name)
	if i < 0 {
		return nil, true
	}
	if amount == "" {
		amount = p.c.recipe.ingredients[i].amount
	}
	return []call{p.thing(drop, p.c.recipe.ingredients[i].name, ""), p.thing(add, w.to, amount)}, true
}

// directed turns "substitute X for Y" round where Y is what goes: as the calls
// made since have it, and before any as the state has it.
func (p planner) directed(w wish) wish {
	if !w.either {
		return w
	}
	for _, of := range []role{roleReplace, roleRemove, roleAdd} {
		t, ok := p.tool(of)
		for _, v := range []wish{w, w.turned()} {
			things := map[role][]string{roleReplace: {v.name, v.to}, roleRemove: {v.name}, roleAdd: {v.to}}[of]
			if ok && p.did(t, things...) != nil {
				return v
			}
		}
	}
	return w.directed(p.c.recipe)
}

// directed turns the wish round where the recipe has what is to come and not
// what is to go: "substitute oil for butter" puts the oil in.
func (w wish) directed(r recipe) wish {
	if !w.either {
		return w
	}
	if name, to := r.find(w.name), r.find(w.to); to >= 0 && (name < 0 || !r.calls(w.name) && r.calls(w.to)) {
		return w.turned()
	}
	return w
}

func (w wish) turned() wish {
	w.name, w.to = w.to, w.name
	return w
}

// calls tells whether the recipe has an ingredient of just this name.
func (r recipe) calls(name string) bool {
	return slices.ContainsFunc(r.ingredients, func(in ingredient) bool { return nameKey(in.name) == nameKey(name) })
}

// did finds a call of a tool, since the user spoke, that is about these things:
// one, or the two of a tool that replaces.
func (p planner) did(t tool, things ...string) *pastCall {
	for i, d := range p.c.done {
		if d.name != t.name || d.args == nil {
			continue
		}
		said := [][]string{stringsIn(d.args, nil)}
		if len(things) == 2 {
			keys := stringParams(t)
			said = [][]string{{d.args.str(keys[0])}, {d.args.str(keys[1])}}
		}
		about := true
		for j, thing := range things {
			about = about && slices.ContainsFunc(said[j], func(s string) bool {
				// A thing that is there by its own name is not the one that was called by more words.
				return nameKey(s) == nameKey(thing) || !p.c.recipe.calls(thing) && ingredient{name: s}.means(thing)
			})
		}
		if about {
			return &p.c.done[i]
		}
	}
	return nil
}

// stringsIn are the strings in a JSON value.
func stringsIn(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, e := range v {
			out = stringsIn(e, out)
		}
	case *object:
		for _, k := range v.keys {
			out = stringsIn(v.vals[k], out)
		}
	}
	return out
}
