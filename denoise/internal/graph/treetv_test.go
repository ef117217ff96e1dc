package graph

import (
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

func TestGoldenTree(t *testing.T) {
	table := golden(t, "tree2000.csv")
	parents, y := ints(t, table["parent"]), floats(t, table["y"])
	lambda := floats(t, table["lambda_edge_to_parent"])
	f := forestOf(t, parents)
	var s Solver
	groups := s.Solve(f.parent, func(p int) Term {
		v := Term{Y: y[f.node[p]], Weight: 1}
		if f.parent[p] < 0 {
			return v
		}
		// Either end may be the root's side, but each edge's λ is its lower end's in the file.
		node, up := int(f.node[p]), int(f.node[f.parent[p]])
		if parents[node] == up {
			v.Lambda = lambda[node]
		} else {
			v.Lambda = lambda[up]
		}
		return v
	})
	x := make([]float64, len(y))
	s.Scatter(f.node, x)
	if e := csvtest.Farthest(x, floats(t, table["x"])); e > 1e-9 || groups != 884 {
		t.Errorf("the solution differs by %g, %d groups instead of 884", e, groups)
	}
}

func TestGoldenWeightedChain(t *testing.T) {
	table := golden(t, "chainw200_lam20.csv")
	y, weight := floats(t, table["y"]), floats(t, table["weight"])
	node, parent := make([]int32, len(y)), make([]int32, len(y))
	for i := range node {
		node[i], parent[i] = int32(i), int32(i-1)
	}
	var s Solver
	s.Solve(parent, func(p int) Term { return Term{Y: y[p], Weight: weight[p], Lambda: 20} })
	x := make([]float64, len(y))
	s.Scatter(node, x)
	if e := csvtest.Farthest(x, floats(t, table["x"])); e > 1e-9 {
		t.Errorf("the solution differs by %g", e)
	}
}
