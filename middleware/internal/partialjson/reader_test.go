package partialjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// seen is what a reader shows at one moment.
func seen(r *Reader) string {
	text, open := r.Value()
	if text == nil {
		return "nothing"
	}
	s := fmt.Sprintf("%s %d", text, open)
	if pointer, n, ok := r.Growing(); ok {
		s += fmt.Sprintf(" %q+%d", pointer, n)
	}
	return s
}

// TestVisible writes pieces and looks after each: "text open", then the place
// and length of the string that grows.
func TestVisible(t *testing.T) {
	type step struct {
		piece string
		step  Step
		want  string
	}
	const same = ""
	tests := map[string][]step{
		"a string grows from its first character": {
			{`{"title"`, Finished, `{} 1`},
			{`:"`, Unchanged, same},
			{`Ca`, Grown, `{"title":"Ca"} 1 "/title"+2`},
			{`ke`, Grown, `{"title":"Cake"} 1 "/title"+4`},
			{`"`, Finished, `{"title":"Cake"} 1`},
			{`}`, Finished, `{"title":"Cake"} 0`},
		},
		"an empty string is there when it is closed": {
			{`["`, Finished, `[] 1`},
			{`"`, Finished, `[""] 1`},
		},
		"a string at the root": {
			{`"`, Unchanged, "nothing"},
			{`a`, Grown, `"a" 0 ""+1`},
			{`"`, Finished, `"a" 0`},
		},
		"a number waits for what follows": {
			{`{"a":1`, Finished, `{} 1`},
			{`2.5`, Unchanged, same},
			{`0e+1`, Unchanged, same},
			{` `, Finished, `{"a":12.50e+1} 1`},
			{`,"b":-0`, Unchanged, same},
			{`}`, Finished, `{"a":12.50e+1,"b":-0} 0`},
		},
		"digits are kept": {
			{`[12345678901234567890123, 1.10, 1E400]`, Finished, `[12345678901234567890123,1.10,1E400] 0`},
		},
		"a number at the root ends with white space": {
			{`42`, Unchanged, "nothing"},
			{"\n", Finished, `42 0`},
		},
		"literals wait": {
			{`[tru`, Finished, `[] 1`},
			{`e`, Finished, `[true] 1`},
			{`,fals`, Unchanged, same},
			{`e,n`, Finished, `[true,false] 1`},
			{`ull`, Finished, `[true,false,null] 1`},
		},
		"names wait": {
			{`{"a":{"lo`, Finished, `{"a":{}} 2`},
			{`ng" : `, Unchanged, same},
			{`[`, Finished, `{"a":{"long":[]}} 3`},
			{`]`, Finished, `{"a":{"long":[]}} 2`},
			{` } }`, Finished, `{"a":{"long":[]}} 0`},
		},
		"an escape waits": {
			{`["a\`, Finished, `["a"] 1 "/0"+1`},
			{`n`, Grown, `["a\n"] 1 "/0"+3`},
			{`\u00`, Unchanged, same},
			{`e`, Unchanged, same},
			{`9`, Grown, `["a\n\u00e9"] 1 "/0"+9`},
			{`\"\\\/`, Grown, `["a\n\u00e9\"\\\/"] 1 "/0"+15`},
		},
		"a rune waits": {
			{"[\"\xC3", Finished, `[] 1`},
			{"\xA9", Grown, `["é"] 1 "/0"+2`},
			{"\xF0\x9F", Unchanged, same},
			{"\x8D", Unchanged, same},
			{"\xAE", Grown, `["é🍮"] 1 "/0"+6`},
		},
		"a surrogate pair waits": {
			{`["\ud83c`, Finished, `[] 1`},
			{`\`, Unchanged, same},
			{`udf6`, Unchanged, same},
			{`e`, Grown, `["\ud83c\udf6e"] 1 "/0"+12`},
		},
		"a lone surrogate is replaced": {
			{`["\ud83c`, Finished, `[] 1`},
			{`a`, Grown, "[\"\uFFFDa\"] 1 \"/0\"+4"},
			{`\udf6e`, Grown, "[\"\uFFFDa\uFFFD\"] 1 \"/0\"+7"},
			{`\uD800\uD800`, Grown, "[\"\uFFFDa\uFFFD\uFFFD\"] 1 \"/0\"+10"},
			{`\uDC00`, Grown, "[\"\uFFFDa\uFFFD\uFFFD\\uD800\\uDC00\"] 1 \"/0\"+22"},
			{`\ud800\t`, Grown, "[\"\uFFFDa\uFFFD\uFFFD\\uD800\\uDC00\uFFFD\\t\"] 1 \"/0\"+27"},
			{`\ud800\u0041`, Grown, "[\"\uFFFDa\uFFFD\uFFFD\\uD800\\uDC00\uFFFD\\t\uFFFD\\u0041\"] 1 \"/0\"+36"},
			{`\ud800é`, Grown, "[\"\uFFFDa\uFFFD\uFFFD\\uD800\\uDC00\uFFFD\\t\uFFFD\\u0041\uFFFDé\"] 1 \"/0\"+41"},
			{`\ud800"`, Finished, "[\"\uFFFDa\uFFFD\uFFFD\\uD800\\uDC00\uFFFD\\t\uFFFD\\u0041\uFFFDé\uFFFD\"] 1"},
		},
		"a lone surrogate in a name": {
			{`{"\ud800x`, Finished, `{} 1`},
			{`":"v`, Grown, "{\"\uFFFDx\":\"v\"} 1 \"/\uFFFDx\"+1"},
		},
		"the place is a pointer": {
			{`{"a/b":[0,{"~":"x`, Finished, `{"a/b":[0,{"~":"x"}]} 3 "/a~1b/1/~0"+1`},
			{`"},["y`, Finished, `{"a/b":[0,{"~":"x"},["y"]]} 3 "/a~1b/2/0"+1`},
			{`"]],"":"z`, Finished, `{"a/b":[0,{"~":"x"},["y"]],"":"z"} 1 "/"+1`},
			{`","n\u0061me":"z`, Finished, `{"a/b":[0,{"~":"x"},["y"]],"":"z","n\u0061me":"z"} 1 "/name"+1`},
		},
		"white space and a byte order mark go": {
			{"\xEF", Unchanged, "nothing"},
			{"\xBB\xBF \n\t", Unchanged, "nothing"},
			{"{ \"a\" :\r\n[ 1 , \" b \" ] } \n", Finished, `{"a":[1," b "]} 0`},
		},
		"one piece": {
			{`{"a":"x","b":[1,2]}`, Finished, `{"a":"x","b":[1,2]} 0`},
		},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			var r Reader
			before := "nothing"
			for _, s := range steps {
				step, err := r.WriteString(s.piece)
				if err != nil {
					t.Fatalf("%q: %v", s.piece, err)
				}
				want := s.want
				if want == same {
					want = before
				}
				if got := seen(&r); got != want || step != s.step {
					t.Errorf("after %q:\n got %s (step %d)\nwant %s (step %d)", s.piece, got, step, want, s.step)
				}
				before = want
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth)
	tests := []struct {
		text    string
		offset  int
		pointer string
		reason  string
	}{
		{`}`, 0, "", `expected a value, found '}'`},
		{`{"a":}`, 5, "/a", `expected a value, found '}'`},
		{`{"a" "b"}`, 5, "", `expected a colon, found '"'`},
		{`{"a":1 "b"}`, 7, "", `expected a comma or '}', found '"'`},
		{`{"a":[1;2]}`, 7, "/a", `expected a comma or ']', found ';'`},
		{`{"a":["1";2]}`, 9, "/a", `expected a comma or ']', found ';'`},
		{`{"a":1]`, 6, "", `expected a comma or '}', found ']'`},
		{`[1}`, 2, "", `expected a comma or ']', found '}'`},
		{`[1,]`, 3, "/1", `expected a value, found ']'`},
		{`{"a":1,}`, 7, "", `expected a member name, found '}'`},
		{`{a:1}`, 1, "", `expected a member name, found 'a'`},
		{`{"a":{"b":[0,01]}}`, 14, "/a/b", `expected a comma or ']', found '1'`},
		{`[-]`, 2, "/0", `expected the rest of a number, found ']'`},
		{`[1.]`, 3, "/0", `expected the rest of a number, found ']'`},
		{`[1e+,`, 4, "/0", `expected the rest of a number, found ','`},
		{`[--1]`, 2, "/0", `expected the rest of a number, found '-'`},
		{`[+1]`, 1, "/0", `expected a value, found '+'`},
		{`[.5]`, 1, "/0", `expected a value, found '.'`},
		{`[NaN]`, 1, "/0", `expected a value, found 'N'`},
		{`[trye]`, 3, "/0", `expected the rest of a literal, "ue", found 'y'`},
		{`[nulls]`, 5, "", `expected a comma or ']', found 's'`},
		{"[\"a\nb\"]", 3, "/0", `expected a control character to be escaped, found '\n'`},
		{`["\x41"]`, 3, "/0", `expected an escape, found 'x'`},
		{`["\u00g0"]`, 6, "/0", `expected a hexadecimal digit, found 'g'`},
		{"[\"\x80\"]", 2, "/0", "a string that is not UTF-8"},
		{"[\"\xC0\xAF\"]", 2, "/0", "a string that is not UTF-8"},
		{"[\"\xE0\x80\x80\"]", 3, "/0", "a string that is not UTF-8"},
		{"[\"\xED\xA0\x80\"]", 3, "/0", "a string that is not UTF-8"},
		{"[\"\xF0\x80\x80\x80\"]", 3, "/0", "a string that is not UTF-8"},
		{"[\"\xF4\x90\x80\x80\"]", 3, "/0", "a string that is not UTF-8"},
		{"[\"\xF5\"]", 2, "/0", "a string that is not UTF-8"},
		{"[\"\xC3\"]", 3, "/0", "a string that is not UTF-8"},
		{"[\xC3\xA9]", 1, "/0", "expected a value, found the byte 0xC3"},
		{`{"a":1,"a":2}`, 9, "", `the member "a" a second time`},
		{`{"x":{"a":1,"b":2,"\u0061":3}}`, 25, "/x", `the member "\u0061" a second time`},
		{`{"\ud800":1,"\udc00":2}`, 19, "", "the member \"\uFFFD\" a second time"},
		{`{} {}`, 3, "", "more text after the value"},
		{`1 2`, 2, "", "more text after the value"},
		{"\xEF\xBB{", 2, "", "expected the rest of a byte order mark, found '{'"},
		{"\xEF {", 1, "", "expected the rest of a byte order mark, found ' '"},
		{" \xEF\xBB\xBF{", 1, "", "expected a value, found the byte 0xEF"},
		{deep + "[", MaxDepth, strings.Repeat("/0", MaxDepth), "nested deeper than 1000"},
	}
	for _, tt := range tests {
		var r Reader
		_, err := r.WriteString(tt.text)
		var s *SyntaxError
		if !errors.As(err, &s) {
			t.Errorf("%.40q: %v, want a SyntaxError", tt.text, err)
			continue
		}
		if s.Offset != tt.offset || s.Pointer != tt.pointer || s.Reason != tt.reason || s.Err != nil {
			t.Errorf("%.40q:\n got %d %q %s\nwant %d %q %s", tt.text, s.Offset, s.Pointer, s.Reason, tt.offset, tt.pointer, tt.reason)
		}
		before := seen(&r)
		if step, again := r.WriteString(`"`); step != Unchanged || again != err {
			t.Errorf("%.40q: then %d, %v; want the same error", tt.text, step, again)
		}
		if r.Close() != err || r.Done() || seen(&r) != before {
			t.Errorf("%.40q: the error did not stay", tt.text)
		}
	}
}

func TestErrorSaysWhere(t *testing.T) {
	var r Reader
	_, err := r.WriteString(`{"steps":[{"n":x`)
	if got, want := err.Error(), `expected a value, found 'x', at offset 15 in /steps/0/n`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err = new(Reader).WriteString(`x`)
	if got, want := err.Error(), `expected a value, found 'x', at offset 0`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWhatWasBeforeAnErrorShows(t *testing.T) {
	var r Reader
	step, err := r.WriteString(`{"a":"x` + "\n")
	if step != Finished || err == nil || seen(&r) != `{"a":"x"} 1 "/a"+1` {
		t.Errorf("got %d, %v, %s", step, err, seen(&r))
	}
}

func TestManyNames(t *testing.T) {
	var b strings.Builder
	for i := range 3 * wide {
		fmt.Fprintf(&b, `,"n%d":{"n1":0,"n2":0}`, i)
	}
	whole := "{" + b.String()[1:] + "}"
	var r Reader
	if _, err := r.WriteString(whole); err != nil || !r.Done() {
		t.Fatal(err)
	}
	if text, _ := r.Value(); string(text) != whole {
		t.Errorf("got %s", text)
	}
	for i := range 3 * wide {
		var r Reader
		_, err := r.WriteString(fmt.Sprintf(`%s,"\u006e%d":`, whole[:len(whole)-1], i))
		var s *SyntaxError
		if !errors.As(err, &s) || s.Reason != fmt.Sprintf(`the member "\u006e%d" a second time`, i) {
			t.Errorf("a second n%d: %v", i, err)
		}
	}
}

func TestClose(t *testing.T) {
	for _, text := range []string{`{}`, `[1] `, `"a"`, `12`, `-0.5e3`, "\xEF\xBB\xBFtrue\n"} {
		var r Reader
		r.WriteString(text)
		if err := r.Close(); err != nil || !r.Done() || r.Close() != nil {
			t.Errorf("%q: %v", text, err)
		}
		value, open := r.Value()
		if open != 0 || !json.Valid(value) || string(value) != strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark)) {
			t.Errorf("%q: value %s", text, value)
		}
		if _, err := r.WriteString(""); err != nil {
			t.Errorf("%q: nothing after Close: %v", text, err)
		}
		if _, err := r.WriteString(" "); err == nil || r.Done() {
			t.Errorf("%q: written after Close without an error", text)
		}
	}
	cut := map[string]string{
		"":                               "the text is empty, at offset 0",
		"\xEF\xBB\xBF \n":                "the text is empty, at offset 5",
		`{`:                              "the JSON is cut off, at offset 1",
		`{"a"`:                           "the JSON is cut off, at offset 4",
		`{"a":`:                          "the JSON is cut off, at offset 5 in /a",
		`{"ingredients":["egg","mi`:      "the JSON is cut off, at offset 25 in /ingredients/1",
		`{"ingredients":["egg","milk"`:   "the JSON is cut off, at offset 28 in /ingredients",
		`[1`:                             "the JSON is cut off, at offset 2 in /0",
		`-`:                              "the JSON is cut off, at offset 1",
		`1.`:                             "the JSON is cut off, at offset 2",
		`nul`:                            "the JSON is cut off, at offset 3",
		`"\ud83c`:                        "the JSON is cut off, at offset 7",
		`[{"a":1},{"a":2},{"a":{"b":nul`: "the JSON is cut off, at offset 30 in /2/a/b",
	}
	for text, want := range cut {
		var r Reader
		if _, err := r.WriteString(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		err := r.Close()
		if !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
		if r.Done() || r.Close() != err {
			t.Errorf("%q: the error did not stay", text)
		}
	}
}

func TestAtTheDepthBound(t *testing.T) {
	arrays, objects := strings.Repeat("[", MaxDepth), strings.Repeat(`{"a":`, MaxDepth)
	for open, shut := range map[string]string{arrays: "]", objects: "}"} {
		var r Reader
		if _, err := r.WriteString(open + `"x`); err != nil {
			t.Fatal(err)
		}
		text, n := r.Value()
		if n != MaxDepth || string(text) != open+`"x"`+strings.Repeat(shut, MaxDepth) {
			t.Errorf("%d open in %.20s…", n, text)
		}
		old := open + `"y"` + strings.Repeat(shut, MaxDepth)
		if got := Merge([]byte(old), text, n); string(got) != string(text) {
			t.Errorf("merged: %.20s…", got)
		}
		if _, err := r.WriteString(`"` + strings.Repeat(shut, MaxDepth)); err != nil || r.Close() != nil {
			t.Errorf("closing: %v", err)
		}
	}
}

// TestWriteAllocatesLittle: what a piece costs is not an allocation.
func TestWriteAllocatesLittle(t *testing.T) {
	_, pieces := document()
	n := testing.AllocsPerRun(10, func() {
		var r Reader
		for _, p := range pieces {
			r.WriteString(p)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	if n > float64(len(pieces))/50 {
		t.Errorf("%v allocations for %d pieces", n, len(pieces))
	}
}
