package standin

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

var (
	recipeForRE  = regexp.MustCompile(`(?i)\brecipe\s+(?:for|of|with|using)\s+(.+)$`)
	xRecipeRE    = regexp.MustCompile(`(?i)(?:^|\b(?:a|an|some|another|me|us|new)\s+)([^,]*?)\s+recipe\b\s*(.*)$`)
	makeDishRE   = regexp.MustCompile(`(?i)^(?:(?:make|cook|bake|prepare|create|generate|write|suggest|give|show|find|plan|propose|fix|whip up)(?:\s+(?:me|us))?|i(?:'d| would)? (?:like|love|want|need|crave)(?:\s+to\s+(?:cook|make|eat|have|bake|prepare))?|i'm craving|(?:how|what) about|we (?:want|need))\s+(.+)$`)
	peopleRE     = regexp.MustCompile(`(?i)(?:^|\s)(?:for|to|serves?|serving|feeds?|feeding)\s+(\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:\s+(?:people|persons?|servings?|portions?|guests?|kids|children|adults|friends|of us))?\b`)
	portionsRE   = regexp.MustCompile(`(?i)\b(\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+(?:people|persons?|servings?|portions?|guests?)\b`)
	minutesRE    = regexp.MustCompile(`(?i)(?:\b(?:in|within|under|takes?|in less than|less than|to)\s+)?(?:about\s+)?\b(\d{1,3})\+?[\s-]*(min(?:ute)?s?|hours?|hrs?|h)\b`)
	anHourRE     = regexp.MustCompile(`(?i)\b(?:in|within|under|to)\s+(half an hour|an hour|one hour)\b`)
	leadRE       = regexp.MustCompile(`(?i)^(?:(?:me|us|a|an|some|something|another|the|new|nice|good|great|recipe|with|using|for|(?:big |large |small |huge )?(?:pot|bowl|plate|batch|glass|pan|tray) of)\s+)+`)
	withRE       = regexp.MustCompile(`(?i)\s+(?:with|using|made (?:with|from|of)|that has)\s+(.+)$`)
	withoutRE    = regexp.MustCompile(`(?i)\s+(?:without|but no|with no)\s+(.+)$`)
	anRE         = regexp.MustCompile(`(?i)^an?\s`)
	cookVerbRE   = regexp.MustCompile(`(?i)^(?:make|cook|bake|prepare|fix|whip up|i'm craving)\b`)
	thisRecipeRE = regexp.MustCompile(`(?i)\b(?:the|this|that|my|our|current)\s+recipe\b`)
	itRE         = regexp.MustCompile(`(?i)^(?:it|this|that|them|these|everything|all|sure|the|my|our|your|its|half|twice|less|more|(?:a|the)?\s*(?:recipe|dish|list|summary|steps?|instructions?|ingredients?|title|name)\b|(?:enough|a bit|a little)\b)`)
	skillRE      = regexp.MustCompile(`(?i)\b(?:for\s+)?(?:an?\s+)?(beginner|intermediate|advanced|expert|easy)(?:s|'s|\s+cooks?|\s+(?:skill\s+)?level)?\b`)
)

// dishOf reads a wish for a new dish.
func dishOf(c string) (dish, bool) {
	var x string
	switch m := recipeForRE.FindStringSubmatch(c); {
	case thisRecipeRE.MatchString(c):
		return dish{}, false
	case m != nil && !personsOnly(m[1]):
		x = m[1]
		if y := xRecipeRE.FindStringSubmatch(c[:len(c)-len(m[1])]); y != nil {
			lead := leadRE.ReplaceAllString(y[1], "")
			if m := makeDishRE.FindStringSubmatch(lead); m != nil {
				lead = leadRE.ReplaceAllString(m[1], "")
			}
			if isPlainWords(lead) {
				x = strings.TrimSpace(lead + " " + x)
			}
		}
	default:
		if y := xRecipeRE.FindStringSubmatch(c); y != nil {
			x = strings.TrimSpace(y[1] + " " + y[2])
			if m := makeDishRE.FindStringSubmatch(x); m != nil {
				x = m[1]
			}
			break
		}
		m := makeDishRE.FindStringSubmatch(c)
		if m == nil {
			if isKindPhrase(c) {
				x = c
				break
			}
			return dish{}, false
		}
		if itRE.MatchString(m[1]) || !cookVerbRE.MatchString(c) && !namesFood(m[1]) {
			return dish{}, false
		}
		x = m[1]
	}
	if itRE.MatchString(x) || strings.HasSuffix(strings.ToLower(x), " version") {
		return dish{}, false // "make it a vegan recipe" is about this one
	}
	return readDish(x)
}

// namesFood tells whether a phrase speaks of something to eat that is known.
func namesFood(s string) bool {
	f := strings.Fields(nameKey(s))
	return slices.ContainsFunc(f, func(w string) bool {
		return isFood(w) || slices.Contains([]string{"something", "dish", "meal", "dinner", "lunch", "breakfast", "dessert", "snack"}, w) ||
			slices.ContainsFunc(kinds, func(k kind) bool { return slices.Contains(k.words, w) })
	})
}

// isPlainWords tells whether all the words before "recipe" describe the dish.
func isPlainWords(s string) bool {
	f := strings.Fields(strings.ToLower(s))
	return len(f) > 0 && !slices.ContainsFunc(f, func(w string) bool { return !adjectives[w] && diets[w].name == "" && preferenceOf(w) == "" })
}

// personsOnly tells whether what follows "recipe for" says for whom.
func personsOnly(s string) bool {
	m := peopleRE.FindString(" for " + s)
	return m != "" && (m == " for "+s || portionsRE.MatchString(m) || strings.HasSuffix(m, "us"))
}

// isKindPhrase tells whether a short phrase without a verb names a dish.
func isKindPhrase(c string) bool {
	w := strings.Fields(nameKey(c))
	if len(w) == 0 || len(w) > 12 || strings.HasSuffix(c, "?") || strings.Contains(strings.ToLower(c), "the ") {
		return false
	}
	named := w[len(w)-1:] // "tomato soup"
	if anRE.MatchString(c) {
		named = w // "a tomato soup with beans"
	}
	return slices.ContainsFunc(kinds, func(k kind) bool {
		return slices.ContainsFunc(k.words, func(x string) bool { return x != "rice" && x != "bowl" && slices.Contains(named, x) })
	})
}

// readDish reads what the dish should be: for whom, how fast, with what.
func readDish(x string) (dish, bool) {
	var d dish
	x = " " + x
	if m := peopleRE.FindStringSubmatch(x); m != nil {
		if n, ok := ordinal(m[1]); ok {
			d.people = n
			x = strings.Replace(x, m[0], " ", 1)
		}
	}
	if n, rest, ok := minutesIn(x); ok {
		d.minutes, x = n, rest
	}
	if m := skillRE.FindStringSubmatch(x); m != nil {
		d.skill = skillOf(m[1])
		if !strings.EqualFold(m[1], "easy") {
			x = strings.Replace(x, m[0], " ", 1)
		}
	}
	if m := withoutRE.FindStringSubmatchIndex(x); m != nil {
		for _, it := range items(x[m[2]:m[3]]) {
			d.without = append(d.without, bare(it))
		}
		x = x[:m[0]]
	}
	if m := withRE.FindStringSubmatchIndex(x); m != nil {
		for _, it := range items(x[m[2]:m[3]]) {
			if amount, name := splitAmount(it); name != "" {
				d.with = append(d.with, ingredient{name: name, amount: amount})
			}
		}
		x = x[:m[0]]
	}
	for _, w := range wordsOf(x) {
		if v, ok := diets[w]; ok && v.name != "" {
			d.diets = append(d.diets, w)
		} else if p := preferenceOf(w); p != "" {
			d.prefs = append(d.prefs, p)
		}
	}
	x = strings.Join(strings.Fields(x), " ")
	for strings.HasSuffix(strings.ToLower(x), " recipe") {
		x = x[:len(x)-len(" recipe")]
	}
	x = leadRE.ReplaceAllString(strings.Trim(x, `"'.,!? `)+" ", "")
	d.words = strings.Trim(x, `"'.,!? `)
	for _, filler := range []string{"recipe", "dish", "meal", "something", "food", "dinner", "lunch", "breakfast", "one"} {
		if strings.EqualFold(d.words, filler) {
			d.words = ""
		}
	}
	if len(d.words) > 2*maxName {
		return dish{}, false
	}
	return d, d.words != "" || len(d.with) > 0
}

func minutesIn(s string) (n int, rest string, ok bool) {
	if m := anHourRE.FindStringSubmatch(s); m != nil {
		n = 60
		if strings.HasPrefix(strings.ToLower(m[1]), "half") {
			n = 30
		}
		return n, strings.Replace(s, m[0], " ", 1), true
	}
	m := minutesRE.FindStringSubmatch(s)
	if m == nil {
		return 0, s, false
	}
	n, _ = strconv.Atoi(m[1])
	if strings.HasPrefix(strings.ToLower(m[2]), "h") {
		n *= 60
	}
	return n, strings.Replace(s, m[0], " ", 1), n > 0
}

var (
	factorWords = map[string]*big.Rat{
		"double": big.NewRat(2, 1), "twice": big.NewRat(2, 1), "triple": big.NewRat(3, 1), "treble": big.NewRat(3, 1), "quadruple": big.NewRat(4, 1),
		"halve": big.NewRat(1, 2), "half": big.NewRat(1, 2), "doubled": big.NewRat(2, 1), "halved": big.NewRat(1, 2), "tripled": big.NewRat(3, 1),
	}
	factorWordRE = regexp.MustCompile(`(?i)^(?:make\s+)?(double|triple|treble|quadruple|halve|half|twice)\b\s*(?:of\s+)?(.*)$`)
	makeTwiceRE  = regexp.MustCompile(`(?i)^(?:make|cut|cook|i(?:'d| would)? (?:want|like|need)|reduce|divide|split)\s+(.*?)\s*(?:in\s+|by\s+)?\b(doubled?|twice|tripled?|half|halved)\b(?:\s+(?:as (?:much|big|large|many)|the (?:amount|size)|of (?:it|everything)))?$`)
	timesRE      = regexp.MustCompile(`(?i)^(?:scale|multiply|increase|make|cook|times|enlarge)\b\s*(.*?)\s*(?:up\s+)?(?:\bby(?:\s+a factor of)?\s+|\btimes\s+|\bx\s*|^)(` + quantity.Pattern + `|two|three|four|five|six|seven|eight|nine|ten)\s*(?:times|x)?(?:\s+(?:as much|the (?:amount|size)|bigger|it|everything))?$`)
	nTimesRE     = regexp.MustCompile(`(?i)^(?:make\s+|scale\s+)?(?:it\s+|everything\s+|the recipe\s+)?(?:x\s*)?(` + quantity.Pattern + `|two|three|four|five|six|seven|eight|nine|ten)\s*(?:x|times)\b(?:\s+(?:as much|the (?:amount|size|recipe)|it|everything|bigger))?$`)
	divideRE     = regexp.MustCompile(`(?i)^(?:divide|scale (?:it |everything |the recipe )?down|reduce|split)\b\s*(.*?)\s*by\s+(` + quantity.Pattern + `|two|three|four|five)$`)
	toServingsRE = regexp.MustCompile(`(?i)^(?:scale|resize)\b|servings`) // "change the eggs to 4" is no such thing
	asMuchRE     = regexp.MustCompile(`(?i)^(?:as much|as many)\s*`)
	wholeRE      = regexp.MustCompile(`(?i)^(?:|it|this|that|all|everything|all of it|(?:the\s+|this\s+|my\s+|all\s+|all the\s+)?(?:recipe|amounts?|quantit(?:y|ies)|ingredients?|dish|portions?|servings?|batch)|(?:the\s+)?(?:amounts?|quantit(?:y|ies)) of (?:everything|all.*|each.*|the ingredients))$`)
	wholeLeadRE  = regexp.MustCompile(`(?i)^(?:it|this|that|everything)\b`)
	servingsRE   = regexp.MustCompile(`(?i)^(?:(?:make|scale|adjust|change|adapt|resize|cook|set|it should|i need|we need|enough)\b.*\b(?:for|to|serve|serves|feed|enough for)|for|serves?|feeds?|(?:set|change|make) (?:the )?servings to|servings\s*:)\s+(\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(\s+(?:people|persons?|servings?|portions?|guests?|kids|children|adults|friends|of us))?$`)
)

// scaleOf reads a wish to change all amounts, or one.
func scaleOf(c string) (wish, bool) {
	whole := func(name string, f *big.Rat) (wish, bool) {
		if f == nil || f.Sign() <= 0 {
			return wish{}, false
		}
		name = strings.TrimSpace(name)
		if wholeRE.MatchString(name) {
			name = ""
		} else if wholeLeadRE.MatchString(name) {
			return wish{}, false // "double it twice"
		}
		name = strings.TrimPrefix(strings.TrimPrefix(bare(name), "amount of "), "the ")
		return wish{act: actScale, name: name, factor: f}, true
	}
	if m := servingsRE.FindStringSubmatch(c); m != nil && (m[2] != "" || !strings.Contains(c, " to ") || toServingsRE.MatchString(c)) {
		if n, ok := ordinal(m[1]); ok {
			return wish{act: actServings, n: n}, true
		}
	}
	if m := portionsRE.FindStringSubmatch(c); m != nil && aboutItRE.MatchString(c) {
		if n, ok := ordinal(m[1]); ok {
			return wish{act: actServings, n: n}, true
		}
	}
	if m := divideRE.FindStringSubmatch(c); m != nil {
		if f := numberOf(m[2]); f != nil && f.Sign() > 0 {
			return whole(m[1], new(big.Rat).Inv(f))
		}
	}
	if m := factorWordRE.FindStringSubmatch(c); m != nil {
		rest := strings.TrimSpace(asMuchRE.ReplaceAllString(m[2], ""))
		return whole(rest, factorWords[strings.ToLower(m[1])])
	}
	if m := makeTwiceRE.FindStringSubmatch(c); m != nil {
		return whole(m[1], factorWords[strings.ToLower(m[2])])
	}
	if m := nTimesRE.FindStringSubmatch(c); m != nil {
		return whole("", numberOf(m[1]))
	}
	if m := timesRE.FindStringSubmatch(c); m != nil {
		return whole(m[1], numberOf(m[2]))
	}
	return wish{}, false
}

// numberOf reads a number in figures or a small one in words, or gives nil.
func numberOf(s string) *big.Rat {
	if i := slices.Index(numberWords, strings.ToLower(s)); i > 0 {
		return big.NewRat(int64(i), 1)
	}
	if v, _, ok := quantity.Parse(s); ok {
		return v
	}
	return nil
}

func skillOf(s string) string {
	switch strings.ToLower(s) {
	case "beginner", "easy":
		return skillLevels[0]
	case "intermediate", "medium":
		return skillLevels[1]
	case "advanced", "expert", "hard":
		return skillLevels[2]
	}
	return ""
}

var (
	easierRE   = regexp.MustCompile(`(?i)\b(?:easier|simpler|simplify|less (?:difficult|complicated))\b`)
	harderRE   = regexp.MustCompile(`(?i)\b(?:harder|more (?:difficult|challenging|advanced))\b`)
	quickerRE  = regexp.MustCompile(`(?i)\b(?:quicker|faster|shorter|less time)\b`)
	longerRE   = regexp.MustCompile(`(?i)\b(?:slower|longer|more time)\b`)
	levelRE    = regexp.MustCompile(`(?i)\b(?:skill|level|difficulty)\b.*?\b(beginner|intermediate|advanced|expert|easy|medium|hard)\b`)
	timeWordRE = regexp.MustCompile(`(?i)\b(?:time|takes?|ready|done|cook(?:ed)?|make it|in|within|under)\b`)
)

// levelOf reads a wish about the skill level or the cooking time.
func levelOf(c string) ([]wish, bool) {
	var out []wish
	if m := levelRE.FindStringSubmatch(c); m != nil {
		out = append(out, wish{act: actSkill, name: skillOf(m[1])})
	} else if m := skillRE.FindStringSubmatch(c); m != nil && aboutItRE.MatchString(c) {
		out = append(out, wish{act: actSkill, name: skillOf(m[1])})
	}
	if n, _, ok := minutesIn(" " + c); ok && timeWordRE.MatchString(c) && !strings.Contains(strings.ToLower(c), "step") {
		out = append(out, wish{act: actTime, n: n})
	}
	if aboutItRE.MatchString(c) || len(strings.Fields(c)) <= 2 {
		switch {
		case len(out) > 0:
		case easierRE.MatchString(c):
			out = append(out, wish{act: actSkill, n: -1})
		case harderRE.MatchString(c):
			out = append(out, wish{act: actSkill, n: 1})
		case quickerRE.MatchString(c):
			out = append(out, wish{act: actTime, n: -1})
		case longerRE.MatchString(c):
			out = append(out, wish{act: actTime, n: -2})
		}
	}
	return out, len(out) > 0
}

var (
	dietRE = regexp.MustCompile(`(?i)\b(vegetarian|veggie|meatless|meat-free|vegan|plant[- ]based|low[- ]carb|keto|gluten[- ]free)\b|\b(?:without|no)\s+(meat|gluten|carbs|animal products)\b`)
	// "add hot sauce" names a thing; "add the Spicy preference" does not.
	namingRE = regexp.MustCompile(`(?i)^(?:add|put|use|remove|drop|without|no)\b`)
	prefRE   = regexp.MustCompile(`(?i)\b(spicy|spicier|hot|hotter|mild|milder|high[- ]protein|more protein|protein|budget(?:[- ]friendly)?|cheap(?:er)?|one[- ]pot(?: meal)?)\b`)
)

func isDiet(s string) bool { return dietRE.MatchString(s) || prefRE.MatchString(s) }

func dietOf(s string) string {
	switch strings.ToLower(s) {
	case "vegetarian", "veggie", "meatless", "meat-free", "meat":
		return "vegetarian"
	case "vegan", "plant-based", "plant based", "animal products":
		return "vegan"
	case "low-carb", "low carb", "keto", "carbs":
		return "low-carb"
	case "gluten-free", "gluten free", "gluten":
		return "gluten-free"
	}
	return ""
}

func preferenceOf(s string) string {
	switch strings.ReplaceAll(strings.ToLower(s), " ", "-") {
	case "spicy", "spicier", "hot", "hotter", "mild", "milder":
		return "Spicy"
	case "high-protein", "more-protein", "protein":
		return "High Protein"
	case "budget", "budget-friendly", "cheap", "cheaper":
		return "Budget-Friendly"
	case "one-pot", "one-pot-meal":
		return "One-Pot Meal"
	}
	return ""
}

// preferenceWish reads "make it vegan", "without meat", "less spicy".
func preferenceWish(c string) ([]wish, bool) {
	short := len(strings.Fields(c)) <= 2
	if !short && !aboutItRE.MatchString(c) {
		return nil, false
	}
	var out []wish
	naming := namingRE.MatchString(c) && !strings.Contains(strings.ToLower(c), "preference")
	for _, m := range dietRE.FindAllStringSubmatch(c, -1) {
		d := diets[dietOf(m[1]+m[2])]
		negated := m[1] != "" && notRE.MatchString(c)
		switch {
		case naming && m[1] != "" && len(strings.Fields(bare(c[strings.Index(c, " ")+1:]))) > len(strings.Fields(m[1])):
			return nil, false // "add vegan cheese"
		case negated && d.preference != "":
			out = append(out, wish{act: actUnprefer, name: d.preference})
		case !negated:
			out = append(out, wish{act: actDiet, name: d.name})
		}
	}
	for _, m := range prefRE.FindAllStringSubmatch(c, -1) {
		p := preferenceOf(m[1])
		if naming && len(strings.Fields(c)) > 2 || naming && p == "Spicy" && !strings.EqualFold(m[1], "spicy") || p == "" {
			continue
		}
		mild := strings.HasPrefix(strings.ToLower(m[1]), "mild")
		if mild || notRE.MatchString(c) {
			out = append(out, wish{act: actUnprefer, name: p})
		} else {
			out = append(out, wish{act: actPrefer, name: p})
		}
	}
	return out, len(out) > 0
}
