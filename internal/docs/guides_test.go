package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/agui"
)

// guides are programs by their files: the page whose Go blocks, from top to
// bottom, are the file.
var guides = map[string]map[string]string{
	"start":       {"main.go": "start.md"},
	"tools":       {"main.go": "state-from-tools.md"},
	"client":      {"main.go": "client.md"},
	"stream":      {"main.go": "stream-a-state.md"},
	"middleware":  {"main.go": "write-a-middleware.md"},
	"approvals":   {"main.go": "approvals.md"},
	"langchaingo": {"main.go": "langchaingo.md"},
	"echo":        {"main.go": "echo.md"},
	"deploy":      {"main.go": "deploy.md"},
	"replicas":    {"main.go": "approvals.md", "claims.go": "replicas.md"},
	"testing":     {"main.go": "start.md", "main_test.go": "testing.md"},
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// TestGuidesArePrograms does what a reader does: it copies the blocks of a
// guide into a module of its own, and compiles them.
func TestGuidesArePrograms(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for program, files := range guides {
		for file, from := range files {
			var code strings.Builder
			for _, m := range goBlock.FindAllStringSubmatch(page(t, from), -1) {
				code.WriteString(m[1] + "\n")
			}
			write(filepath.Join(program, file), code.String())
		}
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			const module = "github.com/aguistate/aguistate"
			text = fmt.Appendf(nil, "%s\nrequire %s v0.1.0\n\nreplace %s => %s\n",
				strings.Replace(string(text), "module "+module, "module example.com/reader", 1), module, module, here)
		}
		write(name, string(text))
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", "./...")
	vet.Dir = dir
	vet.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

var posted = regexp.MustCompile(`(?ms)^curl .*? -d '(\{.*?^\})'`)

// TestCurlsPostInputs: what the pages post is a run's input.
func TestCurlsPostInputs(t *testing.T) {
	n := 0
	for _, file := range markdown(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range posted.FindAllStringSubmatch(string(text), -1) {
			n++
			body := strings.ReplaceAll(m[1], "'$ASK'", "ask-id")
			if in, err := agui.ParseInput([]byte(body)); err != nil || len(in.Messages) == 0 {
				t.Errorf("%s: %v:\n%s", file, err, body)
			}
		}
	}
	if n < 7 {
		t.Errorf("only %d were found", n)
	}
}
