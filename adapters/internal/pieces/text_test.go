package pieces

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSeam(t *testing.T) {
	for _, c := range []struct {
		pieces, want []string
		rest         string
	}{
		{pieces: []string{"Hi", "", " there"}, want: []string{"Hi", "", " there"}},
		{pieces: []string{"Cr\xc3", "\xa8me"}, want: []string{"Cr", "ème"}},
		{pieces: []string{"\xf0", "\x9f", "\x8d", "\xae"}, want: []string{"", "", "", "🍮"}},
		{pieces: []string{"a\xed\xa0\xbc", "\xed\xbd\xaeb"}, want: []string{"a", "🍮b"}},
		{pieces: []string{"\xed\xa0\xbc", "b"}, want: []string{"", "\uFFFDb"}},
		{pieces: []string{"\xed\xbd\xae"}, want: []string{"\uFFFD"}},
		{pieces: []string{"a\xff", "b"}, want: []string{"a\uFFFD", "b"}},
		{pieces: []string{"a\xc3"}, want: []string{"a"}, rest: "\uFFFD"},
	} {
		var s Seam
		for i, piece := range c.pieces {
			if got := s.Add(piece); got != c.want[i] {
				t.Errorf("%q: piece %d says %q, want %q", c.pieces, i, got, c.want[i])
			}
		}
		if got := s.Rest(); got != c.rest {
			t.Errorf("%q: the rest is %q, want %q", c.pieces, got, c.rest)
		}
		if got := s.Rest(); got != "" {
			t.Errorf("%q: and then %q", c.pieces, got)
		}
	}
}

// However a text is cut, a seam gives it back whole.
func FuzzSeam(f *testing.F) {
	f.Add("Crème brûlée 🍮", uint8(1), uint8(2))
	f.Add("a\xed\xa0\xbc\xed\xbd\xaeb\xff", uint8(3), uint8(4))
	f.Fuzz(func(t *testing.T, text string, a, b uint8) {
		i := min(int(a), len(text))
		j := min(i+int(b), len(text))
		var s Seam
		got := ""
		for _, said := range []string{s.Add(text[:i]), s.Add(text[i:j]), s.Add(text[j:]), s.Rest()} {
			if !utf8.ValidString(said) {
				t.Fatalf("said %q", said)
			}
			got += said
		}
		if utf8.ValidString(text) && got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// Unescape decodes what encoding/json decodes, to the same but for halves.
func FuzzUnescape(f *testing.F) {
	for _, s := range []string{`a\"\\\/\b\f\n\r\t\u00e9\ud83c\udf6e`, `\ud83c`, `\ud83c\u0041`, `\x`, `\u12`, `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want string
		err := json.Unmarshal([]byte(`"`+s+`"`), &want)
		b, ok := Unescape([]byte(s))
		if err == nil && !ok {
			t.Fatalf("%q is right", s)
		}
		if err == nil && Mend(string(b)) != want && !strings.ContainsRune(want, utf8.RuneError) {
			t.Errorf("%q became %q, want %q", s, b, want)
		}
	})
}

func TestUnescapeRefuses(t *testing.T) {
	for _, s := range []string{`\`, `a\`, `\x`, `\u12`, `\u12g4`} {
		if b, ok := Unescape([]byte(s)); ok {
			t.Errorf("%q became %q", s, b)
		}
	}
}

// FuzzShape: JSON is complete, and no beginning of an object or array is,
// whatever the pieces.
func FuzzShape(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"}\""}]}`, `[]`, `"x"`, ` 5 `, `{"a":"\\"}`} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		if !json.Valid([]byte(text)) {
			return
		}
		var s Shape
		if s.Begun() || s.Complete() {
			t.Fatal("begun before anything came")
		}
		i := min(int(cut), len(text))
		Follow(&s, text[:i])
		if trimmed := strings.TrimSpace(text); strings.ContainsRune(`{["`, rune(trimmed[0])) && len(strings.TrimRight(text[:i], " \t\r\n")) < len(strings.TrimRight(text, " \t\r\n")) && s.Complete() {
			t.Fatalf("%q is complete", text[:i])
		}
		Follow(&s, []byte(text[i:]))
		if !s.Complete() || s.First != strings.TrimLeft(text, " \t\r\n")[0] {
			t.Fatalf("%q is not complete, or begins with %q", text, s.First)
		}
	})
}
