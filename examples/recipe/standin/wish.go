package standin

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/examples/recipe/quantity"
)

// act is one kind of change that the cook knows.
type act int

const (
	actNew act = iota
	actDiet
	actScale    // everything, or the one thing named
	actServings // for so many people
	actAdd
	actRemove
	actReplace
	actAmount
	actTitle
	actSkill
	actTime
	actPrefer
	actUnprefer
	actImprove
	actAddStep
	actSetStep
	actRemoveStep
	actRemoveNth // an ingredient, by its place
	actClear
)

// wish is one change that the user asked for.
type wish struct {
	act    act
	name   string // what it is about: an ingredient, a title, a preference, a step, a diet
	to     string // what takes its place
	amount string
	factor *big.Rat
	n      int  // people, minutes, or a place in a list (negative: from the end)
	either bool // name and to may stand the other way round
	more   bool // of what is there already
	use    bool // so much of it: what is there already is set and not added to
	dish   dish
}

// understanding is what the cook makes of what the user said.
type understanding struct {
	said   string
	wishes []wish
	ask    *question
	missed []string // clauses that were not understood
}

const verbs = `add|remove|delete|drop|replace|substitute|swap|exchange|make|double|halve|triple|quadruple|scale|multiply|call|rename|set|change|` +
	`take|leave|omit|skip|use|put|include|increase|decrease|reduce|clear|improve|turn|convert|tell|list|show|give|how|what|throw|stir|switch|start`

var (
	sentenceRE = regexp.MustCompile(`[.!;\n]+(?:\s+|$)|\?+(?:\s+|$)`)
	joinRE     = regexp.MustCompile(`(?i)(?:\s*,\s*(?:and\s+)?(?:then\s+|also\s+)?|\s+and\s+(?:then\s+|also\s+|please\s+)?|\s+then\s+)((?:` + verbs + `)\b)`)
	politeRE   = regexp.MustCompile(`(?i)^(?:ok|okay|so|now|and|then|also|hey|hi|hello|please|pls|great|thanks|well|but|just|yes|sure|good|nice|actually|maybe|could you|can you|would you|will you|can we|could we|i want you to|i'd like you to|i would like you to|i need you to|let's|let us|we should)(?:[,!:]\s*|\s+)`)
	tailRE     = regexp.MustCompile(`(?i)(?:[,\s]+(?:please|thanks|thank you|for me|for us|now|too|as well|again|instead|right now)|[\s.!?,;:]+)$`)
)

// understand reads what the user said, clause by clause.
func understand(said string) understanding {
	u := understanding{said: strings.TrimSpace(said)}
	text := strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "\u00a0", " ").Replace(u.said)
	if len(text) > 4000 {
		text = strings.ToValidUTF8(text[:4000], "")
	}
	for _, clause := range clausesOf(text) {
		if q := questionOf(clause); q != nil {
			u.ask = q
			continue
		}
		w, ok := wishesOf(clause)
		switch {
		case ok:
			u.wishes = append(u.wishes, w...)
		case looseQuestion(clause) != nil:
			u.ask = looseQuestion(clause)
		default:
			u.missed = append(u.missed, clause)
		}
	}
	return u
}

// clausesOf splits a text into sentences, and a sentence where "and" or a comma
// leads to another verb, so that "rice and beans" stays together.
func clausesOf(text string) []string {
	var out []string
	start := 0
	sentence := func(s string) {
		last := 0
		end := len(s)
		if m := stepTextRE.FindStringIndex(s); m != nil {
			end = m[1] // what a step says is not taken apart
		}
		for _, m := range joinRE.FindAllStringSubmatchIndex(s, -1) {
			if m[0] >= end {
				break
			}
			if m[0] > last {
				out = append(out, s[last:m[0]])
			}
			last = m[2]
		}
		out = append(out, s[last:])
	}
	for _, m := range sentenceRE.FindAllStringIndex(text, -1) {
		end := m[0]
		if strings.Contains(text[m[0]:m[1]], "?") {
			end = m[0] + 1
		}
		sentence(text[start:end])
		start = m[1]
	}
	sentence(text[start:])
	return slices.DeleteFunc(out, func(s string) bool { return strings.Trim(s, " \t\r\n.,!?") == "" })
}

// plainClause takes politeness off both ends.
func plainClause(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for {
		t := tailRE.ReplaceAllString(politeRE.ReplaceAllString(s, ""), "")
		if t == s || t == "" {
			return s
		}
		s = t
	}
}

var (
	stepTextRE  = regexp.MustCompile(`(?i)\b(?:add|append|insert|change|replace|rewrite|set|edit)\b[^,:]*\b(?:step|instruction)\b[^,:]*:`)
	stepAddRE   = regexp.MustCompile(`(?i)^(?:add|append|insert)\s+(?:a\s+|another\s+|the\s+|one\s+)?(?:final\s+|last\s+|new\s+|more\s+)*(?:step|instruction)\s*(?:[:,-]|to\b|that says\b|saying\b)?\s*(.+)$`)
	titleRE     = regexp.MustCompile(`(?i)^(?:(?:call|name|title|rename|retitle)\s+(?:it|this|that|(?:the|this|my|our)\s+(?:recipe|dish|title))(?:\s+(?:to|as|into))?|(?:set|change)\s+(?:the\s+|its\s+)?(?:title|name)(?:\s+of\s+(?:it|the\s+\w+))?\s+(?:to|as)|title\s*:|(?:the\s+)?(?:title|name) should be)\s+(.+)$`)
	amountSetRE = regexp.MustCompile(`(?i)^(?:set|change|make|increase|decrease|reduce)\s+(?:the\s+)?(?:amount|quantity)\s+of\s+(.+?)\s+to\s+(.+)$`)
	changeRE    = regexp.MustCompile(`(?i)^(?:set|change|increase|decrease|reduce|raise|lower)\s+(?:the\s+)?(.+?)\s+to\s+(.+)$`)
	insteadRE   = regexp.MustCompile(`(?i)^(?:use|take|put|try|with)\s+(.+?)\s+(?:instead of|in place of|rather than|in lieu of)\s+(.+)$`)
	replaceRE   = regexp.MustCompile(`(?i)^(replace|substitute|swap|exchange|switch|trade)\s+(?:out\s+)?(.+?)\s+(?:with|for|by|to|against|into)\s+(.+)$`)
	turnRE      = regexp.MustCompile(`(?i)^(?:change|turn)\s+(?:the\s+)?(.+?)\s+into\s+(.+)$`)
	addRE       = regexp.MustCompile(`(?i)^(?:add|put(?:\s+in)?|include|throw in|mix in|toss in|stir in|insert|use|with)\s+(.+)$`)
	halfOfRE    = regexp.MustCompile(`(?i)^(?:a\s+)?half\s+(?:of\s+)?(.+)$`)
	useRE       = regexp.MustCompile(`(?i)^use\s`)
	noNameRE    = regexp.MustCompile(`^(?:[-–−]\s*\d|\d[\d.,eE]*\s)`) // "-3 eggs": a number that is no amount
	moreRE      = regexp.MustCompile(`(?i)^(?:i(?:'d| would)?\s+(?:like|want|love|need)\s+|it needs\s+|use\s+|add\s+|put in\s+)?(?:some |a bit |a little )?more\s+(.+)$`)
	intoRE      = regexp.MustCompile(`(?i)\s+(?:in(?:to)?|to|from|out of|off)\s+(?:it|this|that|(?:the|this|my|our)\s+(?:recipe|dish|ingredients?|list|batter|mix|mixture|pot|bowl|ingredient list))$`)
	removeRE    = regexp.MustCompile(`(?i)^(?:remove|delete|drop|take out|leave out|leave off|omit|skip|get rid of|take away|take off|without|no|lose|hold|i don't (?:have|like|want|eat)|i do not (?:have|like|want|eat)|i have no|we have no|i'm out of|i am out of|i'm allergic to|i am allergic to)\s+(.+)$`)
	takeOutRE   = regexp.MustCompile(`(?i)^(?:take|leave)\s+(.+?)\s+(?:out|off|away)$`)
	clearRE     = regexp.MustCompile(`(?i)^(?:start (?:over|again|afresh|from scratch)|(?:clear|reset|empty|erase|wipe)(?:\s+(?:it|everything|all|(?:the|this)\s+(?:recipe|form|state|list)))?|(?:a\s+|start a\s+)?(?:new|fresh|blank|empty) recipe)$`)
	improveRE   = regexp.MustCompile(`(?i)\b(?:improve|enhance|upgrade|refine|polish|perfect it|better|tastier|more interesting|spruce (?:it )?up|finish (?:it|the recipe)|complete (?:it|the recipe)|surprise me)\b`)
	aboutItRE   = regexp.MustCompile(`(?i)^(?:(?:make|keep|turn|convert|change|adapt|cook|set)\b|i(?:'m| am)\b|we(?:'re| are)\b|i(?:'d| would)? (?:want|like|need|prefer|love)\b|it (?:should|must|has to|needs to) be\b|(?:should|must) be\b|mark\b|add\b|for\b|go\b|without\b|no\b|not\b|less\b|remove\b|drop\b)`)
	notRE       = regexp.MustCompile(`(?i)\b(?:not|no longer|less|isn't|without|remove|drop|un)\b`)
)

// wishesOf reads one clause as changes; the order of the questions it asks is
// from the particular to the general.
func wishesOf(clause string) ([]wish, bool) {
	c := plainClause(clause)
	one := func(w wish) ([]wish, bool) { return []wish{w}, true }
	if clearRE.MatchString(c) {
		return one(wish{act: actClear})
	}
	if m := stepAddRE.FindStringSubmatch(c); m != nil {
		return one(wish{act: actAddStep, name: sentence(m[1])})
	}
	if w, ok := placeWish(c); ok {
		return one(w)
	}
	if m := titleRE.FindStringSubmatch(c); m != nil {
		return one(wish{act: actTitle, name: strings.Trim(m[1], `"' `)})
	}
	if d, ok := dishOf(c); ok {
		return one(wish{act: actNew, dish: d})
	}
	if w, ok := scaleOf(c); ok {
		return one(w)
	}
	if m := insteadRE.FindStringSubmatch(c); m != nil {
		amount, to := splitAmount(m[1])
		return one(wish{act: actReplace, name: bare(m[2]), to: to, amount: amount})
	}
	if m := amountSetRE.FindStringSubmatch(c); m != nil {
		return one(wish{act: actAmount, name: bare(m[1]), amount: strings.TrimSpace(m[2])})
	}
	if w, ok := levelOf(c); ok {
		return w, true
	}
	if m := changeRE.FindStringSubmatch(c); m != nil && !isDiet(m[2]) {
		if quantity.Leading(m[2]) != nil || strings.EqualFold(m[2], toTaste) {
			amount, name := splitAmount(m[2])
			if amount == "" || nameKey(name) != nameKey(m[1]) {
				amount = m[2]
			}
			return one(wish{act: actAmount, name: bare(m[1]), amount: amount})
		}
		return one(wish{act: actReplace, name: bare(m[1]), to: bare(m[2])})
	}
	if m := replaceRE.FindStringSubmatch(c); m != nil {
		amount, to := splitAmount(m[3])
		either := strings.EqualFold(m[1], "substitute") || strings.EqualFold(m[1], "swap")
		return one(wish{act: actReplace, name: bare(m[2]), to: to, amount: amount, either: either})
	}
	if w, ok := preferenceWish(c); ok {
		return w, true
	}
	if m := turnRE.FindStringSubmatch(c); m != nil {
		return one(wish{act: actReplace, name: bare(m[1]), to: bare(m[2])})
	}
	if improveRE.MatchString(c) {
		return one(wish{act: actImprove})
	}
	for _, re := range []*regexp.Regexp{removeRE, takeOutRE} {
		if m := re.FindStringSubmatch(c); m != nil {
			return removals(m[1])
		}
	}
	if m := moreRE.FindStringSubmatch(c); m != nil {
		out, ok := additions(m[1])
		for i := range out {
			out[i].more = true
		}
		return out, ok
	}
	if m := addRE.FindStringSubmatch(c); m != nil {
		out, ok := additions(m[1])
		for i := range out {
			out[i].use = out[i].use || useRE.MatchString(c) && out[i].amount != ""
		}
		return out, ok
	}
	return nil, false
}

func additions(list string) (out []wish, ok bool) {
	for _, item := range items(intoRE.ReplaceAllString(list, "")) {
		amount, name := splitAmount(item)
		if len(name) > maxName || noNameRE.MatchString(name) {
			return nil, false
		}
		if name != "" {
			out = append(out, wish{act: actAdd, name: name, amount: amount, use: amount == toTaste})
		}
	}
	return out, len(out) > 0
}

func removals(list string) (out []wish, ok bool) {
	list = intoRE.ReplaceAllString(list, "")
	for _, item := range items(list) {
		if m := halfOfRE.FindStringSubmatch(item); m != nil {
			out = append(out, wish{act: actScale, name: bare(m[1]), factor: big.NewRat(1, 2)})
			continue
		}
		if amount, _ := splitAmount(item); amount != "" {
			return nil, false // so much of it, and the cook does not subtract
		}
		name := bare(item)
		switch nameKey(name) {
		case "":
		case "recipe", "everything", "ingredient", "it":
			return []wish{{act: actClear}}, true
		default:
			if len(name) > maxName {
				return nil, false
			}
			out = append(out, wish{act: actRemove, name: name})
		}
	}
	return out, len(out) > 0
}

// maxName bounds what passes for the name of an ingredient.
const maxName = 80

var itemRE = regexp.MustCompile(`(?i)\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s+plus\s+`)

var inNumberRE = regexp.MustCompile(`\d,\d`)

// items splits an enumeration, and no "1,5 kg".
func items(list string) []string {
	var out []string
	last := 0
	for _, m := range itemRE.FindAllStringIndex(list, -1) {
		if m[1] == m[0]+1 && m[0] > 0 && m[1] < len(list) && inNumberRE.MatchString(list[m[0]-1:m[1]+1]) {
			continue
		}
		out = append(out, list[last:m[0]])
		last = m[1]
	}
	return slices.DeleteFunc(append(out, list[last:]), func(s string) bool { return strings.TrimSpace(s) == "" })
}

const units = `cups?|c|tbsps?|tablespoons?|tsps?|teaspoons?|grams?|gr?|kilos?|kgs?|mg|ml|cl|dl|lit(?:er|re)s?|l|oz|ounces?|lbs?|pounds?|pinch(?:es)?|dash(?:es)?|` +
	`handfuls?|cloves?|slices?|cans?|tins?|jars?|packs?|packets?|bunch(?:es)?|heads?|sticks?|stalks?|sprigs?|leaves|pieces?|scoops?|drops?|knobs?|thumbs?|bottles?|glass(?:es)?|bags?|boxes|box|quarts?|pints?|dozen`

var (
	quantityRE = regexp.MustCompile(`(?i)^((?:about\s+|around\s+)?(?:` + quantity.Pattern + `(?:\s*(?:-|–|to)\s*` + quantity.Pattern + `)?|an?|half an?|a few|a couple of|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s*(?:x\s+\d+\s*)?(?:(?:heaped|level|large|small|big|medium)\s+)?(?:` + units + `)\.?)\s+(?:of\s+)?(.+)$`)
	countRE    = regexp.MustCompile(`(?i)^((?:about\s+|around\s+)?` + quantity.Pattern + `(?:\s*(?:-|–|to)\s*` + quantity.Pattern + `)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|an?|a few|a couple of)\s+(.+)$`)
)

// toTaste is the amount that stands behind its name.
const toTaste = "to taste"

// splitAmount parts "2 cups of spinach" into the amount and the name.
func splitAmount(s string) (amount, name string) {
	s = strings.Trim(strings.TrimSpace(s), `."`)
	if n := len(s) - len(toTaste); n > 1 && s[n-1] == ' ' && strings.EqualFold(s[n:], toTaste) {
		return toTaste, bare(s[:n])
	}
	if m := quantityRE.FindStringSubmatch(s); m != nil {
		return figures(m[1]), bare(m[2])
	}
	if m := countRE.FindStringSubmatch(s); m != nil {
		if a := strings.ToLower(m[1]); (a == "a" || a == "an") && usualAmount(m[2]) != "1" {
			return "", bare(m[2]) // "an olive oil" is no count
		}
		return figures(m[1]), bare(m[2])
	}
	return "", bare(s)
}

var numberWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// figures writes a leading number word in figures, so that it scales.
func figures(s string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	switch l := strings.ToLower(first); {
	case l == "a", l == "an":
		if strings.HasPrefix(rest, "few") || strings.HasPrefix(rest, "couple") {
			return s
		}
		return strings.TrimSpace("1 " + rest)
	case l == "half":
		return strings.TrimSpace("1/2 " + strings.TrimPrefix(strings.TrimPrefix(rest, "an "), "a "))
	default:
		if i := slices.Index(numberWords, l); i > 0 {
			return strings.TrimSpace(strconv.Itoa(i) + " " + rest)
		}
	}
	return s
}

var bareRE = regexp.MustCompile(`(?i)^(?:the|a|an|some|any|all(?:\s+of)?(?:\s+the)?|of|my|our|more|extra|a bit of|a little|a pinch of|also)\s+`)

// bare takes articles off a name.
func bare(s string) string {
	s = strings.Trim(strings.TrimSpace(s), `"'.,;:!? `)
	for {
		t := bareRE.ReplaceAllString(s, "")
		if t == s {
			return s
		}
		s = t
	}
}

func sentence(s string) string {
	s = upperFirst(strings.Trim(strings.TrimSpace(s), `"'`))
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

var ordinals = []string{"", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}

// ordinal reads "first", "3rd", "2", "two" or "last" (-1).
func ordinal(s string) (int, bool) {
	s = strings.ToLower(s)
	switch s {
	case "last", "final":
		return -1, true
	case "next":
		return 1, true
	}
	if i := slices.Index(ordinals, s); i > 0 {
		return i, true
	}
	if i := slices.Index(numberWords, s); i > 0 {
		return i, true
	}
	n, err := strconv.Atoi(strings.TrimRight(s, "stndrh"))
	return n, err == nil && n > 0 && n < 1000
}
