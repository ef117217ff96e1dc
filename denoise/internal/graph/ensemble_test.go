package graph

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

// The two passes on four given trees, with their leverages and risk estimates.
func TestGoldenEnsemble(t *testing.T) {
	table, trees := golden(t, "ens_road400.csv"), golden(t, "ens_road400.trees.csv")
	y := floats(t, table["y"])
	g := goldenGraph(t, "road400.edges.csv", len(y))
	manifest := golden(t, "ens_manifest.csv")
	want := map[string]float64{}
	for i, v := range floats(t, manifest["value"]) {
		want[manifest["quantity"][i]] = v
	}
	f := &family{g: g, scale: g.weight, solvers: make([]Solver, 1), sum: newAverage(2*len(y), 4), run: Run{Workers: 1}}
	for _, name := range []string{"parent0", "parent1", "parent2", "parent3"} {
		f.trees = append(f.trees, g.root(edgesOf(g, ints(t, trees[name]))))
	}
	check := func(pass string, lambda float64, x, leverage string) *Fit {
		fit := must(f.estimate(t.Context(), y, lambda))(t)
		if e := csvtest.Farthest(fit.X, floats(t, table[x])); e > 1e-6 {
			t.Errorf("pass %s: the estimate differs by %g", pass, e)
		}
		if e := csvtest.Farthest(fit.Leverage, floats(t, table[leverage])); e > 1e-12 ||
			math.Abs(fit.DF-want["df_pass"+pass]) > 1e-12 {
			t.Errorf("pass %s: leverages differ by %g, degrees of freedom %v", pass, e, fit.DF)
		}
		if s := fit.SURE(y, want["sigma"]); math.Abs(s-want["sure_pass"+pass]) > 1e-6*s {
			t.Errorf("pass %s: SURE %v, want %v", pass, s, want["sure_pass"+pass])
		}
		return fit
	}
	f.pilot(nil)
	first := check("1", 40, "x_pass1_lam40", "J_pass1")
	value := pilotValues(y, first.X, 0.1, want["sigma"])
	if e := csvtest.Farthest(value, floats(t, table["weight_c0.1"])); e > 1e-9 {
		t.Errorf("pilot values differ by %g", e)
	}
	f.pilot(value)
	check("2", 60, "x_pass2_lam60", "J_pass2")
}

// edgesOf returns the edges between nodes and their parents.
func edgesOf(g *Graph, parents []int) []bool {
	in := make([]bool, g.Edges())
	for e := range in {
		u, v := int(g.u[e]), int(g.v[e])
		in[e] = parents[u] == v || parents[v] == u
	}
	return in
}

func TestEnsembleIsTheSameForAnyWorkers(t *testing.T) {
	g := must(Product([]int{15, 20}))(t)
	y := bumpy(g.Nodes(), 10)
	var first *Fit
	for _, workers := range []int{1, 2, 5} {
		calls, last := 0, 0
		run := Run{Workers: workers, Progress: func(done, total int) {
			calls++
			if done < last || done > total {
				t.Errorf("progress %d after %d of %d", done, last, total)
			}
			last = done
		}}
		fit := must(TreeEnsemble(t.Context(), g, y, EnsembleOptions{Penalty: Penalty{Sigma: 10}, Run: run}))(t)
		if calls == 0 {
			t.Error("no progress")
		}
		if first == nil {
			first = fit
		} else if csvtest.Farthest(first.X, fit.X) != 0 || csvtest.Farthest(first.Leverage, fit.Leverage) != 0 ||
			first.DF != fit.DF {
			t.Errorf("%d workers give another estimate", workers)
		}
	}
}

func TestEnsembleHandlesOddInputs(t *testing.T) {
	scattered := must(New(6, []Edge{{U: 0, V: 1, W: 2, Length: 3}, {U: 1, V: 0, W: 1}, {U: 2, V: 3, W: 1},
		{U: 4, V: 4, W: 1}}))(t)
	for _, y := range [][]float64{
		make([]float64, 6), {-1, -2, -3, -4, -5, -6}, {1e12, 0, 0, 1, 2, 3}, {5, 5, 5, 5, 5, 5},
	} {
		for _, o := range []EnsembleOptions{
			{Penalty: Penalty{Sigma: 1}}, {Penalty: Penalty{Lambda: 2}, Floor: 0.1}, {Penalty: Penalty{Lambda: 0},
				Floor: math.Inf(1)},
			{Penalty: Penalty{Sigma: 1}, Trees: 1},
		} {
			fit := must(TreeEnsemble(t.Context(), scattered, y, o))(t)
			for i, x := range fit.X {
				if !(x >= 0) || math.IsInf(x, 1) || !(fit.Leverage[i] >= 0 && fit.Leverage[i] <= 1+1e-12) {
					t.Errorf("%v, %+v: %v, leverage %v", y, o, x, fit.Leverage[i])
				}
			}
		}
	}
	empty := must(New(0, nil))(t)
	if fit := must(TreeEnsemble(t.Context(), empty, nil,
		EnsembleOptions{Penalty: Penalty{Sigma: 1}}))(t); len(fit.X) != 0 {
		t.Error("values without nodes")
	}
}

func benchmarkEnsemble(b *testing.B, g *Graph) {
	y := bumpy(g.Nodes(), 40)
	for b.Loop() {
		must(TreeEnsemble(b.Context(), g, y, EnsembleOptions{Penalty: Penalty{Sigma: 40}}))(b)
	}
}

func BenchmarkEnsemble(b *testing.B) { benchmarkEnsemble(b, road(b)) }

func BenchmarkEnsembleMillion(b *testing.B) { benchmarkEnsemble(b, million(b)) }
