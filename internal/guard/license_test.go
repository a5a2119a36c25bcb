package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLicense: a module without a licence in its root may not be used, and
// pkg.go.dev does not show it.
func TestLicense(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"MIT License\n\nCopyright (c) ", "Permission is hereby granted, free of charge,", `THE SOFTWARE IS PROVIDED "AS IS"`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("LICENSE does not say %q", part)
		}
	}
}
