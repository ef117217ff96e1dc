package graph

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestGoldenTree(t *testing.T) {
	table := golden(t, "tree2000.csv")
	parents, y := ints(t, table["parent"]), floats(t, table["y"])
	lambda := floats(t, table["lambda_edge_to_parent"])
	f := forestOf(t, parents)
	weight := make([]float64, len(y)-1)
	for p, e := range f.edge {
		if e >= 0 { // either end may be the root's side, but each edge's λ is its lower end's in the file
			u, v := int(f.node[p]), int(f.node[f.parent[p]])
			if parents[u] == v {
				weight[e] = lambda[u]
			} else {
				weight[e] = lambda[v]
			}
		}
	}
	fit := must(TotalVariation(t.Context(), f, y, TVOptions{Penalty: Penalty{Lambda: 1}, EdgeWeight: weight}))(t)
	if e := farthest(fit.X, floats(t, table["x"])); e > 1e-9 || fit.DF != 884 {
		t.Errorf("the solution differs by %g, %v groups instead of 884", e, fit.DF)
	}
}

func TestGoldenWeightedChain(t *testing.T) {
	table := golden(t, "chainw200_lam20.csv")
	y := floats(t, table["y"])
	o := TVOptions{Penalty: Penalty{Lambda: 20}, NodeWeight: floats(t, table["weight"])}
	fit := must(TotalVariation(t.Context(), must(Path(len(y)))(t), y, o))(t)
	if e := farthest(fit.X, floats(t, table["x"])); e > 1e-9 {
		t.Errorf("the solution differs by %g", e)
	}
}

// The optimum's certificate: sums over subtrees of w·(y − x) are the dual of the edge above: at most λ, and ±λ if x
// changes.
func TestTreeSolutionIsOptimal(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		parents := randomTree(50).Draw(r, "parents")
		f, n := forestOf(t, parents), len(parents)
		y := rapid.SliceOfN(rapid.Float64Range(-50, 50), n, n).Draw(r, "y")
		o := TVOptions{Penalty: Penalty{Lambda: rapid.SampledFrom([]float64{0, 1e-9, 1, 10, 1e6}).Draw(r, "lambda")}}
		o.NodeWeight = rapid.SliceOfN(rapid.Float64Range(0.1, 10), n, n).Draw(r, "weights")
		o.EdgeWeight = rapid.SliceOfN(rapid.Float64Range(0, 3), n, n).Draw(r, "edge weights")
		fit := must(TotalVariation(t.Context(), f, y, o))(t)
		tolerance := 1e-9 + 1e-13*o.Penalty.Lambda*float64(n)
		dual := make([]float64, n)
		groups := 0
		for p := n - 1; p >= 0; p-- {
			i := f.node[p]
			dual[p] += o.NodeWeight[i] * (y[i] - fit.X[i])
			if f.parent[p] < 0 {
				groups++
				if math.Abs(dual[p]) > tolerance {
					r.Fatalf("the component's errors add up to %v", dual[p])
				}
				continue
			}
			dual[f.parent[p]] += dual[p]
			lambda := o.Penalty.Lambda * o.EdgeWeight[f.edge[p]]
			jump := fit.X[i] - fit.X[f.node[f.parent[p]]]
			if jump != 0 {
				groups++
			}
			if math.Abs(dual[p]) > lambda+tolerance || (jump != 0 && math.Abs(dual[p]-math.Copysign(lambda, jump)) > tolerance) {
				r.Fatalf("dual %v at λ %v, jump %v", dual[p], lambda, jump)
			}
		}
		var trace float64
		for _, v := range fit.Leverage {
			trace += v
		}
		if math.Abs(trace-fit.DF) > 1e-9 || groups > int(fit.DF) {
			r.Fatalf("%v degrees of freedom, leverages add up to %v, %d jumps", fit.DF, trace, groups)
		}
	})
}

func TestTotalVariationFindsLambda(t *testing.T) {
	r := &public{3}
	y := make([]float64, 500)
	for i := range y {
		y[i] = float64(i/100)*100 + 20*normal(r)
	}
	fit := must(TotalVariation(t.Context(), must(Path(len(y)))(t), y, TVOptions{Penalty: Penalty{Sigma: 20}}))(t)
	for _, f := range []float64{0.25, 0.5, 2, 4} {
		other := must(TotalVariation(t.Context(), must(Path(len(y)))(t), y, TVOptions{Penalty: Penalty{Lambda: f * fit.Lambda}}))(t)
		if other.SURE(y, 20) < fit.SURE(y, 20) {
			t.Errorf("λ = %v has less estimated risk than %v", other.Lambda, fit.Lambda)
		}
	}
	var squares float64
	for i, x := range fit.X {
		squares += math.Pow(x-float64(i/100)*100, 2)
	}
	if rmse := math.Sqrt(squares / 500); rmse > 7 {
		t.Errorf("error %v, the noise's is 20", rmse)
	}
}
