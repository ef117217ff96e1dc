package arch

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/rogpeppe/go-internal/txtar"
)

// A program outside this module must not be able to draw noise twice under one charge, nor to see drawn values before
// the ledger has sealed them. These tests show that it can neither name nor reach what that takes: the ledger's book
// and receipts, the functions that draw, and the protocol, whose sink sees a release before the seal.

const module = "github.com/dprelease/dprelease"

// module's packages that carry out runs: a program may import them, and they import the protocol.
var fronts = []string{module, module + "/cmd/release/command"}

// sealed are the types that no program outside may reach. A name that ends with a dot stands for all types of the
// package.
var sealed = []string{
	module + "/internal/ledger.Book", module + "/internal/ledger.Receipt", module + "/internal/ledger.Publication",
	module + "/internal/ledger.Store", module + "/internal/ledger/sqlstore.", module + "/internal/protocol.",
	module + "/internal/runjob.",
}

// listed is a package as go list prints it.
type listed struct {
	path, export string
	deps         []string
}

// outside returns the packages that a program outside the module can import, without programs and helpers of tests, and
// an importer of all packages by their export data.
func outside(t *testing.T) ([]listed, types.Importer) {
	t.Helper()
	o := listOutside()
	if o.err != nil {
		t.Fatal(o.err)
	}
	return o.packages, o.all
}

// outsiders is the result of outside.
type outsiders struct {
	packages []listed
	all      types.Importer
	err      error
}

// listOutside compiles all packages, so it does that once.
var listOutside = sync.OnceValue(func() (o outsiders) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", `{{.ImportPath}}|{{.Export}}|{{.Name}}|{{join .Deps ","}}`,
		"./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return outsiders{err: err}
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		exports[f[0]] = f[1]
		ours := f[0] == module || strings.HasPrefix(f[0], module+"/")
		if ours && f[1] != "" && f[2] != "main" && !strings.HasSuffix(f[2], "test") && !slices.Contains(strings.Split(f[0], "/"),
			"internal") {
			o.packages = append(o.packages, listed{f[0], f[1], strings.Split(f[3], ",")})
		}
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s has no export data", path)
		}
		return os.Open(exports[path])
	}
	o.all = importer.ForCompiler(token.NewFileSet(), "gc", lookup)
	return o
})

// reached holds the types that a program can reach, each with the chain of names that leads to it.
type reached map[*types.TypeName]string

// from adds the types that are reachable from a package's exported names.
func (r reached) from(p *types.Package) {
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			r.add(o.Type(), p.Path()+"."+name)
		}
	}
}

// add follows a type to all types that its exported fields and methods have to do with, as results, parameters or
// elements. A parameter counts too: a program gets the values that are passed to a function or interface of its own.
func (r reached) add(t types.Type, chain string) {
	switch t := t.(type) {
	case *types.Alias:
		r.add(types.Unalias(t), chain)
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			r.add(a, chain)
		}
		o := t.Obj()
		if _, seen := r[o]; seen || o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path()+"/", module+"/") {
			return
		}
		r[o] = chain
		for m := range t.Methods() {
			if m.Exported() {
				r.add(m.Type(), chain+"."+m.Name())
			}
		}
		r.add(t.Underlying(), chain)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				r.add(f.Type(), chain+"."+f.Name())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				r.add(m.Type(), chain+"."+m.Name())
			}
		}
	case *types.Signature:
		r.add(t.Params(), chain)
		r.add(t.Results(), chain)
		for p := range t.TypeParams().TypeParams() {
			r.add(p.Constraint(), chain)
		}
	case *types.Tuple:
		for v := range t.Variables() {
			r.add(v.Type(), chain)
		}
	case *types.Map:
		r.add(t.Key(), chain)
		r.add(t.Elem(), chain)
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		r.add(t.Elem(), chain)
	}
}

// Neither the ledger's book, nor a receipt, nor a type of the protocol can be reached, and thus no function that needs
// one can be called.
func TestNobodyOutsideDraws(t *testing.T) {
	owntest.Slow(t)
	packages, all := outside(t)
	found := reached{}
	for _, p := range packages {
		pkg, err := all.Import(p.path)
		if err != nil {
			t.Fatal(err)
		}
		found.from(pkg)
	}
	exact := false
	for o, chain := range found {
		name := o.Pkg().Path() + "." + o.Name()
		exact = exact || name == module+"/internal/mechanism.Exact"
		for _, s := range sealed {
			if name == s || strings.HasSuffix(s, ".") && strings.HasPrefix(name, s) {
				t.Errorf("%s is reached by %s", name, chain)
			}
		}
	}
	if len(packages) < 30 || len(found) < 300 || !exact {
		t.Errorf("%d types of %d packages were reached, exact answers: %v; the search does not follow all chains",
			len(found), len(packages), exact)
	}
}

// Only the entry points carry out runs, and they accept no function and no interface of their own from a program. So no
// code of a program runs between the draw and the seal. No type of the steps between is among theirs.
func TestFrontsTakeNoCallbacks(t *testing.T) {
	owntest.Slow(t)
	packages, all := outside(t)
	for _, p := range packages {
		if slices.Contains(p.deps, module+"/internal/protocol") && !slices.Contains(fronts, p.path) {
			t.Errorf("%s carries out runs", p.path)
		}
	}
	for _, front := range fronts {
		pkg, err := all.Import(front)
		if err != nil {
			t.Fatal(err)
		}
		found := reached{}
		found.from(pkg)
		for o, chain := range found {
			if in := o.Pkg().Path(); in != front && in != module+"/configs" {
				t.Errorf("%s.%s is reached by %s", in, o.Name(), chain)
			}
			if _, ok := o.Type().Underlying().(*types.Interface); ok {
				t.Errorf("%s is an interface, reached by %s", o.Name(), chain)
			}
			if s, ok := o.Type().Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					if o.Name() == "Verb" { // a verb runs instead of a run, and never during one
						continue
					}
					if _, ok := f.Type().Underlying().(*types.Signature); ok && f.Exported() {
						t.Errorf("%s.%s is a function", o.Name(), f.Name())
					}
				}
			}
		}
		for _, name := range pkg.Scope().Names() {
			f, ok := pkg.Scope().Lookup(name).(*types.Func)
			if !ok || !f.Exported() {
				continue
			}
			for v := range f.Signature().Params().Variables() {
				if _, ok := v.Type().Underlying().(*types.Signature); ok {
					t.Errorf("%s takes a function", name)
				}
			}
		}
	}
}

// TestProgramsOutside builds programs of another module that try to draw twice under one charge. Each but the honest
// one does not compile or, if it is a test, fails for the reason in its first line. The honest one draws once however
// often it runs.
func TestProgramsOutside(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it builds programs")
	}
	archive, err := txtar.ParseFile("testdata/outside.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil { // a ledger refuses a folder that others can write
		t.Fatal(err)
	}
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module "+module, "module example.org/outside", 1) + fmt.Sprintf(
		"\nrequire %s v0.0.0\nreplace %s => %s\n", module, module, here)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, f := range archive.Files {
		reason, _, ok := strings.Cut(strings.TrimPrefix(string(f.Data), "// fails: "), "\n")
		if !strings.HasPrefix(string(f.Data), "// fails: ") || !ok {
			continue
		}
		args, tries := []string{"build", "-o", os.DevNull}, 1
		if strings.HasSuffix(f.Name, "_test.go") {
			args, tries = []string{"test", "-vet=off"}, bytes.Count(f.Data, []byte("\nfunc Test"))
		}
		if out, err := run("go", append(args, "./"+path.Dir(f.Name))...); err == nil || strings.Count(out, reason) != tries {
			t.Errorf("%s: %v: %s; want %q", f.Name, err, out, reason)
		}
	}
	if out, err := run("go", "build", "-o", "honest.exe", "./honest"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	first, err := run(filepath.Join(dir, "honest.exe"))
	if err != nil || !strings.HasPrefix(first, "released ") {
		t.Fatalf("%v: %s", err, first)
	}
	for range 3 {
		again, err := run(filepath.Join(dir, "honest.exe"))
		if err != nil || again != strings.Replace(first, "released ", "already-released ", 1) {
			t.Errorf("%v: %s after %s", err, again, first)
		}
	}
}
