package standin

import (
	"regexp"
	"slices"
	"strings"
)

// fencedState is the message that tells the state by its shape: JSON in a fence, at
// its end. Whatever the document holds is then the state.
type fencedState struct {
	at     int     // -1 when there is none
	before string  // what stands before the fence
	doc    *object // nil when the document is no object
}

// newestCarrier finds the last message of that shape. A schema for the answer is
// written like this by some, but not in a person's name.
func newestCarrier(messages []message) fencedState {
	for i, m := range slices.Backward(messages) {
		if m.Role == "assistant" || m.Role == "tool" || isCorrection(messages, i) {
			continue
		}
		before, v, ok := fencedAtEnd(m.text)
		doc, _ := v.(*object)
		if ok && (m.Role == "user" || doc == nil || !isSchema(doc)) {
			return fencedState{i, before, doc}
		}
	}
	return fencedState{at: -1}
}

// earlier reads a text that is an earlier message of the same kind.
func (c fencedState) earlier(text string) (doc *object, ok bool) {
	if c.at < 0 {
		return nil, false
	}
	before, v, ok := fencedAtEnd(text)
	doc, _ = v.(*object)
	return doc, ok && before == c.before
}

// fencedAtEnd reads the JSON in the fence that a text ends with.
func fencedAtEnd(text string) (before string, v any, ok bool) {
	text, ok = strings.CutSuffix(strings.TrimRight(text, " \t\r\n"), "\n```")
	i := strings.LastIndex(text, "```json\n") // no string of a JSON text holds a line feed
	if !ok || i < 0 {
		return "", nil, false
	}
	v, err := parseValue([]byte(text[i+len("```json\n"):]))
	return text[:i], v, err == nil
}

// shared is a document of the state.
type shared struct {
	doc   *object
	whole bool // the recipe is a member, or will be; otherwise the document is the recipe
}

func sharedIn(o *object) shared { return shared{o, !isBareRecipe(o)} }

func (s shared) recipe() recipe {
	if s.whole {
		return readRecipe(s.doc.obj("recipe"))
	}
	return readRecipe(s.doc)
}

// isState tells the shared state from other JSON, where nothing else does: it
// has a recipe, or is one.
func isState(o *object) bool {
	return o.has("recipe") && (o.get("recipe") == nil || o.obj("recipe") != nil) || isBareRecipe(o)
}

func isBareRecipe(o *object) bool {
	_, list := o.get("ingredients").([]any)
	return !o.has("recipe") && list && (o.has("title") || o.has("instructions"))
}

func isSchema(o *object) bool {
	return o.obj("properties") != nil && (o.get("type") == "object" || o.has("$schema") || o.has("$defs")) ||
		o.has("$ref") && o.has("$defs")
}

var correctionRE = regexp.MustCompile(`(?is)^\s*(?:that|this|it)\s+(?:is|was)\s+(?:not|no)\s+(?:the\s+|an?\s+)?(?:valid\s+|whole\s+|complete\s+)?(?:state|json|recipe|document|answer)\b.*\b(?:write|answer|send|give|try)\b[^.\n]{0,40}\bagain\b`)

// isCorrection tells whether a message, of whatever role, only sends the model's
// last answer back. What is wished was said before it.
func isCorrection(messages []message, i int) bool {
	return messages[i].Role != "assistant" && messages[i].Role != "tool" && correctionRE.MatchString(messages[i].text) &&
		slices.ContainsFunc(messages[:i], func(m message) bool { return m.Role == "user" })
}

// isAnswered tells whether the model has answered, in words that were not sent back.
func isAnswered(messages []message) bool {
	for i, m := range messages {
		if m.Role == "assistant" && len(m.ToolCalls) == 0 && !(i+1 < len(messages) && isCorrection(messages, i+1)) {
			return true
		}
	}
	return false
}
