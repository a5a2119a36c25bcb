package guard

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/middleware/aguitest"
)

// TestAPI compares what users can see with what was agreed on. A change is
// made with -update, and read in the diff.
func TestAPI(t *testing.T) {
	found, fset := packages(t)
	const dir = "testdata/api"
	want := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(found)) {
		p := found[path]
		if !p.exported() {
			continue
		}
		name := strings.ReplaceAll(path, "/", "_") + ".txt"
		want[name] = true
		listing, err := list(fset, p)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		aguitest.GoldenFile(t, filepath.Join(dir, name), listing)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if want[e.Name()] {
			continue
		}
		if aguitest.Updating() {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				t.Error(err)
			}
			continue
		}
		t.Errorf("%s/%s lists a package that is gone (-update removes it)", dir, e.Name())
	}
}

// TestEveryExportedNameIsDocumented: what users can see says its law.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	found, fset := packages(t)
	for _, path := range slices.Sorted(maps.Keys(found)) {
		p := found[path]
		if !p.exported() {
			continue
		}
		d, err := doc.NewFromFiles(fset, p.files, module+"/"+path, doc.PreserveAST)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		undocumented := func(name, text string) {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s has no doc comment", path, name)
			}
		}
		undocumented("the package", d.Doc)
		for _, f := range d.Funcs {
			undocumented(f.Name, f.Doc)
		}
		for _, typ := range d.Types {
			undocumented(typ.Name, typ.Doc)
			for _, f := range typ.Funcs {
				undocumented(f.Name, f.Doc)
			}
			for _, m := range typ.Methods {
				// One method of all events, Type, speaks for itself.
				if m.Name != "Type" && m.Name != "Unwrap" && m.Name != "Error" {
					undocumented(typ.Name+"."+m.Name, m.Doc)
				}
			}
		}
		for _, v := range slices.Concat(d.Consts, d.Vars) {
			undocumented(v.Names[0], v.Doc)
		}
	}
}

// list writes a package's exported names, a declaration each, sorted, without
// bodies, comments and what is unexported.
func list(fset *token.FileSet, p *pkg) ([]byte, error) {
	d, err := doc.NewFromFiles(fset, p.files, module+"/"+p.path, doc.PreserveAST)
	if err != nil {
		return nil, err
	}
	var decls []string
	add := func(node ast.Node) {
		if err == nil {
			var s string
			s, err = source(fset, node)
			decls = append(decls, s)
		}
	}
	value := func(v *doc.Value) {
		for _, spec := range v.Decl.Specs {
			s := *spec.(*ast.ValueSpec)
			if !slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
				continue
			}
			s.Doc, s.Comment = nil, nil
			if v.Decl.Tok == token.VAR {
				s.Values = nil
			}
			add(&ast.GenDecl{Tok: v.Decl.Tok, Specs: []ast.Spec{&s}})
		}
	}
	function := func(f *doc.Func) {
		decl := *f.Decl
		decl.Doc, decl.Body = nil, nil
		add(&decl)
	}
	for _, v := range slices.Concat(d.Consts, d.Vars) {
		value(v)
	}
	for _, f := range d.Funcs {
		function(f)
	}
	for _, typ := range d.Types {
		spec := *typ.Decl.Specs[0].(*ast.TypeSpec)
		for _, s := range typ.Decl.Specs {
			if s := s.(*ast.TypeSpec); s.Name.Name == typ.Name {
				spec = *s
			}
		}
		spec.Doc, spec.Comment = nil, nil
		spec.Type = plain(spec.Type)
		add(&ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{&spec}})
		for _, v := range slices.Concat(typ.Consts, typ.Vars) {
			value(v)
		}
		for _, f := range slices.Concat(typ.Funcs, typ.Methods) {
			if f.Level == 0 {
				function(f)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(decls)
	return fmt.Appendf(nil, "package %s // %s/%s\n\n%s\n", p.name, module, p.path, strings.Join(slices.Compact(decls), "\n")), nil
}

// plain is a type without the comments in it; go/doc has left out what is
// unexported, and says so.
func plain(expr ast.Expr) ast.Expr {
	bare := func(list *ast.FieldList) *ast.FieldList {
		out := &ast.FieldList{}
		for _, f := range list.List {
			field := *f
			field.Doc, field.Comment = nil, nil
			out.List = append(out.List, &field)
		}
		return out
	}
	switch x := expr.(type) {
	case *ast.StructType:
		c := *x
		c.Fields = bare(x.Fields)
		return &c
	case *ast.InterfaceType:
		c := *x
		c.Methods = bare(x.Methods)
		return &c
	}
	return expr
}

// source prints a declaration on its own, without the file's comments and
// line breaks of its own inside a signature.
func source(fset *token.FileSet, node ast.Node) (string, error) {
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, fset, node); err != nil {
		return "", err
	}
	var out []string
	for line := range strings.Lines(b.String()) {
		if words := strings.TrimLeft(strings.TrimRight(line, "\n"), "\t"); words != "" {
			indent := len(line) - len(strings.TrimLeft(line, "\t"))
			out = append(out, strings.Repeat("\t", indent)+strings.ReplaceAll(words, "\t", " "))
		}
	}
	return strings.Join(out, "\n"), nil
}
