package dprelease_test

import (
	"go/ast"
	"path"
	"strings"
)

// uses calls f for every use of a package's member ("os.Exit"), whatever name the file gives the package, and for every
// call of a builtin ("panic").
func (s source) uses(f func(at ast.Node, name string)) {
	packages := map[string]string{}
	for _, spec := range s.file.Imports {
		p := importPath(spec)
		local := p[strings.LastIndex(p, "/")+1:]
		if spec.Name != nil {
			local = spec.Name.Name
		}
		packages[local] = p
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && packages[x.Name] != "" {
				f(n, packages[x.Name]+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if name, ok := n.Fun.(*ast.Ident); ok {
				f(n, name.Name)
			}
		}
		return true
	})
}

// Only cmd/release/main.go ends the process. Generators, bench, dist, mutants and the programs of examples may end
// themselves with an exit code.
func exitViolations(tr *tree) (out []string) {
	for _, s := range tr.production() {
		s.uses(func(at ast.Node, name string) {
			exit := name == "os.Exit" || name == "syscall.Exit" || name == "runtime.Goexit"
			fatal := name == "panic" || strings.HasPrefix(name, "log.Fatal") || strings.HasPrefix(name, "log.Panic")
			if s.path == "cmd/release/main.go" || (name == "os.Exit" && (generator(s.dir) || ownMain(s.path))) || !(exit || fatal) {
				return
			}
			out = append(out, tr.at(at, "%s: return an error", name))
		})
		for _, spec := range s.file.Imports {
			if spec.Name != nil && spec.Name.Name == "." {
				out = append(out, tr.at(spec, "a dot import hides where names come from"))
			}
		}
	}
	return out
}

// ownMain reports whether a file is examples/NAME/main.go, bench/main.go, cmd/dist/main.go, internal/mutants/main.go, pagetest/recompute/main.go or, in a module beside the
// main one, release-NAME/main.go.
func ownMain(file string) bool {
	example, _ := path.Match("examples/*/main.go", file)
	program, _ := path.Match("release-*/main.go", path.Join(path.Base(path.Dir(file)), path.Base(file)))
	return example || program || file == "bench/main.go" || file == "cmd/dist/main.go" || file == "internal/mutants/main.go" || file == "pagetest/recompute/main.go"
}

func printViolations(tr *tree) (out []string) {
	for _, s := range tr.production() {
		if below(s.dir, "cmd", "examples") || generator(s.dir) {
			continue
		}
		s.uses(func(at ast.Node, name string) {
			if strings.HasPrefix(name, "fmt.Print") || name == "print" || name == "println" {
				out = append(out, tr.at(at, "%s: a library prints nothing", name))
			}
		})
	}
	return out
}

// Post-processing uses package denoise: nothing else uses the methods Then and ThenEach of mechanism.Noisy, as a call
// or as a value. The rule compares only the names, because no other type has such methods.
func thenViolations(tr *tree) (out []string) {
	for _, s := range tr.sources {
		if s.dir == "denoise" || (s.test() && s.dir == "mechanism") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok && (x.Sel.Name == "Then" || x.Sel.Name == "ThenEach") {
				out = append(out, tr.at(x, "only denoise calls %s", x.Sel.Name))
			}
			return true
		})
	}
	return out
}

// mechanism.Within reveals a bit about exact answers. Only the engine's audit calls it.
func withinViolations(tr *tree) (out []string) {
	for _, s := range tr.production() {
		if s.path == "pipeline/local/audit.go" {
			continue
		}
		s.uses(func(at ast.Node, name string) {
			if strings.HasSuffix(name, "/mechanism.Within") {
				out = append(out, tr.at(at, "only pipeline/local/audit.go calls mechanism.Within"))
			}
		})
	}
	return out
}

// States of accumulators are exact answers and rows as they are. Only what encrypts them asks for them.
func stateViolations(tr *tree) (out []string) {
	for _, s := range tr.production() {
		if s.dir == "pipeline/partial" {
			continue
		}
		s.uses(func(at ast.Node, name string) {
			for _, save := range []string{"Save", "SaveAnswers", "SaveRows"} {
				if strings.HasSuffix(name, "/queries."+save) {
					out = append(out, tr.at(at, "only pipeline/partial calls queries.%s", save))
				}
			}
		})
	}
	return out
}

// Only pipeline/protocol reads published noisy values back into the trusted package. It compares them with the ledger.
func publishedViolations(tr *tree) (out []string) {
	for _, s := range tr.sources {
		if s.dir == "pipeline/protocol" && !s.test() || s.dir == "mechanism" {
			continue
		}
		s.uses(func(at ast.Node, name string) {
			if strings.HasSuffix(name, "/mechanism.Published") || strings.HasSuffix(name, "/mechanism.PublishedKeys") {
				out = append(out, tr.at(at, "only pipeline/protocol calls mechanism.%s", name[strings.LastIndex(name, ".")+1:]))
			}
		})
	}
	return out
}

func undocumented(tr *tree) (out []string) {
	described := map[string]bool{}
	for _, s := range tr.production() {
		described[s.dir] = described[s.dir] || s.file.Doc != nil
	}
	for _, s := range tr.production() {
		if !described[s.dir] {
			described[s.dir] = true // once a package
			out = append(out, tr.at(s.file, "package %s has no comment", s.dir))
		}
		if ast.IsGenerated(s.file) {
			continue
		}
		for _, d := range s.file.Decls {
			for _, name := range bare(d) {
				out = append(out, tr.at(name, "%s has no comment", name.Name))
			}
		}
	}
	return out
}

// bare returns the exported names of a declaration that have no comment.
func bare(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			names = append(names, bareSpec(d, spec)...)
		}
	}
	return names
}

func bareSpec(d *ast.GenDecl, spec ast.Spec) (names []*ast.Ident) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Doc == nil && d.Doc == nil && spec.Name.IsExported() {
			return []*ast.Ident{spec.Name}
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if spec.Doc == nil && spec.Comment == nil && d.Doc == nil && name.IsExported() {
				names = append(names, name)
			}
		}
	}
	return names
}

// exportedReceiver reports whether a function has no receiver or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	receiver := d.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}
