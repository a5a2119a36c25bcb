package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	released = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)$`)
	required = regexp.MustCompile(`github\.com/aguistate/aguistate@v(\S+)`)
)

// TestVersionStandsInOnePlace: the first heading of the changelog is the
// version; a command that names it has to agree.
func TestVersionStandsInOnePlace(t *testing.T) {
	changes, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := released.FindSubmatch(changes)
	if m == nil {
		t.Fatal("CHANGELOG.md names no version")
	}
	version := string(m[1])
	for _, file := range markdown(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range required.FindAllStringSubmatch(string(text), -1) {
			if got := strings.TrimRight(m[1], "`."); got != version {
				t.Errorf("%s names version %s, the changelog %s", file, got, version)
			}
		}
	}
}
