package guard

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// tracked returns the files that the repository holds.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	if len(files) < 20 {
		t.Fatalf("only %d files are tracked", len(files))
	}
	return files
}

// unwanted is what no file may say. The patterns are written so that they do
// not match themselves; a file without any of the hints is not searched.
var unwanted = []struct {
	hints   []string
	pattern *regexp.Regexp
	why     string
	only    *regexp.Regexp // files that it is about; nil is all
}{
	{[]string{"/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/Us" + "ers/", "/t" + "mp/"},
		regexp.MustCompile(`(?m)(^|[^\w.$/])/(work|root|home/[a-z]+|Users/[a-z]+|tmp/[a-z]+)/`), "is a path of somebody's machine", nil},
	{[]string{"npmjs", "yarnpkg", "golang", "goproxy", "debian"},
		regexp.MustCompile(`\b(registry\.npmjs[.]org|registry\.yarnpkg[.]com|proxy\.golang[.]org|sum\.golang[.]org|goproxy[.]io|goproxy[.]cn|deb\.debian[.]org)\b`),
		"is the host of a package registry", nil},
	{[]string{`"resolved"`}, regexp.MustCompile(`"resolved":\s*"`), "is a download address", regexp.MustCompile(`package-lock\.json$`)},
	{[]string{"TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"},
		regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`), "is work left for later", regexp.MustCompile(`\.(go|m?js|css|html|md|sh)$|^scripts/|Makefile`)},
	{[]string{"kip", "odo", "nly"},
		regexp.MustCompile(`\bt\.Skip(Now|f)?\(|\b(test|it|describe)\.(skip|todo|only)\(|\bskip:\s*true`), "skips a test", regexp.MustCompile(`\.(go|m?js)$`)},
	{[]string{"<<<<<<<", ">>>>>>>", "======="}, regexp.MustCompile(`(?m)^(<{7}|>{7}|={7})( |$)`), "is a merge conflict", nil},
}

func TestNoFileSaysWhatItShouldNot(t *testing.T) {
	for _, name := range tracked(t) {
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) {
			continue
		}
		for _, u := range unwanted {
			if u.only != nil && !u.only.MatchString(name) || !slices.ContainsFunc(u.hints, func(h string) bool { return bytes.Contains(content, []byte(h)) }) {
				continue
			}
			for _, at := range u.pattern.FindAllIndex(content, 3) {
				line := 1 + bytes.Count(content[:at[0]], []byte("\n"))
				t.Errorf("%s:%d: %q %s", name, line, strings.TrimSpace(string(content[at[0]:at[1]])), u.why)
			}
		}
	}
}

// TestGoFilesStayShort: one idea a file.
func TestGoFilesStayShort(t *testing.T) {
	const most = 600
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if n := bytes.Count(content, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, more than %d", name, n, most)
		}
	}
}
