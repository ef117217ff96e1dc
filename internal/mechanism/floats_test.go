package mechanism_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"testing"
)

// bitwise are the functions on the way from an exact answer to its noise that may take or return a float. They only
// read the bits of public parameters; KeyedAnswers.All returns the quantum.
var bitwise = []string{"math.Float64bits", "gauss.Log2", "gauss.NewScale", "gauss.decompose", "mechanism.hide",
	"mechanism.All", "ledger.RedeemShare"}

// floatOperations returns every operation on a floating-point number in a file: arithmetic, comparisons, conversions
// from or to another kind of number, calls of functions other than those above, and every use of big.Float.
func floatOperations(info *types.Info, file *ast.File) (found []ast.Node) {
	is := func(x ast.Expr) bool { return x != nil && floating(info.Types[x].Type) }
	ast.Inspect(file, func(n ast.Node) bool {
		bad := false
		switch n := n.(type) {
		case *ast.BinaryExpr:
			bad = is(n.X) || is(n.Y)
		case *ast.UnaryExpr:
			bad = is(n.X)
		case *ast.IncDecStmt:
			bad = is(n.X)
		case *ast.AssignStmt:
			bad = n.Tok != token.ASSIGN && n.Tok != token.DEFINE && slices.ContainsFunc(n.Lhs, is)
		case *ast.BasicLit:
			bad = is(n)
		case *ast.CallExpr:
			bad = floatCall(info, n, is)
		case ast.Expr:
			bad = info.Types[n].Type != nil && types.TypeString(info.Types[n].Type, nil) == "math/big.Float"
		}
		if bad {
			found = append(found, n)
		}
		return true
	})
	return found
}

func floatCall(info *types.Info, c *ast.CallExpr, is func(ast.Expr) bool) bool {
	in, out := slices.ContainsFunc(c.Args, is), is(c)
	if info.Types[c.Fun].IsType() {
		return in != out
	}
	return (in || out) && !slices.Contains(bitwise, callee(info, c.Fun))
}

// callee returns package.function for a call of a declared function.
func callee(info *types.Info, f ast.Expr) string {
	name, ok := f.(*ast.Ident)
	if s, selected := f.(*ast.SelectorExpr); selected {
		name, ok = s.Sel, true
	}
	if !ok || info.Uses[name] == nil || info.Uses[name].Pkg() == nil {
		return ""
	}
	return info.Uses[name].Pkg().Name() + "." + name.Name
}

func floating(t types.Type) bool {
	if t == nil {
		return false
	}
	if results, ok := t.(*types.Tuple); ok {
		for v := range results.Variables() {
			if floating(v.Type()) {
				return true
			}
		}
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0
}

// No floating-point operation lies between the exact and the noisy integer. noisy.go runs after the noise, and door.go
// serves tests.
func TestNoFloats(t *testing.T) {
	l := newLoader()
	for dir, after := range map[string][]string{
		"internal/mechanism": {"noisy.go", "door.go"}, "internal/mechanism/internal/gauss": nil,
		"internal/mechanism/internal/laplace": nil,
	} {
		files, err := l.parse(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		info, errs := l.check(module+dir, files)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for _, f := range files {
			if slices.Contains(after, filepath.Base(l.fset.Position(f.Pos()).Filename)) {
				continue
			}
			for _, n := range floatOperations(info, f) {
				t.Errorf("%s: floating-point operation", l.fset.Position(n.Pos()))
			}
		}
	}
}

// TestNoFloats finds the operations that it looks for.
func TestFloatsAreFound(t *testing.T) {
	l := newLoader()
	for _, body := range []string{
		"y = int64(x)", "x = float64(y)", "x = x * 2", "x += 1", "x++", "b = x < 1", "x = -x", "x = math.Sqrt(x)",
		"y += int64(x * math.Pi)",
		"_ = new(big.Float)", "x, _ = big.NewRat(1, 3).Float64()", "x = 0.5", "z = complex(x, x)", "f = float32(x) + 1",
		"x = max(x, x)",
	} {
		text := fmt.Sprintf("package p\nimport (\"math\"; \"math/big\")\nvar _ = math.Float64bits\nvar _ big.Int\n"+
			"func p(x float64, f float32, y int64, z complex128, b bool) { _, _, _ = z, b, f\n%s }", body)
		files := l.source(t, text)
		info, errs := l.check("example.org/p", files)
		if len(errs) > 0 {
			t.Fatal(body, errs)
		}
		if len(floatOperations(info, files[0])) == 0 {
			t.Errorf("not found: %s", body)
		}
	}
}
