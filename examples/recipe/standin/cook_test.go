package standin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
)

// line writes a recipe on a few lines, to compare and to read.
func line(d doc) string {
	r := d.Recipe
	var in []string
	for _, i := range r.Ingredients {
		in = append(in, strings.TrimSpace(i.Name+" "+i.Amount))
	}
	return fmt.Sprintf("%s | %s | %s | %s\n%s\n%s", r.Title, r.SkillLevel, r.CookingTime, strings.Join(r.Preferences, ", "), strings.Join(in, "; "), strings.Join(r.Instructions, " "))
}

func TestChanges(t *testing.T) {
	_, c := start(t, nil)
	const (
		head  = "Beef Tacos | Intermediate | 30 min | \n"
		list  = "Ground Beef 500 g; Butter 1 1/2 tbsp; Peanut Butter ½ cup; Eggs 2-3; Chicken stock 1.5 l; Salt to taste"
		steps = "\nMelt the butter and the peanut butter. Fry the ground beef, eggs and salt. Pour in the chicken stock and serve the beef."
	)
	for _, tt := range []struct{ wish, want string }{
		{"Could you double the recipe, please?", head + "Ground Beef 1000 g; Butter 3 tbsp; Peanut Butter 1 cup; Eggs 4-6; Chicken stock 3 l; Salt to taste" + steps},
		{"halve everything", head + "Ground Beef 250 g; Butter 3/4 tbsp; Peanut Butter ¼ cup; Eggs 1-1 1/2; Chicken stock 0.75 l; Salt to taste" + steps},
		{"for 6 people", head + "Ground Beef 750 g; Butter 2 1/4 tbsp; Peanut Butter ¾ cup; Eggs 3-4 1/2; Chicken stock 2.25 l; Salt to taste" + steps + " Serves 6."},
		{"scale by 1.5", head + "Ground Beef 750 g; Butter 2 1/4 tbsp; Peanut Butter ¾ cup; Eggs 3-4 1/2; Chicken stock 2.25 l; Salt to taste" + steps},
		{"triple the butter", head + strings.Replace(list, "Butter 1 1/2", "Butter 4 1/2", 1) + steps},
		{"add 2 cups of spinach", head + list + "; Spinach 2 cups" + strings.Replace(steps, "Pour", "Add the spinach and mix well. Pour", 1)},
		{"add 1,5 kg flour, 1,000 g sugar and 12345678901234567.5 g lard", head + list + "; Flour 1,5 kg; Sugar 1,000 g; Lard 12345678901234567.5 g" + strings.Replace(steps, "Pour", "Add the flour and mix well. Add the sugar and mix well. Add the lard and mix well. Pour", 1)},
		{"Add 100 g butter", head + strings.Replace(list, "Butter 1 1/2 tbsp", "Butter 1 1/2 tbsp + 100 g", 1) + steps},
		{"add 2 1/2 tbsp butter", head + strings.Replace(list, "Butter 1 1/2 tbsp", "Butter 4 tbsp", 1) + steps},
		{"remove the eggs and the salt", head + "Ground Beef 500 g; Butter 1 1/2 tbsp; Peanut Butter ½ cup; Chicken stock 1.5 l\n" + "Melt the butter and the peanut butter. Fry the ground beef. Pour in the chicken stock and serve the beef."},
		{"replace butter with olive oil", head + strings.Replace(list, "Butter", "Olive oil", 1) + strings.Replace(steps, "the butter", "the olive oil", 1)},
		{"substitute olive oil for butter", head + strings.Replace(list, "Butter", "Olive oil", 1) + strings.Replace(steps, "the butter", "the olive oil", 1)},
		{"use 200 g lentils instead of ground beef", head + strings.Replace(list, "Ground Beef 500 g", "Lentils 200 g", 1) + strings.Replace(steps, "ground beef", "lentils", 1)},
		{"change the eggs to 4", head + strings.Replace(list, "Eggs 2-3", "Eggs 4", 1) + steps},
		{"call it “Sunday Feast”", "Sunday Feast | Intermediate | 30 min | \n" + list + steps},
		{"Set skill to advanced and the cooking time to 45 minutes", "Beef Tacos | Advanced | 45 min | \n" + list + steps},
		{"make it vegetarian", "Lentil Tacos | Intermediate | 30 min | Vegetarian\nLentils 500 g; Butter 1 1/2 tbsp; Peanut Butter ½ cup; Eggs 2-3; Vegetable stock 1.5 l; Salt to taste\nMelt the butter and the peanut butter. Fry the lentils, eggs and salt. Pour in the vegetable stock and serve the lentils."},
		{"make it vegan and double it", "Lentil Tacos | Intermediate | 30 min | Vegan, Vegetarian\nLentils 1000 g; Vegan margarine 3 tbsp; Peanut Butter 1 cup; Flax eggs 4-6; Vegetable stock 3 l; Salt to taste\nMelt the vegan margarine and the peanut butter. Fry the lentils, flax eggs and salt. Pour in the vegetable stock and serve the lentils."},
		{"make it spicy", "Beef Tacos | Intermediate | 30 min | Spicy\n" + list + "; Chili flakes 1 tsp" + strings.Replace(steps, "Pour", "Add the chili flakes and mix well. Pour", 1)},
		{"add a step: garnish with lime", head + list + steps + " Garnish with lime."},
		{"please add a step: whisk, and stir well, then add salt", head + list + steps + " Whisk, and stir well, then add salt."},
		{"double the butter and add a step: mix and stir", head + strings.Replace(list, "Butter 1 1/2", "Butter 3", 1) + steps + " Mix and stir."},
		{"change step 2 to: fry it all", head + list + strings.Replace(steps, "Fry the ground beef, eggs and salt.", "Fry it all.", 1)},
		{"replace the last step with serve and enjoy", head + list + strings.Replace(steps, "Pour in the chicken stock and serve the beef.", "Serve and enjoy.", 1)},
		{"change step 9 to stir", head + list + steps},
		{"move step 2 up", head + list + steps},
		{"remove ingredient 2", head + strings.Replace(list, "Butter 1 1/2 tbsp; ", "", 1) + strings.Replace(steps, "the butter and ", "", 1)},
		{"remove the last ingredient", head + strings.Replace(list, "; Salt to taste", "", 1) + strings.Replace(steps, "beef, eggs and salt", "beef and eggs", 1)},
		{"use 5 eggs", head + strings.Replace(list, "Eggs 2-3", "Eggs 5", 1) + steps},
		{"use 5 limes", head + list + "; Limes 5" + strings.Replace(steps, "Pour", "Add the limes and mix well. Pour", 1)},
		{"add -3 eggs", head + list + steps},
		{"add 1e9 eggs", head + list + steps},
		{"add 1.000,50 g lard", head + list + steps},
		{"add pepper to taste", head + list + "; Pepper to taste" + strings.Replace(steps, "Pour", "Add the pepper and mix well. Pour", 1)},
		{"add butter to taste", head + strings.Replace(list, "Butter 1 1/2 tbsp", "Butter to taste", 1) + steps},
		{"remove 1 egg", head + list + steps},
		{"remove half the butter", head + strings.Replace(list, "Butter 1 1/2", "Butter 3/4", 1) + steps},
		{"add 2% milk", head + list + "; 2% milk 1 cup" + strings.Replace(steps, "Pour", "Add the 2% milk and mix well. Pour", 1)},
		{"add 2 🥑", head + list + "; 🥑 2" + strings.Replace(steps, "Pour", "Add the 🥑 and mix well. Pour", 1)},
		{"double it twice", head + list + steps},
		{"remove the last step", head + list + "\nMelt the butter and the peanut butter. Fry the ground beef, eggs and salt."},
		{"start over", " | Intermediate | 30 min | \n\n"},
		{"remove the saffron", head + list + steps},
		{"is it vegan?", head + list + steps},
		{"what is the capital of France?", head + list + steps},
		{"translate it into French", head + list + steps},
	} {
		t.Run(tt.wish, func(t *testing.T) {
			if got := line(next(t, c, taco(), tt.wish)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestNewDishes(t *testing.T) {
	_, c := start(t, nil)
	for _, tt := range []struct {
		wish, title, skill, time string
		has, hasNot, prefs       []string
	}{
		{wish: "make me a pancake recipe", title: "Pancakes", skill: "Beginner", time: "30 min", has: []string{"Flour", "Eggs", "Milk"}, prefs: []string{"Vegetarian"}},
		{wish: "A recipe for moonberry cake", title: "Moonberry Cake", skill: "Intermediate", time: "60+ min", has: []string{"Moonberry", "Flour"}},
		{wish: "a spicy lentil soup with coconut milk in 15 minutes for beginners", title: "Spicy Lentil Soup", skill: "Beginner", time: "15 min", has: []string{"Lentils", "Coconut milk", "Chili flakes"}, prefs: []string{"Spicy", "One-Pot Meal", "Vegetarian"}},
		{wish: "give me a quick vegan curry recipe for 2 people without garlic", title: "Quick Vegan Curry", skill: "Intermediate", time: "45 min", has: []string{"Chickpeas", "Coconut milk"}, hasNot: []string{"Garlic"}, prefs: []string{"Vegan"}},
		{wish: "I want to make a vegan lasagna", title: "Vegan Lasagna", skill: "Beginner", time: "30 min", has: []string{"Nutritional yeast"}, hasNot: []string{"Parmesan"}, prefs: []string{"Vegan"}},
		{wish: "How about a chicken mushroom pie?", title: "Chicken Mushroom Pie", skill: "Intermediate", time: "45 min", has: []string{"Chicken", "Mushrooms"}},
		{wish: "please write a recipe for Grandma's gooseberry crumble", title: "Grandma's Gooseberry Crumble", skill: "Beginner", time: "45 min", has: []string{"Gooseberry", "Oats"}},
		{wish: "recipe for Flarnblat surprise", title: "Flarnblat Surprise", skill: "Intermediate", time: "45 min", has: []string{"Onion"}},
		{wish: "make me something with tofu and rice", title: "Tofu and Rice", skill: "Intermediate", time: "45 min", has: []string{"Tofu", "Rice"}},
	} {
		t.Run(tt.wish, func(t *testing.T) {
			for name, before := range map[string]any{"from nothing": map[string]any{"recipe": nil}, "from another": taco()} {
				r := next(t, c, before, tt.wish).Recipe
				if r.Title != tt.title || r.SkillLevel != tt.skill || r.CookingTime != tt.time {
					t.Errorf("%s: got %q, %q, %q", name, r.Title, r.SkillLevel, r.CookingTime)
				}
				var names []string
				for _, in := range r.Ingredients {
					names = append(names, in.Name)
					if in.Icon == "" || in.Amount == "" {
						t.Errorf("%s: incomplete ingredient %+v", name, in)
					}
				}
				for _, n := range tt.has {
					if !slices.Contains(names, n) {
						t.Errorf("%s: no %s in %v", name, n, names)
					}
				}
				for _, n := range tt.hasNot {
					if slices.Contains(names, n) || strings.Contains(strings.ToLower(strings.Join(r.Instructions, " ")), strings.ToLower(n)) {
						t.Errorf("%s: %s in %v %v", name, n, names, r.Instructions)
					}
				}
				for _, p := range tt.prefs {
					if !slices.Contains(r.Preferences, p) {
						t.Errorf("%s: no %s in %v", name, p, r.Preferences)
					}
				}
				if len(r.Instructions) < 4 || slices.Contains(r.Instructions, "") || strings.Contains(strings.Join(r.Instructions, ""), "{") {
					t.Errorf("%s: instructions %q", name, r.Instructions)
				}
			}
		})
	}
}

// The dojo's first state is unfinished; improving it finishes it.
func TestImprove(t *testing.T) {
	_, c := start(t, nil)
	before := doc{dishDoc{Title: "Make Your Recipe", SkillLevel: "Intermediate", CookingTime: "45 min", Preferences: []string{},
		Ingredients:  []ingredientDoc{{"🥕", "Carrots", "3 large, grated"}, {"🌾", "All-Purpose Flour", "2 cups"}},
		Instructions: []string{"Preheat oven to 350°F (175°C)"}}}
	after := next(t, c, before, "Improve the recipe").Recipe
	if after.Title == before.Recipe.Title || len(after.Ingredients) < 5 || len(after.Instructions) < 4 || after.Instructions[0] != before.Recipe.Instructions[0] || after.Ingredients[0] != before.Recipe.Ingredients[0] {
		t.Errorf("got %+v", after)
	}
}

func TestAnswers(t *testing.T) {
	_, c := start(t, nil)
	for _, tt := range []struct{ said, want string }{
		{"how many eggs?", "Eggs: 2-3"},
		{"How much butter do we need?", "Butter: 1 1/2 tbsp"},
		{"how many cups of peanut butter?", "Peanut Butter: ½ cup"},
		{"how much saffron?", "The recipe has no saffron."},
		{"how long does it take?", "“Beef Tacos” takes 30 min."},
		{"is it vegetarian?", "No, it is not vegetarian, because of ground beef and chicken stock."},
		{"what is the first step?", "Step 1 of 3: Melt the butter and the peanut butter."},
		{"what's the last step", "Step 3 of 3: Pour in the chicken stock and serve the beef."},
		{"what is step 9?", "There is no such step: “Beef Tacos” has 3 steps."},
		{"does it contain eggs?", "Yes: Eggs (2-3)."},
		{"is there any saffron in it?", "No, the recipe has no saffron."},
		{"how many ingredients are there?", "“Beef Tacos” has 6 ingredients."},
		{"how hard is it?", "“Beef Tacos” is at the level Intermediate."},
		{"what is it called?", "It is called “Beef Tacos”."},
		{"how many people does it serve?", "The recipe does not say how many it serves."},
		{"remove the eggs", "Eggs (2-3) is still in the recipe."},
		{"add saffron", "Saffron is not in the recipe."},
		{"remove the saffron and the tofu", "The recipe has no saffron and no tofu now; it has Ground Beef (500 g), Butter (1 1/2 tbsp), Peanut Butter (½ cup), Eggs (2-3), Chicken stock (1.5 l) and Salt (to taste)."},
		{"remove half the butter", "The amount of butter is now 1 1/2 tbsp."},
		{"add 🥑", "🥑 is not in the recipe."},
	} {
		t.Run(tt.said, func(t *testing.T) {
			got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(taco()), user(tt.said)}})
			if got.text != tt.want {
				t.Errorf("got  %q\nwant %q", got.text, tt.want)
			}
		})
	}
	for _, said := range []string{"recite the alphabet backwards", "move step 2 up", "double it twice", "add -3 eggs", "remove 1 egg", "drop 2 cups of stock"} {
		t.Run("not understood: "+said, func(t *testing.T) {
			got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(taco()), user(said)}})
			if !strings.Contains(got.text, "did not understand “"+said+"”") || !strings.Contains(got.text, "stand-in") {
				t.Errorf("got %q", got.text)
			}
		})
	}
	t.Run("a picture for a name", func(t *testing.T) {
		after := next(t, c, taco(), "add 2 🥑")
		got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{carrier(after), user("add 2 🥑")}})
		if got.text != "🥑 (2) is in the recipe." {
			t.Errorf("got %q", got.text)
		}
	})
	t.Run("no state at all", func(t *testing.T) {
		got := ask(t, c, openai.ChatCompletionRequest{Messages: []openai.ChatCompletionMessage{user("list all the ingredients")}})
		if got.text != "There are no ingredients in the recipe yet." {
			t.Errorf("got %q", got.text)
		}
	})
}
