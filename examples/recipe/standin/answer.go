package standin

import (
	"fmt"
	"slices"
	"strings"
)

// canDo is what the cook says of itself when it does not know what to do.
const canDo = "I can write a recipe for a dish you name, make it vegetarian or vegan, scale it, add, remove or replace ingredients, rename it, and answer questions about it."

// answer is the text for what the user said, from the recipe as the request
// shows it. changed tells that a change wished for has been made already.
func answer(u understanding, c conversation) string {
	r := c.recipe
	var parts []string
	if u.ask != nil {
		parts = append(parts, u.ask.answer(c))
	}
	if len(u.wishes) > 0 {
		parts = append(parts, tellWishes(u.wishes, r))
	}
	if len(u.missed) > 0 || len(parts) == 0 {
		switch {
		case u.said == "":
			parts = append(parts, "There is no message to answer. "+canDo)
		case len(parts) > 0:
			parts = append(parts, fmt.Sprintf("I did not understand %s, so that changed nothing.", quoted(u.missed[0])))
		default:
			parts = append(parts, fmt.Sprintf("I am only a stand-in and did not understand %s, so I left the recipe as it is. %s", quoted(u.said), canDo))
		}
	}
	return strings.Join(parts, "\n\n")
}

func quoted(s string) string {
	if r := []rune(s); len(r) > 80 {
		s = string(r[:79]) + "…"
	}
	return "“" + strings.TrimSpace(s) + "”"
}

func (r recipe) name() string {
	if isPlaceholder(r.title) {
		return "The recipe"
	}
	return "“" + r.title + "”"
}

func (in ingredient) String() string {
	if in.amount == "" {
		return in.name
	}
	return in.name + " (" + in.amount + ")"
}

func listed(r recipe) string {
	if len(r.ingredients) == 0 {
		return "There are no ingredients in the recipe yet."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s has %s:\n", r.name(), count(len(r.ingredients), "ingredient"))
	for _, in := range r.ingredients {
		fmt.Fprintf(&b, "- %s\n", in)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func inLine(r recipe) string {
	names := []string{}
	for _, in := range r.ingredients {
		names = append(names, in.String())
	}
	return enumerate(names)
}

// summary says in a few sentences what the recipe is now.
func summary(r recipe) string {
	if r.empty() {
		return "The recipe is empty so far."
	}
	var about []string
	for _, s := range []string{r.skill, r.time} {
		if s != "" {
			about = append(about, s)
		}
	}
	for _, p := range r.prefs {
		about = append(about, strings.ToLower(p))
	}
	s := r.name() + " is ready"
	if len(about) > 0 {
		s += " (" + strings.Join(about, ", ") + ")"
	}
	s += fmt.Sprintf(": %s and %s.", count(len(r.ingredients), "ingredient"), count(len(r.steps), "step"))
	if len(r.ingredients) > 0 {
		s += " You need " + inLine(r) + "."
	}
	return s
}

// tellWishes says where the recipe stands with respect to each change asked
// for. It claims nothing that the recipe does not show.
func tellWishes(wishes []wish, r recipe) string {
	var out, gone []string
	say := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	for i, w := range wishes {
		switch w.act {
		case actNew, actImprove:
			say("%s", summary(r))
		case actDiet:
			if bad := diets[w.name].offenders(r); len(bad) > 0 {
				say("%s is not %s: it has %s.", r.name(), w.name, enumerate(bad))
			} else {
				say("%s is %s, with %s.", r.name(), w.name, inLine(r))
			}
		case actScale, actServings:
			if i := r.find(w.name); w.name != "" && i >= 0 {
				say("The amount of %s is now %s.", lowerFirst(r.ingredients[i].name), orNone(r.ingredients[i].amount))
			} else if w.name != "" {
				say("The recipe has no %s.", w.name)
			} else {
				say("The amounts in %s are now: %s.", r.name(), inLine(r))
			}
		case actAdd:
			if i := r.find(w.name); i >= 0 {
				say("%s is in the recipe.", upperFirst(r.ingredients[i].String()))
			} else {
				say("%s is not in the recipe.", upperFirst(w.name))
			}
		case actRemove:
			if i := r.find(w.name); i >= 0 {
				say("%s is still in the recipe.", r.ingredients[i])
				break
			}
			gone = append(gone, "no "+w.name)
			if i+1 < len(wishes) && wishes[i+1].act == actRemove && r.find(wishes[i+1].name) < 0 {
				break // it is said with the next
			}
			say("The recipe has %s now; it has %s.", enumerate(gone), inLine(r))
			gone = nil
		case actReplace:
			from, to := r.find(w.name), r.find(w.to)
			if w.either && from >= 0 && to < 0 {
				w, from, to = w.turned(), to, from // one of the two is there: which was to come is not known any more
			}
			switch {
			case to >= 0 && (from < 0 || from == to):
				say("The recipe has %s, and no %s.", lowerFirst(r.ingredients[to].String()), w.name)
			case from >= 0 && to >= 0:
				say("The recipe has both %s and %s.", lowerFirst(r.ingredients[from].String()), lowerFirst(r.ingredients[to].String()))
			case from >= 0:
				say("%s is still in the recipe.", r.ingredients[from])
			default:
				say("The recipe has no %s to replace.", w.name)
			}
		case actAmount:
			if i := r.find(w.name); i >= 0 {
				say("The amount of %s is %s.", lowerFirst(r.ingredients[i].name), orNone(r.ingredients[i].amount))
			} else {
				say("The recipe has no %s.", w.name)
			}
		case actTitle:
			say("The recipe is called %s.", quoted(r.title))
		case actSkill:
			say("The skill level is %s.", orNone(r.skill))
		case actTime:
			say("The cooking time is %s.", orNone(r.time))
		case actPrefer, actUnprefer:
			say("%s %s", preferenceText(r), "It has "+inLine(r)+".")
		case actAddStep, actSetStep, actRemoveStep:
			say("%s", stepsText(r))
		case actRemoveNth:
			say("%s", listed(r))
		case actClear:
			say("%s", summary(r))
		}
	}
	return strings.Join(slices.Compact(out), " ")
}

func orNone(s string) string {
	if s == "" {
		return "not given"
	}
	return s
}

func preferenceText(r recipe) string {
	if len(r.prefs) == 0 {
		return "The recipe has no special preferences."
	}
	return "The special preferences are " + enumerate(r.prefs) + "."
}

func stepsText(r recipe) string {
	if len(r.steps) == 0 {
		return "The recipe has no steps yet."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s has %s:", r.name(), count(len(r.steps), "step"))
	for i, s := range r.steps {
		fmt.Fprintf(&b, "\n%d. %s", i+1, s)
	}
	return b.String()
}

// answer works the answer out from the state in the request.
func (q question) answer(c conversation) string {
	r := c.recipe
	switch q.topic {
	case askIngredients:
		return listed(r)
	case askCount:
		if k := nameKey(q.name); k == "step" || k == "instruction" {
			return fmt.Sprintf("%s has %s.", r.name(), count(len(r.steps), "step"))
		}
		return fmt.Sprintf("%s has %s.", r.name(), count(len(r.ingredients), "ingredient"))
	case askAmount:
		var found []string
		for _, in := range r.ingredients {
			if in.means(q.name) {
				found = append(found, fmt.Sprintf("%s: %s", in.name, orNone(in.amount)))
			}
		}
		if len(found) == 0 {
			return fmt.Sprintf("The recipe has no %s.", q.name)
		}
		return strings.Join(found, "\n")
	case askContains:
		var yes []string
		for _, it := range items(q.name) {
			if i := r.find(it); i >= 0 {
				yes = append(yes, r.ingredients[i].String())
			}
		}
		if len(yes) == 0 {
			return fmt.Sprintf("No, the recipe has no %s.", q.name)
		}
		return "Yes: " + enumerate(yes) + "."
	case askTime:
		if r.time == "" {
			return "The recipe does not say how long it takes."
		}
		return fmt.Sprintf("%s takes %s.", r.name(), r.time)
	case askSkill:
		if r.skill == "" {
			return "The recipe does not say for which skill level it is."
		}
		return fmt.Sprintf("%s is at the level %s.", r.name(), r.skill)
	case askTitle:
		if strings.TrimSpace(r.title) == "" {
			return "The recipe has no title yet."
		}
		return "It is called " + quoted(r.title) + "."
	case askDiet:
		d := diets[q.name]
		bad := d.offenders(r)
		switch {
		case r.empty():
			return "The recipe is empty so far, so I cannot tell."
		case len(bad) > 0:
			return fmt.Sprintf("No, it is not %s, because of %s.", d.name, enumerate(bad))
		case d.preference != "" && slices.Contains(r.prefs, d.preference):
			return fmt.Sprintf("Yes, it is marked %s, and I see nothing in it that speaks against it.", d.preference)
		}
		return fmt.Sprintf("As far as I know its ingredients, yes: I see nothing that is not %s.", d.name)
	case askPreferences:
		return preferenceText(r)
	case askStep:
		i := placeIn(len(r.steps), q.n)
		if i < 0 {
			return fmt.Sprintf("There is no such step: %s has %s.", r.name(), count(len(r.steps), "step"))
		}
		return fmt.Sprintf("Step %d of %d: %s", i+1, len(r.steps), r.steps[i])
	case askSteps:
		return stepsText(r)
	case askServings:
		if n := r.statedServings(); n > 0 {
			return fmt.Sprintf("%s serves %d.", r.name(), n)
		}
		return "The recipe does not say how many it serves."
	case askSummary:
		if len(r.steps) == 0 {
			return summary(r)
		}
		return summary(r) + "\n\n" + stepsText(r)
	case askChanged:
		return differences(c)
	case askThanks:
		return "You are welcome. " + summary(r)
	case askGreeting:
		return "Hello! " + summary(r) + " " + canDo
	}
	return "I am a stand-in for a model, not a model. " + canDo
}

// differences compares the oldest state in the request with the newest.
func differences(c conversation) string {
	if c.older == nil {
		return "I only see the recipe as it is now. " + summary(c.recipe)
	}
	old, now := *c.older, c.recipe
	var out []string
	say := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("the %s went from %s to %s", what, orNone(a), orNone(b)))
		}
	}
	say("title", old.title, now.title)
	say("skill level", old.skill, now.skill)
	say("cooking time", old.time, now.time)
	say("special preferences", strings.Join(old.prefs, ", "), strings.Join(now.prefs, ", "))
	for _, in := range now.ingredients {
		if i := old.find(in.name); i < 0 {
			out = append(out, "there is "+lowerFirst(in.String())+" now")
		} else {
			say("amount of "+lowerFirst(in.name), old.ingredients[i].amount, in.amount)
		}
	}
	for _, in := range old.ingredients {
		if now.find(in.name) < 0 {
			out = append(out, lowerFirst(in.name)+" is gone")
		}
	}
	if !slices.Equal(old.steps, now.steps) {
		out = append(out, "the steps were rewritten")
	}
	if len(out) == 0 {
		return "Nothing has changed."
	}
	return upperFirst(strings.Join(out, "; ")) + "."
}
