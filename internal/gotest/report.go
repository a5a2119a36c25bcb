package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// report follows the events of one go test.
type report struct {
	out     io.Writer
	passed  int
	failed  []string
	skipped []string
	output  map[string]*strings.Builder // of what has not passed yet
	passing map[string]int              // by package
}

func newReport(out io.Writer) *report {
	return &report{out: out, output: map[string]*strings.Builder{}, passing: map[string]int{}}
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(r.out, "%s", line) // not from a test: go's own words
			} else {
				r.add(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) add(e event) {
	name := strings.TrimSpace(e.Package + " " + e.Test)
	if e.Package == "" {
		name = e.ImportPath
	}
	switch e.Action {
	case "output", "build-output":
		b := r.output[name]
		if b == nil {
			b = &strings.Builder{}
			r.output[name] = b
		}
		b.WriteString(e.Output)
	case "build-fail":
		r.fail(name)
	case "fail":
		if e.Test == "" {
			fmt.Fprintf(r.out, "FAIL  %s (%.1fs)\n", e.Package, e.Elapsed)
			if r.knows(e) {
				return
			}
			r.unfinished(e.Package)
		}
		r.fail(name)
	case "pass":
		delete(r.output, name)
		if e.Test != "" {
			r.passed++
			r.passing[e.Package]++
			return
		}
		fmt.Fprintf(r.out, "ok    %s  %d tests (%.1fs)\n", e.Package, r.passing[e.Package], e.Elapsed)
	case "skip":
		if e.Test != "" { // a package without tests is skipped too
			r.skipped = append(r.skipped, name)
			r.show(name)
		}
		delete(r.output, name)
	}
}

// knows reports whether a package's failure was told already: by one of its
// tests, or by the build. A panic outside a test was not.
func (r *report) knows(e event) bool {
	return e.FailedBuild != "" || slices.ContainsFunc(r.failed, func(name string) bool {
		return strings.HasPrefix(name, e.Package+" ")
	})
}

// unfinished shows what the tests said that a package's end cut off.
func (r *report) unfinished(pkg string) {
	for _, name := range slices.Sorted(maps.Keys(r.output)) {
		if strings.HasPrefix(name, pkg+" ") {
			r.show(name)
			delete(r.output, name)
		}
	}
}

func (r *report) fail(name string) {
	r.failed = append(r.failed, name)
	r.show(name)
	delete(r.output, name)
}

func (r *report) show(name string) {
	if b := r.output[name]; b != nil {
		io.WriteString(r.out, b.String())
	}
}

func (r *report) ok() bool { return len(r.failed) == 0 && len(r.skipped) == 0 }

// finish prints the sum and says whether it is good.
func (r *report) finish() error {
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, len(r.failed), len(r.skipped))
	switch {
	case len(r.failed) > 0:
		return fmt.Errorf("failed:\n  %s", strings.Join(r.failed, "\n  "))
	case len(r.skipped) > 0:
		return fmt.Errorf("skipped tests prove nothing:\n  %s", strings.Join(r.skipped, "\n  "))
	case r.passed == 0:
		return fmt.Errorf("no test ran")
	}
	return nil
}
