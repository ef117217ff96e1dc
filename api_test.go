package dprelease_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateAPI = flag.Bool("update-api", false, "write testdata/api.golden anew")

// public are the packages whose exported names other programs may use.
var public = []string{
	"calibrate", "calibrate/methods", "denoise", "ledger", "mechanism", "mechanism/int128", "pipeline", "pipeline/datacheck", "pipeline/manifest", "pipeline/protocol",
	"queries", "queries/bounding", "queries/domain", "queries/problem", "queries/quantize", "queries/query", "queries/sensitivity", "queries/strategy", "queries/tally",
}

const apiGolden = "testdata/api.golden"

// TestPublicAPI compares the exported declarations of the public packages with a golden file. So a review shows every
// change. After an intended change: go test . -run PublicAPI -update-api
func TestPublicAPI(t *testing.T) {
	tr, err := load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, dir := range public {
		fmt.Fprintf(&got, "package %s\n\n", dir)
		for _, line := range tr.exported(dir) {
			got.WriteString(line + "\n")
		}
		got.WriteString("\n")
	}
	if *updateAPI {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(apiGolden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(apiGolden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("the public API changed (-%s +now); if that is intended: go test . -run PublicAPI -update-api\n%s", apiGolden, d)
	}
}

// exported lists the exported declarations of a package, sorted, without bodies, comments and unexported fields. Each
// has one or more lines.
func (tr *tree) exported(dir string) []string {
	var lines []string
	for _, s := range tr.production() {
		if s.dir != dir {
			continue
		}
		file := *s.file
		file.Decls = slices.Clone(file.Decls)
		ast.FileExports(&file)
		for _, d := range file.Decls {
			lines = append(lines, tr.declared(d)...)
		}
	}
	slices.Sort(lines)
	return lines
}

// declared prints the specs of a declaration.
func (tr *tree) declared(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{tr.print(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})}
	case *ast.GenDecl:
		var lines []string
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				lines = append(lines, "type "+tr.print(bareType(spec)))
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() {
						lines = append(lines, d.Tok.String()+" "+name.Name)
					}
				}
			}
		}
		return lines
	}
	return nil
}

// bareType returns a type without the comments of its fields.
func bareType(t *ast.TypeSpec) *ast.TypeSpec {
	bare := &ast.TypeSpec{Name: t.Name, TypeParams: t.TypeParams, Assign: t.Assign, Type: t.Type}
	ast.Inspect(bare, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			f.Doc, f.Comment = nil, nil
		}
		return true
	})
	return bare
}

func (tr *tree) print(n ast.Node) string {
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.RawFormat, Tabwidth: 4}).Fprint(&b, token.NewFileSet(), n); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
