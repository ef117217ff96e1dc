package graph

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// matrices draws sparse matrices without zeros in their patterns.
func matrices() *rapid.Generator[*Matrix] {
	return rapid.Custom(func(t *rapid.T) *Matrix {
		a := &Matrix{Columns: rapid.IntRange(1, 15).Draw(t, "columns"), Start: []int{0}}
		columns := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(a.Columns)-1), 0, 4, rapid.ID[int32])
		for range rapid.IntRange(1, 25).Draw(t, "rows") {
			for _, c := range columns.Draw(t, "row") {
				a.Col, a.Val = append(a.Col, c), append(a.Val, float64(rapid.IntRange(1, 5).Draw(t, "value")))
			}
			a.Start = append(a.Start, len(a.Col))
		}
		return a
	})
}

// TestFactorSolves checks that solutions satisfy (I + A'WA)·x = b, for a matrix in the order of minimum degree.
func TestFactorSolves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := matrices().Draw(t, "matrix")
		order := MinimumDegree(a)
		seen := make([]bool, a.Columns)
		for _, c := range order {
			if seen[c] {
				t.Fatalf("column %d occurs twice in %v", c, order)
			}
			seen[c] = true
		}
		a = a.Permuted(order)
		pattern, err := newFactor(t.Context(), a)
		if err != nil || len(order) != a.Columns {
			t.Fatal(order, err)
		}
		f := pattern.Sharing()
		for range 2 { // the memory is used again
			w := rapid.SliceOfN(rapid.Float64Range(0.01, 100), a.Rows(), a.Rows()).Draw(t, "weights")
			b := rapid.SliceOfN(rapid.Float64Range(-10, 10), a.Columns, a.Columns).Draw(t, "b")
			x, ax, back := append([]float64(nil), b...), make([]float64, a.Rows()), make([]float64, a.Columns)
			f.Compute(w)
			f.Solve(x)
			a.Apply(x, ax)
			for r := range ax {
				ax[r] *= w[r]
			}
			a.ApplyBack(ax, back)
			for i := range x {
				if got := x[i] + back[i]; math.Abs(got-b[i]) > 1e-8 {
					t.Fatalf("row %d gives %v, want %v", i, got, b[i])
				}
			}
		}
	})
}
