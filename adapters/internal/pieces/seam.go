package pieces

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Seam joins the pieces of one text so that what it returns is whole code
// points: servers split them between chunks, as bytes or as the halves of a
// surrogate pair, and half a code point is lost for good once it is encoded.
// The zero value is ready.
type Seam struct{ held string }

// Add returns what can be said now of the text that goes on with piece.
func (s *Seam) Add(piece string) string {
	if s.held == "" && utf8.ValidString(piece) {
		return piece
	}
	text := s.held + piece
	n := unfinished(text)
	s.held = text[len(text)-n:]
	return Mend(text[:len(text)-n])
}

// Rest returns what was held back, at the end of the text: a half code point
// is shown as U+FFFD rather than lost in silence.
func (s *Seam) Rest() string {
	rest := Mend(s.held)
	s.held = ""
	return rest
}

// unfinished returns the number of bytes at the end of s that may be the
// beginning of a code point.
func unfinished(s string) int {
	if len(s) >= 3 && high(s[len(s)-3:]) {
		return 3
	}
	for n := 1; n <= 3 && n <= len(s); n++ {
		if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRuneInString(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// high reports whether s begins with the first half of a surrogate pair, low
// whether with the second, in three bytes each.
func high(s string) bool { return surrogate(s, 0xA0) }
func low(s string) bool  { return surrogate(s, 0xB0) }

func surrogate(s string, second byte) bool {
	return len(s) >= 3 && s[0] == 0xED && s[1]&0xF0 == second && s[2]&0xC0 == 0x80
}

// Mend joins surrogate pairs and replaces what is still not UTF-8.
func Mend(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if high(s[i:]) && low(s[i+3:]) {
			b.WriteRune(utf16.DecodeRune(half(s[i:]), half(s[i+3:])))
			i += 6
			continue
		}
		if high(s[i:]) || low(s[i:]) {
			b.WriteRune(utf8.RuneError)
			i += 3
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// half returns the half of a surrogate pair that s begins with.
func half(s string) rune { return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F) }
