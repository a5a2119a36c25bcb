package langchaingo

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text is a JSON string of a provider, read leniently: null and what is no
// string are "", an array of parts is the text in them. Its bytes may be half
// a code point, which encoding/json would replace for good: see [seam].
type text string

// UnmarshalJSON never fails: the syntax has been checked.
func (t *text) UnmarshalJSON(b []byte) error {
	*t = ""
	switch b[0] {
	case '"':
		*t = text(unquote(b[1 : len(b)-1]))
	case '[':
		var parts []struct{ Text text }
		if json.Unmarshal(b, &parts) == nil {
			for _, p := range parts {
				*t += p.Text
			}
		}
	}
	return nil
}

// label is a JSON string, or a number as its digits. Anything else is "".
type label string

// UnmarshalJSON never fails.
func (l *label) UnmarshalJSON(b []byte) error {
	*l = ""
	switch {
	case b[0] == '"':
		*l = label(unquote(b[1 : len(b)-1]))
	case b[0] == '-' || '0' <= b[0] && b[0] <= '9':
		*l = label(b)
	}
	return nil
}

// count is a whole number, in whatever way it is written. Anything else is 0.
type count int64

// UnmarshalJSON never fails.
func (n *count) UnmarshalJSON(b []byte) error {
	*n = 0
	if f, err := strconv.ParseFloat(string(b), 64); err == nil && math.Abs(f) < 1<<53 {
		*n = count(f)
	}
	return nil
}

// unquote decodes what stands between the quotes of a JSON string whose syntax
// is known to be right. Invalid bytes stay, and half a surrogate pair becomes
// the three bytes that its code point would have.
func unquote(b []byte) string {
	if !strings.ContainsRune(string(b), '\\') {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := hexRune(b[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				if i+2 < len(b) && b[i+1] == '\\' && b[i+2] == 'u' {
					if pair := utf16.DecodeRune(r, hexRune(b[i+3:])); pair != utf8.RuneError {
						out = utf8.AppendRune(out, pair)
						i += 6
						continue
					}
				}
				out = append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
				continue
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, b[i])
		}
	}
	return string(out)
}

// hexRune reads four hexadecimal digits.
func hexRune(b []byte) rune {
	if len(b) < 4 {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// seam joins the pieces of one text at code points: providers cut anywhere,
// and half a code point is lost for good once it is encoded. The zero value is
// ready.
type seam struct{ held string }

// add returns what can be said of the text that goes on with piece.
func (s *seam) add(piece string) string {
	if s.held == "" && utf8.ValidString(piece) {
		return piece
	}
	all := s.held + piece
	cut := len(all) - incomplete(all)
	s.held = all[cut:]
	return mend(all[:cut])
}

// rest returns what is held back at the end of the text, which then ended
// inside a code point: that shows as U+FFFD.
func (s *seam) rest() string {
	rest := mend(s.held)
	s.held = ""
	return rest
}

// incomplete counts the bytes at the end of s that may begin a code point.
func incomplete(s string) int {
	if n := len(s); n >= 3 && surrogate(s[n-3:]) == 'h' {
		return 3
	}
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		tail := s[len(s)-n:]
		if !utf8.RuneStart(tail[0]) {
			continue
		}
		if utf8.FullRuneInString(tail) {
			return 0
		}
		return n
	}
	return 0
}

// surrogate tells whether s begins with the three bytes of a high ('h') or a
// low ('l') half of a surrogate pair.
func surrogate(s string) byte {
	if len(s) < 3 || s[0] != 0xED || s[2]&0xC0 != 0x80 {
		return 0
	}
	switch s[1] & 0xF0 {
	case 0xA0:
		return 'h'
	case 0xB0:
		return 'l'
	}
	return 0
}

// mend joins surrogate pairs and replaces what is not UTF-8.
func mend(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		half := surrogate(s)
		switch {
		case half == 'h' && surrogate(s[3:]) == 'l':
			b.WriteRune(utf16.DecodeRune(0xD000|rune(s[1]&0x3F)<<6|rune(s[2]&0x3F), 0xD000|rune(s[4]&0x3F)<<6|rune(s[5]&0x3F)))
			s = s[6:]
		case half != 0:
			b.WriteRune(utf8.RuneError)
			s = s[3:]
		default:
			r, n := utf8.DecodeRuneInString(s)
			b.WriteRune(r)
			s = s[n:]
		}
	}
	return b.String()
}
