package standin

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// singular takes the plural ending off a word, roughly; it serves comparison
// only and is never shown.
func singular(w string) string {
	switch n := len(w); {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "oes") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "xes")):
		return w[:n-2]
	case n > 5 && strings.HasSuffix(w, "aves"):
		return w[:n-3] + "f"
	case n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:n-1]
	}
	return w
}

// wordsOf splits a text into lower-case words of letters and digits.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' && !unicode.IsMark(r)
	})
}

var articles = map[string]bool{"the": true, "a": true, "an": true, "some": true, "any": true, "all": true, "of": true, "my": true, "more": true, "extra": true}

// nameKey is a name as it is compared: words, singular, without articles. A
// name without a word is its pictures.
func nameKey(name string) string {
	words := wordsOf(name)
	if len(words) == 0 {
		return strings.Map(pictureOnly, name)
	}
	var out []string
	for _, w := range words {
		if !articles[w] {
			out = append(out, singular(w))
		}
	}
	return strings.Join(out, " ")
}

func pictureOnly(r rune) rune {
	if unicode.Is(unicode.So, r) {
		return r
	}
	return -1
}

// nameRE matches a name in a text in the singular or the plural.
func nameRE(name string) string {
	f := strings.Fields(name)
	if len(f) == 0 {
		return `\x00`
	}
	last := f[len(f)-1]
	f[len(f)-1] = singular(strings.ToLower(last))
	for i := range f {
		f[i] = regexp.QuoteMeta(f[i])
	}
	if strings.EqualFold(last, singular(strings.ToLower(last))) {
		return strings.Join(f, `\s+`) + `(?:e?s)?`
	}
	return strings.Join(f, `\s+`) + `\p{L}{0,3}`
}

// replaceWhole replaces a name where it stands as whole words, and not where it
// is part of one of the longer names to keep.
func replaceWhole(s, name, to string, keep ...string) string {
	kept := [][]int{}
	for _, k := range keep {
		kept = append(kept, standsAt(s, k)...)
	}
	var b strings.Builder
	last := 0
	for _, m := range standsAt(s, name) {
		if slices.ContainsFunc(kept, func(k []int) bool { return k[0] <= m[0] && m[1] <= k[1] }) {
			continue
		}
		b.WriteString(s[last:m[0]])
		b.WriteString(to)
		last = m[1]
	}
	b.WriteString(s[last:])
	return b.String()
}

// standsAt finds a name in a text, as whole words, in singular or plural.
func standsAt(s, name string) [][]int {
	re, err := regexp.Compile(`(?i)` + nameRE(name))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(re.FindAllStringIndex(s, -1), func(m []int) bool {
		before, _ := utf8.DecodeLastRuneInString(s[:m[0]])
		after, _ := utf8.DecodeRuneInString(s[m[1]:])
		return unicode.IsLetter(before) || unicode.IsLetter(after)
	})
}

// mentions tells whether a text speaks of all the words of a name.
func mentions(s, name string) bool {
	have := " " + nameKey(s) + " "
	key := nameKey(name)
	return key != "" && strings.Contains(have, " "+key+" ")
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst lowers the first letter of a name within a sentence, or of all its
// words where all have a capital. A word with a capital inside stays.
func lowerFirst(s string) string {
	f := strings.Fields(s)
	lower := func(w string) (string, bool) {
		_, n := utf8.DecodeRuneInString(w)
		l := strings.ToLower(w)
		return l, l != w && strings.HasSuffix(l, w[n:])
	}
	all := true
	for _, w := range f {
		if _, ok := lower(w); !ok {
			all = false
		}
	}
	for i, w := range f {
		if l, ok := lower(w); ok && (all || i == 0) {
			f[i] = l
		}
	}
	return strings.Join(f, " ")
}

// matchCase gives a name a capital when the one it replaces had one.
func matchCase(name, like string) string {
	if r, _ := utf8.DecodeRuneInString(like); unicode.IsUpper(r) {
		return upperFirst(name)
	}
	return name
}

var smallWords = map[string]bool{"and": true, "with": true, "of": true, "in": true, "for": true, "the": true, "a": true, "an": true, "on": true, "or": true, "la": true, "de": true, "al": true}

// titleCase writes a dish's name as a title, leaving letters beyond the first of
// each word as the user had them.
func titleCase(s string) string {
	f := strings.Fields(s)
	for i, w := range f {
		if i == 0 || !smallWords[strings.ToLower(w)] {
			f[i] = upperFirst(w)
		}
	}
	return strings.Join(f, " ")
}

// enumerate joins names as a sentence does.
func enumerate(items []string) string {
	switch n := len(items); n {
	case 0:
		return "nothing"
	case 1:
		return items[0]
	default:
		return strings.Join(items[:n-1], ", ") + " and " + items[n-1]
	}
}
