package aguitest_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/aguitest"
)

// A piece costs the same memory however many there are, whether they come in
// one call or in one each.
func TestLongTurns(t *testing.T) {
	const pieces = 2_000
	all := strings.Split(strings.Repeat("x", pieces), "")
	for name, build := range map[string]func() aguitest.Turn{
		"one call": func() aguitest.Turn { return aguitest.Text(all...) },
		"many calls": func() (turn aguitest.Turn) {
			for _, p := range all {
				turn = turn.Text(p)
			}
			return turn
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		updates, err := gather(aguitest.NewModel(build()).Stream(t.Context(), ask("?")))
		runtime.ReadMemStats(&after)
		if err != nil || len(updates) != pieces+1 {
			t.Errorf("%s: %d updates, %v", name, len(updates), err)
		}
		if each := (after.TotalAlloc - before.TotalAlloc) / pieces; each > 4<<10 {
			t.Errorf("%s: %d bytes for each of %d pieces", name, each, pieces)
		}
	}
}
