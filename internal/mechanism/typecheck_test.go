package mechanism_test

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const (
	module = "github.com/dprelease/dprelease/"
	root   = "../.." // the module's folder
)

// loader type-checks packages of this module from their sources, in this process.
type loader struct {
	fset     *token.FileSet
	standard types.Importer
	packages map[string]*types.Package
}

var newLoader = sync.OnceValue(func() *loader {
	fset := token.NewFileSet()
	if build.Default.GOROOT == "" { // the test was built with -trimpath
		if root, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
			build.Default.GOROOT = strings.TrimSpace(string(root))
		}
	}
	return &loader{fset, importer.ForCompiler(fset, "source", nil), map[string]*types.Package{}}
})

// Import implements types.Importer, without the bodies of functions.
func (l *loader) Import(path string) (*types.Package, error) {
	dir, ours := strings.CutPrefix(path, module)
	if !ours {
		return l.standard.Import(path)
	}
	if p := l.packages[path]; p != nil {
		return p, nil
	}
	files, err := l.parse(filepath.Join(root, dir))
	if err != nil {
		return nil, err
	}
	p, err := (&types.Config{Importer: l, IgnoreFuncBodies: true}).Check(path, l.fset, files, nil)
	l.packages[path] = p
	return p, err
}

// parse parses the files of a package that are compiled on this platform, without tests.
func (l *loader) parse(dir string) ([]*ast.File, error) {
	list, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range list.GoFiles {
		f, err := parser.ParseFile(l.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// check type-checks whole files as a package with that path and returns the errors.
func (l *loader) check(path string, files []*ast.File) (*types.Info, []error) {
	var found []error
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	c := types.Config{Importer: l, Error: func(err error) { found = append(found, err) }}
	_, _ = c.Check(path, l.fset, files, info) // the error is the first of the collected ones
	return info, found
}

// source parses one file in memory.
func (l *loader) source(tb testing.TB, text string) []*ast.File {
	tb.Helper()
	f, err := parser.ParseFile(l.fset, "probe.go", text, parser.SkipObjectResolution)
	if err != nil {
		tb.Fatal(err)
	}
	return []*ast.File{f}
}
