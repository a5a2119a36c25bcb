package standin

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

// The words that the shared state knows; they are the dojo's.
var (
	skillLevels  = []string{"Beginner", "Intermediate", "Advanced"}
	cookingTimes = []string{"5 min", "15 min", "30 min", "45 min", "60+ min"}
	timeMinutes  = []int{5, 15, 30, 45, 60}
)

// defaultServings is how many people a recipe feeds that does not say.
const defaultServings = 4

type ingredient struct {
	icon, name, amount string
	rest               *object // the element as it came, with members not known here
}

// recipe is the shared recipe, read leniently: what is missing is empty.
type recipe struct {
	title, skill, time string
	prefs              []string
	ingredients        []ingredient
	steps              []string
	servings           int     // a member of its own, where the state has one
	rest               *object // the recipe as it came
}

func readRecipe(o *object) recipe {
	r := recipe{
		title: o.str("title"), skill: o.str("skill_level"), time: o.str("cooking_time"),
		prefs: texts(o.arr("special_preferences")), steps: texts(o.arr("instructions")), rest: o,
	}
	if n, ok := o.get("servings").(json.Number); ok {
		r.servings, _ = strconv.Atoi(n.String())
	}
	for _, e := range o.arr("ingredients") {
		switch e := e.(type) {
		case *object:
			r.ingredients = append(r.ingredients, ingredient{text(e.get("icon")), text(e.get("name")), text(e.get("amount")), e})
		case string:
			amount, name := splitAmount(e)
			r.ingredients = append(r.ingredients, ingredient{iconOf(name), name, amount, nil})
		}
	}
	return r
}

// text is a scalar as a person would write it.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func texts(a []any) []string {
	out := []string{}
	for _, e := range a {
		if s := text(e); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// value is the recipe as JSON, members that were not understood included.
func (r recipe) value() *object {
	o := r.rest.clone()
	o.set("title", r.title)
	o.set("skill_level", r.skill)
	o.set("cooking_time", r.time)
	o.set("special_preferences", textValues(r.prefs))
	if r.servings > 0 {
		o.set("servings", json.Number(strconv.Itoa(r.servings)))
	}
	list := []any{}
	for _, in := range r.ingredients {
		e := in.rest.clone()
		e.set("icon", in.icon)
		e.set("name", in.name)
		e.set("amount", in.amount)
		list = append(list, e)
	}
	o.set("ingredients", list)
	o.set("instructions", textValues(r.steps))
	return o
}

func textValues(s []string) []any {
	out := []any{}
	for _, t := range s {
		out = append(out, t)
	}
	return out
}

func (r recipe) clone() recipe {
	r.prefs, r.ingredients, r.steps = slices.Clone(r.prefs), slices.Clone(r.ingredients), slices.Clone(r.steps)
	return r
}

func (r recipe) empty() bool { return len(r.ingredients) == 0 && len(r.steps) == 0 }

// find is the index of the ingredient a person means by name, or -1: the same
// name, otherwise the first that has all its words.
func (r recipe) find(name string) int {
	want := nameKey(name)
	if want == "" {
		return -1
	}
	for i, in := range r.ingredients {
		if nameKey(in.name) == want {
			return i
		}
	}
	return slices.IndexFunc(r.ingredients, func(in ingredient) bool { return in.means(name) })
}

// means tells whether a person may call the ingredient by this name: it has all
// the name's words, and is not known as another thing ("butter" does not mean
// the peanut butter).
func (in ingredient) means(name string) bool {
	want, have := strings.Fields(nameKey(name)), strings.Fields(nameKey(in.name))
	if len(want) == 0 || slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) }) {
		return false
	}
	a, okA := lookUp(name)
	b, okB := lookUp(in.name)
	return !okA || !okB || a.key == b.key
}

// add puts an ingredient in, or changes the amount of one that is there.
func (r *recipe) add(in ingredient) {
	if in.icon == "" {
		in.icon = iconOf(in.name)
	}
	for i, old := range r.ingredients {
		if nameKey(old.name) == nameKey(in.name) {
			if in.amount != "" {
				r.ingredients[i].amount = addAmounts(old.amount, in.amount)
			}
			return
		}
	}
	if in.amount == "" {
		in.amount = usualAmount(in.name)
	}
	r.ingredients = append(r.ingredients, in)
}

// addAmounts sums two amounts of one unit; of different units both are kept.
func addAmounts(a, b string) string {
	ma, mb := quantity.Leading(a), quantity.Leading(b)
	if ma == nil || mb == nil || ma[8] >= 0 || mb[8] >= 0 || ma[3] > ma[2] || mb[3] > mb[2] ||
		strings.TrimSpace(a[ma[1]:]) != strings.TrimSpace(b[mb[1]:]) {
		if a == "" || a == b {
			return b
		}
		return a + " + " + b
	}
	va, style, okA := quantity.Parse(a[ma[4]:ma[5]])
	vb, styleB, okB := quantity.Parse(b[mb[4]:mb[5]])
	if !okA || !okB {
		return a + " + " + b
	}
	if style == quantity.Whole {
		style = styleB
	}
	return quantity.Format(va.Add(va, vb), style, false) + a[ma[1]:]
}

// remove takes an ingredient out, and the steps that speak of nothing else stop
// naming it. It reports the name that went.
func (r *recipe) remove(name string) (string, bool) {
	i := r.find(name)
	if i < 0 {
		return "", false
	}
	gone := r.ingredients[i].name
	r.ingredients = slices.Delete(r.ingredients, i, i+1)
	for i, s := range r.steps {
		r.steps[i] = dropMention(s, gone)
	}
	return gone, true
}

// dropMention takes a name out of a step's enumeration ("a, b and c"). A step
// where it stands otherwise says that it is left out.
func dropMention(step, name string) string {
	n := `(?:the\s+)?` + nameRE(name)
	for _, p := range []struct{ re, to string }{
		{`(?i),\s*` + n + `\b(\s*,)`, "$1"},                   // a, X, b
		{`(?i)\b` + n + `,\s*`, ""},                           // X, b
		{`(?i),\s*` + n + `\b(\s+and\b)`, "$1"},               // a, X and b
		{`(?i),\s+([^,]+?),?\s+and\s+` + n + `\b`, " and $1"}, // a, b and X
		{`(?i)\b` + n + `\s+and\s+`, ""},                      // X and b
		{`(?i),?\s+(?:and|with)\s+` + n + `\b`, ""},           // a and X
	} {
		re, err := regexp.Compile(p.re)
		if err != nil {
			return step
		}
		if m := re.FindStringSubmatch(step); m != nil && !strings.HasPrefix(strings.ToLower(m[len(m)-1]), "and ") {
			return upperFirst(re.ReplaceAllString(step, p.to))
		}
	}
	if mentions(step, name) {
		return strings.TrimSuffix(step, ".") + " (leave out the " + lowerFirst(name) + ")."
	}
	return step
}

// replace swaps one ingredient for another, in the list, the steps and the title.
func (r *recipe) replace(from, to, amount string) (string, bool) {
	i := r.find(from)
	if i < 0 {
		return "", false
	}
	old := r.ingredients[i].name
	in := &r.ingredients[i]
	in.name, in.icon = matchCase(to, old), iconOf(to)
	if amount != "" {
		in.amount = amount
	}
	r.rename(old, to)
	return old, true
}

// rename changes what the steps call an ingredient: its whole name, otherwise
// the one word of it that tells what it is.
func (r *recipe) rename(old, to string) {
	if !r.swapInSteps(old, to) {
		if w := strings.Fields(old); len(w) > 1 {
			r.swapInSteps(w[len(w)-1], to)
		}
	}
}

// swapInSteps replaces a name in the steps. Other ingredients whose names hold
// it ("peanut butter" when butter goes) are left alone.
func (r *recipe) swapInSteps(old, to string) bool {
	to = lowerFirst(to)
	var others []string
	for _, in := range r.ingredients {
		if nameKey(in.name) != nameKey(old) && nameKey(in.name) != nameKey(to) && mentions(in.name, old) {
			others = append(others, in.name)
		}
	}
	hit := false
	for i, s := range r.steps {
		if t := replaceWhole(s, old, to, others...); t != s {
			hit = true
			r.steps[i] = upperFirst(t)
		}
	}
	return hit
}

// scale multiplies every amount, and what the recipe says of its servings.
func (r *recipe) scale(factor *big.Rat) {
	for i := range r.ingredients {
		r.ingredients[i].amount = quantity.Scale(r.ingredients[i].amount, factor)
	}
	if n := r.statedServings(); n > 0 {
		v := new(big.Rat).Mul(big.NewRat(int64(n), 1), factor)
		f, _ := v.Float64()
		r.setServings(max(1, min(int(f+0.5), maxServings)))
	}
}

const maxServings = 10000

var servesRE = regexp.MustCompile(`(?i)\b(serves|servings?:|feeds|makes enough for)\s+(\d{1,5})\b`)

// statedServings is the number of people the recipe names, or 0.
func (r recipe) statedServings() int {
	if r.servings > 0 {
		return min(r.servings, maxServings)
	}
	for _, s := range append([]string{r.title}, r.steps...) {
		if m := servesRE.FindStringSubmatch(s); m != nil {
			n, _ := strconv.Atoi(m[2])
			return min(n, maxServings)
		}
	}
	return 0
}

func (r *recipe) setServings(n int) {
	said := false
	set := func(s string) string {
		if servesRE.MatchString(s) {
			said = true
		}
		return servesRE.ReplaceAllString(s, "${1} "+strconv.Itoa(n))
	}
	r.title = set(r.title)
	for i := range r.steps {
		r.steps[i] = set(r.steps[i])
	}
	if r.servings > 0 {
		r.servings, said = n, true
	}
	if !said {
		r.steps = append(r.steps, "Serves "+strconv.Itoa(n)+".")
	}
}

func (r *recipe) prefer(p string) {
	if !slices.Contains(r.prefs, p) {
		r.prefs = append(r.prefs, p)
	}
}

func (r *recipe) unprefer(p string) {
	r.prefs = slices.DeleteFunc(r.prefs, func(q string) bool { return q == p })
}

// timeFor is the shortest cooking time of the list that holds so many minutes.
func timeFor(minutes int) string {
	for i, m := range timeMinutes {
		if minutes <= m {
			return cookingTimes[i]
		}
	}
	return cookingTimes[len(cookingTimes)-1]
}
