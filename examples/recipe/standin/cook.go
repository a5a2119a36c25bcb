package standin

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

// carryOut makes the wished changes to a copy of the recipe, in order.
func carryOut(wishes []wish, r recipe) recipe {
	r = r.clone()
	for _, w := range wishes {
		w.apply(&r)
	}
	return r
}

// apply makes one change. What cannot be done ("remove the eggs" where there
// are none) leaves the recipe as it is; the answer tells.
func (w wish) apply(r *recipe) {
	switch w.act {
	case actNew:
		*r = compose(w.dish, r.rest)
	case actDiet:
		diets[w.name].apply(r)
	case actScale:
		if w.name == "" {
			r.scale(w.factor)
		} else if i := r.find(w.name); i >= 0 {
			r.ingredients[i].amount = quantity.Scale(r.ingredients[i].amount, w.factor)
		}
	case actServings:
		r.scale(servingsFactor(*r, w.n))
		r.setServings(min(w.n, maxServings))
	case actAdd:
		if i := r.find(w.name); w.use && i >= 0 {
			r.ingredients[i].amount = w.amount
			return
		}
		if i := r.find(w.name); w.more && w.amount == "" && i >= 0 {
			r.ingredients[i].amount = quantity.Scale(r.ingredients[i].amount, big.NewRat(3, 2))
			return
		}
		had := r.find(w.name) >= 0
		in := ingredient{name: w.name, amount: w.amount}
		if len(r.ingredients) == 0 || matchCase("x", r.ingredients[0].name) == "X" {
			in.name = upperFirst(in.name)
		}
		r.add(in)
		if !had && !slices.ContainsFunc(r.steps, func(s string) bool { return mentions(s, w.name) }) && len(r.steps) > 0 {
			at := len(r.steps) - 1
			r.steps = slices.Insert(r.steps, at, "Add the "+lowerFirst(w.name)+" and mix well.")
		}
	case actRemove:
		r.remove(w.name)
	case actReplace:
		if d := w.directed(*r); d.to != "" {
			r.replace(d.name, d.to, d.amount)
		}
	case actAmount:
		if i := r.find(w.name); i >= 0 {
			r.ingredients[i].amount = w.amount
		}
	case actTitle:
		r.title = w.name
	case actSkill:
		r.skill = step(skillLevels, r.skill, w.name, w.n)
	case actTime:
		switch w.n {
		case -1, -2:
			r.time = step(cookingTimes, r.time, "", map[int]int{-1: -1, -2: 1}[w.n])
		default:
			r.time = timeFor(w.n)
		}
	case actPrefer:
		applyPreference(r, w.name)
	case actUnprefer:
		r.unprefer(w.name)
		if w.name == "Spicy" {
			r.ingredients = slices.DeleteFunc(r.ingredients, func(in ingredient) bool { f, _ := lookUp(in.name); return f.icon == "🌶️" && f.key != "paprika" })
		}
	case actImprove:
		improve(r)
	case actAddStep:
		r.steps = append(r.steps, w.name)
	case actSetStep, actRemoveStep, actRemoveNth:
		w.applyAt(r)
	case actClear:
		*r = recipe{skill: skillLevels[1], time: cookingTimes[2], prefs: []string{}, steps: []string{}, servings: r.servings, rest: r.rest}
	}
}

// step gives the named value of a list, or the one so many places from now.
func step(list []string, now, named string, by int) string {
	if named != "" {
		return named
	}
	i := slices.Index(list, now)
	if i < 0 {
		i = 1
	}
	return list[max(0, min(i+by, len(list)-1))]
}

// servingsFactor is what the amounts have to be multiplied by to feed n.
func servingsFactor(r recipe, n int) *big.Rat {
	have := r.statedServings()
	if have < 1 {
		have = defaultServings
	}
	return big.NewRat(int64(max(1, min(n, maxServings))), int64(have))
}

// applyPreference sets a preference, and does what it asks for where one thing
// more or another thing would do it.
func applyPreference(r *recipe, p string) {
	r.prefer(p)
	switch p {
	case "Spicy":
		if !slices.ContainsFunc(r.ingredients, func(in ingredient) bool { return iconOf(in.name) == "🌶️" }) && !r.empty() {
			wish{act: actAdd, name: "chili flakes"}.apply(r)
		}
	case "High Protein":
		if r.empty() || slices.ContainsFunc(r.ingredients, isProtein) {
			return
		}
		name := "chickpeas"
		if slices.ContainsFunc(r.ingredients, func(in ingredient) bool {
			f, _ := lookUp(in.name)
			return f.key == "sugar" || f.group == fruit && f.key != "lemon" && f.key != "lime"
		}) {
			name = "almonds"
		}
		wish{act: actAdd, name: name}.apply(r)
	}
}

func isProtein(in ingredient) bool {
	f, _ := lookUp(in.name)
	return f.group == meat || f.group == fish || f.group == egg || f.group == legume
}

// improve finishes what is unfinished: a title, enough ingredients, all the
// steps, and a last touch.
func improve(r *recipe) {
	if r.empty() {
		words := r.title
		if isPlaceholder(words) {
			words = "vegetable soup"
		}
		prefs := r.prefs
		*r = compose(dish{words: words}, r.rest)
		for _, p := range prefs {
			applyPreference(r, p)
		}
		return
	}
	if isPlaceholder(r.title) && len(r.ingredients) > 0 {
		r.title = titleCase("homemade " + r.ingredients[0].name + " plate")
	}
	sweet := slices.ContainsFunc(r.ingredients, func(in ingredient) bool { f, _ := lookUp(in.name); return f.group == sweet })
	staples := []string{"2 tbsp olive oil", "1 onion", "2 cloves garlic", "1 lemon", "1 handful parsley"}
	if sweet {
		staples = []string{"1 tsp vanilla", "1 pinch cinnamon", "1 lemon", "1 handful mint"}
	}
	added := []string{}
	for _, s := range staples {
		amount, name := splitAmount(s)
		if r.find(name) >= 0 || len(added) > 0 && len(r.ingredients) >= 6 {
			continue
		}
		r.ingredients = append(r.ingredients, ingredient{icon: iconOf(name), name: upperFirst(name), amount: amount})
		added = append(added, "the "+name)
	}
	if len(r.steps) < 3 {
		names := []string{}
		for _, in := range r.ingredients[:min(len(r.ingredients), 3)] {
			names = append(names, "the "+lowerFirst(in.name))
		}
		r.steps = append(r.steps, "Wash, cut and measure everything before you start.", "Cook "+enumerate(names)+" until tender.")
	}
	if len(added) > 0 {
		r.steps = append(r.steps, "Finish with "+enumerate(added)+", taste, and season.")
	} else if tip := "Let it rest for a few minutes before serving."; !slices.Contains(r.steps, tip) {
		r.steps = append(r.steps, tip)
	}
	if r.skill == "" {
		r.skill = skillLevels[1]
	}
	if r.time == "" {
		r.time = cookingTimes[2]
	}
}

func isPlaceholder(title string) bool {
	switch strings.ToLower(strings.TrimSpace(title)) {
	case "", "make your recipe", "new recipe", "untitled", "untitled recipe", "recipe", "my recipe":
		return true
	}
	return false
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
