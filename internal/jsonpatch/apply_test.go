package jsonpatch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

type wireOperation struct {
	Op    agui.Op         `json:"op"`
	Path  string          `json:"path"`
	From  string          `json:"from"`
	Value json.RawMessage `json:"value"`
}

func parsePatch(t testing.TB, text []byte) agui.Patch {
	t.Helper()
	var ops []wireOperation
	if err := json.Unmarshal(text, &ops); err != nil {
		t.Fatal(err)
	}
	p := make(agui.Patch, len(ops))
	for i, o := range ops {
		p[i] = agui.Operation{Op: o.Op, Path: o.Path, From: o.From, Value: o.Value}
	}
	return p
}

// TestApplyCases runs what the protocol's client does with patches, and the
// RFCs' word where that client departs from them.
func TestApplyCases(t *testing.T) {
	data, err := os.ReadFile("testdata/apply.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name             string
		Doc, Patch, Want json.RawMessage
		Fails            bool
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			original := string(c.Doc)
			got, err := jsonpatch.Apply(c.Doc, parsePatch(t, c.Patch))
			if string(c.Doc) != original {
				t.Errorf("the document was changed: %s", c.Doc)
			}
			if c.Fails {
				var failed *jsonpatch.ApplyError
				if !errors.As(err, &failed) || failed.Reason == "" || got != nil {
					t.Errorf("Apply = %s, %v; want an *ApplyError", got, err)
				}
				return
			}
			if err != nil || !same(decode(got), decode(c.Want)) {
				t.Errorf("Apply = %s, %v; want %s", got, err, c.Want)
			}
		})
	}
}

func TestApplyText(t *testing.T) {
	for _, c := range []struct{ name, doc, patch, want string }{
		{"numbers keep their digits", `{"id":9007199254740993,"p":1.10,"e":1e400,"z":-0,"n":1}`, `[{"op":"replace","path":"/n","value":2.50}]`, `{"id":9007199254740993,"p":1.10,"e":1e400,"z":-0,"n":2.50}`},
		{"order stays, new members come last", `{"z":1,"a":{"q":1,"b":2}}`, `[{"op":"add","path":"/c","value":3},{"op":"add","path":"/a/a","value":0}]`, `{"z":1,"a":{"q":1,"b":2,"a":0},"c":3}`},
		{"an added member that is there keeps its place", `{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":3}]`, `{"a":3,"b":2}`},
		{"a removed and added member comes last", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":3}]`, `{"b":2,"a":3}`},
		{"untouched text keeps its spelling", `{"a":"\u0041\/<&>","b":1}`, `[{"op":"remove","path":"/b"}]`, `{"a":"\u0041\/<&>"}`},
		{"names are compared by what they say", `{"\u0061":1}`, `[{"op":"replace","path":"/a","value":2}]`, `{"\u0061":2}`},
		{"new names are escaped", `{}`, `[{"op":"add","path":"/~1\"\\\n\u0001é","value":1}]`, `{"/\"\\\n\u0001é":1}`},
		{"test knows numbers by value", `{"a":[10,1.0,-0,123456789012345678901]}`, `[{"op":"test","path":"/a","value":[1e1,1,0,1.23456789012345678901E+20]}]`, `{"a":[10,1.0,-0,123456789012345678901]}`},
		{"test does not mind member order", `{"a":{"x":1,"y":"A"}}`, `[{"op":"test","path":"/a","value":{"y":"\u0041","x":1}},{"op":"remove","path":"/a"}]`, `{}`},
		{"white space around and within", " { \"a\" : [ 1 , 2 ] , \"b\" : { } } ", `[{"op":"add","path":"/a/1","value":9},{"op":"add","path":"/b/c","value":0}]`, `{"a":[1,9,2],"b":{"c":0}}`},
		{"the root is replaced", `[1]`, `[{"op":"replace","path":"","value":{"a":1}},{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`},
		{"a copy is deep", `{"a":{"x":[1]}}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/x/-","value":2},{"op":"replace","path":"/a/x/0","value":0}]`, `{"a":{"x":[0]},"b":{"x":[1,2]}}`},
		{"what was opened moves", `{"a":{"x":1},"l":[]}`, `[{"op":"add","path":"/a/y","value":2},{"op":"move","from":"/a","path":"/l/0"},{"op":"remove","path":"/l/0/x"}]`, `{"l":[{"y":2}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := jsonpatch.Apply([]byte(c.doc), parsePatch(t, []byte(c.patch)))
			if err != nil || string(got) != c.want {
				t.Errorf("Apply = %s, %v\nwant    %s", got, err, c.want)
			}
		})
	}
}

func TestApplyErrorsNameTheOperation(t *testing.T) {
	for _, c := range []struct{ doc, patch, want string }{
		{`{"a":{}}`, `[{"op":"test","path":"/a","value":{}},{"op":"remove","path":"/a/b"}]`, `operation 1, remove at "/a/b": there is no "/a/b"`},
		{`{"l":[1]}`, `[{"op":"replace","path":"/l/1","value":0}]`, `operation 0, replace at "/l/1": the array at "/l" has 1 elements`},
		{`{"l":[1]}`, `[{"op":"add","path":"/l/x","value":0}]`, `operation 0, add at "/l/x": "x" is no index of an array`},
		{`{"n":1}`, `[{"op":"add","path":"/n/x","value":0}]`, `operation 0, add at "/n/x": the value at "/n" has no members`},
		{`{"n":1}`, `[{"op":"move","from":"/m","path":"/n"}]`, `operation 0, move at "/n": from: there is no "/m"`},
		{`{"n":1}`, `[{"op":"move","from":"/n","path":"/n/m"}]`, `operation 0, move at "/n/m": a value cannot move into itself`},
		{`{"n":1}`, `[{"op":"test","path":"/n","value":2}]`, `operation 0, test at "/n": the value there is another`},
		{`{"n":1}`, `[{"op":"add","path":"n","value":2}]`, `a pointer that is not empty starts with a slash`},
		{`{"n":1,"n":2}`, `[{"op":"add","path":"/m","value":2}]`, `the object has a name twice: "n"`},
		{`{"n":`, `[{"op":"add","path":"/m","value":2}]`, `the document is malformed there`},
		{`["n"`, `[{"op":"add","path":"/0","value":2}]`, `the document is malformed there`},
	} {
		_, err := jsonpatch.Apply([]byte(c.doc), parsePatch(t, []byte(c.patch)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v; want %s", c.patch, c.doc, err, c.want)
		}
	}
	var syntax *jsonpatch.SyntaxError
	if _, err := jsonpatch.Apply([]byte(" "), agui.Patch{{Op: agui.OpRemove}}); !errors.As(err, &syntax) {
		t.Errorf("an empty document: %v", err)
	}
	_, err := jsonpatch.Apply([]byte(`{}`), agui.Patch{{Op: agui.OpAdd, Path: "/a", Value: json.RawMessage(`{"x":1,"x":2}`)}})
	if !errors.As(err, &syntax) || syntax.Pointer != "/x" && syntax.Pointer != "" {
		t.Errorf("a value with a name twice: %v", err)
	}
}

// TestApplyIsBounded feeds patches that would grow without end.
func TestApplyIsBounded(t *testing.T) {
	bomb := agui.Patch{}
	for range 60 {
		bomb = append(bomb, agui.Operation{Op: agui.OpCopy, From: "", Path: "/-"})
	}
	var failed *jsonpatch.ApplyError
	if _, err := jsonpatch.Apply([]byte(`["0123456789"]`), bomb); !errors.As(err, &failed) || !strings.Contains(failed.Reason, "larger than") {
		t.Errorf("copies of copies: %v", err)
	}
	if _, err := jsonpatch.ApplyWithin([]byte(`{}`), agui.Patch{{Op: agui.OpAdd, Path: "/a", Value: json.RawMessage(`"0123456789"`)}}, 10); !errors.As(err, &failed) {
		t.Errorf("a value beyond the bound: %v", err)
	}
	deep := agui.Patch{{Op: agui.OpAdd, Path: strings.Repeat("/a", 5000), Value: json.RawMessage(`1`)}}
	if _, err := jsonpatch.Apply([]byte(`{}`), deep); !errors.As(err, &failed) {
		t.Errorf("a deep path: %v", err)
	}
	// Each move puts what was one level into one more.
	nest := agui.Patch{}
	for range 11_000 {
		nest = append(nest,
			agui.Operation{Op: agui.OpMove, From: "/a", Path: "/b/c"},
			agui.Operation{Op: agui.OpMove, From: "/b", Path: "/a"},
			agui.Operation{Op: agui.OpAdd, Path: "/b", Value: json.RawMessage(`{}`)})
	}
	if _, err := jsonpatch.Apply([]byte(`{"a":{},"b":{}}`), nest); !errors.As(err, &failed) || !strings.Contains(failed.Reason, "too deep") {
		t.Errorf("a document nested by moves: %v", err)
	}
}

// TestApplyManyOperations would take minutes if an operation cost in
// proportion to its array or object.
func TestApplyManyOperations(t *testing.T) {
	const n = 50_000
	var doc, want strings.Builder
	doc.WriteString(`{"l":[`)
	for i := range n {
		fmt.Fprintf(&doc, "%d,", i)
	}
	doc.WriteString(`-1],"o":{"first":0`)
	for i := range n {
		fmt.Fprintf(&doc, `,"k%d":%d`, i, i)
	}
	doc.WriteString(`}}`)
	var p agui.Patch
	for i := range n / 5 {
		p = append(p,
			agui.Operation{Op: agui.OpAdd, Path: fmt.Sprintf("/l/%d", i*5), Value: json.RawMessage(`"new"`)},
			agui.Operation{Op: agui.OpRemove, Path: fmt.Sprintf("/l/%d", i*5+1)},
			agui.Operation{Op: agui.OpReplace, Path: fmt.Sprintf("/o/k%d", i*5), Value: json.RawMessage(`"new"`)},
			agui.Operation{Op: agui.OpRemove, Path: fmt.Sprintf("/o/k%d", i*5+1)})
	}
	want.WriteString(`{"l":[`)
	for i := range n {
		if i%5 == 0 {
			want.WriteString(`"new",`)
		} else {
			fmt.Fprintf(&want, "%d,", i)
		}
	}
	want.WriteString(`-1],"o":{"first":0`)
	for i := range n {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&want, `,"k%d":"new"`, i)
		case 1:
		default:
			fmt.Fprintf(&want, `,"k%d":%d`, i, i)
		}
	}
	want.WriteString(`}}`)
	got, err := jsonpatch.Apply([]byte(doc.String()), p)
	if err != nil || string(got) != want.String() {
		t.Fatalf("wrong result, %v", err)
	}
}
