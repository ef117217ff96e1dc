package arch

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// The program must compile for systems that no test runs on. A compiler takes minutes for all its packages; checking
// the types from source takes seconds and finds the same mistakes of this module. Bodies of functions of other modules
// are skipped: those modules compile there. Packages whose files differ by system are checked with their tests.
func TestProgramCompilesForOtherSystems(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("runs without -short")
	}
	systems := []string{"windows/amd64"}
	if os.Getenv("DPRELEASE_LONG") != "" {
		systems = append(systems, "windows/arm64", "darwin/arm64", "freebsd/amd64")
	}
	for _, system := range systems {
		t.Run(system, func(t *testing.T) {
			for _, err := range checkTypes(t, system) {
				t.Error(err)
			}
		})
	}
}

// sourcePackage is a package as go list -json prints it.
type sourcePackage struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// checkTypes returns the errors of types in the program and in the tests of some packages, compiled for a system.
func checkTypes(t *testing.T, system string) (found []error) {
	t.Helper()
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=Dir,ImportPath,GoFiles,ImportMap,Module",
		"./cmd/release", "./internal/private", "./internal/scratchfile", "./io/sink")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for list := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p sourcePackage
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the latter's file is generated
			continue
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		ours := p.Module != nil && p.Module.Main
		check := types.Config{
			Importer: importers(func(path string) (*types.Package, error) {
				if mapped := p.ImportMap[path]; mapped != "" {
					path = mapped
				}
				if done[path] == nil {
					return nil, fmt.Errorf("go list does not list %s", path)
				}
				return done[path], nil
			}),
			Sizes:            types.SizesFor("gc", goarch),
			IgnoreFuncBodies: !ours,
			Error: func(err error) {
				if ours {
					found = append(found, err)
				}
			},
		}
		path, _, _ := strings.Cut(p.ImportPath, " ") // a package of a test is listed as path [test]
		done[p.ImportPath], _ = check.Check(path, files, parsed, nil)
	}
}

// importers is a function as a types.Importer.
type importers func(path string) (*types.Package, error)

func (f importers) Import(path string) (*types.Package, error) { return f(path) }
