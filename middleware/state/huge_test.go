package state_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/state"
)

// A list of 50,000 elements is published in memory that goes with the size of
// the document, whatever was done to it, and by few bytes where little was.
func TestHugeList(t *testing.T) {
	type list struct {
		Items []Task `json:"items"`
	}
	const n = 50_000
	start := list{}
	for i := range n {
		start.Items = append(start.Items, Task{ID: i, Title: "the title of a task"})
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	edits := []struct {
		name string
		f    func(l *list)
		most int // bytes of the event; 0 is no more than the document
	}{
		{"an element at the front", func(l *list) { l.Items = slices.Insert(l.Items, 0, Task{ID: -1, Title: "new"}) }, 120},
		{"one in the middle goes", func(l *list) { l.Items = slices.Delete(l.Items, n/2, n/2+1) }, 80},
		{"one moves", func(l *list) {
			first := l.Items[10]
			l.Items = slices.Insert(slices.Delete(l.Items, 10, 11), n-100, first)
		}, 200},
		{"one leaf", func(l *list) { l.Items[n/3].Done = true }, 100},
		{"a thousand leaves", func(l *list) {
			for i := range 1000 {
				l.Items[i*50].Done = !l.Items[i*50].Done
			}
		}, 100_000},
		{"all of them are turned round", func(l *list) { slices.Reverse(l.Items) }, 0},
		{"all of them are shuffled", func(l *list) {
			rnd.Shuffle(len(l.Items), func(i, j int) { l.Items[i], l.Items[j] = l.Items[j], l.Items[i] })
		}, 0},
		{"all of them are new", func(l *list) {
			for i := range l.Items {
				l.Items[i] = Task{ID: i + n, Title: "another title"}
			}
		}, 0},
		{"all of them go", func(l *list) { l.Items = nil }, 0},
	}
	for _, unknown := range []bool{false, true} {
		doc, edits := asJSON(t, start), edits
		if !unknown {
			edits = edits[:5]
		} else {
			doc = strings.ReplaceAll(doc, `"title"`, `"x":1.10,"title"`)
		}
		var last agui.Event
		s, err := state.NewSession[list]([]byte(doc), func(e agui.Event) error { last = e; return nil })
		must(t, err)
		must(t, s.Publish())
		for _, e := range edits {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			was := len(s.Document())
			must(t, s.Update(func(l *list) error { e.f(l); return nil }))
			runtime.ReadMemStats(&after)
			size := len(asJSON(t, last))
			if most := e.most; most == 0 && size > len(s.Document())+60 || most > 0 && size > most {
				t.Errorf("%s (unknown members: %v): %d bytes", e.name, unknown, size)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > uint64(120*was) {
				t.Errorf("%s (unknown members: %v): %d bytes were allocated for a document of %d", e.name, unknown, used, was)
			}
		}
	}
}
