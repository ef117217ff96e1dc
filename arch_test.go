// Package dprelease_test holds the rules of the architecture and checks the source tree against them: which package may
// import which, what the private path must not use, and how large things may be. It parses the sources in this process,
// so that the test cache sees every file that the tests depend on. It ignores build constraints, so that every platform
// is checked.
package dprelease_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is one parsed Go file.
type source struct {
	// path and dir are slash-separated, from the root of the module, whose own dir is ".".
	path, dir string
	file      *ast.File
	lines     int
}

// test reports whether only tests compile the file.
func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// tree holds all Go files of the module and of the modules nested in it.
type tree struct {
	module  string
	gomod   string
	fset    *token.FileSet
	sources []source
}

// rule names a property that must hold everywhere, and finds the violations: "path:line: what".
type rule struct {
	name string
	find func(*tree) []string
}

var rules = []rule{
	{"layers", layerViolations},
	{"pure", pureViolations},
	{"trusted base", trustedBaseViolations},
	{"test libraries", testLibraryViolations},
	{"random", randomViolations},
	{"then", thenViolations},
	{"within", withinViolations},
	{"states", stateViolations},
	{"published", publishedViolations},
	{"exits", exitViolations},
	{"prints", printViolations},
	{"documented", undocumented},
	{"file size", largeFiles},
	{"function size", largeFunctions},
	{"package size", largePackages},
	{"circles", circles},
	{"go.mod", goModViolations},
}

func TestArchitecture(t *testing.T) {
	tr, err := load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.sources) < 50 {
		t.Fatalf("%d Go files found: the test does not see the tree", len(tr.sources))
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, v := range r.find(tr) {
				t.Error(v)
			}
		})
	}
}

// load parses every Go file below the root, except in hidden folders and testdata.
func load(root fs.FS) (*tree, error) {
	gomod, err := fs.ReadFile(root, "go.mod")
	if err != nil {
		return nil, err
	}
	tr := &tree{gomod: string(gomod), fset: token.NewFileSet()}
	for _, line := range strings.Split(tr.gomod, "\n") {
		if module, ok := strings.CutPrefix(line, "module "); ok {
			tr.module = strings.TrimSpace(module)
		}
	}
	return tr, fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.ContainsAny(d.Name()[:1], "._") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(p) != ".go":
			return nil
		}
		return tr.parse(root, p)
	})
}

func (tr *tree) parse(root fs.FS, p string) error {
	text, err := fs.ReadFile(root, p)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(tr.fset, p, text, parser.ParseComments)
	if err != nil {
		return err
	}
	lines := strings.Count(string(text), "\n")
	tr.sources = append(tr.sources, source{p, path.Dir(p), file, lines})
	return nil
}

// production returns the files that are not only for tests.
func (tr *tree) production() []source {
	return slices.DeleteFunc(slices.Clone(tr.sources), source.test)
}

// at formats one violation.
func (tr *tree) at(n ast.Node, format string, args ...any) string {
	p := tr.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, fmt.Sprintf(format, args...))
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

// within returns the folder of an import path of this module.
func (tr *tree) within(importPath string) (dir string, ok bool) {
	if importPath == tr.module {
		return ".", true
	}
	return strings.CutPrefix(importPath, tr.module+"/")
}

// below reports whether dir is one of roots or lies below one.
func below(dir string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return dir == r || strings.HasPrefix(dir, r+"/") })
}

// generator reports whether dir holds a program that writes files of the tree and is run by hand.
func generator(dir string) bool { return path.Base(dir) == "gen" }

// testSupport reports whether only tests import the package in dir.
func testSupport(dir string) bool {
	return strings.HasSuffix(path.Base(dir), "test") && dir != "mechanism/selftest"
}
