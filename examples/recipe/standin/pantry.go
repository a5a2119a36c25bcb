package standin

import (
	"slices"
	"strings"
)

// group is what a food is, as far as diets and amounts care.
type group int

const (
	unknown group = iota
	meat
	fish
	stock // made of meat or fish
	gelatin
	dairy
	egg
	honey
	starch // grain, flour, potato: the carbohydrates
	sweet
	vegetable
	fruit
	legume
	nut
	fat
	herb
	spice
	liquid
)

type food struct {
	key    string // as nameKey gives it
	icon   string
	group  group
	amount string // for four people
	gluten bool
}

// foods is what the cook knows of single things. An entry of more words wins.
var foods = []food{
	{"chicken", "🍗", meat, "500 g", false}, {"turkey", "🍗", meat, "500 g", false}, {"duck", "🍗", meat, "500 g", false},
	{"beef", "🥩", meat, "500 g", false}, {"steak", "🥩", meat, "500 g", false}, {"mince", "🥩", meat, "400 g", false},
	{"lamb", "🥩", meat, "500 g", false}, {"veal", "🥩", meat, "500 g", false}, {"pork", "🥓", meat, "500 g", false},
	{"bacon", "🥓", meat, "150 g", false}, {"ham", "🍖", meat, "150 g", false}, {"sausage", "🌭", meat, "4", false},
	{"meatball", "🍖", meat, "400 g", false}, {"meat", "🥩", meat, "500 g", false}, {"chorizo", "🌭", meat, "150 g", false},
	{"salami", "🍖", meat, "100 g", false}, {"prosciutto", "🍖", meat, "100 g", false}, {"pancetta", "🥓", meat, "100 g", false},
	{"lard", "🧈", meat, "2 tbsp", false},
	{"fish", "🐟", fish, "400 g", false}, {"salmon", "🐟", fish, "400 g", false}, {"tuna", "🐟", fish, "2 cans", false},
	{"cod", "🐟", fish, "400 g", false}, {"trout", "🐟", fish, "4", false}, {"anchovy", "🐟", fish, "6", false},
	{"shrimp", "🦐", fish, "300 g", false}, {"prawn", "🦐", fish, "300 g", false}, {"crab", "🦀", fish, "300 g", false},
	{"mussel", "🦪", fish, "1 kg", false}, {"squid", "🦑", fish, "400 g", false}, {"fish sauce", "🐟", fish, "1 tbsp", false},
	{"chicken stock", "🥣", stock, "1 l", false}, {"chicken broth", "🥣", stock, "1 l", false}, {"beef stock", "🥣", stock, "1 l", false},
	{"beef broth", "🥣", stock, "1 l", false}, {"fish stock", "🥣", stock, "1 l", false}, {"bone broth", "🥣", stock, "1 l", false},
	{"gelatin", "🍮", gelatin, "2 tsp", false}, {"gelatine", "🍮", gelatin, "2 tsp", false},
	{"milk", "🥛", dairy, "1 cup", false}, {"buttermilk", "🥛", dairy, "1 cup", false}, {"butter", "🧈", dairy, "2 tbsp", false},
	{"ghee", "🧈", dairy, "2 tbsp", false}, {"cream", "🥛", dairy, "1/2 cup", false}, {"sour cream", "🥛", dairy, "1/2 cup", false},
	{"yogurt", "🥛", dairy, "1 cup", false}, {"yoghurt", "🥛", dairy, "1 cup", false}, {"cheese", "🧀", dairy, "100 g", false},
	{"parmesan", "🧀", dairy, "50 g", false}, {"mozzarella", "🧀", dairy, "150 g", false}, {"feta", "🧀", dairy, "100 g", false},
	{"cheddar", "🧀", dairy, "100 g", false}, {"ricotta", "🧀", dairy, "200 g", false}, {"mascarpone", "🧀", dairy, "200 g", false},
	{"cream cheese", "🧀", dairy, "200 g", false}, {"halloumi", "🧀", dairy, "200 g", false}, {"ice cream", "🍨", dairy, "4 scoops", false},
	{"egg", "🥚", egg, "2", false}, {"mayonnaise", "🥚", egg, "3 tbsp", false}, {"honey", "🍯", honey, "2 tbsp", false},
	{"flour", "🌾", starch, "1 1/2 cups", true}, {"bread", "🍞", starch, "8 slices", true}, {"breadcrumb", "🍞", starch, "1/2 cup", true},
	{"bun", "🍞", starch, "4", true}, {"tortilla", "🫓", starch, "8", true}, {"wrap", "🫓", starch, "4", true}, {"pasta", "🍝", starch, "400 g", true},
	{"spaghetti", "🍝", starch, "400 g", true}, {"macaroni", "🍝", starch, "400 g", true}, {"noodle", "🍜", starch, "300 g", true},
	{"couscous", "🌾", starch, "1 cup", true}, {"bulgur", "🌾", starch, "1 cup", true}, {"pizza dough", "🍕", starch, "400 g", true},
	{"rice", "🍚", starch, "1 1/2 cups", false}, {"oat", "🌾", starch, "1 cup", false}, {"quinoa", "🌾", starch, "1 cup", false},
	{"potato", "🥔", starch, "4", false}, {"sweet potato", "🍠", starch, "2", false}, {"cornstarch", "🌽", starch, "1 tbsp", false},
	{"polenta", "🌽", starch, "1 cup", false}, {"gnocchi", "🥔", starch, "500 g", true}, {"rice noodle", "🍜", starch, "300 g", false},
	{"sugar", "🍬", sweet, "1/2 cup", false}, {"maple syrup", "🍁", sweet, "2 tbsp", false}, {"chocolate", "🍫", sweet, "100 g", false},
	{"cocoa", "🍫", sweet, "3 tbsp", false}, {"vanilla", "🌼", spice, "1 tsp", false}, {"jam", "🍓", sweet, "3 tbsp", false},
	{"spinach", "🥬", vegetable, "2 cups", false}, {"kale", "🥬", vegetable, "2 cups", false}, {"lettuce", "🥬", vegetable, "1", false},
	{"cabbage", "🥬", vegetable, "1/2", false}, {"leek", "🥬", vegetable, "2", false}, {"carrot", "🥕", vegetable, "3", false},
	{"onion", "🧅", vegetable, "1", false}, {"shallot", "🧅", vegetable, "2", false}, {"garlic", "🧄", vegetable, "2 cloves", false},
	{"tomato", "🍅", vegetable, "4", false}, {"cucumber", "🥒", vegetable, "1", false}, {"zucchini", "🥒", vegetable, "2", false},
	{"courgette", "🥒", vegetable, "2", false}, {"pepper", "🫑", vegetable, "2", false}, {"eggplant", "🍆", vegetable, "1", false},
	{"aubergine", "🍆", vegetable, "1", false}, {"broccoli", "🥦", vegetable, "1 head", false}, {"cauliflower", "🥦", vegetable, "1 head", false},
	{"mushroom", "🍄", vegetable, "250 g", false}, {"corn", "🌽", vegetable, "1 cup", false}, {"pumpkin", "🎃", vegetable, "600 g", false},
	{"squash", "🎃", vegetable, "600 g", false}, {"butternut squash", "🎃", vegetable, "600 g", false}, {"beet", "🫜", vegetable, "3", false},
	{"celery", "🥬", vegetable, "2 stalks", false}, {"olive", "🫒", vegetable, "1/2 cup", false}, {"asparagus", "🥬", vegetable, "1 bunch", false},
	{"pea", "🫛", legume, "1 cup", false}, {"bean", "🫘", legume, "1 can", false}, {"lentil", "🫘", legume, "1 cup", false},
	{"chickpea", "🫘", legume, "1 can", false}, {"tofu", "🧊", legume, "400 g", false}, {"tempeh", "🫘", legume, "300 g", false},
	{"seitan", "🌾", legume, "400 g", true}, {"hummus", "🫘", legume, "1/2 cup", false}, {"miso", "🫘", legume, "2 tbsp", false},
	{"apple", "🍎", fruit, "2", false}, {"pear", "🍐", fruit, "2", false}, {"banana", "🍌", fruit, "2", false}, {"lemon", "🍋", fruit, "1", false},
	{"lime", "🍋", fruit, "1", false}, {"orange", "🍊", fruit, "2", false}, {"strawberry", "🍓", fruit, "200 g", false},
	{"blueberry", "🫐", fruit, "1 cup", false}, {"berry", "🫐", fruit, "1 cup", false}, {"cherry", "🍒", fruit, "200 g", false},
	{"peach", "🍑", fruit, "3", false}, {"mango", "🥭", fruit, "1", false}, {"pineapple", "🍍", fruit, "1/2", false},
	{"grape", "🍇", fruit, "1 cup", false}, {"raisin", "🍇", fruit, "1/4 cup", false}, {"avocado", "🥑", fruit, "1", false}, {"coconut", "🥥", fruit, "1/2 cup", false},
	{"coconut milk", "🥥", liquid, "1 can", false}, {"coconut cream", "🥥", liquid, "1/2 cup", false},
	{"walnut", "🌰", nut, "1/2 cup", false}, {"almond", "🌰", nut, "1/2 cup", false}, {"nut", "🥜", nut, "1/2 cup", false},
	{"peanut", "🥜", nut, "1/2 cup", false}, {"peanut butter", "🥜", nut, "2 tbsp", false}, {"almond butter", "🥜", nut, "2 tbsp", false},
	{"cocoa butter", "🍫", fat, "2 tbsp", false}, {"shea butter", "🧈", fat, "2 tbsp", false}, {"cream of tartar", "🧂", spice, "1/2 tsp", false},
	{"olive oil", "🫒", fat, "2 tbsp", false}, {"oil", "🫒", fat, "2 tbsp", false}, {"margarine", "🧈", fat, "2 tbsp", false},
	{"salt", "🧂", spice, "to taste", false}, {"black pepper", "🧂", spice, "to taste", false}, {"pepper flake", "🌶️", spice, "1/2 tsp", false},
	{"chili", "🌶️", spice, "1", false}, {"chilli", "🌶️", spice, "1", false}, {"chili flake", "🌶️", spice, "1 tsp", false},
	{"jalapeno", "🌶️", spice, "1", false}, {"curry paste", "🍛", spice, "2 tbsp", false}, {"curry powder", "🍛", spice, "1 tbsp", false},
	{"cumin", "🧂", spice, "1 tsp", false}, {"paprika", "🌶️", spice, "1 tsp", false}, {"cinnamon", "🧂", spice, "1 tsp", false},
	{"ginger", "🫚", spice, "1 thumb", false}, {"baking powder", "🧂", spice, "2 tsp", false}, {"baking soda", "🧂", spice, "1 tsp", false},
	{"yeast", "🧂", spice, "1 tsp", false}, {"nutmeg", "🧂", spice, "1 pinch", false}, {"turmeric", "🧂", spice, "1 tsp", false},
	{"basil", "🌿", herb, "1 handful", false}, {"parsley", "🌿", herb, "1 handful", false}, {"coriander", "🌿", herb, "1 handful", false},
	{"cilantro", "🌿", herb, "1 handful", false}, {"thyme", "🌿", herb, "1 tsp", false}, {"rosemary", "🌿", herb, "1 sprig", false},
	{"mint", "🌿", herb, "1 handful", false}, {"oregano", "🌿", herb, "1 tsp", false}, {"dill", "🌿", herb, "1 handful", false},
	{"herb", "🌿", herb, "1 handful", false}, {"chive", "🌿", herb, "1 handful", false},
	{"water", "💧", liquid, "1 cup", false}, {"stock", "🥣", liquid, "1 l", false}, {"broth", "🥣", liquid, "1 l", false},
	{"soy sauce", "🍶", liquid, "3 tbsp", true}, {"vinegar", "🍶", liquid, "1 tbsp", false}, {"wine", "🍷", liquid, "1/2 cup", false},
	{"mustard", "🌭", spice, "1 tsp", false}, {"ketchup", "🍅", spice, "2 tbsp", false}, {"pesto", "🌿", dairy, "3 tbsp", false},
	{"coffee", "☕", liquid, "1 cup", false}, {"tea", "🍵", liquid, "1 cup", false},
}

// plantWords make a plant of what would be an animal's: "oat milk", "vegan cheese".
var plantWords = []string{"vegan", "vegetarian", "plant-based", "plant", "vegetable", "veggie", "soy", "soya", "oat", "almond", "cashew", "rice",
	"coconut", "hemp", "pea", "meatless", "dairy-free", "flax", "agar", "mock", "non-dairy", "egg-free", "jackfruit", "tofu", "tempeh", "seitan", "lentil", "mushroom", "cauliflower"}

// glutenFreeWords make a thing free of gluten.
var glutenFreeWords = []string{"gluten-free", "almond", "rice", "buckwheat", "chickpea", "corn", "coconut", "tapioca", "zucchini", "cauliflower", "tamari", "lettuce", "lentil"}

// lookUp finds what is known of a thing; the entry with the most words wins, of
// equals the one that stands later in the name ("tomato sauce with basil").
func lookUp(name string) (food, bool) {
	key := " " + nameKey(name) + " "
	best, bestWords, bestAt := food{}, 0, -1
	for _, f := range foods {
		at := strings.LastIndex(key, " "+f.key+" ")
		if at < 0 {
			continue
		}
		if n := strings.Count(f.key, " ") + 1; n > bestWords || n == bestWords && at > bestAt {
			best, bestWords, bestAt = f, n, at
		}
	}
	if bestWords == 0 {
		return food{}, false
	}
	words := strings.Fields(key)
	switch best.group {
	case meat, fish, stock, gelatin, dairy, egg, honey:
		if hasWord(words, plantWords, best.key) {
			best.group = legume
		}
	}
	if best.gluten && hasWord(words, glutenFreeWords, best.key) {
		best.gluten = false
	}
	return best, true
}

func hasWord(words, of []string, except string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return w != except && slices.Contains(of, w) })
}

func iconOf(name string) string {
	if f, ok := lookUp(name); ok {
		return f.icon
	}
	return "🍽️"
}

func usualAmount(name string) string {
	if f, ok := lookUp(name); ok {
		return f.amount
	}
	return "1"
}
