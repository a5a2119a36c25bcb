package guard

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFaultsAreTested follows the list of known faults to the tests that hold
// ours free of them: none is lost when a test is renamed or removed.
func TestFaultsAreTested(t *testing.T) {
	text, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	faults, tests := 0, 0
	fault := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		place, isTest := strings.CutPrefix(line, "\t")
		switch {
		case isTest:
			if tests++; !hasTest(t, place) {
				t.Errorf("%s\n\tis there no more: %s", fault, place)
			}
		case strings.HasSuffix(line, ".") && !strings.HasPrefix(line, "#"):
			if faults > 0 && tests == 0 {
				t.Errorf("no test: %s", fault)
			}
			fault, tests = line, 0
			faults++
		}
	}
	if faults < 50 || tests == 0 {
		t.Errorf("%d faults are listed, the last with %d tests", faults, tests)
	}
}

// hasTest looks for "directory TestName", "file: title" or a golden file.
func hasTest(t *testing.T, place string) bool {
	t.Helper()
	read := func(files ...string) (all string) {
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return ""
			}
			all += string(text)
		}
		return all
	}
	if file, title, ok := strings.Cut(place, ": "); ok {
		// A title stands in quotes of any kind.
		return regexp.MustCompile("test\\(['\"`]" + regexp.QuoteMeta(title) + "['\"`]").MatchString(read(filepath.Join(root, file)))
	}
	if dir, name, ok := strings.Cut(place, " "); ok {
		files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(read(files...), "\nfunc "+name+"(t *testing.T) {")
	}
	return read(filepath.Join(root, place)) != ""
}
