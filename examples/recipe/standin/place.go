package standin

import (
	"regexp"
	"slices"
)

// A row can be named by its place in a list ("step 2", "the last ingredient")
// instead of by what it says.

var (
	stepDropRE       = placeRE(`(?i)^(?:remove|delete|drop|skip|omit|leave out)\s+`, `(?:step|instruction)`, `$`)
	ingredientDropRE = placeRE(`(?i)^(?:remove|delete|drop|skip|omit|leave out)\s+`, `ingredient`, `$`)
	stepSetRE        = placeRE(`(?i)^(?:change|replace|rewrite|set|edit)\s+`, `(?:step|instruction)`, `\s*(?:\b(?:to|with|into|by)\b|:)\s*:?\s*(.+)$`)
	// What begins so is an order about a step, and no question about it.
	stepOrderRE = regexp.MustCompile(`(?i)^(?:move|swap|switch|merge|combine|split|reorder|rearrange|rewrite|shorten|edit|change|replace|put)\b.*\b(?:step|instruction)s?\b`)
)

func placeRE(before, what, after string) *regexp.Regexp {
	return regexp.MustCompile(before + `(?:the\s+)?(?:(\w+)\s+` + what + `|` + what + `\s+(?:number\s+)?(\w+))` + after)
}

// placeWish reads a change of a row that is named by its place.
func placeWish(c string) (wish, bool) {
	for _, known := range []struct {
		re  *regexp.Regexp
		act act
	}{{stepDropRE, actRemoveStep}, {ingredientDropRE, actRemoveNth}, {stepSetRE, actSetStep}} {
		m := known.re.FindStringSubmatch(c)
		if m == nil {
			continue
		}
		n, ok := ordinal(m[1] + m[2])
		if !ok {
			continue
		}
		w := wish{act: known.act, n: n}
		if len(m) > 3 {
			w.name = sentence(m[3])
		}
		return w, true
	}
	return wish{}, false
}

// applyAt makes such a change. A place that is not there changes nothing.
func (w wish) applyAt(r *recipe) {
	switch w.act {
	case actRemoveStep:
		if i := placeIn(len(r.steps), w.n); i >= 0 {
			r.steps = slices.Delete(r.steps, i, i+1)
		}
	case actSetStep:
		if i := placeIn(len(r.steps), w.n); i >= 0 {
			r.steps[i] = w.name
		}
	case actRemoveNth:
		if i := placeIn(len(r.ingredients), w.n); i >= 0 {
			r.remove(r.ingredients[i].name)
		}
	}
}

// placeIn is the index of the nth of so many, -1 being the last; it is -1 where
// there is none.
func placeIn(count, n int) int {
	if n == -1 {
		return count - 1
	}
	if n > count {
		return -1
	}
	return n - 1
}
