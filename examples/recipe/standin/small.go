package standin

import "math/big"

// small turns one wish into calls of small tools. What the state shows to be so
// already needs no call.
func (p planner) small(w wish) ([]call, bool) {
	r := p.c.recipe
	switch w.act {
	case actAdd:
		if w.use && r.find(w.name) >= 0 {
			return nil, false
		}
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
