package strategy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The loss of the fractions that Solve returns is within nestedGap of the smallest loss that the test finds. The test
// tries a grid of fractions, and then random fractions near the best ones so far. The solution is also not worse than
// the designs of Compare.
func TestNestedSharesAreBest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 24 {
		levels := 2 + r.IntN(3)
		known := make([]bool, levels)
		for l := range r.IntN(2) * r.IntN(levels) {
			known[l] = true
		}
		groups := randomTree(r, levels)
		if trial%2 == 1 { // very unequal nodes
			groups = levelsOf(levels, 400, func(level, _ int) int { return 1 + int(math.Exp(r.Float64()*r.Float64()*float64(4-level))) })
		}
		n, err := NewNested(groups, 1+r.IntN(4), known)
		if err != nil {
			t.Fatal(err)
		}
		for _, loss := range []Loss{LossCells, LossTables, LossLargest} {
			of := func(p []float64) float64 {
				v := make([]float64, levels)
				for l := range v {
					v[l] = 1 / p[l]
				}
				return n.Loss(loss, n.Errors(v))
			}
			solved := n.Solve(loss)
			least := of(solved)
			best := solved
			try := func(p []float64) {
				if x := of(p); x < of(best) {
					best = p
				}
			}
			const steps = 24
			var grid func(p []float64, left int)
			grid = func(p []float64, left int) {
				if len(p) == levels-1 {
					p = append(p, float64(left)+0.5)
					normalize(p)
					try(p)
					return
				}
				for k := range left + 1 {
					grid(append(p[:len(p):len(p)], float64(k)+0.5), left-k)
				}
			}
			grid(nil, steps)
			for range 300 {
				other, spread := make([]float64, levels), math.Exp(-6*r.Float64())
				for l := range other {
					other[l] = best[l] * math.Exp(spread*r.NormFloat64())
				}
				normalize(other)
				try(other)
			}
			if x := of(best); least > x*(1+nestedGap) {
				t.Fatalf("trial %d, %s: %v has %g, %v has %g", trial, loss, solved, least, best, x)
			}
			if leaves, equal, alone := n.Compare(loss); !n.AnyKnown() && math.Sqrt(least) > (1+nestedGap)*min(leaves, equal, alone) {
				t.Fatalf("trial %d, %s: %g, others %g, %g, %g", trial, loss, math.Sqrt(least), leaves, equal, alone)
			}
		}
	}
}

// solveGame solves zero-sum games with random payoffs. With its strategy, no row has a larger expected payoff than the
// value of the game. The transposed game has the same value with the opposite sign, so the strategy is optimal.
func TestGameHasItsValue(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for trial := range 200 {
		rows, columns := 1+r.IntN(20), 1+r.IntN(8)
		payoffs, transposed := make([][]float64, rows), make([][]float64, columns)
		for i := range payoffs {
			for j := range columns {
				x := math.Exp(4*r.Float64()) * r.NormFloat64()
				payoffs[i], transposed[j] = append(payoffs[i], x), append(transposed[j], -x)
			}
		}
		strategy, value := solveGame(payoffs)
		if _, other := solveGame(transposed); math.Abs(value+other) > 1e-9 {
			t.Fatalf("trial %d: value %g, of the transposed game %g", trial, value, other)
		}
		for _, row := range payoffs {
			expected := 0.0
			for j, x := range row {
				expected += x * strategy[j]
			}
			if expected > value+1e-9 {
				t.Fatalf("trial %d: a row has %g, value %g", trial, expected, value)
			}
		}
	}
}
