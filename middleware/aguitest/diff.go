package aguitest

import (
	"fmt"
	"strings"
)

// diffContext is how many equal lines stand around a difference.
const diffContext = 2

// diffLines shows how two texts differ, line by line: - is want, + is got.
func diffLines(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	lines := make([]string, 0, len(a)+len(b))
	for _, l := range a[:head] {
		lines = append(lines, "  "+l)
	}
	lines = append(lines, script(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, l := range a[len(a)-tail:] {
		lines = append(lines, "  "+l)
	}
	return collapse(lines)
}

// collapse leaves out what is equal and far from every difference.
func collapse(lines []string) string {
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l[0] == ' ' {
			continue
		}
		for j := max(i-diffContext, 0); j <= min(i+diffContext, len(lines)-1); j++ {
			near[j] = true
		}
	}
	var out strings.Builder
	skipped := 0
	flush := func() {
		if skipped > 0 {
			fmt.Fprintf(&out, "  … %d equal lines\n", skipped)
		}
		skipped = 0
	}
	for i, l := range lines {
		if !near[i] {
			skipped++
			continue
		}
		flush()
		fmt.Fprintln(&out, l)
	}
	flush()
	return out.String()
}

// maxScript bounds the table of [script]; larger differences are shown whole.
const maxScript = 1 << 22

// script is the shortest way from a to b, by their longest common subsequence.
func script(a, b []string) (out []string) {
	if len(a)*len(b) > maxScript {
		for _, l := range a {
			out = append(out, "- "+l)
		}
		for _, l := range b {
			out = append(out, "+ "+l)
		}
		return out
	}
	// common[i][j] is the length for a[i:] and b[j:].
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}
