package jsonpatch

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// longestCommon is the textbook's length of the longest common subsequence.
func longestCommon(a, b []int32) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j], row[j+1])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// TestOrder checks that each way of matching gives ascending pairs of equal
// elements, and that the exact ones give as many as there can be.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		classes := 1 + r.IntN(12)
		sequence := func() ([]int32, []int32) {
			class := make([]int32, r.IntN(30))
			index := make([]int32, len(class))
			for i := range class {
				class[i], index[i] = int32(r.IntN(classes)), int32(i)
			}
			return class, index
		}
		m := &matcher{classes: classes}
		var x, y []int32
		m.ca, x = sequence()
		m.cb, y = sequence()
		best := longestCommon(m.ca, m.cb)
		check := func(name string, pairs [][2]int32, exact bool) {
			t.Helper()
			for k, p := range pairs {
				if m.ca[p[0]] != m.cb[p[1]] || k > 0 && (pairs[k-1][0] >= p[0] || pairs[k-1][1] >= p[1]) {
					t.Fatalf("%s of %v and %v: %v", name, m.ca, m.cb, pairs)
				}
			}
			if exact && len(pairs) != best {
				t.Fatalf("%s of %v and %v: %d pairs of %d", name, m.ca, m.cb, len(pairs), best)
			}
		}
		check("lcs", m.lcs(x, y), true)
		check("occurrences", m.occurrences(x, y), classes == 1)
		check("inOrder", m.inOrder(), true)
		pairs, ok := m.nearlySame(x, y)
		if !ok {
			t.Fatalf("nearlySame gave up on %v and %v", m.ca, m.cb)
		}
		check("nearlySame", pairs, true)
	}
	long := &matcher{classes: 400}
	var x, y []int32
	for i := range int32(400) {
		long.ca, long.cb = append(long.ca, i), append(long.cb, 399-i)
		x, y = append(x, i), append(y, i)
	}
	if _, ok := long.nearlySame(x, y); ok {
		t.Error("nearlySame went beyond its bound")
	}
	if pairs := long.occurrences(x, y); len(pairs) != 1 {
		t.Errorf("occurrences of a reversal: %v", pairs)
	}
}

func TestHashFollowsEquality(t *testing.T) {
	for _, c := range []struct {
		a, b         string
		text, values bool
	}{
		{`{"a":1,"b":[2]}`, `{"b":[2],"a":1}`, true, true},
		{`{"\u0061":"\u0041"}`, `{"a":"A"}`, true, true},
		{`[1,2]`, `[2,1]`, false, false},
		{`[]`, `{}`, false, false},
		{`[[]]`, `[]`, false, false},
		{`"1"`, `1`, false, false},
		{`null`, `false`, false, false},
		{`{"a":null}`, `{}`, false, false},
		{`1`, `1.0`, false, true},
		{`-0`, `0e9`, false, true},
		{`120e-1`, `12`, false, true},
		{`1e400`, `10e399`, false, true},
		{`1e400`, `1e401`, false, false},
		{`-1`, `1`, false, false},
		{`9007199254740993`, `9007199254740992`, false, false},
		{`1e99999999999999999999`, `1e99999999999999999999`, true, true},
		{`1e99999999999999999999`, `1e99999999999999999998`, false, false},
		{`"\ud800"`, `"\ud801"`, false, false},
		{`"\ud83d\ude00"`, `"😀"`, true, true},
	} {
		a, b := []byte(c.a), []byte(c.b)
		if byText.equal(a, b) != c.text || byText.equal(b, a) != c.text {
			t.Errorf("%s and %s by text: %v", a, b, !c.text)
		}
		if byValue.equal(a, b) != c.values || byValue.equal(b, a) != c.values {
			t.Errorf("%s and %s by value: %v", a, b, !c.values)
		}
		if h := newHasher(); (h.value(a, 0) == h.value(b, 0)) != c.text {
			t.Errorf("%s and %s: hashes equal: %v", a, b, !c.text)
		}
	}
}

// TestLexer compares the lexer with a loop over bytes.
func TestLexer(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	alphabet := []byte(`"\{}[],:ab1yY` + "\x7f\xc3\xa9 #")
	for range 5000 {
		text := make([]byte, r.IntN(300))
		for i := range text {
			text[i] = alphabet[r.IntN(len(alphabet))]
			if r.IntN(3) == 0 {
				text[i] = 'x'
			}
		}
		var brackets, commas []int
		inString, escaped := false, false
		for i, c := range text {
			switch {
			case inString:
				if c == '"' && !escaped {
					inString = false
				}
				escaped = c == '\\' && !escaped
			case c == '"':
				// Outside strings a backslash escapes too, as far as the lexer
				// is concerned; there is none in JSON.
				inString = !escaped
				escaped = false
			case c == '\\':
				escaped = !escaped
			default:
				escaped = false
				if c == ',' {
					commas = append(commas, i)
				} else if classes[c] == opens || classes[c] == shuts {
					brackets = append(brackets, i)
				}
			}
		}
		var gotBrackets, gotCommas []int
		l := lexer{text: text}
		for {
			bl, ok := l.read()
			if !ok {
				break
			}
			for i := range 64 {
				at := bl.at + i
				if at < len(text) && bl.brackets>>i&1 != 0 && text[at] != 'y' && text[at] != 'Y' && text[at] != 0x7f {
					gotBrackets = append(gotBrackets, at)
				}
				if bl.commas>>i&1 != 0 {
					gotCommas = append(gotCommas, at)
				}
			}
		}
		if fmt.Sprint(brackets, commas) != fmt.Sprint(gotBrackets, gotCommas) {
			t.Fatalf("%q\nbrackets %v, want %v\ncommas %v, want %v", text, gotBrackets, brackets, gotCommas, commas)
		}
	}
}
