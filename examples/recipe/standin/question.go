package standin

import (
	"regexp"
	"strings"
)

// topic is what a question is about.
type topic int

const (
	askIngredients topic = iota
	askCount             // how many ingredients, steps
	askAmount            // how much of one thing
	askContains
	askTime
	askSkill
	askTitle
	askDiet
	askPreferences
	askStep
	askSteps
	askServings
	askSummary
	askHelp
	askGreeting
	askThanks
	askChanged
)

type question struct {
	topic topic
	name  string // an ingredient, a diet, "steps" or "ingredients"
	n     int
}

var (
	openerRE = regexp.MustCompile(`(?i)^(?:what|what's|whats|how|which|is|are|does|do|did|who|when|where|why|can|could|should|will|list|show|tell|name|read|summari[sz]e|describe|explain|display|print|enumerate|recap|give|remind|count)\b`)
	asking   = []struct {
		re    *regexp.Regexp
		topic topic
	}{
		{regexp.MustCompile(`(?i)\bhow many (ingredients|steps|instructions|things)\b`), askCount},
		{regexp.MustCompile(`(?i)\bcount (?:the |all |all the )?(ingredients|steps)\b`), askCount},
		{regexp.MustCompile(`(?i)\bhow many (?:people|persons?|servings?|portions?|guests?)\b|\bhow many does it (?:serve|feed)\b|\bwho is it for\b`), askServings},
		{regexp.MustCompile(`(?i)\bhow (?:long|much time|many minutes|many hours|quick|fast)\b|\bcooking time\b|\bwhen (?:is|will) it be (?:ready|done)\b`), askTime},
		{regexp.MustCompile(`(?i)\b(?:how (?:hard|difficult|easy|complicated)|skill level|difficulty|is it (?:hard|difficult|easy|for beginners))\b`), askSkill},
		{regexp.MustCompile(`(?i)\bwhat(?:'s| has| did you| have you)? (?:changed?|is different|did you (?:do|change)|have you changed)\b|\bwhat is (?:new|different)\b`), askChanged},
		{regexp.MustCompile(`(?i)\b(?:is|are|would)\b.*\b(vegetarian|vegan|gluten[- ]free|low[- ]carb|meatless|meat-free|plant[- ]based)\b`), askDiet},
		{regexp.MustCompile(`(?i)\b(?:why|what)\b.*\bnot (vegetarian|vegan|gluten[- ]free|low[- ]carb)\b`), askDiet},
		{regexp.MustCompile(`(?i)\bcan (?:a )?(vegetarian|vegan)s?\b.*\beat\b`), askDiet},
		{regexp.MustCompile(`(?i)\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|final|\d{1,3}(?:st|nd|rd|th)) (?:step|instruction|thing)\b`), askStep},
		{regexp.MustCompile(`(?i)\bstep (?:number )?(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)\b`), askStep},
		{regexp.MustCompile(`(?i)\bhow do (?:i|we|you) (?:start|begin)\b|\bwhat (?:do|should) (?:i|we) do first\b`), askStep},
		{regexp.MustCompile(`(?i)\b(?:steps|instructions|method|directions|how (?:do|should|can|to) (?:i|we|you|one)?\s*(?:make|cook|prepare|bake) (?:it|this|that))\b`), askSteps},
		{regexp.MustCompile(`(?i)\bpreferences?\b|\bis it (?:spicy|cheap|high[- ]protein)\b`), askPreferences},
		{regexp.MustCompile(`(?i)\bhow (?:many|much) (.+?)(?:\s+(?:do|does|are|is|should|will|goes?|in)\b.*)?\??$`), askAmount},
		{regexp.MustCompile(`(?i)\bamount of (.+?)\??$`), askAmount},
		{regexp.MustCompile(`(?i)\b(?:ingredients?|shopping list|what(?:'s| is) in (?:it|this|the \w+)|what (?:do|should) (?:i|we) (?:need|buy)|what goes in)\b`), askIngredients},
		{regexp.MustCompile(`(?i)^(?:is|are) there (?:any |some |an? )?(.+?)(?:\s+(?:in|left)\b.*)?\??$`), askContains},
		{regexp.MustCompile(`(?i)^(?:does|do) (?:it|this|that|we|i|the \w+) (?:contain|have|need|include|use|call for) (?:any |some |an? |the )?(.+?)(?:\s+in (?:it|there))?\??$`), askContains},
		{regexp.MustCompile(`(?i)^(?:are|is) (?:the )?(.+?) in (?:it|there|the \w+|this)\??$`), askContains},
		{regexp.MustCompile(`(?i)\b(?:title|what(?:'s| is) (?:it|this|the (?:recipe|dish)) called|name of (?:the|this) (?:recipe|dish)|what are (?:we|you) (?:cooking|making)|what(?:'s| is) (?:the|this) (?:recipe|dish)|(?:which|what) (?:recipe|dish) is)\b`), askTitle},
		{regexp.MustCompile(`(?i)\b(?:summar|describe|recap|overview|tell me about|whole recipe|(?:show|read|give|list|print|display)\b.*\b(?:the|this|my|our|current) recipe|recipe so far)`), askSummary},
		{regexp.MustCompile(`(?i)\bwhat can (?:you|i|we) (?:do|say|ask)\b|\bhow (?:does this|do you) work\b|\bwho are you\b|\bwhat are you\b|\bcan you help\b`), askHelp},
	}
	greetingRE = regexp.MustCompile(`(?i)^(?:hi|hello|hey|good (?:morning|evening|afternoon)|howdy|greetings|thanks?|thank you|hello there|hi there)$`)
	unitOfRE   = regexp.MustCompile(`(?i)^(?:` + units + `)\s+of\s+`)
	needlessRE = regexp.MustCompile(`(?i)\s+(?:i|we|you|it|there|one)\b.*$`)
	thanksRE   = regexp.MustCompile(`(?i)^thank`)
	aboutRE    = regexp.MustCompile(`(?i)^(?:how|what) about\b`)
	helpRE     = regexp.MustCompile(`(?i)^help(?: me)?$`)
	chattyRE   = regexp.MustCompile(`(?i)^(?:can|could|would|will) (?:you|we|i) `)
)

// questionOf reads a clause that asks. A wish put as a question ("can you add
// eggs?", "how about a soup?") is none.
func questionOf(clause string) *question {
	c := strings.Join(strings.Fields(strings.Trim(clause, " \t\n,")), " ")
	plain := plainClause(c)
	switch {
	case greetingRE.MatchString(strings.TrimRight(c, ".!? ")):
		if thanksRE.MatchString(c) {
			return &question{topic: askThanks}
		}
		return &question{topic: askGreeting}
	case helpRE.MatchString(strings.TrimRight(plain, ".!? ")):
		return &question{topic: askHelp}
	case aboutRE.MatchString(plain):
		return nil
	}
	if _, ok := dishOf(plain); ok {
		return nil
	}
	for _, s := range []string{plain, strings.TrimRight(c, ".! ")} {
		if !openerRE.MatchString(s) || s != plain && chattyRE.MatchString(s) && !strings.Contains(s, "eat") && !strings.Contains(s, "help") {
			continue
		}
		if q := topicOf(s); q != nil {
			return q
		}
	}
	return nil
}

// looseQuestion reads what is neither an order nor put as a question, but names
// a topic ("ingredients please", "the first step").
func looseQuestion(clause string) *question {
	if len(strings.Fields(clause)) > 8 || stepOrderRE.MatchString(plainClause(clause)) {
		return nil
	}
	return topicOf(plainClause(clause))
}

func topicOf(s string) *question {
	for _, a := range asking {
		m := a.re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		q := &question{topic: a.topic}
		if len(m) > 1 {
			q.name = bare(m[1])
		}
		switch a.topic {
		case askStep:
			q.n = 1
			if n, ok := ordinal(q.name); ok && q.name != "" {
				q.n = n
			}
		case askDiet:
			q.name = dietOf(q.name)
		case askAmount, askContains:
			q.name = bare(needlessRE.ReplaceAllString(unitOfRE.ReplaceAllString(q.name, ""), ""))
			if nameKey(q.name) == "" {
				continue
			}
		}
		return q
	}
	return nil
}
