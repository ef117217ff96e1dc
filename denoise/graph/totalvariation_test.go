package graph

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
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
	if e := csvtest.Farthest(fit.X, floats(t, table["x"])); e > 1e-9 || fit.DF != 884 {
		t.Errorf("the solution differs by %g, %v groups instead of 884", e, fit.DF)
	}
}

func TestGoldenWeightedChain(t *testing.T) {
	table := golden(t, "chainw200_lam20.csv")
	y := floats(t, table["y"])
	o := TVOptions{Penalty: Penalty{Lambda: 20}, NodeWeight: floats(t, table["weight"])}
	fit := must(TotalVariation(t.Context(), must(Path(len(y)))(t), y, o))(t)
	if e := csvtest.Farthest(fit.X, floats(t, table["x"])); e > 1e-9 {
		t.Errorf("the solution differs by %g", e)
	}
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
