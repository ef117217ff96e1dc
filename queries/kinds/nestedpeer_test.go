package kinds

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/owntest"
)

// agreeLikeBlueDown makes levels agree by the steps of BlueDown (arXiv 2603.10099). In each level but the last, it
// first makes the totals of a group's children the nearest non-negative numbers, and then the children's table the
// nearest one with these totals. In the last level it only fits the table, column by column. The rounding is this
// program's.
func (q *Nested) agreeLikeBlueDown(x [][]float64) [][]float64 {
	cells, last := q.Tree.Cells(), q.Tree.Levels()-1
	c := children{cells: cells, nonnegative: true, integers: true, stopped: func() bool { return false }}
	out := make([][]float64, last+1)
	out[0] = c.sums(x[0], sumOf(q.known()[0]))
	for l := 1; l <= last; l++ {
		out[l] = slices.Clone(x[l])
		for i := range q.Tree.Size(l - 1) {
			from, to := q.Tree.Children(l-1, i)
			c.whole, c.total = out[l-1][i*cells:(i+1)*cells], sumOf(out[l-1][i*cells:(i+1)*cells])
			table := out[l][from*cells : to*cells]
			var totals []float64
			if l == last {
				c.fitColumns(table)
				totals = c.totals(table)
			} else {
				totals = c.adjusted(c.totals(table), c.total, 0)
				c.fitSums(table, totals)
			}
			roundTable(table, roundTo(c.total, totals), c.whole)
		}
	}
	return out
}

// In each level of a tree, the absolute errors of totals and cells are at most 3 % larger than with BlueDown's steps
// and the same noise, whether nearly all places are empty or not. The test adds 6 standard errors of the difference, so
// it fails by chance with probability 1e-9. bench/README.md has a comparison with BlueDown itself.
func TestNestedErrorsBesideBlueDown(t *testing.T) {
	owntest.Slow(t)
	releases := 200
	if os.Getenv("DPRELEASE_LONG") != "" {
		releases = 1000
	}
	const levels, cells = 7, 8
	for _, empty := range []float64{0.95, 0.3} {
		for _, epsilon := range []calibrate.Epsilon{0.1, 1, 10} {
			r := rand.New(rand.NewPCG(41, 42))
			s := treeSpec(levels, cells, binary())
			s.Crosstabs.Nonnegative, s.Crosstabs.RoundTo = true, 1
			q := mustNest(t, s)
			counts := make([]int64, q.Tree.Size(levels-1)*cells)
			for i := 0; i < len(counts); i += cells {
				if r.Float64() < empty {
					continue
				}
				for range int(math.Exp(3 + 1.2*r.NormFloat64())) {
					counts[i+min(int(2*r.ExpFloat64()), cells-1)]++
				}
			}
			exact := make([][]float64, levels)
			for l, of := range q.Tree.Measure(counts) {
				for _, x := range of {
					exact[l] = append(exact[l], float64(x))
				}
			}
			s.Crosstabs.Known = map[int][]float64{0: (&children{cells: cells}).totals(exact[0])}
			q = mustNest(t, s)
			mu, err := calibrate.GaussianMu(calibrate.Guarantee{Epsilon: epsilon, Delta: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			variances := make([]float64, levels)
			for l, share := range q.solve() {
				variances[l] = 1 / (float64(mu) * float64(mu) * share)
			}
			spread := q.Tree.Variances(variances)
			c := children{cells: cells}
			type errors struct{ ours, theirs, squares float64 }
			found := make([][2]errors, levels)
			for range releases {
				y := addNoise(r, exact, variances)
				q.Tree.Estimate(y, variances, q.known())
				ours, theirs := q.agree(t.Context(), y, spread), q.agreeLikeBlueDown(y)
				for l, want := range exact {
					for k, of := range [][3][]float64{{c.totals(ours[l]), c.totals(theirs[l]), c.totals(want)},
						{ours[l], theirs[l], want}} {
						a, b := absoluteError(of[0], of[2]), absoluteError(of[1], of[2])
						e := &found[l][k]
						e.ours, e.theirs, e.squares = e.ours+a, e.theirs+b, e.squares+(a-b)*(a-b)
					}
				}
			}
			for l := range found {
				for k, e := range found[l] {
					if e.theirs == 0 {
						continue
					}
					ratio, deviation := e.ours/e.theirs, math.Sqrt(e.squares)/e.theirs
					t.Logf("%g empty, epsilon %g, level %d, %s: %.3f ± %.3f", empty, epsilon, l, []string{"totals", "cells"}[k],
						ratio, deviation)
					if ratio > 1.03+6*deviation {
						t.Errorf("%g empty, epsilon %g, level %d, %s: %.3f ± %.3f of BlueDown's error", empty, epsilon, l,
							[]string{"totals", "cells"}[k], ratio, deviation)
					}
				}
			}
		}
	}
}

// binary returns the number of children of each place of a tree: 1 in the first level, then 2.
func binary() func() int {
	first := true
	return func() int {
		if first {
			first = false
			return 1
		}
		return 2
	}
}

func absoluteError(x, y []float64) (sum float64) {
	for i := range x {
		sum += math.Abs(x[i] - y[i])
	}
	return sum
}
