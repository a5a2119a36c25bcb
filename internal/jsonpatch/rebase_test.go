package jsonpatch_test

import (
	"testing"

	"github.com/aguistate/aguistate/internal/jsonpatch"
)

func TestRebase(t *testing.T) {
	ingredients := &jsonpatch.Options{Keys: []jsonpatch.Key{{Path: "/l", Member: "id"}, {Path: "/o/*/l", Member: "id"}}}
	for _, c := range []struct {
		name                     string
		doc, before, after, want string
		o                        *jsonpatch.Options
	}{
		{"no difference is the document itself", `{"n":1.0}`, `{"n":1}`, `{"n":1}`, `{"n":1.0}`, nil},
		{"unknown members and their order stay", `{"z":1,"title":"a","u":[1]}`, `{"title":"a"}`, `{"title":"b"}`, `{"z":1,"title":"b","u":[1]}`, nil},
		{"unknown members at depth", `{"r":{"x":{"y":1},"t":"a"}}`, `{"r":{"t":"a"}}`, `{"r":{"t":"b"}}`, `{"r":{"x":{"y":1},"t":"b"}}`, nil},
		{"new members come last, in the type's order", `{"c":3,"a":1}`, `{"a":1,"c":3}`, `{"a":1,"b":2,"c":3,"d":4}`, `{"c":3,"a":1,"b":2,"d":4}`, nil},
		{"a default that did not change is not added", `{}`, `{"n":0,"t":""}`, `{"n":0,"t":"x"}`, `{"t":"x"}`, nil},
		{"several missing members", `{}`, `{"n":0,"t":"","l":[]}`, `{"n":1,"t":"x","l":[]}`, `{"n":1,"t":"x"}`, nil},
		{"some missing members", `{"u":[{}],"t":"a"}`, `{"n":0,"t":"a","b":false}`, `{"n":1,"t":"b","b":true}`, `{"u":[{}],"t":"b","n":1,"b":true}`, nil},
		{"a missing object is added whole", `{}`, `{"r":{"t":"","l":[]}}`, `{"r":{"t":"x","l":[]}}`, `{"r":{"t":"x","l":[]}}`, nil},
		{"null becomes the value", `{"r":null,"u":1}`, `{"r":{"t":""}}`, `{"r":{"t":"x"}}`, `{"r":{"t":"x"},"u":1}`, nil},
		{"null that did not change stays", `{"r":null,"n":1}`, `{"r":{"t":""},"n":1}`, `{"r":{"t":""},"n":2}`, `{"r":null,"n":2}`, nil},
		{"null array", `{"l":null}`, `{"l":[]}`, `{"l":[1]}`, `{"l":[1]}`, nil},
		{"the whole document null", `null`, `{"l":[]}`, `{"l":[1]}`, `{"l":[1]}`, nil},
		{"digits stay", `{"id":9007199254740993,"p":1.10,"e":1e400,"z":-0,"n":1}`, `{"id":9007199254740992,"n":1,"p":1.1,"z":0}`, `{"id":9007199254740992,"n":2,"p":1.1,"z":0}`, `{"id":9007199254740993,"p":1.10,"e":1e400,"z":-0,"n":2}`, nil},
		{"a removed member", `{"a":1,"u":2,"b":3}`, `{"a":1,"b":3}`, `{"a":1}`, `{"a":1,"u":2}`, nil},
		{"a removed member with what the type does not know in it", `{"a":{"u":1,"k":2}}`, `{"a":{"k":2}}`, `{}`, `{}`, nil},
		{"first members removed", `{"a":1,"b":2,"c":3}`, `{"a":1,"b":2,"c":3}`, `{"c":3}`, `{"c":3}`, nil},
		{"middle members removed", `{"a":1,"b":2,"c":3,"d":4}`, `{"a":1,"b":2,"c":3,"d":4}`, `{"a":1,"d":4}`, `{"a":1,"d":4}`, nil},
		{"all removed, one added", `{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"c":3}`, `{"c":3}`, nil},
		{"last removed, one added", `{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"a":1,"c":3}`, `{"a":1,"c":3}`, nil},
		{"first removed, last edited", `{"a":1,"b":2}`, `{"a":1,"b":2}`, `{"b":3}`, `{"b":3}`, nil},
		{"omitempty comes back", `{"note":"","a":1}`, `{"a":1}`, `{"a":1,"note":"x"}`, `{"note":"x","a":1}`, nil},
		{"a name in another case is another member", `{"F":0,"u":1}`, `{"f":0}`, `{"f":3}`, `{"F":0,"u":1,"f":3}`, nil},
		{"names in both cases", `{"A":1,"a":1}`, `{"A":1,"a":1}`, `{"A":1,"a":2}`, `{"A":1,"a":2}`, nil},
		{"the exact name wins", `{"Title":"z","title":"a"}`, `{"title":"a"}`, `{"title":"b"}`, `{"Title":"z","title":"b"}`, nil},
		{"an escaped name", `{"\u0061":1}`, `{"a":1}`, `{"a":2}`, `{"\u0061":2}`, nil},
		{"an element is edited", `{"l":[{"u":1,"a":1},{"u":2,"a":2}]}`, `{"l":[{"a":1},{"a":2}]}`, `{"l":[{"a":1},{"a":3}]}`, `{"l":[{"u":1,"a":1},{"u":2,"a":3}]}`, nil},
		{"the only element is edited", `[{"u":1,"a":1}]`, `[{"a":1}]`, `[{"a":3}]`, `[{"u":1,"a":3}]`, nil},
		{"an element is put in front", `[{"u":1,"a":1},{"u":2,"a":2}]`, `[{"a":1},{"a":2}]`, `[{"a":0},{"a":1},{"a":2}]`, `[{"a":0},{"u":1,"a":1},{"u":2,"a":2}]`, nil},
		{"an element is appended", `[{"u":1,"a":1}]`, `[{"a":1}]`, `[{"a":1},{"a":2}]`, `[{"u":1,"a":1},{"a":2}]`, nil},
		{"an element is put into the empty array", `{"l":[]}`, `{"l":[]}`, `{"l":[1]}`, `{"l":[1]}`, nil},
		{"the first element is removed", `[{"u":1,"a":1},{"u":2,"a":2}]`, `[{"a":1},{"a":2}]`, `[{"a":2}]`, `[{"u":2,"a":2}]`, nil},
		{"the last element is removed", `[{"u":1,"a":1},{"u":2,"a":2}]`, `[{"a":1},{"a":2}]`, `[{"a":1}]`, `[{"u":1,"a":1}]`, nil},
		{"all elements are removed", `[{"u":1,"a":1},{"u":2,"a":2}]`, `[{"a":1},{"a":2}]`, `[]`, `[]`, nil},
		{"elements are reversed", `[{"u":1,"a":1},{"u":2,"a":2},{"u":3,"a":3}]`, `[{"a":1},{"a":2},{"a":3}]`, `[{"a":3},{"a":2},{"a":1}]`, `[{"u":3,"a":3},{"u":2,"a":2},{"u":1,"a":1}]`, nil},
		{"insert and edit of the next", `[{"u":1,"n":"x","a":1}]`, `[{"n":"x","a":1}]`, `[{"n":"new","a":9},{"n":"x","a":2}]`, `[{"n":"new","a":9},{"u":1,"n":"x","a":2}]`, nil},
		{"a removed element gives nothing to a new one", `[{"u":1,"a":1},{"u":2,"a":2}]`, `[{"a":1},{"a":2}]`, `[{"a":2},{"a":9}]`, `[{"u":2,"a":2},{"a":9}]`, nil},
		{"reversed, the middle one edited", `[{"u":1,"a":1},{"u":2,"a":2},{"u":3,"a":3}]`, `[{"a":1},{"a":2},{"a":3}]`, `[{"a":3},{"a":9},{"a":1}]`, `[{"u":3,"a":3},{"u":2,"a":9},{"u":1,"a":1}]`, nil},
		{"moved and edited, and alike", `[{"u":1,"n":"flour, white","a":1},{"u":2,"n":"eggs, fresh","a":2}]`, `[{"n":"flour, white","a":1},{"n":"eggs, fresh","a":2}]`, `[{"n":"eggs, fresh","a":3},{"n":"flour, white","a":1}]`, `[{"u":2,"n":"eggs, fresh","a":3},{"u":1,"n":"flour, white","a":1}]`, nil},
		{"equal elements", `[{"u":1,"a":1},{"u":2,"a":1},{"u":3,"a":1}]`, `[{"a":1},{"a":1},{"a":1}]`, `[{"a":1},{"a":1}]`, `[{"u":1,"a":1},{"u":2,"a":1}]`, nil},
		{"arrays in arrays", `[[{"u":1,"a":1}],[{"u":2,"a":2}]]`, `[[{"a":1}],[{"a":2}]]`, `[[{"a":2}],[{"a":1},{"a":5}]]`, `[[{"u":2,"a":2}],[{"u":1,"a":1},{"a":5}]]`, nil},
		{"moved and edited, with a key", `{"l":[{"id":1,"n":"a","u":1},{"id":2,"n":"b","u":2}]}`, `{"l":[{"id":1,"n":"a"},{"id":2,"n":"b"}]}`, `{"l":[{"id":2,"n":"B"},{"id":1,"n":"a"}]}`, `{"l":[{"id":2,"n":"B","u":2},{"id":1,"n":"a","u":1}]}`, ingredients},
		{"another key is another element", `{"l":[{"id":1,"n":"a","u":1}]}`, `{"l":[{"id":1,"n":"a"}]}`, `{"l":[{"id":2,"n":"a"}]}`, `{"l":[{"id":2,"n":"a"}]}`, ingredients},
		{"a key at any index", `{"o":[{"l":[{"id":1,"n":"a","u":1},{"id":2,"n":"b","u":2}]}]}`, `{"o":[{"l":[{"id":1,"n":"a"},{"id":2,"n":"b"}]}]}`, `{"o":[{"l":[{"id":2,"n":"c"},{"id":1,"n":"d"}]}]}`, `{"o":[{"l":[{"id":2,"n":"c","u":2},{"id":1,"n":"d","u":1}]}]}`, ingredients},
		{"moved to another array, with a key", `{"o":[{"l":[{"id":1,"n":"a","u":1},{"id":2,"u":2}]},{"l":[{"id":3,"u":3}]}]}`, `{"o":[{"l":[{"id":1,"n":"a"},{"id":2}]},{"l":[{"id":3}]}]}`, `{"o":[{"l":[{"id":2}]},{"l":[{"id":3},{"id":1,"n":"b"}]}]}`, `{"o":[{"l":[{"id":2,"u":2}]},{"l":[{"id":3,"u":3},{"id":1,"n":"b","u":1}]}]}`, ingredients},
		{"exchanged between arrays, with a key", `{"o":{"x":{"l":[{"id":1,"u":1}]},"y":{"l":[{"id":2,"u":2}]}}}`, `{"o":{"x":{"l":[{"id":1}]},"y":{"l":[{"id":2}]}}}`, `{"o":{"x":{"l":[{"id":2}]},"y":{"l":[{"id":1}]}}}`, `{"o":{"x":{"l":[{"id":2,"u":2}]},"y":{"l":[{"id":1,"u":1}]}}}`, ingredients},
		{"moved to an empty array, with a key", `{"o":[{"l":[{"id":1,"u":1}]},{"l":[]}]}`, `{"o":[{"l":[{"id":1}]},{"l":[]}]}`, `{"o":[{"l":[]},{"l":[{"id":1}]}]}`, `{"o":[{"l":[]},{"l":[{"id":1,"u":1}]}]}`, ingredients},
		{"a copy in another array is new", `{"o":[{"l":[{"id":1,"u":1}]},{"l":[]}]}`, `{"o":[{"l":[{"id":1}]},{"l":[]}]}`, `{"o":[{"l":[{"id":1}]},{"l":[{"id":1}]}]}`, `{"o":[{"l":[{"id":1,"u":1}]},{"l":[{"id":1}]}]}`, ingredients},
		{"one of two with a key is nobody's", `{"o":{"x":{"l":[{"id":1,"u":1}]},"y":{"l":[{"id":1,"u":2}]},"z":{"l":[]}}}`, `{"o":{"x":{"l":[{"id":1}]},"y":{"l":[{"id":1}]},"z":{"l":[]}}}`, `{"o":{"x":{"l":[]},"y":{"l":[]},"z":{"l":[{"id":1}]}}}`, `{"o":{"x":{"l":[]},"y":{"l":[]},"z":{"l":[{"id":1}]}}}`, ingredients},
		{"no key, the rest as ever", `{"l":[{"n":"a","u":1},{"id":2,"u":2}]}`, `{"l":[{"n":"a"},{"id":2}]}`, `{"l":[{"n":"b"},{"id":2}]}`, `{"l":[{"n":"b","u":1},{"id":2,"u":2}]}`, ingredients},
		{"a codec that sorts", `["b","a"]`, `["a","b"]`, `["a","c"]`, `["a","c"]`, nil},
		{"a codec that sorts objects", `[{"id":"b","u":1},{"id":"a","u":2}]`, `[{"id":"a"},{"id":"b"}]`, `[{"id":"a"},{"id":"c"}]`, `[{"id":"a"},{"id":"c"}]`, nil},
		{"a codec that sorts, and an edit within", `[{"id":"b","l":[1],"u":1},{"id":"a","l":[2],"u":2}]`, `[{"id":"a","l":[2]},{"id":"b","l":[1]}]`, `[{"id":"a","l":[2]},{"id":"b","l":[1,3]}]`, `[{"id":"a","l":[2]},{"id":"b","l":[1,3]}]`, nil},
		{"a codec with its own spelling", `["2024-01-02T00:00:00+00:00","2025-01-02T00:00:00+00:00"]`, `["2024-01-02T00:00:00Z","2025-01-02T00:00:00Z"]`, `["2024-01-02T00:00:00Z","2026-01-02T00:00:00Z"]`, `["2024-01-02T00:00:00+00:00","2026-01-02T00:00:00Z"]`, nil},
		{"elements with their own spelling", `[{"at":"2024-01-02T00:00:00+00:00","u":1},{"at":"2025-01-02T00:00:00+00:00","u":2}]`, `[{"at":"2024-01-02T00:00:00Z"},{"at":"2025-01-02T00:00:00Z"}]`, `[{"at":"2025-01-02T00:00:00Z"},{"at":"2024-01-02T00:00:00Z"}]`, `[{"at":"2025-01-02T00:00:00+00:00","u":2},{"at":"2024-01-02T00:00:00+00:00","u":1}]`, nil},
		{"a codec that drops", `["a","a","b"]`, `["a","b"]`, `["b"]`, `["b"]`, nil},
		{"another kind", `{"t":5,"u":1}`, `{"t":{"s":5}}`, `{"t":{"s":6}}`, `{"t":{"s":6},"u":1}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := jsonpatch.Rebase([]byte(c.doc), []byte(c.before), []byte(c.after), c.o)
			if err != nil || string(got) != c.want {
				t.Errorf("Rebase = %s, %v\nwant %s", got, err, c.want)
			}
			next, patch, err := jsonpatch.Edit([]byte(c.doc), []byte(c.before), []byte(c.after), c.o)
			if string(next) != c.want {
				t.Errorf("Edit = %s, %v\nwant %s", next, err, c.want)
			}
			if c.doc == "null" {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if applied, err := jsonpatch.Apply([]byte(c.doc), patch); err != nil || !same(decode(applied), decode([]byte(c.want))) {
				t.Errorf("the patch %s gives %s, %v", wire(t, patch), applied, err)
			}
		})
	}
}

func TestRebaseWithoutDifferenceIsTheDocument(t *testing.T) {
	doc := []byte(`{"n":1.0}`)
	got, err := jsonpatch.Rebase(doc, []byte(`{"n":1}`), []byte(`{"n":1}`), nil)
	if err != nil || &got[0] != &doc[0] {
		t.Errorf("Rebase = %s, %v", got, err)
	}
	got, err = jsonpatch.Rebase(nil, []byte(`{"n":1}`), []byte(`{"n":2}`), nil)
	if err != nil || string(got) != `{"n":2}` {
		t.Errorf("without a document: %s, %v", got, err)
	}
}
