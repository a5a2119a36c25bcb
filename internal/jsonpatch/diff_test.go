package jsonpatch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"equal text", `{"a":1}`, `{"a":1}`, ``},
		{"member order", `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, ``},
		{"spelling of strings", `{"a":"\u0041\/"}`, `{"\u0061":"A/"}`, ``},
		{"equal scalars", `"\u0041"`, `"A"`, ``},
		{"the same number, written otherwise", `{"a":1}`, `{"a":1.0}`, `[{"op":"replace","path":"/a","value":1.0}]`},
		{"beyond 2^53", `{"id":9007199254740993}`, `{"id":9007199254740992}`, `[{"op":"replace","path":"/id","value":9007199254740992}]`},
		{"beyond 2^53, under another name", `{"id":9007199254740993,"l":["something that is long enough to be kept"]}`, `{"no":9007199254740993,"l":["something that is long enough to be kept"]}`, `[{"op":"remove","path":"/id"},{"op":"add","path":"/no","value":9007199254740993}]`},
		{"beyond float64", `[1e400,0]`, `[1e400,-0]`, `[{"op":"replace","path":"/1","value":-0}]`},
		{"null is a value", `{"a":1,"l":["something that is long enough to be kept"]}`, `{"a":null,"l":["something that is long enough to be kept"],"b":null}`, `[{"op":"replace","path":"/a","value":null},{"op":"add","path":"/b","value":null}]`},
		{"null is no absence", `{"a":null,"b":[1,2,3,4,5,6,7,8,9]}`, `{"b":[1,2,3,4,5,6,7,8,9]}`, `[{"op":"remove","path":"/a"}]`},
		{"object and array", `{"s":[],"t":{}}`, `{"s":{},"t":{}}`, `[{"op":"replace","path":"/s","value":{}}]`},
		{"empty containers are not copied for each other", `{"s":[],"t":{}}`, `{"s":[],"t":{"c":{}}}`, `[{"op":"add","path":"/t/c","value":{}}]`},
		{"roots of different kind", `{}`, `[]`, `[{"op":"replace","path":"","value":[]}]`},
		{"escaped names", `{"a/b":{"m~n":[0,1,2,3,4,5,6]}}`, `{"a/b":{"m~n":[0,1,2,3,4,5,7]}}`, `[{"op":"replace","path":"/a~1b/m~0n/6","value":7}]`},
		{"names in escapes", `{"\u002f":{"l":[0,1,2,3,4]},"k":0}`, `{"\u002f":{"l":[0,1,2,3,4]},"k":1}`, `[{"op":"replace","path":"/k","value":1}]`},
		{"a shorter whole", `{"k":{"a":1,"b":2,"c":3},"l":["something that is long enough to be kept"]}`, `{"k":{"d":4},"l":["something that is long enough to be kept"]}`, `[{"op":"replace","path":"/k","value":{"d":4}}]`},
		{"an element in front", `{"l":["aaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbb"]}`, `{"l":["new","aaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbb"]}`, `[{"op":"add","path":"/l/0","value":"new"}]`},
		{"an element at the end", `{"l":["aaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbb"]}`, `{"l":["aaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbb","new"]}`, `[{"op":"add","path":"/l/2","value":"new"}]`},
		{"the first of an array", `{"l":[],"text":"something that is long enough to be kept"}`, `{"l":["new"],"text":"something that is long enough to be kept"}`, `[{"op":"add","path":"/l/0","value":"new"}]`},
		{"one from the middle", `{"l":["aaaaaaaaaaaaaaaa","x","bbbbbbbbbbbbbbbbbbb"]}`, `{"l":["aaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbb"]}`, `[{"op":"remove","path":"/l/1"}]`},
		{"the last one goes to the front", `["a step of the recipe","another step of it","one more of the steps","and still another one","and this is the last"]`, `["and this is the last","a step of the recipe","another step of it","one more of the steps","and still another one"]`, `[{"op":"move","from":"/4","path":"/0"}]`},
		{"the first one goes to the end", `["a step of the recipe","another step of it","one more of the steps"]`, `["another step of it","one more of the steps","a step of the recipe"]`, `[{"op":"move","from":"/0","path":"/2"}]`},
		{"an element in front of one that is edited", `[{"id":1,"name":"flour","amount":"200 g"},{"id":2,"name":"eggs","amount":"2"}]`, `[{"id":9,"name":"salt","amount":"a pinch"},{"id":1,"name":"flour","amount":"250 g"},{"id":2,"name":"eggs","amount":"2"}]`,
			`[{"op":"add","path":"/0","value":{"id":9,"name":"salt","amount":"a pinch"}},{"op":"replace","path":"/1/amount","value":"250 g"}]`},
		{"moved and edited", `[{"id":1,"name":"flour, the white kind","amount":1},{"id":2,"name":"eggs, from the neighbour","amount":2},{"id":3,"name":"milk, half a bottle","amount":3}]`,
			`[{"id":3,"name":"milk, half a bottle","amount":4},{"id":1,"name":"flour, the white kind","amount":1},{"id":2,"name":"eggs, from the neighbour","amount":2}]`,
			`[{"op":"move","from":"/2","path":"/0"},{"op":"replace","path":"/0/amount","value":4}]`},
		{"all elements edited", `[{"id":1,"name":"flour, the white kind","n":1},{"id":2,"name":"eggs, from the neighbour","n":2}]`, `[{"id":1,"name":"flour, the white kind","n":2},{"id":2,"name":"eggs, from the neighbour","n":3}]`,
			`[{"op":"replace","path":"/0/n","value":2},{"op":"replace","path":"/1/n","value":3}]`},
		{"the ends look alike but are not", `["a","b\",1,\"c"]`, `["a","b",1,"c"]`, `[{"op":"replace","path":"","value":["a","b",1,"c"]}]`},
		{"unsafe names in values", `{"a":{"x":1},"l":["something long enough"]}`, `{"a":{"__proto__":{"":1}},"l":["something long enough"]}`, `UNSAFE`},
	} {
		t.Run(c.name, func(t *testing.T) {
			patch, err := jsonpatch.Diff([]byte(c.old), []byte(c.new), nil)
			if c.want == "UNSAFE" {
				var unsafe *jsonpatch.UnsafeError
				if !errors.As(err, &unsafe) || unsafe.Path != "/a/__proto__" {
					t.Errorf("%s, %v", wire(t, patch), err)
				}
				return
			}
			if c.want == "" && patch == nil && err == nil {
				return
			}
			if err != nil || string(wire(t, patch)) != c.want {
				t.Errorf("%s, %v\nwant %s", wire(t, patch), err, c.want)
			}
			checkPair(t, []byte(c.old), []byte(c.new))
		})
	}
}

func TestNoSafePatch(t *testing.T) {
	long := `,"l":["something long enough to be kept as it is, whatever the rest"]}`
	for _, c := range []struct{ old, new, path string }{
		{`{"__proto__":1` + long, `{"__proto__":2` + long, "/__proto__"},
		{`{"__proto__":{"a":{"b":1}}` + long, `{"__proto__":{"a":{"b":2}}` + long, "/__proto__/a/b"},
		{`{"a":{"__proto__":[1]}` + long, `{"a":{"__proto__":[1,2]}` + long, "/a/__proto__/1"},
		{`{"constructor":{"prototype":1}` + long, `{"constructor":{"prototype":2}` + long, "/constructor/prototype"},
		{`{"":1` + long, `{"":2` + long, "/"},
		{`{"":["x"]` + long, `{"":["x","y"]` + long, "//1"},
		{`{"a":1` + long, `{"a":1,"":2` + long, "/"},
		{`{"\ud800":1` + long, `{"\ud800":2` + long, "/\xed\xa0\x80"},
	} {
		_, err := jsonpatch.Diff([]byte(c.old), []byte(c.new), nil)
		var unsafe *jsonpatch.UnsafeError
		if !errors.As(err, &unsafe) || unsafe.Path != c.path {
			t.Errorf("Diff(%s, %s): %v", c.old, c.new, err)
		}
		next, _, err := jsonpatch.Edit([]byte(c.old), []byte(c.old), []byte(c.new), nil)
		if !errors.As(err, &unsafe) || !same(decode(next), decode([]byte(c.new))) {
			t.Errorf("Edit(%s, %s): %s, %v", c.old, c.new, next, err)
		}
	}
	for _, c := range []struct{ old, new string }{
		{`{"prototype":1,"constructor":1` + long, `{"prototype":2,"constructor":2` + long},
		{`{"xconstructor":{"prototype":1}` + long, `{"xconstructor":{"prototype":2}` + long},
		{`{"__proto__":{"a":1},"b":1` + long, `{"__proto__":{"a":1},"b":2` + long},
	} {
		if patch, err := jsonpatch.Diff([]byte(c.old), []byte(c.new), nil); err != nil || len(patch) == 0 {
			t.Errorf("Diff(%s, %s) = %v, %v", c.old, c.new, patch, err)
		}
	}
	for _, c := range []struct{ old, new string }{
		{`null`, `{"a":1}`}, {`{"a":1}`, `5`}, {`1`, `2`}, {`"a"`, `[]`},
	} {
		if _, err := jsonpatch.Diff([]byte(c.old), []byte(c.new), nil); !errors.Is(err, jsonpatch.ErrScalarRoot) {
			t.Errorf("Diff(%s, %s): %v", c.old, c.new, err)
		}
	}
}

func TestMaxBytes(t *testing.T) {
	old, new := []byte(`{"a":1,"l":["something long enough to be kept"]}`), []byte(`{"a":2,"l":["something long enough to be kept"]}`)
	patch, err := jsonpatch.Diff(old, new, nil)
	if err != nil {
		t.Fatal(err)
	}
	size := jsonpatch.Size(patch)
	if got, err := jsonpatch.Diff(old, new, &jsonpatch.Options{MaxBytes: size + 1}); err != nil || len(got) != 1 {
		t.Errorf("one byte below the limit: %v", err)
	}
	if _, err := jsonpatch.Diff(old, new, &jsonpatch.Options{MaxBytes: size}); !errors.Is(err, jsonpatch.ErrTooBig) {
		t.Errorf("at the limit: %v", err)
	}
	next, _, err := jsonpatch.Edit(old, old, new, &jsonpatch.Options{MaxBytes: size})
	if !errors.Is(err, jsonpatch.ErrTooBig) || string(next) != string(new) {
		t.Errorf("Edit at the limit: %s, %v", next, err)
	}
	if jsonpatch.Size(nil) != len("[]") {
		t.Errorf("Size(nil) = %d", jsonpatch.Size(nil))
	}
}

// things is an array of n like objects.
func things(n int) []json.RawMessage {
	list := make([]json.RawMessage, n)
	for i := range list {
		list[i] = fmt.Appendf(nil, `{"id":"t-%d","name":"thing number %d","done":%t,"tags":["a","b"]}`, i, i, i%3 == 0)
	}
	return list
}

func TestArrays(t *testing.T) {
	list := things(1000)
	added := json.RawMessage(`{"id":"new","name":"a new thing","done":false,"tags":[]}`)
	doc := func(list []json.RawMessage) []byte {
		return marshal(map[string]any{"title": "things", "things": list, "after": []int{1, 2, 3}})
	}
	edited := slices.Clone(list)
	edited[500] = json.RawMessage(strings.Replace(string(list[500]), "thing number", "another thing, number", 1))
	swapped := slices.Clone(list)
	swapped[10], swapped[900] = swapped[900], swapped[10]
	block := slices.Concat(list[200:203], list[:200], list[203:])
	for _, c := range []struct {
		name       string
		new        []json.RawMessage
		ops, bytes int
	}{
		{"insert in front", slices.Insert(slices.Clone(list), 0, added), 1, len(added) + 60},
		{"insert in the middle", slices.Insert(slices.Clone(list), 500, added), 1, len(added) + 60},
		{"delete in the middle", slices.Delete(slices.Clone(list), 500, 501), 1, 60},
		{"delete three", slices.Delete(slices.Clone(list), 500, 503), 3, 150},
		{"move to the front", slices.Insert(slices.Delete(slices.Clone(list), 700, 701), 0, list[700]), 1, 80},
		{"move to the end", append(slices.Delete(slices.Clone(list), 3, 4), list[3]), 1, 80},
		{"swap", swapped, 2, 160},
		{"move three", block, 3, 240},
		{"edit inside", edited, 1, 110},
		{"insert in front and edit", slices.Insert(slices.Clone(edited), 0, added), 2, len(added) + 60 + 110},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := doc(list), doc(c.new)
			size, ok := checkPair(t, old, new)
			patch, _ := jsonpatch.Diff(old, new, nil)
			if !ok || len(patch) > c.ops || size > c.bytes {
				t.Errorf("%d operations of %d bytes; want at most %d of %d: %.300s", len(patch), size, c.ops, c.bytes, wire(t, patch))
			}
		})
	}
	t.Run("reverse", func(t *testing.T) {
		few := things(20)
		back := slices.Clone(few)
		slices.Reverse(back)
		old, new := doc(few), doc(back)
		size, _ := checkPair(t, old, new)
		patch, _ := jsonpatch.Diff(old, new, nil)
		if len(patch) > 19 || size > len(new) {
			t.Errorf("%d operations of %d bytes for a document of %d", len(patch), size, len(new))
		}
	})
}

// TestLongArrays holds an array of 50,000 elements to the memory that the
// package's documentation names.
func TestLongArrays(t *testing.T) {
	const n = 50_000
	list := make([]json.RawMessage, n)
	few := make([]json.RawMessage, n)
	for i := range list {
		list[i] = fmt.Appendf(nil, `{"id":%d}`, i)
		few[i] = fmt.Appendf(nil, `%d`, i*i%7)
	}
	r := rand.New(rand.NewPCG(1, 2))
	shuffle := func(list []json.RawMessage) []json.RawMessage {
		s := slices.Clone(list)
		r.Shuffle(n, func(i, j int) { s[i], s[j] = s[j], s[i] })
		return s
	}
	repeated := slices.Insert(slices.Delete(slices.Clone(few), 10, 11), 40_000, json.RawMessage(`9`), json.RawMessage(`5`))
	for _, c := range []struct {
		name     string
		old, new []json.RawMessage
		ops      int
	}{
		{"insert in front", list, slices.Insert(slices.Clone(list), 0, json.RawMessage(`{"id":-1}`)), 1},
		{"both ends", list, append(slices.Clone(list[1:]), json.RawMessage(`{"id":-1}`)), 2},
		{"repeated values, three edits", few, repeated, 3},
		{"shuffle", list, shuffle(list), n},
		{"shuffle of few values", few, shuffle(few), n},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := marshal(c.old), marshal(c.new)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			patch, err := jsonpatch.Diff(old, new, nil)
			runtime.ReadMemStats(&after)
			if err != nil || len(patch) > c.ops || jsonpatch.Size(patch) > len(new)+50 {
				t.Errorf("%d operations, %v", len(patch), err)
			}
			if used, bound := int(after.TotalAlloc-before.TotalAlloc), 600*n+2*len(new); used > bound {
				t.Errorf("allocated %d bytes, more than %d", used, bound)
			}
			got, err := jsonpatch.Apply(old, patch)
			if err != nil || !same(decode(got), decode(new)) {
				t.Errorf("wrong: %v", err)
			}
		})
	}
}

// TestWideObjects would take minutes if a name were looked for member by
// member.
func TestWideObjects(t *testing.T) {
	const n = 50_000
	object := func(order []int, prefix string, value func(i int) int) []byte {
		text := []byte{'{'}
		for _, i := range order {
			text = fmt.Appendf(text, `"%s%d":%d,`, prefix, i, value(i))
		}
		return append(text, `"end":0}`...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	same0 := func(i int) int { return i }
	every100 := func(i int) int {
		if i%100 == 0 {
			return -i
		}
		return i
	}
	doc := object(r.Perm(n), "k", same0)
	before, after := object(r.Perm(n), "k", same0), object(r.Perm(n), "k", every100)
	patch, err := jsonpatch.Diff(before, after, nil)
	if err != nil || len(patch) != n/100-1 {
		t.Fatalf("%d operations, %v", len(patch), err)
	}
	next, patch, err := jsonpatch.Edit(doc, before, after, nil)
	if err != nil || len(patch) != n/100-1 || !same(decode(next), decode(after)) {
		t.Fatalf("%d operations, %v", len(patch), err)
	}
	// None of the names is in doc.
	next, patch, err = jsonpatch.Edit(object(r.Perm(n), "K", same0), before, after, nil)
	if err != nil || len(patch) != n/100-1 || strings.Count(string(next), `"k`) != n/100-1 {
		t.Fatalf("%d operations, %v", len(patch), err)
	}
}

// TestAllocations holds the cost of one edit to the edit, not the document.
func TestAllocations(t *testing.T) {
	var diffs, edits []float64
	for _, size := range []int{10 << 10, 1 << 20} {
		o := newOrder(size)
		before := marshal(o)
		changes[0].apply(o)
		after := marshal(o)
		foreign := unknown(before)
		diffs = append(diffs, testing.AllocsPerRun(20, func() {
			if _, err := jsonpatch.Diff(before, after, nil); err != nil {
				t.Fatal(err)
			}
		}))
		edits = append(edits, testing.AllocsPerRun(20, func() {
			if _, _, err := jsonpatch.Edit(foreign, before, after, nil); err != nil {
				t.Fatal(err)
			}
		}))
	}
	// The race detector makes pools forget now and then; what grows with the
	// document would be thousands.
	const forgotten = 8
	if diffs[1] > diffs[0]+forgotten || edits[1] > edits[0]+forgotten {
		t.Errorf("allocations grow with the document: Diff %v, Edit %v", diffs, edits)
	}
}

func TestDeepDocuments(t *testing.T) {
	deep := func(leaf string) []byte {
		return []byte(strings.Repeat(`{"a":[`, 4000) + leaf + strings.Repeat(`]}`, 4000))
	}
	old, new := deep(`1`), deep(`2`)
	patch, err := jsonpatch.Diff(old, new, nil)
	if err != nil || len(patch) != 1 {
		t.Fatalf("%d operations, %v", len(patch), err)
	}
	// At each level something else differs too.
	both := func(n int) []byte {
		return []byte(strings.Repeat(fmt.Sprintf(`{"a":%d,"b":[`, n), 4000) + strings.Repeat(`]}`, 4000))
	}
	old, new = both(1), both(2)
	if patch, err = jsonpatch.Diff(old, new, nil); err != nil {
		t.Fatal(err)
	}
	got, err := jsonpatch.Apply(old, patch)
	if err != nil {
		t.Fatal(err)
	}
	if rest, err := jsonpatch.Diff(got, new, nil); err != nil || rest != nil {
		t.Errorf("the patch leaves a difference: %v", err)
	}
	if got, err := jsonpatch.Rebase(old, old, new, nil); err != nil || string(got) != string(new) {
		t.Errorf("Rebase: %v", err)
	}
}

// TestMalformed feeds text that is not JSON: whatever comes of it, it is no
// panic.
func TestMalformed(t *testing.T) {
	source := rand.New(rand.NewPCG(5, 6))
	base := []byte(`{"a":[1,{"b":"c\"","d":null}],"e":{"f":[[],{}]},"g":-1.5e3}`)
	damage := func() []byte {
		text := slices.Clone(base)
		for range 1 + source.IntN(4) {
			i := source.IntN(len(text))
			switch source.IntN(4) {
			case 0:
				text = text[:i+1]
			case 1:
				text[i] = `{}[],:"\1 `[source.IntN(10)]
			case 2:
				text = slices.Insert(text, i, `{}[],:"\1 `[source.IntN(10)])
			default:
				text = slices.Delete(text, i, i+1)
			}
			if len(text) == 0 {
				break
			}
		}
		return text
	}
	o := &jsonpatch.Options{Keys: []jsonpatch.Key{{Path: "/a", Member: "b"}, {Path: "/e/*", Member: "f"}}}
	for range 8_000 {
		a, b, c := damage(), damage(), damage()
		for _, p := range [][3][]byte{{a, b, c}, {base, a, b}, {a, base, b}, {a, a, b}} {
			_, _ = jsonpatch.Diff(p[0], p[1], nil)
			_, _, _ = jsonpatch.Edit(p[0], p[1], p[2], o)
			_, _ = jsonpatch.Apply(p[0], agui.Patch{{Op: agui.OpAdd, Path: "/a/1/x", Value: p[1]}, {Op: agui.OpMove, From: "/e", Path: "/a/0"}})
			_, _ = jsonpatch.Compact(nil, p[0])
		}
	}
}
