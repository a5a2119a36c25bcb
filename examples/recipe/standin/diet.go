package standin

import "strings"

// substitute is what stands in for a food under a diet; an empty name means
// that it is simply left out.
type substitute struct{ name, amount string }

// diet is a way of eating: which groups it refuses, and what takes their place.
type diet struct {
	name       string // as the user says it
	preference string // as the state says it; empty when the state has no word for it
	refuses    func(food) bool
	swaps      map[string]substitute // by food key
	fallback   map[group]substitute
}

var (
	vegetarianSwaps = map[string]substitute{
		"chicken": {name: "tofu"}, "turkey": {name: "tofu"}, "duck": {name: "seitan"}, "beef": {name: "lentils"}, "mince": {name: "lentils"},
		"steak": {name: "portobello mushrooms"}, "bacon": {name: "smoked tofu"}, "pancetta": {name: "smoked tofu"}, "ham": {name: "smoked tofu"},
		"sausage": {name: "vegetarian sausages"}, "chorizo": {name: "vegetarian sausages"}, "meatball": {name: "lentil balls"}, "lard": {name: "olive oil"},
		"fish sauce": {name: "soy sauce"}, "anchovy": {name: "capers"}, "tuna": {name: "chickpeas"}, "shrimp": {name: "king oyster mushrooms"},
		"prawn": {name: "king oyster mushrooms"}, "squid": {name: "king oyster mushrooms"},
	}
	veganSwaps = map[string]substitute{
		"milk": {name: "oat milk"}, "buttermilk": {name: "soy milk"}, "butter": {name: "vegan margarine"}, "ghee": {name: "coconut oil"},
		"cream": {name: "oat cream"}, "sour cream": {name: "soy yogurt"}, "yogurt": {name: "soy yogurt"}, "yoghurt": {name: "soy yogurt"},
		"parmesan": {name: "nutritional yeast"}, "feta": {name: "marinated tofu"}, "halloumi": {name: "smoked tofu"}, "ricotta": {name: "silken tofu"},
		"mascarpone": {name: "silken tofu"}, "ice cream": {name: "oat ice cream"}, "mayonnaise": {name: "vegan mayonnaise"}, "egg": {name: "flax eggs"},
		"pesto": {name: "vegan pesto"},
	}
	animal = map[group]substitute{
		meat: {name: "seitan"}, fish: {name: "marinated tofu"}, stock: {name: "vegetable stock"}, gelatin: {name: "agar powder"},
		dairy: {name: "vegan cheese"}, egg: {name: "flax eggs"}, honey: {name: "maple syrup"},
	}
	lowCarbSwaps = map[string]substitute{
		"flour": {name: "almond flour"}, "pasta": {name: "zucchini ribbons"}, "spaghetti": {name: "zucchini ribbons"}, "macaroni": {name: "cauliflower florets"},
		"noodle": {name: "zucchini ribbons"}, "rice noodle": {name: "zucchini ribbons"}, "rice": {name: "cauliflower florets"}, "potato": {name: "celeriac"},
		"sweet potato": {name: "celeriac"}, "bread": {name: "lettuce leaves"}, "bun": {name: "lettuce leaves"}, "tortilla": {name: "lettuce leaves"},
		"sugar": {name: "erythritol"}, "maple syrup": {name: "erythritol"}, "honey": {name: "erythritol"}, "breadcrumb": {name: "ground almonds"},
		"chocolate": {name: "unsweetened dark cacao"},
	}
	glutenFreeSwaps = map[string]substitute{
		"soy sauce": {name: "tamari"}, "couscous": {name: "quinoa"}, "bulgur": {name: "quinoa"}, "seitan": {name: "tofu"}, "noodle": {name: "rice noodles"},
	}
)

var diets = map[string]diet{
	"vegetarian": {
		name: "vegetarian", preference: "Vegetarian",
		refuses:  func(f food) bool { return f.group == meat || f.group == fish || f.group == stock || f.group == gelatin },
		swaps:    vegetarianSwaps,
		fallback: animal,
	},
	"vegan": {
		name: "vegan", preference: "Vegan",
		refuses: func(f food) bool {
			switch f.group {
			case meat, fish, stock, gelatin, dairy, egg, honey:
				return true
			}
			return false
		},
		swaps:    merged(vegetarianSwaps, veganSwaps),
		fallback: animal,
	},
	"low-carb": {
		name: "low-carb", preference: "Low Carb",
		refuses:  func(f food) bool { return lowCarbSwaps[f.key].name != "" || f.group == starch },
		swaps:    lowCarbSwaps,
		fallback: map[group]substitute{starch: {name: "cauliflower florets"}},
	},
	"gluten-free": {
		name:     "gluten-free",
		refuses:  func(f food) bool { return f.gluten },
		swaps:    glutenFreeSwaps,
		fallback: nil,
	},
}

func merged(maps ...map[string]substitute) map[string]substitute {
	out := map[string]substitute{}
	for _, m := range maps {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// unfit tells whether a thing may not be in the dish, and what to take instead.
func (d diet) unfit(name string) (food, substitute, bool) {
	f, ok := lookUp(name)
	if !ok || !d.refuses(f) || d.isSwap(name) {
		return food{}, substitute{}, false
	}
	if s, ok := d.swaps[f.key]; ok {
		return f, s, true
	}
	if s, ok := d.fallback[f.group]; ok {
		return f, s, true
	}
	return f, substitute{name: d.name + " " + lowerFirst(name)}, true
}

// isSwap tells whether a thing is already one of the diet's substitutes, or
// says of itself that it fits.
func (d diet) isSwap(name string) bool {
	key := nameKey(name)
	if strings.HasPrefix(key, d.name+" ") {
		return true
	}
	for _, s := range d.swaps {
		if nameKey(s.name) == key {
			return true
		}
	}
	for _, s := range d.fallback {
		if nameKey(s.name) == key {
			return true
		}
	}
	return false
}

// offenders are the ingredients that do not fit the diet, by name.
func (d diet) offenders(r recipe) []string {
	var out []string
	for _, in := range r.ingredients {
		if _, _, bad := d.unfit(in.name); bad {
			out = append(out, lowerFirst(in.name))
		}
	}
	return out
}

// apply exchanges what does not fit: in the list, in the steps, in the title.
func (d diet) apply(r *recipe) {
	for i := range r.ingredients {
		in := &r.ingredients[i]
		f, s, bad := d.unfit(in.name)
		if !bad {
			continue
		}
		old := in.name
		in.name, in.icon = matchCase(s.name, old), iconOf(s.name)
		if s.amount != "" {
			in.amount = s.amount
		}
		r.rename(old, s.name)
		if !mentions(s.name, f.key) {
			r.swapInSteps(f.key, s.name) // "chicken thighs" may be "the chicken" in a step
			r.title = replaceWhole(r.title, f.key, titleCase(strings.TrimSuffix(s.name, "s")))
		}
	}
	if d.preference != "" {
		r.prefer(d.preference)
	}
	if d.preference == "Vegan" {
		r.prefer("Vegetarian")
	}
}
