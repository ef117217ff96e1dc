package graph

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

// road returns the road graph of Manhattan: junctions and sections with lengths.
func road(t testing.TB) *Graph {
	table := csvtest.Columns(t, csvtest.Shared(t, "data", "graph", "manhattan_sections_7070.csv"))
	u, v := ints(t, table["from_junction"]), ints(t, table["to_junction"])
	length := floats(t, table["length_m"])
	edges := make([]Edge, len(u))
	for i := range u {
		edges[i] = Edge{U: u[i], V: v[i], W: 1, Length: length[i]}
	}
	return must(New(3874, edges))(t)
}

// bumpy makes noisy values: a smooth signal with some hot spots, and noise of standard deviation s.
func bumpy(n int, s float64) []float64 {
	r, y := &public{11}, make([]float64, n)
	for i := range y {
		y[i] = 10*math.Exp(2*math.Sin(float64(i)/math.Sqrt(float64(n))/3)) + s*normal(r)
	}
	return y
}

func million(t testing.TB) *Graph {
	if testing.Short() {
		t.Skip("a million nodes")
	}
	return must(Product([]int{1000, 1000}))(t)
}

func benchmarkWavelets(b *testing.B, g *Graph, o WaveletOptions) {
	y := bumpy(g.Nodes(), 40)
	o.Sigma = 40
	for b.Loop() {
		must(TreeWavelets(b.Context(), g, y, o))(b)
	}
}

func BenchmarkWaveletsOneTree(b *testing.B) {
	benchmarkWavelets(b, road(b), WaveletOptions{Rule: Universal})
}

func BenchmarkWavelets40Trees(b *testing.B) { benchmarkWavelets(b, road(b), WaveletOptions{Trees: 40}) }

func BenchmarkWaveletsMillion(b *testing.B) { benchmarkWavelets(b, million(b), WaveletOptions{}) }

func benchmarkTree(b *testing.B, g *Graph) {
	f := spanningForest(b, g)
	y := bumpy(g.Nodes(), 40)
	var s Solver
	for b.Loop() {
		s.Solve(f.parent, func(p int) Term { return Term{Y: y[f.node[p]], Weight: 1, Lambda: 40} })
	}
}

func BenchmarkTreeTV(b *testing.B) { benchmarkTree(b, road(b)) }

func BenchmarkTreeTVMillion(b *testing.B) { benchmarkTree(b, million(b)) }
