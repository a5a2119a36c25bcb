package partialjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

var seeds = []string{
	`{"title":"Flan","steps":["mix","bake"],"n":[1,-2.5e3,true,null,{"a":{}}]}`,
	`["\ud83c\udf6e","\ud83c","é🍮","\u00e9\n\\\""]`,
	"\xEF\xBB\xBF [ 1 , 2 ] ",
	"```json\n{\"a\":1}\n``` [x] {y}",
	`{"a":1,"\u0061":2}`, `[1,]`, `12`, `"x`, "[\"\xF0\x9F", `{"a":[{"b":"c`, `[[[[[[[[[[[[[[[[[[`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17,"q":18}`,
}

func FuzzReader(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), uint8(i), i%2 == 0)
	}
	shapes := []Shape{nil, ShapeOf(reflect.TypeFor[everything]()), ShapeOf(reflect.TypeFor[[]duration]())}
	f.Fuzz(func(t *testing.T, text []byte, cut uint8, prose bool) {
		shape := shapes[int(cut)%len(shapes)]
		whole := Reader{Shape: shape, Prose: prose}
		_, wholeErr := whole.Write(text)

		pieces := Reader{Shape: shape, Prose: prose}
		size := 1 + int(cut)%7
		last, written := "", 0
		var err error
		for rest := text; len(rest) > 0 && err == nil; {
			n := min(size, len(rest))
			before := seen(&pieces)
			var step Step
			step, err = pieces.Write(rest[:n])
			rest, written = rest[n:], written+n
			if changed := seen(&pieces) != before; changed != (step != Unchanged) {
				t.Fatalf("%q at %d: step %d, and %s became %s", text, written, step, before, seen(&pieces))
			}
			// Each byte is read once and adds at most itself: the work is
			// linear.
			if pieces.offset > written || len(pieces.out) > written || len(pieces.stack) > MaxDepth || len(pieces.names) > written {
				t.Fatalf("%q: more than was written", text)
			}
			shown, open := pieces.Value()
			if shown == nil {
				continue
			}
			if !json.Valid(shown) || open > MaxDepth {
				t.Fatalf("%q at %d: %s", text, written, shown)
			}
			b := body(&pieces)
			if !strings.HasPrefix(b, last) {
				t.Fatalf("%q at %d: %s was followed by %s", text, written, last, b)
			}
			last = b
		}
		if !reflect.DeepEqual(err, wholeErr) || seen(&pieces) != seen(&whole) {
			t.Fatalf("%q:\nin pieces %s, %v\nwhole     %s, %v", text, seen(&pieces), err, seen(&whole), wholeErr)
		}
		closed := pieces.Close()
		if (closed == nil) != pieces.Done() || err != nil && closed != err {
			t.Fatalf("%q: Close: %v, Done: %v", text, closed, pieces.Done())
		}
		if closed != nil {
			if !prose && json.Valid(text) && !strings.Contains(closed.Error(), "a second time") && !strings.Contains(closed.Error(), "not UTF-8") && !strings.Contains(closed.Error(), "nested deeper") {
				t.Fatalf("%q is JSON, and %v", text, closed)
			}
			return
		}
		shown, open := pieces.Value()
		if open != 0 || !json.Valid(shown) {
			t.Fatalf("%q: ends as %s, %d open", text, shown, open)
		}
		if prose {
			return
		}
		var got, want any
		trimmed := bytes.TrimPrefix(text, []byte(byteOrderMark))
		if err := json.Unmarshal(trimmed, &want); err != nil {
			// Numbers beyond float64 are JSON all the same.
			if !json.Valid(trimmed) {
				t.Fatalf("%q was accepted: %v", text, err)
			}
			return
		}
		if err := json.Unmarshal(shown, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v, want %v (%v)", text, got, want, err)
		}
	})
}

func FuzzExtract(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
		f.Add("Here: " + s + " Enjoy [it](x)!")
	}
	f.Fuzz(func(t *testing.T, text string) {
		object, err := Extract(text)
		if (object == nil) == (err == nil) {
			t.Fatalf("%q: %s, %v", text, object, err)
		}
		if err != nil {
			return
		}
		if object[0] != '{' || !json.Valid(object) {
			t.Fatalf("%q: %s", text, object)
		}
		again, err := Extract(string(object))
		if err != nil || !bytes.Equal(again, object) {
			t.Fatalf("%q: %s, and again %s, %v", text, object, again, err)
		}
	})
}

func FuzzMerge(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(seeds[0]), []byte(s), i)
		f.Add([]byte(s), []byte(seeds[0]), -1)
	}
	f.Fuzz(func(t *testing.T, old, written []byte, open int) {
		Merge(old, written, open) // whatever they are

		var o, r Reader
		if _, err := o.Write(old); err != nil || o.Close() != nil {
			return
		}
		old, _ = o.Value()
		r.Write(written)
		partial, open := r.Value()
		if partial == nil {
			return
		}
		checkMerge(t, old, partial, open)
	})
}
