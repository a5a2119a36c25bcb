package state_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wI2L/jsondiff"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/state"
)

// Sheet is a state of any size: items of sixteen leaves.
type Sheet struct {
	Title   string            `json:"title"`
	Owner   string            `json:"owner"`
	Labels  map[string]string `json:"labels"`
	Items   []Item            `json:"items"`
	Version int               `json:"version"`
}

type Item struct {
	ID       int            `json:"id"`
	Name     string         `json:"name"`
	Note     string         `json:"note"`
	Price    float64        `json:"price"`
	Stock    int            `json:"stock"`
	Active   bool           `json:"active"`
	Tags     []string       `json:"tags"`
	Sizes    []int          `json:"sizes"`
	Extra    map[string]int `json:"extra"`
	Supplier *string        `json:"supplier"`
	Code     string         `json:"code"`
}

func item(i int) Item {
	name := "supplier"
	v := Item{
		ID: i, Name: fmt.Sprint("Item number ", i), Note: "A note of some length about it", Price: float64(i) * 1.25, Stock: i % 97,
		Active: i%2 == 0, Tags: []string{"red", "large"}, Sizes: []int{i, i + 1, i + 2}, Extra: map[string]int{"a": i, "b": 2}, Code: fmt.Sprintf("C-%05d", i),
	}
	if i%3 == 0 {
		v.Supplier = &name
	}
	return v
}

func sheet(size int) Sheet {
	s := Sheet{Title: "A sheet", Owner: "somebody", Labels: map[string]string{"x": "1", "y": "2"}}
	one := len(fmt.Sprint(mustJSON(item(50))))
	for i := range max(1, size/one) {
		s.Items = append(s.Items, item(i))
	}
	return s
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

var edits = map[string]func(s *Sheet, n int){
	"leaf": func(s *Sheet, n int) { s.Items[len(s.Items)/2].Stock = 1000 + n },
	// In, and out again the next time.
	"front": func(s *Sheet, n int) {
		if n%2 == 1 {
			s.Items = slices.Insert(s.Items, 0, item(1000+n))
		} else if s.Items[0].ID >= 1000 {
			s.Items = slices.Delete(s.Items, 0, 1)
		}
	},
	// Two of the sixteen leaves of four items in five.
	"tenth": func(s *Sheet, n int) {
		for i := range s.Items {
			if i%5 > 0 {
				s.Items[i].Stock, s.Items[i].Price = 2000+n, float64(n)
			}
		}
	},
	"nothing": func(*Sheet, int) {},
}

// BenchmarkPublish is one edit and its publish, against json.Marshal of the
// value alone (floor), the usual recipe (marshal, decode, diff, marshal patch
// and snapshot), jsondiff on the whole documents, and the usual recipe in Node
// with fast-json-patch (node).
func BenchmarkPublish(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"1KB", 1 << 10}, {"10KB", 10 << 10}, {"100KB", 100 << 10}, {"1MB", 1 << 20}} {
		v := sheet(size.n)
		covered := mustJSON(v)
		unknown := strings.ReplaceAll(covered, `"code":`, `"seen_by":["client",1],"code":`)
		for _, edit := range []string{"leaf", "front", "tenth", "nothing"} {
			name := size.name + "/" + edit + "/"
			b.Run(name+"floor", func(b *testing.B) {
				s := sheet(size.n)
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					edits[edit](&s, n)
					if _, err := json.Marshal(s); err != nil {
						b.Fatal(err)
					}
				}
			})
			for kind, doc := range map[string]string{"covered": covered, "unknown": unknown} {
				b.Run(name+"session-"+kind, func(b *testing.B) {
					sent := 0
					s, err := state.NewSession[Sheet]([]byte(doc), func(e agui.Event) error { sent++; return nil })
					if err != nil {
						b.Fatal(err)
					}
					if err := s.Publish(); err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for n := 0; b.Loop(); n++ {
						if err := s.Update(func(v *Sheet) error { edits[edit](v, n); return nil }); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			b.Run(name+"node", func(b *testing.B) { benchNode(b, size.n, edits[edit]) })
			b.Run(name+"recipe", func(b *testing.B) { benchRecipe(b, size.n, edits[edit]) })
			b.Run(name+"jsondiff", func(b *testing.B) {
				s := sheet(size.n)
				last := []byte(mustJSON(s))
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					edits[edit](&s, n)
					next, err := json.Marshal(s)
					if err != nil {
						b.Fatal(err)
					}
					patch, err := jsondiff.CompareJSON(last, next)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := json.Marshal(patch); err != nil {
						b.Fatal(err)
					}
					last = next
				}
			})
		}
	}
}

// benchRecipe is what people write by hand.
func benchRecipe(b *testing.B, size int, edit func(*Sheet, int)) {
	s := sheet(size)
	var last any
	if err := json.Unmarshal([]byte(mustJSON(s)), &last); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		edit(&s, n)
		raw, err := json.Marshal(s)
		if err != nil {
			b.Fatal(err)
		}
		var next any
		if err := json.Unmarshal(raw, &next); err != nil {
			b.Fatal(err)
		}
		patch, err := jsondiff.Compare(last, next)
		if err != nil {
			b.Fatal(err)
		}
		delta, err := json.Marshal(patch)
		if err != nil {
			b.Fatal(err)
		}
		snapshot, err := json.Marshal(next)
		if err != nil {
			b.Fatal(err)
		}
		if len(delta) < len(snapshot) {
			last = next
		}
	}
}
