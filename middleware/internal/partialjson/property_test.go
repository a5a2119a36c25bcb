package partialjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// body is a visible text without what closes it: the part that never changes.
func body(r *Reader) string {
	text, open := r.Value()
	text = text[:len(text)-open]
	if _, _, ok := r.Growing(); ok {
		text = text[:len(text)-1]
	}
	return string(text)
}

// generate writes a document, compact or not, as a model might.
func generate(rng *rand.Rand, depth int) string {
	gap := func() string { return []string{"", "", "", " ", "\n  "}[rng.IntN(5)] }
	str := func() string {
		var b strings.Builder
		for range rng.IntN(6) {
			b.WriteString([]string{"a", "tea", `\n`, `\"`, `\\`, `\/`, "é", "🍮", `\u00e9`, `\ud83c\udf6e`, `\ud83c`, `\udf6e`, "{", "]", ",", ":", "\u2028", "\x7f"}[rng.IntN(18)])
		}
		return `"` + b.String() + `"`
	}
	n := 9
	if depth == 0 {
		n = 6
	}
	switch rng.IntN(n) {
	case 0:
		return []string{"true", "false", "null"}[rng.IntN(3)]
	case 1, 2:
		return []string{"0", "-1", "12.50", "1e5", "-0.0E-12", "9007199254740993"}[rng.IntN(6)]
	case 3, 4, 5:
		return str()
	case 6:
		var b strings.Builder
		for i := range rng.IntN(5) {
			if i > 0 {
				b.WriteString("," + gap())
			}
			b.WriteString(generate(rng, depth-1) + gap())
		}
		return "[" + gap() + b.String() + "]"
	}
	var b strings.Builder
	for i := range rng.IntN(5) {
		if i > 0 {
			b.WriteString("," + gap())
		}
		fmt.Fprintf(&b, `"%c%s%s:%s%s%s`, 'a'+i, str()[1:], gap(), gap(), generate(rng, depth-1), gap())
	}
	return "{" + gap() + b.String() + "}"
}

// compact is the text that a reader must end with: that of encoding/json, and
// lone surrogates replaced.
func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s := strings.ReplaceAll(b.String(), `\ud83c\udf6e`, "\x00")
	s = strings.NewReplacer(`\\`, `\\`, `\ud83c`, "\uFFFD", `\udf6e`, "\uFFFD").Replace(s)
	return strings.ReplaceAll(s, "\x00", `\ud83c\udf6e`)
}

// TestEveryCut holds a reader to its law: what shows after some bytes does not
// depend on the pieces they came in, never goes back, is all that can be told,
// and ends as the whole.
func TestEveryCut(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		whole := generate(rng, 4)
		old := []byte(compact(t, generate(rng, 4)))
		want := compact(t, whole)

		// Byte by byte.
		moments := make([]string, len(whole)+1)
		var r Reader
		moments[0] = seen(&r)
		last := ""
		for i := range len(whole) {
			step, err := r.WriteString(whole[i : i+1])
			if err != nil {
				t.Fatalf("%s: %v", whole, err)
			}
			moments[i+1] = seen(&r)
			if changed := moments[i+1] != moments[i]; changed && step == Unchanged {
				t.Fatalf("%s at %d: unchanged, and yet %s became %s", whole, i, moments[i], moments[i+1])
			}
			b := body(&r)
			if !strings.HasPrefix(b, last) || !strings.HasPrefix(want, b) {
				t.Fatalf("%s at %d: %s was followed by %s", whole, i, last, b)
			}
			if step != Unchanged && b == last && moments[i+1] == moments[i] {
				t.Fatalf("%s at %d: step %d without a change", whole, i, step)
			}
			last = b
			text, open := r.Value()
			if text == nil {
				continue
			}
			if !json.Valid(text) || !utf8.Valid(text) {
				t.Fatalf("%s at %d: %s is not JSON", whole, i, text)
			}
			checkComplete(t, whole[:i+1], text)
			checkMerge(t, old, text, open)
		}
		if err := r.Close(); err != nil {
			t.Fatalf("%s: %v", whole, err)
		}
		if text, open := r.Value(); string(text) != want || open != 0 {
			t.Fatalf("%s\n ends as %s (%d open)\n want %s", whole, text, open, want)
		}

		check := func(r *Reader, upTo int) {
			t.Helper()
			if got := seen(r); got != moments[upTo] {
				t.Fatalf("%s\nafter %d bytes in pieces: %s\nbyte by byte:          %s", whole, upTo, got, moments[upTo])
			}
		}
		// Every split in two.
		for i := range len(whole) {
			var r Reader
			r.WriteString(whole[:i])
			check(&r, i)
			r.WriteString(whole[i:])
			check(&r, len(whole))
		}
		// At random.
		for range 5 {
			var r Reader
			for at := 0; at < len(whole); {
				n := min(1+rng.IntN(12), len(whole)-at)
				r.WriteString(whole[at : at+n])
				at += n
				check(&r, at)
			}
		}
	}
}

// checkComplete compares a visible text with what encoding/json can tell of
// the same bytes: every value that is whole, and as much of an unfinished
// string as decodes.
func checkComplete(t *testing.T, written string, text []byte) {
	t.Helper()
	want, ok := oracle(written)
	if !ok {
		t.Fatalf("%q: something shows that nobody can know: %s", written, text)
	}
	var got any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&got); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q\n shows %s\n of    %v", written, text, want)
	}
}

// oracle builds the longest valid prefix with encoding/json.
func oracle(written string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(written))
	d.UseNumber()
	v, ok, err := oracleValue(d, written)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, false
	}
	return v, ok
}

func oracleValue(d *json.Decoder, written string) (v any, ok bool, err error) {
	token, err := d.Token()
	if err != nil {
		s, ok := oracleString(written[d.InputOffset():])
		return s, ok, io.EOF
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, ok, err := oracleValue(d, written)
			if ok {
				list = append(list, v)
			}
			if err != nil {
				return list, true, err
			}
		}
		_, err = d.Token()
		return list, true, err
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return object, true, err
			}
			v, ok, err := oracleValue(d, written)
			if ok {
				object[name.(string)] = v
			}
			if err != nil {
				return object, true, err
			}
		}
		_, err = d.Token()
		return object, true, err
	}
	if _, isNumber := token.(json.Number); isNumber && d.InputOffset() == int64(len(written)) {
		return nil, false, io.EOF
	}
	return token, true, nil
}

// oracleString returns what an unfinished string says, if that is what rest
// holds.
func oracleString(rest string) (string, bool) {
	rest = strings.TrimLeft(rest, " \n:,")
	if rest == "" || rest[0] != '"' {
		return "", false
	}
	for n := len(rest); n > 1; n-- {
		if s := rest[:n] + `"`; json.Valid([]byte(s)) && utf8.ValidString(s) {
			// The other half may follow.
			before, high := strings.CutSuffix(rest[:n], `\ud83c`)
			slashes := len(before) - len(strings.TrimRight(before, `\`))
			if high && slashes%2 == 0 && (n == len(rest) || rest[n] == '\\') {
				if s = before + `"`; before == `"` {
					return "", false
				}
			}
			var out string
			if err := json.Unmarshal([]byte(s), &out); err != nil {
				return "", false
			}
			return out, true
		}
	}
	return "", false
}

func checkMerge(t *testing.T, old, partial []byte, open int) {
	t.Helper()
	got := Merge(old, partial, open)
	if !json.Valid(got) {
		t.Fatalf("merge of %s over %s (%d open) is not JSON: %s", partial, old, open, got)
	}
	want := mergeReference(parse(t, old), parse(t, partial), open)
	if !reflect.DeepEqual(parse(t, got), want) {
		t.Fatalf("merge of %s over %s (%d open):\n got %s\nwant %v", partial, old, open, got, want)
	}
}

// ordered is an object with the order of its members.
type ordered struct {
	names  []string
	values map[string]any
}

// parse decodes a text; numbers stay text.
func parse(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value func() any
	value = func() any {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		switch token {
		case json.Delim('['):
			list := []any{}
			for d.More() {
				list = append(list, value())
			}
			d.Token()
			return list
		case json.Delim('{'):
			o := ordered{values: map[string]any{}}
			for d.More() {
				name, _ := d.Token()
				o.names = append(o.names, name.(string))
				o.values[name.(string)] = value()
			}
			d.Token()
			return o
		}
		return token
	}
	return value()
}

// mergeReference is the law of [Merge], on decoded values.
func mergeReference(old, partial any, open int) any {
	if open == 0 {
		return partial
	}
	switch p := partial.(type) {
	case ordered:
		o, ok := old.(ordered)
		if !ok {
			return partial
		}
		out := ordered{values: map[string]any{}}
		for _, name := range o.names {
			out.names = append(out.names, name)
			v, written := p.values[name]
			switch {
			case !written:
				v = o.values[name]
			case name == p.names[len(p.names)-1]:
				v = mergeReference(o.values[name], v, open-1)
			}
			out.values[name] = v
		}
		for _, name := range p.names {
			if _, known := o.values[name]; !known {
				out.names = append(out.names, name)
				out.values[name] = p.values[name]
			}
		}
		return out
	case []any:
		o, ok := old.([]any)
		if !ok {
			return partial
		}
		out := append([]any{}, p...)
		if n := len(p); n > 0 && n <= len(o) {
			out[n-1] = mergeReference(o[n-1], p[n-1], open-1)
		}
		return append(out, o[min(len(p), len(o)):]...)
	}
	return partial
}
