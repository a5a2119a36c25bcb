package agui

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppendString(t *testing.T) {
	for in, want := range map[string]string{
		"":                     `""`,
		"plain":                `"plain"`,
		"<>&'/\u007f":          `"<>&'/` + "\u007f" + `"`,
		"\u2028\u2029\u0085":   "\"\u2028\u2029\u0085\"",
		"\"\\":                 `"\"\\"`,
		"\b\f\n\r\t":           `"\b\f\n\r\t"`,
		"\x00\x01\x1f":         `"\u0000\u0001\u001f"`,
		"a\xffb":               "\"a\uFFFDb\"",
		"\xed\xa0\xbd":         "\"\uFFFD\uFFFD\uFFFD\"", // half a surrogate pair, as bytes
		"12345678\n":           `"12345678\n"`,
		"1234567\"12345678é\\": `"1234567\"12345678é\\"`,
		"👩‍👩‍👧‍👦 中文":           `"👩‍👩‍👧‍👦 中文"`,
	} {
		if got := string(appendString([]byte("x"), in)); got != "x"+want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

// Every byte at every place within a word, so that looking at eight at once
// says what looking at one does.
func TestAppendStringAtEveryOffset(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			in := []byte(strings.Repeat("a", 20))
			in[at] = byte(c)
			got := appendString(nil, string(in))
			var back string
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatalf("%q: %s: %v", in, got, err)
			}
			if want := strings.ToValidUTF8(string(in), "\uFFFD"); back != want {
				t.Fatalf("%q: read back %q", in, back)
			}
			if utf8.Valid(in) {
				p := parser{data: got, maxDepth: 1}
				if !p.document() {
					t.Fatalf("%s: %s", got, p.reason)
				}
			}
		}
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		`"\"\\\/\b\f\n\r\t"`:   "\"\\/\b\f\n\r\t",
		`"\u0041\u00e9\u4e2d"`: "Aé中",
		`"\ud83d\udc69"`:       "👩",
		`"\uD83D\uDC69!"`:      "👩!",
		`"\ud83d"`:             "\uFFFD",
		`"\ud83dx\udc69"`:      "\uFFFDx\uFFFD",
		`"\ud83d\ud83d\udc69"`: "\uFFFD👩",
		`"\u0000"`:             "\x00",
	} {
		d, f := readDocument(parser{data: []byte(in), maxDepth: 1})
		if f != nil {
			t.Fatalf("%s: %v", in, f)
		}
		if got := d.text(0); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
		d.release()
	}
}
