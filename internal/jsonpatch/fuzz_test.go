package jsonpatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/internal/jsonpatch/pairs"
	"github.com/aguistate/aguistate/middleware/agui"
)

// texts that no generator of valid documents makes.
var malformed = []string{
	"", " ", "{", "[", "]", "}", `"`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `[1`, `[1,`, `[,]`, `{,}`, `[1}`, `{]`,
	`{"a":1]`, `{1:2}`, `{a:1}`, `["\`, `["\"`, `["\u12`, "[1]]", `[[]`, `{"a":1,"a":2}`, `{"a":{"b":[}}`, "\x00\xff", `,`, `:`, `[:]`,
	`{"a":1"b":2}`, `[1 , 2]`, `{ "a" : 1 }`,
}

func seeds(f *testing.F, add func(old, new []byte)) {
	for _, a := range malformed {
		for _, b := range []string{`{"a":1}`, `[1,2]`, `[[1],{"a":"b"}]`, a + "x", a} {
			add([]byte(a), []byte(b))
			add([]byte(b), []byte(a))
		}
	}
	source := pairs.New(99)
	for range 200 {
		old, new := source.Pair()
		add(old, new)
		add(old[:len(old)/2], new)
		add(old, new[:len(new)*2/3])
	}
}

func valid(texts ...[]byte) bool {
	for _, text := range texts {
		if compact, err := jsonpatch.Check(text); err != nil || !compact {
			return false
		}
	}
	return true
}

func FuzzDiff(f *testing.F) {
	seeds(f, func(a, b []byte) { f.Add(a, b) })
	f.Fuzz(func(t *testing.T, old, new []byte) {
		patch, err := jsonpatch.Diff(old, new, nil)
		if !valid(old, new) {
			return // whatever it says, it says it without a panic
		}
		var unsafe *jsonpatch.UnsafeError
		switch {
		case errors.Is(err, jsonpatch.ErrScalarRoot):
			if old[0] == new[0] && (new[0] == '{' || new[0] == '[') {
				t.Fatalf("%v: %s, %s", err, old, new)
			}
			return
		case errors.As(err, &unsafe):
			return
		case err != nil:
			t.Fatalf("%v: %s, %s", err, old, new)
		}
		got, err := jsonpatch.Apply(old, patch)
		if err != nil {
			t.Fatalf("%v\nold   %s\nnew   %s\npatch %s", err, old, new, wire(t, patch))
		}
		if rest, err := jsonpatch.Diff(got, new, nil); err != nil || rest != nil {
			t.Fatalf("%v %v\nold   %s\nnew   %s\npatch %s\ngot   %s", rest, err, old, new, wire(t, patch), got)
		}
		want, err := reference(decode(old), patch)
		if err != nil || !same(want, decode(new)) {
			t.Fatalf("%v\nold   %s\nnew   %s\npatch %s", err, old, new, wire(t, patch))
		}
	})
}

func FuzzApply(f *testing.F) {
	for _, doc := range append(malformed, `{"a":{"b":[1,{"c":null}]},"":0,"~/":[]}`) {
		for _, p := range []string{
			`[{"op":"add","path":"/a/b/0","value":1},{"op":"move","from":"/a","path":"/c"}]`,
			`[{"op":"copy","from":"","path":"/a"},{"op":"test","path":"/a/a","value":1}]`,
			`[{"op":"remove","path":""},{"op":"add","path":"","value":[]},{"op":"add","path":"/-","value":{}}]`,
			`[{"op":"replace","path":"/~0~1/0","value":[1e9]},{"op":"remove","path":"/"}]`,
			`[null]`, `[{}]`, `[{"op":"test","path":"/a"}]`,
		} {
			f.Add([]byte(doc), []byte(p))
		}
	}
	f.Fuzz(func(t *testing.T, doc, text []byte) {
		var ops []wireOperation
		if json.Unmarshal(text, &ops) != nil {
			return
		}
		p := make(agui.Patch, len(ops))
		tests := false
		for i, o := range ops {
			p[i] = agui.Operation{Op: o.Op, Path: o.Path, From: o.From, Value: o.Value}
			tests = tests || o.Op == agui.OpTest // the reference compares numbers by text
		}
		before := bytes.Clone(doc)
		got, err := jsonpatch.ApplyWithin(doc, p, 1<<16)
		if !bytes.Equal(doc, before) {
			t.Fatal("the document was changed")
		}
		if _, bad := jsonpatch.Check(doc); bad != nil || tests || len(doc)+len(text) > 1<<12 {
			return
		}
		want, refErr := reference(decode(doc), p)
		if (err == nil) != (refErr == nil) {
			if err != nil && (bytes.Contains([]byte(err.Error()), []byte("larger than")) || bytes.Contains([]byte(err.Error()), []byte("there twice")) ||
				bytes.Contains([]byte(err.Error()), []byte("invalid UTF-8"))) {
				return // bounds that the reference does not have
			}
			t.Fatalf("%v, reference %v\ndoc %s\npatch %s", err, refErr, doc, text)
		}
		if err == nil && !same(decode(got), want) {
			t.Fatalf("got %s\ndoc %s\npatch %s", got, doc, text)
		}
	})
}

func FuzzRebase(f *testing.F) {
	seeds(f, func(a, b []byte) { f.Add(a, a, b); f.Add(b, a, b) })
	f.Add([]byte(`{"A":1}`), []byte(`{"a":1}`), []byte(`{"a":2}`))
	f.Add([]byte("{"), []byte(`{{"00`), []byte(`{{"`))
	f.Fuzz(func(t *testing.T, doc, before, after []byte) {
		o := &jsonpatch.Options{Keys: []jsonpatch.Key{{Path: "/items", Member: "id"}, {Path: "", Member: "id"}, {Path: "/*/a", Member: "b"}}}
		_, _ = jsonpatch.Rebase(doc, before, after, o)
		next, patch, err := jsonpatch.Edit(doc, before, after, nil)
		if !valid(doc, before, after) {
			return
		}
		if next == nil {
			t.Fatalf("%v\ndoc    %s\nbefore %s\nafter  %s", err, doc, before, after)
		}
		if !valid(next) {
			t.Fatalf("next   %s\ndoc    %s\nbefore %s\nafter  %s", next, doc, before, after)
		}
		if err == nil {
			got, err := reference(decode(doc), patch)
			if err != nil || !same(got, decode(next)) {
				t.Fatalf("%v\ndoc    %s\nbefore %s\nafter  %s\nnext   %s\npatch  %s", err, doc, before, after, next, wire(t, patch))
			}
		}
		if same(decode(doc), decode(before)) && !same(decode(next), decode(after)) {
			t.Fatalf("before %s\nafter  %s\nnext   %s", before, after, next)
		}
	})
}

func FuzzCompact(f *testing.F) {
	seeds(f, func(a, b []byte) { f.Add(a); f.Add(b) })
	f.Add([]byte("{ \"a\" : [ 1 ,\n2 ] }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := jsonpatch.Compact(nil, src)
		if err != nil {
			return
		}
		if !json.Valid(src) {
			t.Fatalf("passed: %q", src)
		}
		var want bytes.Buffer
		if err := json.Compact(&want, src); err != nil || !bytes.Equal(want.Bytes(), out) {
			t.Fatalf("%q became %q, %v", src, out, err)
		}
		if !valid(out) {
			t.Fatalf("%q is not compact", out)
		}
	})
}
