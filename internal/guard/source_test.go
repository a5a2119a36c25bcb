package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the module's path, and root its folder seen from here.
const (
	module = "github.com/aguistate/aguistate"
	root   = "../.."
)

// pkg is a package's files without tests.
type pkg struct {
	path    string // from the module's root
	name    string
	files   []*ast.File
	imports []string
}

// packages parses every package of the module.
func packages(t *testing.T) (map[string]*pkg, *token.FileSet) {
	t.Helper()
	fset := token.NewFileSet()
	found := map[string]*pkg{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != root && (n == "node_modules" || n == "testdata" || n[0] == '.' || n[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		p := found[dir]
		if p == nil {
			p = &pkg{path: dir, name: f.Name.Name}
			found[dir] = p
		}
		p.files = append(p.files, f)
		for _, i := range f.Imports {
			if name := strings.Trim(i.Path.Value, `"`); !slices.Contains(p.imports, name) {
				p.imports = append(p.imports, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 3 {
		t.Fatalf("only %d packages found under %s", len(found), root)
	}
	return found, fset
}

// ours returns the imports of a package that are of this module, from its
// root, and thirdParty those that are of others.
func (p *pkg) ours() (out []string) {
	for _, i := range p.imports {
		if rest, ok := strings.CutPrefix(i, module+"/"); ok {
			out = append(out, rest)
		}
	}
	return out
}

func (p *pkg) thirdParty() (out []string) {
	for _, i := range p.imports {
		first, _, _ := strings.Cut(i, "/")
		if strings.Contains(first, ".") && !strings.HasPrefix(i, module+"/") {
			out = append(out, i)
		}
	}
	return out
}

// exported reports whether users can import a package.
func (p *pkg) exported() bool {
	return p.name != "main" && !strings.Contains(p.path, "/internal/") && (strings.HasPrefix(p.path, "middleware/") || strings.HasPrefix(p.path, "adapters/"))
}
