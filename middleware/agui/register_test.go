package agui

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestRegisterIsAMap(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var r register[int]
		want := map[string]int{}
		ids := 1 + rnd.IntN(40)
		for range 200 {
			id := strconv.Itoa(rnd.IntN(ids))
			if rnd.IntN(2) == 0 {
				v := rnd.Int()
				r.put(id, v)
				want[id] = v
			}
			got := r.get(id)
			v, there := want[id]
			if there != (got != nil) || there && *got != v {
				t.Fatalf("seed %d: %q is %v, want %d (%t)", seed, id, got, v, there)
			}
		}
		if n := len(r.all()); n != len(want) {
			t.Fatalf("seed %d: %d entries, want %d", seed, n, len(want))
		}
	}
}
