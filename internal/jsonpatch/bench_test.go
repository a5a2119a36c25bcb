package jsonpatch_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	evanphx "github.com/evanphx/json-patch/v5"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/wI2L/jsondiff"

	"github.com/aguistate/aguistate/internal/jsonpatch"
)

// order is a state such as a form edits: a header, a map, and items of sixteen
// leaves.
type order struct {
	Title   string            `json:"title"`
	Version int64             `json:"version"`
	Labels  map[string]string `json:"labels"`
	Header  struct {
		Author string `json:"author"`
		Note   string `json:"note"`
		Open   bool   `json:"open"`
	} `json:"header"`
	Items []item `json:"items"`
}

type item struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Count    int               `json:"count"`
	Price    float64           `json:"price"`
	Weight   float64           `json:"weight"`
	Done     bool              `json:"done"`
	Urgent   bool              `json:"urgent"`
	Tags     []string          `json:"tags"`
	Sizes    []int             `json:"sizes"`
	Attrs    map[string]string `json:"attrs"`
	Parent   *string           `json:"parent"`
	Category string            `json:"category"`
	Note     string            `json:"note"`
}

func newItem(i int) item {
	return item{
		ID: fmt.Sprintf("item-%06d", i), Name: fmt.Sprintf("Thing number %d", i), Count: i % 17,
		Price: float64(i) * 1.25, Weight: 0.1 * float64(i%7), Done: i%2 == 0, Urgent: i%5 == 0,
		Tags: []string{"red", "wide"}, Sizes: []int{i, i + 1}, Attrs: map[string]string{"shape": "round", "origin": "here"},
		Category: "general", Note: "a short note",
	}
}

func newOrder(bytes int) *order {
	o := &order{Title: "An order", Version: 12, Labels: map[string]string{"team": "blue", "stage": "draft", "area": "north"}}
	o.Header.Author, o.Header.Note = "someone", "please check"
	for size, i := 0, 0; size < bytes-256; i++ {
		o.Items = append(o.Items, newItem(i))
		size += len(marshal(o.Items[i])) + 1
	}
	return o
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// measure runs f as a benchmark and reports, beside the time that passed, the
// processor time of the process, which other load on the machine does not
// stretch.
func measure(b *testing.B, bytes int, f func()) {
	b.ReportAllocs()
	b.SetBytes(int64(bytes))
	runtime.GC()
	start := processorTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(processorTime()-start)/float64(b.N), "cpu-ns/op")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type change struct {
	name  string
	apply func(*order)
}

var changes = []change{
	{"leaf", func(o *order) { o.Items[len(o.Items)/2].Note = "another note" }},
	{"front", func(o *order) { o.Items = slices.Insert(o.Items, 0, newItem(999_999)) }},
	{"tenth", func(o *order) {
		r := rand.New(rand.NewPCG(1, 2))
		for i := range o.Items {
			if r.IntN(100) < 90 {
				o.Items[i].Count++
			}
			if r.IntN(100) < 70 {
				o.Items[i].Name += "!"
			}
		}
	}},
	{"nothing", func(*order) {}},
}

var sizes = []struct {
	name  string
	bytes int
}{{"1KB", 1 << 10}, {"10KB", 10 << 10}, {"100KB", 100 << 10}, {"1MB", 1 << 20}}

// unknown puts a member that the type does not know into every item.
func unknown(doc []byte) []byte {
	v := decode(doc).(map[string]any)
	type pair struct {
		A json.RawMessage `json:"clientOnly"`
	}
	out := []byte(`{"theme":"dark","items":[`)
	for i, it := range v["items"].([]any) {
		if i > 0 {
			out = append(out, ',')
		}
		text := marshal(it)
		extra := marshal(pair{marshal(fmt.Sprintf("row %d", i))})
		out = append(append(append(out, extra[:len(extra)-1]...), ','), text[1:]...)
	}
	delete(v, "items")
	return append(append(out, "],"...), marshal(v)[1:]...)
}

func BenchmarkPublish(b *testing.B) {
	for _, size := range sizes {
		for _, c := range changes {
			o := newOrder(size.bytes)
			before := marshal(o)
			c.apply(o)
			after := marshal(o)
			known, foreign := slices.Clone(before), unknown(before)
			run := func(name string, n int, f func() int) {
				b.Run(fmt.Sprintf("%s/%s/%s", size.name, c.name, name), func(b *testing.B) {
					patch := 0
					measure(b, n, func() { patch = f() })
					b.ReportMetric(float64(patch), "patchB")
				})
			}
			run("marshal", len(after), func() int { return len(marshal(o)) - len(after) })
			run("diff", len(after), func() int {
				p, err := jsonpatch.Diff(before, after, nil)
				if err != nil {
					b.Fatal(err)
				}
				return jsonpatch.Size(p)
			})
			for _, d := range []struct {
				name string
				doc  []byte
			}{{"known", known}, {"unknown", foreign}} {
				run("rebase-"+d.name, len(d.doc), func() int {
					next, err := jsonpatch.Rebase(d.doc, before, after, nil)
					if err != nil {
						b.Fatal(err)
					}
					return len(next) - len(d.doc)
				})
				run("edit-"+d.name, len(d.doc), func() int {
					_, p, err := jsonpatch.Edit(d.doc, before, after, nil)
					if err != nil {
						b.Fatal(err)
					}
					return jsonpatch.Size(p)
				})
			}
			if size.bytes > 100<<10 && testing.Short() {
				continue
			}
			run("jsondiff", len(after), func() int {
				p, err := jsondiff.CompareJSON(before, after, jsondiff.UnmarshalFunc(useNumber))
				if err != nil {
					b.Fatal(err)
				}
				text, err := json.Marshal(p)
				if err != nil {
					b.Fatal(err)
				}
				return len(text)
			})
		}
	}
}

func BenchmarkApply(b *testing.B) {
	for _, size := range sizes {
		for _, c := range changes[:3] {
			o := newOrder(size.bytes)
			before := marshal(o)
			c.apply(o)
			patch, err := jsonpatch.Diff(before, marshal(o), nil)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%s/ours", size.name, c.name), func(b *testing.B) {
				measure(b, len(before), func() {
					if _, err := jsonpatch.Apply(before, patch); err != nil {
						b.Fatal(err)
					}
				})
			})
			other, err := evanphx.DecodePatch(wire(b, patch))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%s/evanphx", size.name, c.name), func(b *testing.B) {
				measure(b, len(before), func() {
					if _, err := other.Apply(before); err != nil {
						b.Fatal(err)
					}
				})
			})
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, size := range sizes {
		doc := unknown(marshal(newOrder(size.bytes)))
		b.Run(size.name+"/ours", func(b *testing.B) {
			measure(b, len(doc), func() {
				if _, err := jsonpatch.Check(doc); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(size.name+"/jsontext", func(b *testing.B) {
			measure(b, len(doc), func() {
				if !jsontext.Value(doc).IsValid() {
					b.Fatal("invalid")
				}
			})
		})
	}
}

func BenchmarkWideArray(b *testing.B) {
	const n = 50_000
	list := make([]json.RawMessage, n)
	for i := range list {
		list[i] = fmt.Appendf(nil, `{"id":%d,"name":"thing %d"}`, i, i)
	}
	before := marshal(list)
	shuffled := slices.Clone(list)
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	few := make([]int, n)
	for i := range few {
		few[i] = i * i % 7
	}
	fewMixed := slices.Clone(few)
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { fewMixed[i], fewMixed[j] = fewMixed[j], fewMixed[i] })
	for _, c := range []struct {
		name          string
		before, after []byte
	}{
		{"front", before, marshal(slices.Insert(slices.Clone(list), 0, json.RawMessage(`{"id":-1,"name":"new"}`)))},
		{"both ends", before, marshal(append(slices.Clone(list[1:]), json.RawMessage(`{"id":-1,"name":"new"}`)))},
		{"shuffle", before, marshal(shuffled)},
		{"shuffle few values", marshal(few), marshal(fewMixed)},
	} {
		b.Run(c.name, func(b *testing.B) {
			patch := 0
			measure(b, len(c.after), func() {
				p, err := jsonpatch.Diff(c.before, c.after, nil)
				if err != nil {
					b.Fatal(err)
				}
				patch = jsonpatch.Size(p)
			})
			b.ReportMetric(float64(patch), "patchB")
		})
	}
}
