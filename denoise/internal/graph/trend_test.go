package graph

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/csvtest"
)

func objective(g *Graph, y, x []float64, o TrendOptions) float64 {
	var sum float64
	for i, v := range y {
		sum += (v - x[i]) * (v - x[i]) / 2
	}
	apply := func(z []float64) (rows []float64) { // D
		for e := range g.Edges() {
			rows = append(rows, g.weight[e]*(z[g.v[e]]-z[g.u[e]]))
		}
		return rows
	}
	laplacian := func(z []float64) []float64 { // D'D, parallel edges a row each
		out := make([]float64, g.Nodes())
		for e := range g.Edges() {
			d := g.square[e] * (z[g.v[e]] - z[g.u[e]])
			out[g.v[e]] += d
			out[g.u[e]] -= d
		}
		return out
	}
	z := x
	if o.K > 0 {
		z = laplacian(z)
	}
	if o.K != 1 {
		z = apply(z)
	}
	for _, v := range z {
		sum += o.Penalty.Lambda * math.Abs(v)
	}
	return sum
}

func TestGoldenTrendFilter(t *testing.T) {
	m := golden(t, "gtf_manifest.csv")
	lambda, df, order := floats(t, m["lambda"]), floats(t, m["df"]), ints(t, m["k"])
	best, sigma, sure := floats(t, m["objective"]), floats(t, m["sigma"]), floats(t, m["sure"])
	for i, name := range m["case"] {
		y := floats(t, golden(t, m["graph"][i]+".y.csv")["y"])
		g := goldenGraph(t, m["graph"][i]+".edges.csv", len(y))
		o := TrendOptions{K: order[i], Penalty: Penalty{Lambda: lambda[i]}}
		fit := must(TrendFilter(t.Context(), g, y, o))(t)
		if e := csvtest.Farthest(fit.X, floats(t, golden(t, name+".x.csv")["x"])); e > 1e-6 {
			t.Errorf("%s: the solution differs by %g, gap %g", name, e, fit.Gap/best[i])
		}
		if gap := objective(g, y, fit.X, o)/best[i] - 1; gap > 1e-8 || fit.Gap > 1e-8*best[i] {
			t.Errorf("%s: the objective is %g above the minimum, relatively; certified %g", name, gap, fit.Gap)
		}
		if fit.DF != df[i] {
			t.Errorf("%s: %v degrees of freedom, want %v", name, fit.DF, df[i])
		}
		if got := fit.SURE(y, sigma[i]); math.Abs(got-sure[i]) > 1e-6*math.Abs(sure[i]) {
			t.Errorf("%s: SURE %v, want %v", name, got, sure[i])
		}
	}
}

func TestGoldenWeightsAndComponents(t *testing.T) {
	m := golden(t, "tv_extra_manifest.csv")
	lambda, df := floats(t, m["lambda"]), floats(t, m["df"])
	for i, name := range m["case"] {
		if name == "tree2000" {
			continue
		}
		graph := m["graph"][i]
		file := graph
		if graph == "road400w" {
			file = "road400"
		}
		y := floats(t, golden(t, file+".y.csv")["y"])
		g := goldenGraph(t, graph+".edges.csv", len(y))
		fit := must(TrendFilter(t.Context(), g, y, TrendOptions{Penalty: Penalty{Lambda: lambda[i]}}))(t)
		x := golden(t, name+".x.csv")["x"]
		if e := csvtest.Farthest(fit.X, floats(t, x)); e > 1e-6 || fit.DF != df[i] {
			t.Errorf("%s: the solution differs by %g, %v degrees of freedom instead of %v", name, e, fit.DF, df[i])
		}
	}
}

func randomGraph(r *rapid.T) (*Graph, error) {
	n := rapid.IntRange(1, 14).Draw(r, "nodes")
	edges := make([]Edge, rapid.IntRange(0, 24).Draw(r, "edges"))
	for i := range edges {
		edges[i] = Edge{U: rapid.IntRange(0, n-1).Draw(r, "u"), V: rapid.IntRange(0, n-1).Draw(r, "v"), W: 1}
		edges[i].W = rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(r, "weight")
	}
	return New(n, edges)
}

// On any graph, the solution has a small duality gap, no other signal near it has a smaller objective, and the degrees
// of freedom equal the divergence of the solution as a function of y.
func TestTrendFilterIsOptimal(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g, err := randomGraph(r)
		if err != nil {
			r.Fatal(err)
		}
		seed := &public{rapid.Uint64().Draw(r, "seed")}
		y := make([]float64, g.Nodes())
		for i := range y {
			y[i] = 20 * normal(seed)
		}
		o := TrendOptions{K: rapid.IntRange(0, 2).Draw(r, "k"),
			Penalty: Penalty{Lambda: rapid.SampledFrom([]float64{0, 0.1, 3, 1000}).Draw(r, "lambda")}}
		fit := must(TrendFilter(t.Context(), g, y, o))(t)
		best := objective(g, y, fit.X, o)
		if !(fit.Gap <= 1e-8*(best+1)) {
			r.Fatalf("gap %v of %v", fit.Gap, best)
		}
		for range 20 {
			other := make([]float64, len(y))
			for i := range other {
				other[i] = fit.X[i] + 0.01*normal(seed)
			}
			if objective(g, y, other, o) < best-1e-8*(best+1) {
				r.Fatal("another signal has a smaller objective")
			}
		}
		checkDivergence(t, r, g, y, o, fit.DF)
	})
}

func checkDivergence(t *testing.T, r *rapid.T, g *Graph, y []float64, o TrendOptions, want float64) {
	const h = 1e-4
	var trace float64
	for i := range y {
		v := y[i]
		y[i] = v + h
		up := must(TrendFilter(t.Context(), g, y, o))(t)
		y[i] = v - h
		down := must(TrendFilter(t.Context(), g, y, o))(t)
		y[i] = v
		if up.DF != want || down.DF != want {
			return // a kink is near
		}
		trace += (up.X[i] - down.X[i]) / (2 * h)
	}
	if math.Abs(trace-want) > 1e-3 {
		r.Fatalf("%v degrees of freedom, the divergence is %v", want, trace)
	}
}

// Clipping the exact solution for k = 0 counts the groups above 0.
func TestClipCountsPositiveGroups(t *testing.T) {
	g := must(Product([]int{6, 6}))(t)
	y := bumpy(36, 40)
	fit := must(TrendFilter(t.Context(), g, y, TrendOptions{Penalty: Penalty{Lambda: 20}}))(t)
	groups := map[float64]bool{}
	for _, x := range fit.X {
		if x > 0 {
			groups[x] = true
		}
	}
	if got := fit.Clip().DF; math.Abs(got-float64(len(groups))) > 1e-9 || fit.DF <= got {
		t.Errorf("%v degrees of freedom after clipping, %v before, %d groups above 0", got, fit.DF, len(groups))
	}
}

func TestTrendFilterIsTheSameForAnyWorkers(t *testing.T) {
	g := must(Product([]int{9, 11}))(t)
	y := bumpy(g.Nodes(), 40)
	for k := range 3 {
		var first *Fit
		for _, workers := range []int{1, 3} {
			fit := must(TrendFilter(t.Context(), g, y, TrendOptions{K: k, Penalty: Penalty{Sigma: 40},
				Run: Run{Workers: workers}}))(t)
			if first == nil {
				first = fit
			} else if csvtest.Farthest(first.X, fit.X) != 0 || first.Lambda != fit.Lambda {
				t.Errorf("k = %d: %d workers give another estimate", k, workers)
			}
		}
	}
}

func TestTrendFilterRefuses(t *testing.T) {
	edges := make([]Edge, 40000)
	for i := range edges {
		edges[i] = Edge{U: 0, V: i + 1, W: 1}
	}
	star := must(New(len(edges)+1, edges))(t)
	var dense *DenseError
	if _, err := TrendFilter(t.Context(), star, make([]float64, len(edges)+1), TrendOptions{K: 1}); !errors.As(err,
		&dense) {
		t.Errorf("a hub: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	grid := must(Product([]int{5, 5}))(t)
	for k := range 3 {
		if _, err := TrendFilter(ctx, grid, make([]float64, 25),
			TrendOptions{K: k, Penalty: Penalty{Lambda: 1}}); !errors.Is(err, context.Canceled) {
			t.Errorf("k = %d, cancelled: %v", k, err)
		}
	}
}

func benchmarkTrend(b *testing.B, k int) {
	g := road(b)
	y := bumpy(g.Nodes(), 40)
	for b.Loop() {
		must(TrendFilter(b.Context(), g, y, TrendOptions{K: k, Penalty: Penalty{Sigma: 40}}))(b)
	}
}

func BenchmarkTrend0(b *testing.B) { benchmarkTrend(b, 0) }

func BenchmarkTrend1(b *testing.B) { benchmarkTrend(b, 1) }

func BenchmarkTrend2(b *testing.B) { benchmarkTrend(b, 2) }
