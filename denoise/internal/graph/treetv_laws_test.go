package graph_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/denoise/internal/graph"
)

func numbered(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// The solution is optimal, which its dual proves: for each edge, the sum of w·(y − x) over the subtree below it is at
// most λ in size, and it is λ with the sign of the change if x changes there. Solve returns the sum of the leverages,
// and x has at most this number of groups.
func TestSolutionIsOptimal(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(r, "nodes")
		reach := rapid.SampledFrom([]int{1, 3, n}).Draw(r, "reach")
		parent := make([]int32, n)
		for p := range parent {
			parent[p] = -1
			if p > 0 && rapid.IntRange(0, 30).Draw(r, "root") > 0 {
				parent[p] = int32(rapid.IntRange(max(0, p-reach), p-1).Draw(r, "parent"))
			}
		}
		node := rapid.Permutation(numbered(n)).Draw(r, "nodes of the positions")
		y := rapid.SliceOfN(rapid.Float64Range(-50, 50), n, n).Draw(r, "y")
		weight := rapid.SliceOfN(rapid.Float64Range(0.1, 10), n, n).Draw(r, "weights")
		factor := rapid.SliceOfN(rapid.Float64Range(0, 3), n, n).Draw(r, "weights of the edges above")
		most := rapid.SampledFrom([]float64{0, 1e-9, 1, 10, 1e6}).Draw(r, "lambda")
		var s graph.Solver
		found := s.Solve(parent, func(p int) graph.Term {
			return graph.Term{Y: y[node[p]], Weight: weight[node[p]], Lambda: most * factor[p]}
		})
		x, leverage := make([]float64, n), make([]float64, n)
		s.Scatter(node, x)
		s.Leverage(node, weight, leverage)
		tolerance := 1e-9 + 1e-13*most*float64(n)
		dual := make([]float64, n)
		groups := 0
		for p := n - 1; p >= 0; p-- {
			i := node[p]
			dual[p] += weight[i] * (y[i] - x[i])
			if parent[p] < 0 {
				groups++
				if math.Abs(dual[p]) > tolerance {
					r.Fatalf("the component's errors add up to %v", dual[p])
				}
				continue
			}
			dual[parent[p]] += dual[p]
			lambda := most * factor[p]
			jump := x[i] - x[node[parent[p]]]
			if jump != 0 {
				groups++
			}
			if math.Abs(dual[p]) > lambda+tolerance || (jump != 0 && math.Abs(dual[p]-math.Copysign(lambda, jump)) > tolerance) {
				r.Fatalf("dual %v at λ %v, jump %v", dual[p], lambda, jump)
			}
		}
		var trace float64
		for _, v := range leverage {
			trace += v
		}
		if math.Abs(trace-float64(found)) > 1e-9 || groups > found {
			r.Fatalf("%d groups, leverages add up to %v, %d jumps", found, trace, groups)
		}
	})
}
