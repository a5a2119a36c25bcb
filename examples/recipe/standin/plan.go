package standin

import (
	"slices"
	"strings"
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
