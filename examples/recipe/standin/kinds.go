package standin

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

}

var kinds = []kind{
	{
		words: []string{"pancake", "crepe", "waffle"}, title: "Pancakes", time: "30 min", skill: "Beginner",
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
		words: []string{"cookie", "biscuit"}, title: "Cookies", time: "30 min", skill: "Beginner",
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
		words: []string{"cake", "muffin", "brownie", "cupcake", "loaf"}, title: "Cake", time: "60+ min", skill: "Intermediate",
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
		words: []string{"crumble", "cobbler", "crisp", "dessert", "pudding"}, title: "Crumble", time: "45 min", skill: "Beginner", needs: "apples",
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
		words: []string{"smoothie", "shake", "lassi", "juice"}, title: "Smoothie", time: "5 min", skill: "Beginner", needs: "bananas",
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
