// Package docs tests what the Markdown files say: their Go code is code that
// compiles and is run, their links lead somewhere, the names in them exist, and
// the lists in them are whole.
//
// Each Go block names the place in the tree that it is taken from, and is the
// same to the letter; a block of another language may name a file.
package docs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/aguitest"
)

const root = "../.."

// source is the comment before a block: the file, and the region in it if it is
// not the whole.
var source = regexp.MustCompile(`^<!-- from ([^\s#]+)(?:#(\S+))? -->$`)

// markdown returns the files for people.
func markdown(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/README.md", "internal/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 5 {
		t.Fatalf("only %d Markdown files were found", len(files))
	}
	return files
}

func TestGoBlocksAreTakenFromCode(t *testing.T) {
	blocks := 0
	for _, file := range markdown(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, next := check(t, file, string(text))
		blocks += n
		if aguitest.Updating() && next != string(text) {
			if err := os.WriteFile(file, []byte(next), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if blocks == 0 {
		t.Error("no Go block was found")
	}
}

// check compares the blocks of a file with their sources, and returns the file
// as it should be.
func check(t *testing.T, file, text string) (blocks int, want string) {
	t.Helper()
	var out strings.Builder
	lines := strings.SplitAfter(text, "\n")
	from := ""
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\n")
		out.WriteString(lines[i])
		if m := source.FindStringSubmatch(line); m != nil {
			from = line
			continue
		}
		if !strings.HasPrefix(line, "```") {
			if strings.TrimSpace(line) != "" {
				from = ""
			}
			continue
		}
		var block strings.Builder
		for i++; i < len(lines) && strings.TrimRight(lines[i], "\n") != "```"; i++ {
			block.WriteString(lines[i])
		}
		code := block.String()
		switch m := source.FindStringSubmatch(from); {
		case m != nil:
			blocks++
			taken, err := region(filepath.Join(root, m[1]), m[2])
			if err != nil {
				t.Errorf("%s: %v", file, err)
				break
			}
			if code != taken && !aguitest.Updating() {
				t.Errorf("%s: the block from %s#%s differs from its source (-update takes it over):\n%s", file, m[1], m[2], taken)
			}
			code = taken
		case line == "```go":
			t.Errorf("%s: a Go block names no source (<!-- from path#region --> before it):\n%s", file, code)
		}
		out.WriteString(code + "```\n")
		from = ""
	}
	return blocks, out.String()
}

// region returns the lines between "// [name]" and "// [end]", without the
// indent that they share and the empty lines around them. No name is the whole
// file.
func region(path, name string) (string, error) {
	code, err := os.ReadFile(path)
	if err != nil || name == "" {
		return string(code), err
	}
	var lines []string
	inside := false
	for line := range strings.Lines(string(code)) {
		line = strings.TrimRight(line, "\n")
		switch strings.TrimSpace(line) {
		case "// [" + name + "]":
			inside = true
			continue
		case "// [end]":
			if inside {
				return unindent(lines), nil
			}
		}
		if inside {
			lines = append(lines, line)
		}
	}
	return "", fmt.Errorf("%s has no region %q", path, name)
}

func unindent(lines []string) string {
	text := strings.Trim(strings.Join(lines, "\n"), "\n")
	indent := len(text) - len(strings.TrimLeft(text, "\t"))
	var b bytes.Buffer
	for line := range strings.Lines(text + "\n") {
		b.WriteString(strings.TrimPrefix(line, strings.Repeat("\t", indent)))
	}
	return b.String()
}
