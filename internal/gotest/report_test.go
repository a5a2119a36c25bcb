package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	tests := []struct {
		name, in string
		passed   int
		out, err string
	}{
		{"two pass", `{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Test":"A/sub"}
{"Action":"pass","Package":"p","Elapsed":0.5}
`, 2, "ok    p  2 tests (0.5s)\n2 passed, 0 failed, 0 skipped\n", ""},
		{"a failure shows its output", `{"Action":"output","Package":"p","Test":"A","Output":"why\n"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"fail","Package":"p","Elapsed":1}
`, 0, "why\nFAIL  p (1.0s)\n0 passed, 1 failed, 0 skipped\n", "failed:\n  p A"},
		{"a failure outside the tests", `{"Action":"pass","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Output":"panic: in TestMain\n"}
{"Action":"fail","Package":"p","Elapsed":1}
`, 1, "FAIL  p (1.0s)\npanic: in TestMain\n1 passed, 1 failed, 0 skipped\n", "failed:\n  p"},
		{"a test cut off", `{"Action":"output","Package":"p","Test":"A","Output":"fatal error: deadlock\n"}
{"Action":"output","Package":"p","Output":"exit status 2\n"}
{"Action":"fail","Package":"p","Elapsed":1}
`, 0, "FAIL  p (1.0s)\nfatal error: deadlock\nexit status 2\n0 passed, 1 failed, 0 skipped\n", "failed:\n  p"},
		{"a skipped test", `{"Action":"pass","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Test":"A","Output":"no browser\n"}
{"Action":"skip","Package":"p","Test":"A"}
`, 1, "no browser\n1 passed, 0 failed, 1 skipped\n", "skipped tests prove nothing:\n  p A"},
		{"a package without tests", `{"Action":"pass","Package":"p","Test":"B"}
{"Action":"skip","Package":"q"}
`, 1, "1 passed, 0 failed, 0 skipped\n", ""},
		{"a build that fails", `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: broken\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"fail","Package":"p","Elapsed":0,"FailedBuild":"p"}
`, 0, "p.go:1: broken\nFAIL  p (0.0s)\n0 passed, 1 failed, 0 skipped\n", "failed:\n  p"},
		{"nothing", "", 0, "0 passed, 0 failed, 0 skipped\n", "no test ran"},
		{"words that are no event", "go: cannot find main module\n", 0, "go: cannot find main module\n0 passed, 0 failed, 0 skipped\n", "no test ran"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out)
			if err := r.read(strings.NewReader(tt.in)); err != nil {
				t.Fatal(err)
			}
			err := r.finish()
			if r.passed != tt.passed {
				t.Errorf("passed %d, want %d", r.passed, tt.passed)
			}
			if out.String() != tt.out {
				t.Errorf("printed %q, want %q", out.String(), tt.out)
			}
			if (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}
