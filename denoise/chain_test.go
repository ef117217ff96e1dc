package denoise

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestChainIsOptimal checks the conditions of the minimum: the cumulated residuals stay within ±λ, and are ±λ, with the
// sign of the jump, at each jump of x.
func TestChainIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 40).Draw(t, "y")
		lambda := rapid.Float64Range(0.1, 300).Draw(t, "lambda")
		solution, found := newChain(len(y)).Solve(slices.Clone(y), lambda)
		levels, dual := 1, 0.0
		for i, x := range solution {
			dual += x - y[i]
			if i == len(y)-1 {
				break
			}
			jump := solution[i+1] - x
			if math.Abs(dual) > lambda+1e-9 || (jump != 0 && math.Abs(dual-math.Copysign(lambda, jump)) > 1e-9) {
				t.Fatalf("cell %d: cumulated residual %v at a jump of %v", i, dual, jump)
			}
			if jump != 0 {
				levels++
			}
		}
		if math.Abs(dual) > 1e-9 || found != levels {
			t.Fatalf("residuals sum to %v, %d levels counted instead of %d", dual, found, levels)
		}
	})
}
