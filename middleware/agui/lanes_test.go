package agui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Many lanes, which have an index, are what a few are: held against a list
// that is only looked through.
func TestLanes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	kindOf := []kind{textKind, toolCallKind, reasoningMessageKind}
	ownerOf := func(i int) owner {
		if i == 0 {
			return owner{}
		}
		return owner{id: fmt.Sprint(i), tagged: true}
	}
	var s lanes
	var want []lane
	indexed := 0
	for step := range 20_000 {
		// The number of owners swells and shrinks, so that an index comes and goes.
		o := ownerOf(random.IntN(1 + step/100%50))
		at := slices.IndexFunc(want, func(l lane) bool { return l.owner == o })
		switch i := s.of(o); {
		case (i >= 0) != (at >= 0):
			t.Fatalf("step %d: the lane of %v is at %d, want it at %d", step, o, i, at)
		case at < 0:
			l := lane{owner: o, kind: kindOf[random.IntN(3)], id: fmt.Sprint(step)}
			want = append(want, l)
			if got := s.list[s.open(l)]; got != l {
				t.Fatalf("step %d: opened %v, got %v", step, l, got)
			}
		case random.IntN(2) == 0:
			want = slices.Delete(want, at, at+1)
			s.close(i)
		}
		if step%1000 == 999 {
			want = nil
			s.reset()
		}
		if s.index != nil {
			indexed++
		}

		open := slices.DeleteFunc(slices.Clone(s.list), func(l lane) bool { return l.ended })
		if !slices.Equal(open, want) {
			t.Fatalf("step %d: open are %v, want %v", step, open, want)
		}
		for _, l := range want {
			if i := s.with(l.kind, l.id); i < 0 || s.list[i] != l {
				t.Fatalf("step %d: the lane of %v %q is at %d", step, l.kind, l.id, i)
			}
		}
		if i := s.with(textKind, "none"); i >= 0 {
			t.Fatalf("step %d: a lane that was never opened is at %d", step, i)
		}
		for _, k := range kindOf {
			got, ok := s.only(k)
			if wantOwner, wantOK := onlyOf(want, k); got != wantOwner || ok != wantOK {
				t.Fatalf("step %d: the only one of %v is %v, %v, want %v, %v", step, k, got, ok, wantOwner, wantOK)
			}
		}
	}
	if indexed == 0 {
		t.Error("there was never an index")
	}
}

func onlyOf(open []lane, k kind) (owner, bool) {
	var owners []owner
	for _, l := range open {
		if l.kind == k {
			owners = append(owners, l.owner)
		}
	}
	switch {
	case len(owners) == 0 || slices.Contains(owners, owner{}):
		return owner{}, true
	case len(owners) == 1:
		return owners[0], true
	}
	return owner{}, false
}
