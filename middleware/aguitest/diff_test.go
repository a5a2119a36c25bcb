package aguitest

import (
	"strings"
	"testing"
)

func TestDiffLines(t *testing.T) {
	lines := func(s string) string { return strings.Join(strings.Fields(s), "\n") }
	for _, tt := range []struct{ name, a, b, want string }{
		{"changed in the middle", "1 2 3 4 5 6 7", "1 2 3 x 5 6 7", "  … 1 equal lines|  2|  3|- 4|+ x|  5|  6|  … 1 equal lines"},
		{"added at the end", "1 2", "1 2 3", "  1|  2|+ 3"},
		{"removed at the start", "1 2", "2", "- 1|  2"},
		{"moved", "a b c", "b c a", "- a|  b|  c|+ a"},
		{"nothing in common", "a", "b", "- a|+ b"},
		{"two changes far apart", "1 2 3 4 5 6 7", "x 2 3 4 5 6 y", "- 1|+ x|  2|  3|  … 1 equal lines|  5|  6|- 7|+ y"},
		{"two changes", "1 2 3 4 5", "x 2 3 4 y", "- 1|+ x|  2|  3|  4|- 5|+ y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.ReplaceAll(strings.TrimSuffix(diffLines(lines(tt.a), lines(tt.b)), "\n"), "\n", "|")
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	long := strings.Repeat("a\n", 3000)
	other := strings.Repeat("b\n", 3000)
	got := diffLines(long, other)
	if n := strings.Count(got, "- a"); n != 3000 {
		t.Errorf("%d lines of a large difference, want 3000", n)
	}
}
