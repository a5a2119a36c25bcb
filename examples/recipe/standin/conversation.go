package standin

import (
	"regexp"
	"strings"
)

// conversation is what a request tells: the shared state, what the user wishes,
// and what was done about it in this turn.
type conversation struct {
	doc    *object // the state's document; nil when the request holds none
	whole  bool    // doc has the recipe in a member, otherwise it is the recipe
	recipe recipe
	older  *recipe // the oldest state in the request, when there are several

	said     string
	done     []pastCall // the calls since the user spoke, with their results
	told     bool       // an instruction after the wish says that the changes are made: no tool is to make them again
	inPrompt *object    // a JSON Schema that the prompt asks to be followed
}

type pastCall struct {
	name   string
	args   *object
	result string
}

// maxCarriers bounds how many messages are searched for the state.
const maxCarriers = 256

// readConversation finds the newest message with the state in it, and the last
// message of the user that is not such a carrier.
func readConversation(r *completionRequest) conversation {
	c := conversation{}
	wishAt, carrierText := -1, ""
	states := []*object{}
	kinds := make([]bool, 0) // whole or not, beside states
	spoken := map[int]string{}
	searched := 0
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := &r.Messages[i]
		if m.Role == "assistant" || m.Role == "tool" {
			continue
		}
		var found []*object
		around := m.text
		if searched < maxCarriers && strings.Contains(m.text, "{") {
			searched++
			found, around = objectsIn(m.text)
		}
		carrier := false
		for j := len(found) - 1; j >= 0; j-- {
			o := found[j]
			switch {
			case isSchema(o):
				carrier = true
				if c.inPrompt == nil && (m.Role != "user" || wishAt < 0) {
					c.inPrompt = o
				}
			case isState(o):
				carrier = true
				states, kinds = append(states, o), append(kinds, o.has("recipe"))
			}
		}
		switch {
		case m.Role == "user" && !carrier && wishAt < 0:
			wishAt, c.said = i, m.text
		case m.Role == "user" && carrier && carrierText == "":
			carrierText = around
		}
		if carrier {
			spoken[i] = around
		} else if m.Role != "user" {
			spoken[i] = m.text
		}
	}
	if wishAt < 0 {
		c.said = carrierText // the wish and the state came in one message
	}
	for i, t := range spoken {
		if i > wishAt && wishAt >= 0 && isToldDone(t) {
			c.told = true
		}
	}
	c.done = callsAfter(r.Messages, wishAt)
	if len(states) > 0 {
		c.doc, c.whole = states[0], kinds[0]
		c.recipe = recipeIn(states[0])
		if len(states) > 1 {
			old := recipeIn(states[len(states)-1])
			c.older = &old
		}
	}
	return c
}

var (
	summarizeRE = regexp.MustCompile(`(?i)\b(?:give|provide|write|reply|answer|respond|tell|say|end)\b[^.!\n]{0,60}\bsummar|(?:^|[.!:\n]\s*|please\s+)summari[sz]e\b`)
	notNowRE    = regexp.MustCompile(`(?i)(?:\bnot|\bnever|n't)\b[^.!\n]{0,40}\bsummar`)
	madeRE      = regexp.MustCompile(`(?i)\b(?:already|(?:has|have) (?:just )?been|just)\s+(?:updated|applied|made|changed|carried out|rebuilt)\b`)
)

// isToldDone tells whether an instruction asks for a summary of changes, or says
// that they have been made.
func isToldDone(s string) bool {
	return madeRE.MatchString(s) || summarizeRE.MatchString(s) && !notNowRE.MatchString(s)
}

func recipeIn(o *object) recipe {
	if o.has("recipe") {
		o = o.obj("recipe")
	}
	return readRecipe(o)
}

// isState tells the shared state from other JSON: it has a recipe, or is one.
func isState(o *object) bool {
	if o.has("recipe") {
		v := o.get("recipe")
		return v == nil || o.obj("recipe") != nil
	}
	_, list := o.get("ingredients").([]any)
	return list && (o.has("title") || o.has("instructions"))
}

func isSchema(o *object) bool {
	return o.obj("properties") != nil && (o.get("type") == "object" || o.has("$schema") || o.has("$defs")) ||
		o.has("$ref") && o.has("$defs")
}

// callsAfter pairs the calls made since a message with their results.
func callsAfter(messages []message, at int) []pastCall {
	var out []pastCall
	index := map[string]int{}
	for _, m := range messages[at+1:] {
		for _, tc := range m.ToolCalls {
			v, _ := parseValue([]byte(*tc.Function.Arguments))
			args, _ := v.(*object)
			index[tc.ID] = len(out)
			out = append(out, pastCall{name: tc.Function.Name, args: args})
		}
		if m.Role == "tool" {
			if i, ok := index[*m.ToolCallID]; ok {
				out[i].result = m.text
			}
		}
	}
	return out
}
