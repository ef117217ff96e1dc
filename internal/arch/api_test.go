package arch

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateAPI = flag.Bool("update-api", false, "write testdata/api.golden anew")

// public are the packages whose exported names other programs may use.
var public = []string{
	".", "calibrate", "calibrate/methods", "configs", "denoise",
}

const apiGolden = "testdata/api.golden"

// TestPublicAPI compares the exported declarations of the public packages with a golden file. So a review shows every
// change. After an intended change: go test ./internal/arch -run PublicAPI -update-api
func TestPublicAPI(t *testing.T) {
	var got strings.Builder
	for _, dir := range public {
		fmt.Fprintf(&got, "package %s\n\n%s\n\n", dir, strings.Join(exported(t, dir), "\n"))
	}
	if *updateAPI {
		if err := os.WriteFile(apiGolden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(apiGolden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("the public API changed (-%s +now); if that is intended: go test ./internal/arch -run PublicAPI "+
			"-update-api\n%s", apiGolden, d)
	}
}

// exported lists the exported declarations of a package, sorted, without bodies, comments and unexported fields. Each
// has one or more lines.
func exported(t *testing.T, dir string) (lines []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no files (%v)", dir, err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			lines = append(lines, declared(d)...)
		}
	}
	slices.Sort(lines)
	return lines
}

// declared prints the specs of a declaration.
func declared(d ast.Decl) (lines []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{text(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				lines = append(lines, "type "+text(spec))
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() {
						lines = append(lines, d.Tok.String()+" "+name.Name)
					}
				}
			}
		}
	}
	return lines
}

// text prints a declaration in one line.
func text(n ast.Node) string {
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.RawFormat, Tabwidth: 4}).Fprint(&b, token.NewFileSet(), n); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
