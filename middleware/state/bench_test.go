package state_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

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

// processorTime is what the process has used so far. A machine that others use
// makes a stop watch lie; this is not far off even there.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure runs f and reports its processor time.
func measure(b *testing.B, f func(n int) error) {
	b.ReportAllocs()
	n, start := 0, processorTime(b)
	for ; b.Loop(); n++ {
		if err := f(n); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime(b)-start)/float64(n), "cpu-ns/op")
}

// BenchmarkPublish is one edit and its publish, against json.Marshal of the
// value alone (floor), the usual recipe (marshal, decode, diff, marshal patch
// and snapshot), jsondiff on the whole documents, and the usual recipe in Node
// with fast-json-patch (node). The documents are covered by the type, or have a
// member in every item that it does not know.
func BenchmarkPublish(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"1KB", 1 << 10}, {"10KB", 10 << 10}, {"100KB", 100 << 10}, {"1MB", 1 << 20}} {
		covered := mustJSON(sheet(size.n))
		unknown := strings.ReplaceAll(covered, `"code":`, `"seen_by":["client",1],"code":`)
		for _, change := range []string{"leaf", "front", "tenth", "nothing"} {
			name, edit := size.name+"/"+change+"/", edits[change]
			b.Run(name+"floor", func(b *testing.B) {
				s := sheet(size.n)
				measure(b, func(n int) error {
					edit(&s, n)
					_, err := json.Marshal(s)
					return err
				})
			})
			b.Run(name+"covered", func(b *testing.B) { benchSession(b, covered, edit) })
			b.Run(name+"unknown", func(b *testing.B) { benchSession(b, unknown, edit) })
			b.Run(name+"recipe", func(b *testing.B) { benchRecipe(b, size.n, edit) })
			b.Run(name+"jsondiff", func(b *testing.B) { benchJSONDiff(b, size.n, edit) })
			b.Run(name+"node", func(b *testing.B) { benchNode(b, size.n, edit) })
		}
	}
}

func benchSession(b *testing.B, doc string, edit func(*Sheet, int)) {
	s, err := state.NewSession[Sheet]([]byte(doc), func(agui.Event) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Publish(); err != nil {
		b.Fatal(err)
	}
	measure(b, func(n int) error {
		return s.Update(func(v *Sheet) error { edit(v, n); return nil })
	})
}

func benchJSONDiff(b *testing.B, size int, edit func(*Sheet, int)) {
	s := sheet(size)
	last := []byte(mustJSON(s))
	measure(b, func(n int) error {
		edit(&s, n)
		next, err := json.Marshal(s)
		if err != nil {
			return err
		}
		patch, err := jsondiff.CompareJSON(last, next)
		if err != nil {
			return err
		}
		last = next
		_, err = json.Marshal(patch)
		return err
	})
}

// benchRecipe is what people write by hand.
func benchRecipe(b *testing.B, size int, edit func(*Sheet, int)) {
	s := sheet(size)
	var last any
	if err := json.Unmarshal([]byte(mustJSON(s)), &last); err != nil {
		b.Fatal(err)
	}
	measure(b, func(n int) error {
		edit(&s, n)
		raw, err := json.Marshal(s)
		if err != nil {
			return err
		}
		var next any
		if err := json.Unmarshal(raw, &next); err != nil {
			return err
		}
		patch, err := jsondiff.Compare(last, next)
		if err != nil {
			return err
		}
		delta, err := json.Marshal(patch)
		if err != nil {
			return err
		}
		snapshot, err := json.Marshal(next)
		if err != nil {
			return err
		}
		if len(delta) < len(snapshot) {
			last = next
		}
		return nil
	})
}
