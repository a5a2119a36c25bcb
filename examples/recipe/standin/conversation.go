package standin

import (
	"regexp"
	"slices"
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
// message of the user that is neither such a carrier nor a correction.
func readConversation(r *completionRequest) conversation {
	c := conversation{}
	newest := newestCarrier(r.Messages)
	wishAt, carrierAt, carrierText := -1, -1, ""
	var states []shared
	if newest.doc != nil {
		states = append(states, sharedIn(newest.doc))
	}
	spoken := map[int]string{}
	searched := 0
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := &r.Messages[i]
		if m.Role == "assistant" || m.Role == "tool" || isCorrection(r.Messages, i) {
			continue
		}
		carrier, around := i == newest.at, newest.before
		if o, ok := newest.earlier(m.text); ok && !carrier {
			carrier = true
			if o != nil {
				states = append(states, sharedIn(o))
			}
		}
		if !carrier && searched < maxCarriers && strings.Contains(m.text, "{") {
			searched++
			var found []*object
			found, around = objectsIn(m.text)
			for _, o := range slices.Backward(found) {
				switch {
				case isSchema(o):
					carrier = true
					if c.inPrompt == nil && (m.Role != "user" || wishAt < 0) {
						c.inPrompt = o
					}
				// Where one message tells the state by its shape, what people write is their own.
				case isState(o) && (newest.at < 0 || m.Role != "user"):
					carrier = true
					states = append(states, sharedIn(o))
				}
			}
		}
		switch {
		case m.Role == "user" && !carrier && wishAt < 0:
			wishAt, c.said = i, m.text
		case m.Role == "user" && carrier && carrierText == "":
			carrierAt, carrierText = i, around
		}
		if carrier {
			spoken[i] = around
		} else if m.Role != "user" {
			spoken[i] = m.text
		}
	}
	if wishAt < 0 || wishAt < newest.at && newest.at == carrierAt && isAnswered(r.Messages[wishAt:newest.at]) {
		wishAt, c.said = carrierAt, carrierText // the wish and the state came in one message
	}
	for i, t := range spoken {
		if i > wishAt && wishAt >= 0 && isToldDone(t) {
			c.told = true
		}
	}
	c.done = callsAfter(r.Messages, wishAt)
	if len(states) > 0 {
		c.doc, c.whole, c.recipe = states[0].doc, states[0].whole, states[0].recipe()
		if len(states) > 1 {
			old := states[len(states)-1].recipe()
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
