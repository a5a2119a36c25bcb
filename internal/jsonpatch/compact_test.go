package jsonpatch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/internal/jsonpatch"
)

func TestCompact(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{` { "a" : [ 1 , 2.50e+1 , "x \" y" ] , "b" : { } , "c":[ ] } `, `{"a":[1,2.50e+1,"x \" y"],"b":{},"c":[]}`},
		{"\r\n\t null\n", `null`},
		{`"\ud83d\ude00\ud800 \u00e9é😀"`, `"\ud83d\ude00\ud800 \u00e9é😀"`},
		{` -0.0e-0 `, `-0.0e-0`},
		{`[{"a":1,"b":{"a":1}},{"a":2}]`, `[{"a":1,"b":{"a":1}},{"a":2}]`},
		{`{"":0}`, `{"":0}`},
		{`{"\ud800":0,"\ud801":1}`, `{"\ud800":0,"\ud801":1}`},
	} {
		got, err := jsonpatch.Compact([]byte("x"), []byte(c.src))
		if err != nil || string(got) != "x"+c.want {
			t.Errorf("Compact(%s) = %s, %v", c.src, got, err)
		}
		compact, err := jsonpatch.Check([]byte(c.src))
		if err != nil || compact != (c.src == c.want) {
			t.Errorf("Check(%s) = %v, %v", c.src, compact, err)
		}
	}
	src := []byte(`{"a":[1,2]}`)
	if got, err := jsonpatch.Compact(nil, src); err != nil || &got[0] != &src[0] {
		t.Errorf("compact text was copied: %s, %v", got, err)
	}
}

func TestCompactRefuses(t *testing.T) {
	wide := `{"first":0`
	for i := range 40 {
		wide += fmt.Sprintf(`,"k%d":%d`, i, i)
	}
	for _, c := range []struct {
		src, reason, pointer string
		offset               int
	}{
		{``, "the text ends early", "", 0},
		{`  `, "the text ends early", "", 2},
		{`{"a":[1,{"b":tru}]}`, "expected a value", "/a/1/b", 13},
		{`{"a":1}}`, "more text after the value", "", 7},
		{`{"a":1} 2`, "more text after the value", "", 8},
		{`{"a":1,}`, "expected a name", "/a", 7},
		{`{a:1}`, "expected a name", "", 1},
		{`{"a" 1}`, "expected a colon", "/a", 5},
		{`[1 2]`, "expected a comma or the closing bracket", "/0", 3},
		{`[1}`, "expected a comma or the closing bracket", "/0", 2},
		{`{"a":1]`, "expected a comma or the closing bracket", "/a", 6},
		{`[1,`, "the text ends early", "/1", 3},
		{`[1`, "the text ends early", "/0", 2},
		{`[1,]`, "expected a value", "/1", 3},
		{`[01]`, "expected a comma or the closing bracket", "/0", 2},
		{`[-]`, "malformed number", "/0", 2},
		{`[1.]`, "malformed number", "/0", 3},
		{`[1e]`, "malformed number", "/0", 3},
		{`[+1]`, "expected a value", "/0", 1},
		{`[.5]`, "expected a value", "/0", 1},
		{`[NaN]`, "expected a value", "/0", 1},
		{`["a`, "the string does not end", "/0", 3},
		{`["a\`, "the string does not end", "/0", 3},
		{`["\x"]`, "malformed escape", "/0", 2},
		{`["\u12g4"]`, "malformed escape", "/0", 2},
		{"[\"a\nb\"]", "control character in a string", "/0", 3},
		{"[\"a\xffb\"]", "invalid UTF-8", "/0", 3},
		{"[\"\xed\xa0\x80\"]", "invalid UTF-8", "/0", 2},
		{"\ufeff{}", "expected a value", "", 0},
		{`{"x":{"a":1,"b":2,"a":3}}`, `the name "a" is there twice`, "/x/b", 18},
		{`{"a":1,"\u0061":3}`, `the name "\u0061" is there twice`, "/a", 7},
		{`{"m~n":{"a/b":[0,{}},"c":1}}`, "expected a comma or the closing bracket", "/m~0n/a~1b/1", 19},
		{wide + `,"k7":0}`, `the name "k7" is there twice`, "/k39", len(wide) + 1},
		{wide + `,"\u006b7":0}`, `the name "\u006b7" is there twice`, "/k39", len(wide) + 1},
	} {
		got, err := jsonpatch.Compact([]byte("x"), []byte(c.src))
		var syntax *jsonpatch.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Compact(%q) = %s, %v", c.src, got, err)
			continue
		}
		if string(got) != "x" || syntax.Reason != c.reason || syntax.Pointer != c.pointer || syntax.Offset != c.offset {
			t.Errorf("Compact(%q): %+v; want %s at %d in %q", c.src, *syntax, c.reason, c.offset, c.pointer)
		}
	}
	const depth = 10_000
	deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	if _, err := jsonpatch.Check([]byte(deep)); err != nil {
		t.Errorf("depth %d: %v", depth, err)
	}
	if _, err := jsonpatch.Check([]byte("[" + deep + "]")); err == nil {
		t.Error("a deeper document passed")
	}
}
