package agui

import (
	"slices"
	"strings"
)

// manySteps is where a place is not named in full any more.
const manySteps = 12

// named is how people write what a pointer points to, messages[0].content; all
// is what they call the whole. Names from outside are quoted, and short.
func named(all, pointer string) string {
	if pointer == "" {
		return all
	}
	steps := strings.Split(pointer[1:], "/")
	gap := -1
	if more := len(steps) - manySteps; more > 0 {
		gap = manySteps / 2
		steps = slices.Delete(steps, gap, gap+more)
	}
	var b strings.Builder
	for i, s := range steps {
		if i == gap {
			b.WriteString("…")
		}
		switch s = unescapePointer.Replace(s); {
		case consistsOf(s, digits):
			b.WriteString("[" + s + "]")
		case !consistsOf(s, digits+letters):
			b.WriteString("[" + quoted(s) + "]")
		case i > 0:
			b.WriteString("." + s)
		default:
			b.WriteString(s)
		}
	}
	return b.String()
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$"
)

// consistsOf reports whether a name has only such characters, and not too many.
func consistsOf(name, characters string) bool {
	return name != "" && len(name) <= 40 && strings.Trim(name, characters) == ""
}
