package standin

import (
	"math/big"
	"slices"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

// dish is what the user asked to be cooked.
type dish struct {
	words   string // the user's own words, without "a recipe for"
	with    []ingredient
	without []string
	people  int
	minutes int
	skill   string
	prefs   []string
	diets   []string
}

// compose builds a recipe from what was asked and from the pantry.
func compose(d dish, rest *object) recipe {
	k, main := kindOf(d)
	r := recipe{title: dishTitle(d, k), skill: k.skill, time: k.time, prefs: []string{}, rest: rest, steps: slices.Clone(k.steps)}
	for _, b := range k.base {
		amount, name := splitAmount(b)
		r.ingredients = append(r.ingredients, ingredient{icon: iconOf(name), name: upperFirst(name), amount: amount})
	}
	mains := []string{}
	for _, m := range main {
		if i := r.find(m); i >= 0 {
			continue // "egg sandwich" where the kind has eggs
		}
		mains = append(mains, "the "+m)
		r.ingredients = append([]ingredient{{icon: iconOf(m), name: upperFirst(m), amount: usualAmount(m)}}, r.ingredients...)
	}
	for _, in := range d.with {
		in.icon, in.name = iconOf(in.name), upperFirst(in.name)
		if in.amount == "" {
			in.amount = usualAmount(in.name)
		}
		if r.find(in.name) < 0 {
			mains = append(mains, "the "+lowerFirst(in.name))
			r.ingredients = append(r.ingredients, in)
		}
	}
	r.steps = fillMain(r.steps, mains)
	for _, w := range d.without {
		r.remove(w)
	}
	for _, name := range d.diets {
		diets[name].apply(&r)
	}
	for _, p := range d.prefs {
		applyPreference(&r, p)
	}
	if k.onePot {
		r.prefer("One-Pot Meal")
	}
	if v := diets["vegetarian"]; len(v.offenders(r)) == 0 {
		r.prefer(v.preference)
	}
	if d.minutes > 0 {
		r.time = timeFor(d.minutes)
	}
	if d.skill != "" {
		r.skill = d.skill
	}
	r.title = dishTitle(d, k) // a diet must not change the words the user chose
	people := defaultServings
	if d.people > 0 && d.people != people {
		f := big.NewRat(int64(d.people), int64(people))
		r.scale(f)
		people = d.people
	}
	r.setServings(people)
	return r
}

// fillMain puts the main things into the steps; a step about a main thing that
// the dish does not have falls away.
func fillMain(steps, mains []string) []string {
	out := []string{}
	for _, s := range steps {
		if strings.Contains(s, "{x}") {
			if len(mains) == 0 {
				continue
			}
			s = upperFirst(strings.ReplaceAll(s, "{x}", enumerate(mains)))
		}
		out = append(out, s)
	}
	return out
}

// kindOf finds the kind that the dish's words name (the last one named: a
// "pancake soup" is a soup) and the things that are left as its main ones.
func kindOf(d dish) (kind, []string) {
	key := " " + nameKey(d.words) + " "
	best, at, word := plain, -1, ""
	for _, k := range kinds {
		for _, w := range k.words {
			if i := strings.LastIndex(key, " "+w+" "); i > at {
				best, at, word = k, i, w
			}
		}
	}
	var main []string
	rest := strings.Fields(strings.Replace(key, " "+word+" ", " ", 1))
	for i := 0; i < len(rest); {
		var run []string
		for ; i < len(rest) && !describes(rest, i); i++ {
			run = append(run, rest[i])
		}
		i++
		for _, name := range thingsIn(run) {
			_, known := lookUp(name)
			if known || at >= 0 && !isStyle(name) {
				main = append(main, plural(name))
			}
		}
	}
	switch {
	case len(main) > 0:
	case best.needs != "":
		main = []string{best.needs}
	case at < 0 && len(d.with) == 0:
		main = []string{"carrots", "potatoes"} // a dish of an unknown name: something plain
	}
	return best, main
}

// describes tells whether a word says how the dish should be.
func describes(words []string, i int) bool {
	w := words[i]
	if w == "sweet" && i+1 < len(words) && words[i+1] == "potato" {
		return false
	}
	return strings.HasSuffix(w, "'") || adjectives[w] || smallWords[w] || diets[w].name != "" || preferenceOf(w) != ""
}

// thingsIn splits a run of words into things: words not known belong to the
// known thing after them ("smoked salmon"), at the end to the one before.
func thingsIn(run []string) []string {
	var out, open []string
	for i := 0; i < len(run); i++ {
		open = append(open, run[i])
		if i+1 < len(run) && isFood(run[i]+" "+run[i+1]) {
			i++
			open = append(open, run[i])
		} else if !isFood(run[i]) {
			continue
		}
		out = append(out, strings.Join(open, " "))
		open = nil
	}
	switch {
	case len(open) == 0:
	case len(out) > 0:
		out[len(out)-1] += " " + strings.Join(open, " ")
	default:
		out = append(out, strings.Join(open, " "))
	}
	return out
}

func isFood(key string) bool {
	return slices.ContainsFunc(foods, func(f food) bool { return f.key == key })
}

// adjectives say how a dish should be, not what is in it.
var adjectives = words("easy quick simple fast spicy hot cold warm fresh healthy light hearty creamy fluffy crispy classic traditional homemade " +
	"vegetarian vegan italian french indian thai chinese japanese mexican greek spanish american german moroccan korean vietnamese turkish summer winter autumn spring " +
	"delicious tasty nice good great best perfect new special fancy cheap budget festive christmas birthday sunday breakfast lunch dinner dessert " +
	"snack dish meal food something recipe version pot one-pot baked grilled roasted fried little big small low-carb high-protein gluten-free sweet savoury savory rustic " +
	"grandma's grandma kid kids family party evening tonight my our your another other different")

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// isStyle tells a style word ("bolognese", "alfredo") from a thing: it is one
// word that ends like an adjective or a proper name.
func isStyle(name string) bool {
	return !strings.Contains(name, " ") && (strings.HasSuffix(name, "ese") || strings.HasSuffix(name, "ian") || strings.HasSuffix(name, "ish"))
}

// massNouns have no plural that a recipe would use.
var massNouns = words("tofu tempeh seitan hummus miso coconut trout zucchini corn")

// plural writes a main thing in the plural where a recipe would ("carrots"),
// and leaves what is not counted ("spinach") as it is.
func plural(name string) string {
	f, ok := lookUp(name)
	if !ok || strings.HasSuffix(name, "s") || massNouns[f.key] || !strings.HasSuffix(name, f.key) {
		return name
	}
	count, unit := leadingCount(f.amount)
	counted := unit == "" && count != "1" && count != "1/2"
	if !counted && f.group != legume && f.key != "mushroom" && f.key != "olive" && (f.group != fruit || unit == "") {
		return name
	}
	switch {
	case strings.HasSuffix(name, "y"):
		return strings.TrimSuffix(name, "y") + "ies"
	case slices.Contains([]string{"tomato", "potato", "sweet potato", "mango", "peach"}, f.key):
		return name + "es"
	}
	return name + "s"
}

func leadingCount(amount string) (count, unit string) {
	m := quantity.Leading(amount)
	if m == nil {
		return "", amount
	}
	return amount[:m[1]], strings.TrimSpace(amount[m[1]:])
}

func dishTitle(d dish, k kind) string {
	words := strings.TrimSpace(d.words)
	if words == "" {
		words = strings.TrimSpace(enumerateNames(d.with) + " " + k.title)
	}
	if f := strings.Fields(words); len(f) == 1 && k.title != "" && singular(strings.ToLower(words)) == singular(strings.ToLower(k.title)) {
		return k.title
	}
	return titleCase(words)
}

func enumerateNames(list []ingredient) string {
	names := []string{}
	for _, in := range list {
		names = append(names, in.name)
	}
	if len(names) == 0 {
		return "Dish of the Day"
	}
	return enumerate(names)
}
