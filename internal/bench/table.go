package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/aguistate/aguistate/internal/bench/load"
)

// base is the peer that ratios are against: every byte encoded before, one
// flush an event.
const base = "p4i"

// quietest returns the results of one row and column that were quiet, or the
// two quietest.
func (c *comparison) quietest(name, w string, n int) []load.Result {
	var rs []load.Result
	for _, r := range c.results {
		if r.Name == name && r.W == w && r.C == n {
			rs = append(rs, r)
		}
	}
	slices.SortFunc(rs, func(a, b load.Result) int { return cmp.Compare(a.Other, b.Other) })
	quiet := 0
	for quiet < len(rs) && rs[quiet].Other <= c.quiet {
		quiet++
	}
	if quiet == 0 {
		quiet = min(2, len(rs))
	}
	return rs[:quiet]
}

// median is 0 of nothing.
func median(rs []load.Result, f func(load.Result) float64) float64 {
	if len(rs) == 0 {
		return 0
	}
	v := make([]float64, len(rs))
	for i, r := range rs {
		v[i] = f(r)
	}
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return strconv.FormatFloat(a/b, 'f', 2, 64)
}

// table prints the medians.
func (c *comparison) table(out io.Writer, targets []target) {
	for w := range strings.SplitSeq(c.works, ",") {
		loads, row := c.cs, c.runsRow
		head := "runs/s\tcpu µs/run\t× " + base + "\tfirst ms\t× " + base + "\trun p50 ms\tp99 ms\tpayload KB\twire KB\trss MB\tquiet"
		if w == "w3" {
			loads, row = c.ns, c.streamsRow
			head = "cores\t× " + base + "\tKB/stream\t× " + base + "\tp50 µs\tp99 µs\t× " + base + "\tdue p99 µs\tdelivered\tquiet"
		}
		for n := range strings.SplitSeq(loads, ",") {
			many, err := strconv.Atoi(n)
			if err != nil {
				continue // the load has refused it before
			}
			fmt.Fprintf(out, "\n%s at %d (medians)\n", w, many)
			tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintf(tw, "\t%s\t\n", head)
			for _, t := range targets {
				if rs := c.quietest(t.name, w, many); len(rs) > 0 {
					fmt.Fprintf(tw, "%s\t%s\t\n", t.name, row(rs, c.quietest(base, w, many)))
				}
			}
			_ = tw.Flush() // to the terminal
		}
	}
}

// quietOf says how many measurements a row is made of, and how many cores
// others took meanwhile.
func quietOf(rs []load.Result) string {
	return fmt.Sprintf("%d (%.2f)", len(rs), median(rs, func(r load.Result) float64 { return r.Other }))
}

func (c *comparison) runsRow(rs, b []load.Result) string {
	m := func(f func(load.Result) float64) float64 { return median(rs, f) }
	cpu := func(r load.Result) float64 { return r.CPUperRun }
	first := func(r load.Result) float64 { return r.TTFE50 }
	return fmt.Sprintf("%.0f\t%.0f\t%s\t%.3f\t%s\t%.2f\t%.2f\t%.1f\t%.1f\t%.0f\t%s",
		m(func(r load.Result) float64 { return r.RunsS }), m(cpu), ratio(m(cpu), median(b, cpu)), m(first), ratio(m(first), median(b, first)),
		m(func(r load.Result) float64 { return r.Run50 }), m(func(r load.Result) float64 { return r.Run99 }),
		m(func(r load.Result) float64 { return r.BytesRun })/1024, m(func(r load.Result) float64 { return r.WireRun })/1024,
		m(func(r load.Result) float64 { return r.RSS }), quietOf(rs))
}

func (c *comparison) streamsRow(rs, b []load.Result) string {
	m := func(f func(load.Result) float64) float64 { return median(rs, f) }
	cpu := func(r load.Result) float64 { return r.Util }
	kb := func(r load.Result) float64 { return r.PerStream }
	p99 := func(r load.Result) float64 { return r.Lat99 }
	return fmt.Sprintf("%.2f\t%s\t%.1f\t%s\t%.0f\t%.0f\t%s\t%.0f\t%.3f\t%s",
		m(cpu), ratio(m(cpu), median(b, cpu)), m(kb), ratio(m(kb), median(b, kb)),
		m(func(r load.Result) float64 { return r.Lat50 }), m(p99), ratio(m(p99), median(b, p99)),
		m(func(r load.Result) float64 { return r.Due99 }), m(func(r load.Result) float64 { return r.Rate }), quietOf(rs))
}
