package langchaingo

import "strings"

// splitter divides what an agent writes, thoughts and then a marker and the
// answer, into reasoning and text.
type splitter struct {
	marker string
	past   bool   // the marker has come
	begun  bool   // of the answer more than space has come
	held   string // what may be the beginning of the marker
}

// add returns what can be said now.
func (s *splitter) add(piece string) (reasoning, text string) {
	if s.past {
		return "", s.trim(piece)
	}
	all := s.held + piece
	lower, marker := lowerASCII(all), lowerASCII(s.marker)
	if i := strings.Index(lower, marker); i >= 0 {
		s.past, s.held = true, ""
		return strings.TrimRight(all[:i], " \n"), s.trim(all[i+len(marker):])
	}
	keep := 0
	for n := min(len(marker)-1, len(lower)); n > 0; n-- {
		if strings.HasSuffix(lower, marker[:n]) {
			keep = n
			break
		}
	}
	// Space in front of a marker is held too, for it belongs to nobody.
	for keep < len(all) && strings.ContainsRune(" \n", rune(all[len(all)-keep-1])) {
		keep++
	}
	s.held = all[len(all)-keep:]
	return all[:len(all)-keep], ""
}

// rest returns what was held back, at the end.
func (s *splitter) rest() (reasoning, text string) {
	held := s.held
	*s = splitter{marker: s.marker}
	return strings.TrimRight(held, " \n"), ""
}

// trim leaves out the space between the marker and the answer.
func (s *splitter) trim(text string) string {
	if !s.begun {
		text = strings.TrimLeft(text, " \n")
		s.begun = text != ""
	}
	return text
}

// lowerASCII is strings.ToLower for ASCII: every byte stays in its place.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
