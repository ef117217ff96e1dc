package dprelease_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// The hard caps.
const (
	maxFileLines     = 500
	maxFunctionLines = 60
	maxParameters    = 4
	maxFields        = 10
)

// span returns how many lines a node covers, tables in it left out: literals of slices and maps without functions.
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

// sized returns the files under the caps: not the generated ones.
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

// functions calls f for every declared function and every function literal outside of one.
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

// manyParameters looks at declared functions and at the methods of interfaces; literals follow what they are passed to.
func manyParameters(tr *tree) (out []string) {
	check := func(at ast.Node, f *ast.FuncType) {
		if n := f.Params.NumFields(); n > maxParameters {
			out = append(out, tr.at(at, "%d parameters, at most %d", n, maxParameters))
		}
	}
	for _, s := range tr.sized() {
		if s.test() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				check(n, n.Type)
			case *ast.InterfaceType:
				for _, method := range n.Methods.List {
					if f, ok := method.Type.(*ast.FuncType); ok {
						check(method, f)
					}
				}
			}
			return true
		})
	}
	return out
}

func manyFields(tr *tree) (out []string) {
	for _, s := range tr.sized() {
		if s.test() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if x, ok := n.(*ast.StructType); ok && x.Fields.NumFields() > maxFields && !serialised(x) {
				out = append(out, tr.at(x, "%d fields, at most %d", x.Fields.NumFields(), maxFields))
			}
			return true
		})
	}
	return out
}

// serialised says whether a field's tag names a key of a document: such a struct is as wide as the document.
func serialised(x *ast.StructType) bool {
	return slices.ContainsFunc(x.Fields.List, func(f *ast.Field) bool {
		return f.Tag != nil && f.Tag.Kind == token.STRING &&
			(strings.Contains(f.Tag.Value, "yaml:") || strings.Contains(f.Tag.Value, "json:"))
	})
}

// medians returns the median lines of the program's files and functions.
func medians(tr *tree) (file, function int) {
	var files, functions []int
	for _, s := range tr.sized() {
		if s.test() {
			continue
		}
		files = append(files, tr.fileLines(s))
		s.functions(func(n ast.Node) { functions = append(functions, tr.span(n)) })
	}
	return median(files), median(functions)
}

func median(xs []int) int {
	if len(xs) == 0 {
		return 0
	}
	slices.Sort(xs)
	return xs[len(xs)/2]
}
