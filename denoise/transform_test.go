package denoise

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The sum of squares of the coefficients and the means (over all shifts, by weight) equals the sum of squares of the
// cells, and the inverse transform restores the cells.
func TestTransformIsOrthonormal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 3).Draw(t, "dims")
		ordered := rapid.SliceOfN(rapid.Bool(), len(dims), len(dims)).Draw(t, "ordered")
		invariant := rapid.Bool().Draw(t, "invariant")
		n := 1
		for _, d := range dims {
			n *= d
		}
		y := rapid.SliceOfN(rapid.Float64Range(-100, 100), n, n).Draw(t, "y")
		h := newHaar(y, dims, ordered, invariant)
		var squares, cells, count float64
		for i := range h.Levels {
			h.Levels[i].EachCoefficient(func(c *float64) {
				squares += h.Levels[i].weight * *c * *c
				count += h.Levels[i].weight
			})
		}
		apart := tables(dims, ordered)
		for _, m := range h.roots {
			squares += m * m * float64(len(y)) / float64(len(h.roots))
		}
		for _, v := range y {
			cells += v * v
		}
		if math.Abs(squares-cells) > 1e-12*(1+cells) || math.Abs(count+apart-float64(len(y))) > 1e-9 {
			t.Fatalf("squares %v of %v, %v coefficients and %v means for %d cells", squares, cells, count, apart, len(y))
		}
		for i, v := range h.Back() {
			if math.Abs(v-y[i]) > 1e-12*100 {
				t.Fatalf("cell %d: %v came back as %v", i, y[i], v)
			}
		}
	})
}
