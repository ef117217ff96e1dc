package dprelease_test

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
)

// # Caps
//
// They are far above good practice and prevent accidents. No code should be written to fit them.
const (
	maxFileLines     = 500
	maxFunctionLines = 60
	maxPackageLines  = 3000
)

// span returns how many lines a node covers. Tables in it are left out: literals of slices and maps without functions.
func (tr *tree) span(n ast.Node) int {
	lines := tr.height(n)
	ast.Inspect(n, func(n ast.Node) bool {
		if literal, ok := n.(*ast.CompositeLit); ok && isTable(literal) {
			lines -= tr.height(literal) - 1
			return false
		}
		return true
	})
	return lines
}

func (tr *tree) height(n ast.Node) int {
	return tr.fset.Position(n.End()).Line - tr.fset.Position(n.Pos()).Line + 1
}

func isTable(literal *ast.CompositeLit) bool {
	switch literal.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
	default:
		return false
	}
	table := true
	ast.Inspect(literal, func(n ast.Node) bool {
		if _, function := n.(*ast.FuncLit); function {
			table = false
		}
		return table
	})
	return table
}

// sized returns the files that the caps apply to: all except generated ones.
func (tr *tree) sized() []source {
	return slices.DeleteFunc(slices.Clone(tr.sources), func(s source) bool { return ast.IsGenerated(s.file) })
}

func (tr *tree) fileLines(s source) int { return s.lines - tr.height(s.file) + tr.span(s.file) }

func largeFiles(tr *tree) (out []string) {
	for _, s := range tr.sized() {
		if n := tr.fileLines(s); n > maxFileLines {
			out = append(out, fmt.Sprintf("%s: %d lines without tables, at most %d", s.path, n, maxFileLines))
		}
	}
	return out
}

// largePackages applies the cap to packages without their tests. Generated files and *test packages are apart.
func largePackages(tr *tree) (out []string) {
	lines := map[string]int{}
	for _, s := range tr.production() {
		if !ast.IsGenerated(s.file) && !testSupport(s.dir) {
			lines[s.dir] += s.lines
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(lines)) {
		if n := lines[dir]; n > maxPackageLines {
			out = append(out, fmt.Sprintf("%s: %d lines without tests, at most %d", dir, n, maxPackageLines))
		}
	}
	return out
}

// functions calls f for every declared function and every function literal outside a function.
func (s source) functions(f func(n ast.Node)) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			f(n)
			return false
		}
		return true
	})
}

func largeFunctions(tr *tree) (out []string) {
	for _, s := range tr.sized() {
		s.functions(func(n ast.Node) {
			if lines := tr.span(n); lines > maxFunctionLines {
				out = append(out, tr.at(n, "a function of %d lines without tables, at most %d", lines, maxFunctionLines))
			}
		})
	}
	return out
}
