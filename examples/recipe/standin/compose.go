package standin

import (
	"math/big"
	"slices"
	"strings"
)

// kind is a way of cooking: what nearly every dish of it has, and how it is
// made. {x} stands for the main things.
type kind struct {
	words  []string
	title  string // appended when the dish's own words do not name the kind
	base   []string
	steps  []string
	time   string
	skill  string
	onePot bool
	needs  string // the main thing when the user names none; empty: none is needed
	sweet  bool
}

var kinds = []kind{
	{
		words: []string{"pancake", "crepe", "waffle"}, title: "Pancakes", time: "30 min", skill: "Beginner", sweet: true,
		base: []string{"1 1/2 cups flour", "2 eggs", "1 1/4 cups milk", "2 tsp baking powder", "2 tbsp sugar", "2 tbsp butter", "1 pinch salt"},
		steps: []string{
			"Whisk the flour, baking powder, sugar and salt in a bowl.",
			"Beat in the eggs and milk until the batter is smooth, then let it rest for 10 minutes.",
			"Fold {x} into the batter.",
			"Melt a little butter in a pan and pour in a ladle of batter.",
			"Turn it when bubbles break on the surface, and bake the other side golden.",
			"Serve warm.",
		},
	},
	{
		words: []string{"cookie", "biscuit"}, title: "Cookies", time: "30 min", skill: "Beginner", sweet: true,
		base: []string{"2 cups flour", "1/2 cup butter", "3/4 cup sugar", "1 egg", "1 tsp baking powder", "1 tsp vanilla", "1 pinch salt"},
		steps: []string{
			"Heat the oven to 180 °C and line a tray with paper.",
			"Beat the butter and sugar until pale, then beat in the egg and vanilla.",
			"Stir in the flour, baking powder and salt.",
			"Work {x} into the dough.",
			"Set walnut-sized balls on the tray and flatten them a little.",
			"Bake for 12 minutes and let the cookies cool on the tray.",
		},
	},
	{
		words: []string{"cake", "muffin", "brownie", "cupcake", "loaf"}, title: "Cake", time: "60+ min", skill: "Intermediate", sweet: true,
		base: []string{"2 cups flour", "3 eggs", "1 cup sugar", "1/2 cup butter", "1/2 cup milk", "2 tsp baking powder", "1 pinch salt"},
		steps: []string{
			"Heat the oven to 175 °C and grease a tin.",
			"Beat the butter and sugar until fluffy, then add the eggs one at a time.",
			"Fold in the flour, baking powder and salt in turns with the milk.",
			"Fold {x} into the batter and fill the tin.",
			"Bake for 45 minutes, until a skewer comes out clean.",
			"Let it cool before you cut it.",
		},
	},
	{
		words: []string{"crumble", "cobbler", "crisp", "dessert", "pudding"}, title: "Crumble", time: "45 min", skill: "Beginner", needs: "apples", sweet: true,
		base: []string{"1 cup flour", "1/2 cup oats", "1/2 cup butter", "1/2 cup sugar", "1 tsp cinnamon", "1 pinch salt"},
		steps: []string{
			"Heat the oven to 190 °C and butter a dish.",
			"Prepare {x}, cut where that is needed, and spread it in the dish.",
			"Rub the butter into the flour, oats, sugar, cinnamon and salt until it makes crumbs.",
			"Scatter the crumbs on top and bake for 35 minutes, until golden.",
			"Serve warm.",
		},
	},
	{
		words: []string{"soup", "chowder", "bisque", "broth"}, title: "Soup", time: "30 min", skill: "Beginner", onePot: true, needs: "carrots",
		base: []string{"1 onion", "2 cloves garlic", "2 tbsp olive oil", "1 l vegetable stock", "1 tsp thyme", "1 pinch salt"},
		steps: []string{
			"Chop the onion and garlic and soften them in the olive oil in a large pot.",
			"Add {x} and the thyme and stir for 2 minutes.",
			"Pour in the vegetable stock and simmer for 20 minutes, until everything is tender.",
			"Blend as smooth as you like and season with salt.",
			"Ladle into bowls and serve hot.",
		},
	},
	{
		words: []string{"salad", "slaw"}, title: "Salad", time: "15 min", skill: "Beginner", needs: "tomatoes",
		base: []string{"1 lettuce", "1 cucumber", "3 tbsp olive oil", "1 lemon", "1 pinch salt", "1 handful parsley"},
		steps: []string{
			"Wash and tear the lettuce, and slice the cucumber.",
			"Prepare {x} in bite-sized pieces, cooked where that is needed.",
			"Whisk the olive oil with the juice of the lemon and the salt.",
			"Toss everything in the dressing and scatter the parsley on top.",
		},
	},
	{
		words: []string{"pasta", "spaghetti", "lasagna", "lasagne", "noodle", "macaroni", "carbonara", "penne", "linguine", "ravioli"}, title: "Pasta",
		time: "30 min", skill: "Beginner", needs: "tomatoes",
		base: []string{"400 g pasta", "2 cloves garlic", "3 tbsp olive oil", "50 g parmesan", "1 handful basil", "1 pinch salt"},
		steps: []string{
			"Cook the pasta in plenty of water with the salt until it has a bite, and keep a cup of its water.",
			"Slice the garlic and let it turn golden in the olive oil.",
			"Add {x} and cook until done, loosening with the water you kept.",
			"Toss the pasta with the sauce and half of the parmesan.",
			"Serve with the rest of the parmesan and the basil.",
		},
	},
	{
		words: []string{"curry", "korma", "masala", "dal", "dhal"}, title: "Curry", time: "45 min", skill: "Intermediate", onePot: true, needs: "chickpeas",
		base: []string{"1 onion", "2 cloves garlic", "1 thumb ginger", "2 tbsp curry paste", "1 can coconut milk", "2 tbsp oil", "1 1/2 cups rice", "1 pinch salt"},
		steps: []string{
			"Cook the rice and keep it warm.",
			"Chop the onion, garlic and ginger and fry them in the oil until golden.",
			"Stir in the curry paste for a minute until it smells good.",
			"Add {x}, then pour in the coconut milk.",
			"Simmer for 20 minutes and season with salt.",
			"Serve over the rice.",
		},
	},
	{
		words: []string{"stew", "chili", "chilli", "goulash", "ragout", "casserole", "hotpot"}, title: "Stew", time: "60+ min", skill: "Intermediate", onePot: true, needs: "beef",
		base: []string{"2 onions", "3 carrots", "4 potatoes", "2 tbsp tomato paste", "2 tbsp oil", "3 cups vegetable stock", "1 tsp paprika", "1 pinch salt"},
		steps: []string{
			"Cut everything into even pieces.",
			"Brown {x} in the oil in a heavy pot.",
			"Add the onions, carrots and tomato paste and stir for 5 minutes.",
			"Add the potatoes, paprika and vegetable stock and bring to a simmer.",
			"Cover and cook gently for an hour, then season with salt.",
		},
	},
	{
		words: []string{"sandwich", "burger", "toast", "panini", "wrap", "bagel"}, title: "Sandwich", time: "15 min", skill: "Beginner", needs: "cheese",
		base: []string{"8 slices bread", "4 leaves lettuce", "2 tomatoes", "4 tbsp mayonnaise", "1 tsp mustard"},
		steps: []string{
			"Toast the bread and slice the tomatoes.",
			"Prepare {x}, warmed or fried where that is needed.",
			"Spread the bread with the mayonnaise and mustard.",
			"Layer the lettuce, the tomatoes and {x} and close the sandwiches.",
		},
	},
	{
		words: []string{"pizza", "flatbread", "quiche", "tart", "pie"}, title: "Pizza", time: "45 min", skill: "Intermediate", needs: "tomatoes",
		base: []string{"400 g pizza dough", "1/2 cup tomato sauce", "150 g mozzarella", "2 tbsp olive oil", "1 tsp oregano", "1 pinch salt"},
		steps: []string{
			"Heat the oven as hot as it goes.",
			"Roll out the pizza dough and spread it with the tomato sauce.",
			"Cover it with {x} and the mozzarella, and season with the oregano and salt.",
			"Bake for 12 minutes until the edge is brown, and finish with the olive oil.",
		},
	},
	{
		words: []string{"omelette", "omelet", "frittata", "scramble"}, title: "Omelette", time: "15 min", skill: "Beginner", needs: "mushrooms",
		base: []string{"6 eggs", "3 tbsp milk", "2 tbsp butter", "1 handful chives", "1 pinch salt"},
		steps: []string{
			"Beat the eggs with the milk and salt.",
			"Cook {x} in half of the butter and set aside.",
			"Melt the rest of the butter, pour in the eggs and let them set slowly.",
			"Put the filling on one half, fold, and scatter the chives on top.",
		},
	},
	{
		words: []string{"smoothie", "shake", "lassi", "juice"}, title: "Smoothie", time: "5 min", skill: "Beginner", needs: "bananas", sweet: true,
		base: []string{"1 cup yogurt", "1 cup milk", "1 tbsp honey", "1 handful ice"},
		steps: []string{
			"Peel and cut {x} where that is needed.",
			"Blend with the yogurt, milk, honey and ice until smooth.",
			"Pour into tall glasses and drink at once.",
		},
	},
	{
		words: []string{"stir-fry", "stirfry", "fried rice", "risotto", "paella", "pilaf", "rice", "bowl"}, title: "Rice", time: "30 min", skill: "Intermediate", onePot: true, needs: "mushrooms",
		base: []string{"1 1/2 cups rice", "1 onion", "2 cloves garlic", "2 tbsp oil", "3 cups vegetable stock", "1 pinch salt"},
		steps: []string{
			"Chop the onion and garlic and soften them in the oil.",
			"Add {x} and cook until it takes colour.",
			"Stir in the rice, then the vegetable stock bit by bit.",
			"Cook until the rice is tender and season with salt.",
		},
	},
	{
		words: []string{"taco", "burrito", "quesadilla", "enchilada", "fajita"}, title: "Tacos", time: "30 min", skill: "Beginner", needs: "beans",
		base: []string{"8 tortillas", "1 onion", "1 avocado", "1 lime", "1 tsp cumin", "2 tbsp oil", "1 pinch salt"},
		steps: []string{
			"Slice the onion and fry it in the oil with the cumin.",
			"Add {x} and cook until done, then season with salt.",
			"Warm the tortillas and mash the avocado with the juice of the lime.",
			"Fill the tortillas and serve at once.",
		},
	},
}

// plain is the kind of a dish that no other kind names.
var plain = kind{
	time: "45 min", skill: "Intermediate", needs: "",
	base: []string{"1 onion", "2 cloves garlic", "2 tbsp olive oil", "1 handful parsley", "1 pinch salt"},
	steps: []string{
		"Wash, peel and cut what needs it, and chop the onion and garlic.",
		"Soften the onion and garlic in the olive oil.",
		"Add {x} and cook gently until done.",
		"Season with salt and scatter the parsley on top.",
	},
}

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
	m := amountRE.FindStringIndex(amount)
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
