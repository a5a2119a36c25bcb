package standin

import "slices"

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

// onlyConfirmed tells whether all that was done since the user spoke was to ask.
func (p planner) onlyConfirmed() bool {
	return !slices.ContainsFunc(p.c.done, func(d pastCall) bool { return !p.confirms(d.name) })
}

// confirms tells whether a tool is the one to ask with.
func (p planner) confirms(name string) bool {
	t, ok := p.tool(roleConfirm)
	return ok && t.name == name
}
