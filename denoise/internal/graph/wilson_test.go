package graph

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// The frequencies of edges in 20,000 random trees are within 7 standard errors of the exact leverage scores. A false
// alarm has probability 3e-12 for one edge, and 6e-10 for all 232 edges. Besides, the seed is fixed.
func TestUniformTrees(t *testing.T) {
	for name, n := range map[string]int{"grid8x8": 64, "rgraph50": 50} {
		table := golden(t, "ust_"+name+".csv")
		u, v, want := ints(t, table["u"]), ints(t, table["v"]), floats(t, table["edge_probability"])
		edges := make([]Edge, len(u))
		for i := range u {
			edges[i] = Edge{U: u[i], V: v[i], W: 1}
		}
		g := must(New(n, edges))(t)
		probability := make(map[[2]int]float64)
		for i := range u {
			probability[[2]int{min(u[i], v[i]), max(u[i], v[i])}] = want[i]
		}
		checkFrequencies(t, g, probability)
	}
}

func checkFrequencies(t *testing.T, g *Graph, probability map[[2]int]float64) {
	t.Helper()
	const trees = 20000
	count := make([]float64, g.Edges())
	walks := newWalker(g, g.weight)
	for i := range uint64(trees) {
		f := must(walks.draw(t.Context(), publicStream(7, i)))(t)
		for _, e := range f.edge {
			if e >= 0 {
				count[e]++
			}
		}
	}
	for e, c := range count {
		p := probability[[2]int{g.Edge(e).U, g.Edge(e).V}]
		if z := (c/trees - p) / math.Sqrt(p*(1-p)/trees+1e-12); math.Abs(z) > 7 {
			t.Errorf("edge %d: %v of the trees, want %v: %.1f standard errors", e, c/trees, p, z)
		}
	}
}

// In a weighted triangle, the tree without edge e has probability proportional to the product of the other two weights.
func TestWeightedTrees(t *testing.T) {
	g := must(New(3, []Edge{{U: 0, V: 1, W: 1}, {U: 1, V: 2, W: 2}, {U: 0, V: 2, W: 5}}))(t)
	total := 1*2. + 1*5 + 2*5
	checkFrequencies(t, g, map[[2]int]float64{{0, 1}: 1 - 10/total, {1, 2}: 1 - 5/total, {0, 2}: 1 - 2/total})
	// A wheel's hub has enough arcs for the bisection.
	var edges []Edge
	for i := range 40 {
		edges = append(edges, Edge{U: 0, V: i + 1, W: float64(1 + i)})
	}
	star := newWalker(must(New(41, edges))(t), nil)
	star.conductance = star.g.weight
	star = newWalker(star.g, star.conductance)
	count, random := make([]float64, 40), publicStream(1, 1)
	for range 100000 {
		count[star.arc(0, random)]++
	}
	for i, c := range count {
		p := float64(1+i) / 820
		if z := (c/1e5 - p) / math.Sqrt(p*(1-p)/1e5); math.Abs(z) > 7 {
			t.Errorf("arc %d: %v, want %v", i, c/1e5, p)
		}
	}
}

// A long cycle would take the walk n²/6 steps. Every edge is missing with the same probability.
func TestLongCycleEnds(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	const n = 300000
	edges := make([]Edge, n)
	for i := range edges {
		edges[i] = Edge{U: i, V: (i + 1) % n, W: 1}
	}
	f := spanningForest(t, must(New(n, edges))(t))
	if f.Nodes() != n || countRoots(f) != 1 {
		t.Errorf("%d nodes, %d trees", f.Nodes(), countRoots(f))
	}
}

func countRoots(f *Forest) (roots int) {
	for _, p := range f.parent {
		if p < 0 {
			roots++
		}
	}
	return roots
}

func TestForestOfComponents(t *testing.T) {
	g := must(New(7, []Edge{
		{U: 0, V: 1, W: 1}, {U: 1, V: 2, W: 1}, {U: 0, V: 2, W: 1}, {U: 3, V: 4, W: 1}, {U: 4, V: 5, W: 1}, {U: 3, V: 5,
			W: 1},
		{U: 4, V: 3, W: 1}, {U: 6, V: 6, W: 1},
	}))(t)
	label, count := g.Components()
	if count != 3 || label[2] != 0 || label[5] != 1 || label[6] != 2 || g.Edges() != 6 {
		t.Fatalf("components %v, %d edges", label, g.Edges())
	}
	f := spanningForest(t, g)
	if countRoots(f) != 3 || f.Nodes() != 7 {
		t.Errorf("%d trees of %d nodes", countRoots(f), f.Nodes())
	}
}

func TestWalkIsCancelled(t *testing.T) {
	g := must(Product([]int{2000, 300}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newWalker(g, g.weight).draw(ctx, publicStream(0, 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
