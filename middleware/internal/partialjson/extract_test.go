package partialjson

import (
	"errors"
	"io"
	"testing"
)

func TestExtract(t *testing.T) {
	tests := map[string]string{
		`{}`:                                      `{}`,
		"\n { \"a\" : [ 1.0 , \"} {\" ] } \n":     `{"a":[1.0,"} {"]}`,
		"\uFEFF{\"a\":1}":                         `{"a":1}`,
		"```json\n{\"a\":1}\n```":                 `{"a":1}`,
		"\uFEFF```\r\n{\"a\":1}\r\n```\r\n":       `{"a":1}`,
		`Here you go: {"a":1} Enjoy!`:             `{"a":1}`,
		`See [the list](a) and [x]: {"a":1}`:      `{"a":1}`,
		`{"a":1} From [a site](b), {roughly} [ok`: `{"a":1}`,
		`{"a":1} [`:                               `{"a":1}`,
		`{"a":1} {{x}}`:                           `{"a":1}`,
		"<b>\"quotes\", don't; \\ {\"a\":1}":      `{"a":1}`,
		"Voilà 🍮 \xff {\"a\":\"\\ud83c\"}":        "{\"a\":\"\uFFFD\"}",
	}
	for text, want := range tests {
		got, err := Extract(text)
		if err != nil || string(got) != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
		// In pieces too.
		r := Reader{Prose: true}
		for i := range len(text) {
			if _, err := r.WriteString(text[i : i+1]); err != nil {
				t.Errorf("%q: %v", text[:i+1], err)
			}
		}
		if err := r.Close(); err != nil {
			t.Errorf("%q in pieces: %v", text, err)
		}
		if got, open := r.Value(); string(got) != want || open != 0 {
			t.Errorf("%q in pieces: %s, %d open", text, got, open)
		}
	}
}

func TestExtractErrors(t *testing.T) {
	tests := map[string]string{
		"":                                "the text holds no JSON object, at offset 0",
		"I am sorry, I can't do that.":    "the text holds no JSON object, at offset 28",
		"null":                            "the text holds no JSON object, at offset 4",
		`"a" 1 true`:                      "the text holds no JSON object, at offset 10",
		"[":                               "the text holds no JSON object, at offset 1",
		`[1,2]`:                           "a JSON array where an object is wanted, at offset 0",
		"```json\n[\n  {\"a\":1}\n]\n```": "a JSON array where an object is wanted, at offset 8",
		`All: ["a"]`:                      "a JSON array where an object is wanted, at offset 5",
		`[ ] {"a":1}`:                     "a JSON array where an object is wanted, at offset 0",
		`{"a":1}{"a":2}`:                  "a second JSON object, at offset 7",
		`Either {"a":1} or { } then`:      "a second JSON object, at offset 18",
		`{"a":1} [{"a":2}]`:               "a JSON array behind the object, at offset 8",
		`{"ingredients":["egg","mi`:       "the JSON is cut off, at offset 25 in /ingredients/1",
		"```json\n{\"a\":1\n```":          "expected a comma or '}', found '`', at offset 15",
		`{"a":1,"a":2}`:                   `the member "a" a second time, at offset 9`,
		`Use {name}: {"a":1}`:             "expected a member name, found 'n', at offset 5",
	}
	for text, want := range tests {
		got, err := Extract(text)
		var s *SyntaxError
		if got != nil || !errors.As(err, &s) || err.Error() != want {
			t.Errorf("%q:\n got %s, %v\nwant %s", text, got, err, want)
		}
		if cut := want[:len("the JSON is")] == "the JSON is"; cut != errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: wraps io.ErrUnexpectedEOF: %v", text, !cut)
		}
	}
}

// TestProseStreams: the object shows while it is written, and what is wrong
// behind it is an error of its own.
func TestProseStreams(t *testing.T) {
	r := Reader{Prose: true}
	for _, s := range []struct{ piece, want string }{
		{"Sure! ```js", "nothing"},
		{"on\n", "nothing"},
		{`{"title":"Fl`, `{"title":"Fl"} 1 "/title"+2`},
		{`an"}`, `{"title":"Flan"} 0`},
		{"\n```\nAlso [", `{"title":"Flan"} 0`},
	} {
		if _, err := r.WriteString(s.piece); err != nil {
			t.Fatal(err)
		}
		if got := seen(&r); got != s.want {
			t.Errorf("after %q: %s, want %s", s.piece, got, s.want)
		}
	}
	if !r.Done() {
		t.Error("not done")
	}
	step, err := r.WriteString(` "x"]`)
	if step != Unchanged || err == nil || r.Done() || r.Close() != err || seen(&r) != `{"title":"Flan"} 0` {
		t.Errorf("got step %d, %v, %s", step, err, seen(&r))
	}
}
