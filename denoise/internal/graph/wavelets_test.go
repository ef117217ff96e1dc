package graph

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

func forestOf(t testing.TB, parents []int) *Forest {
	var edges []Edge
	for i, p := range parents {
		if p >= 0 {
			edges = append(edges, Edge{U: i, V: p, W: 1})
		}
	}
	return spanningForest(t, must(New(len(parents), edges))(t))
}

func TestShrinkageDivergence(t *testing.T) {
	g := must(Product([]int{12, 9}))(t)
	r := &public{5}
	y := make([]float64, g.Nodes())
	for i := range y {
		y[i] = 40*normal(r) + 60*float64(i%9/4)
	}
	for _, rule := range []ThresholdRule{Levels, Universal, SUREThreshold, Given} {
		o := WaveletOptions{Sigma: 40, Rule: rule, Threshold: 30, Trees: 3}
		fit := must(TreeWavelets(t.Context(), g, y, o))(t)
		if rule == SUREThreshold { // the divergence is that at a fixed threshold
			o.Trees = 1
			fit = must(TreeWavelets(t.Context(), g, y, o))(t)
			o.Rule, o.Threshold = Given, fit.Lambda+0.001 // off the kink
		}
		var trace float64
		for i := range y {
			const h = 1e-5
			y[i] += h
			up := must(TreeWavelets(t.Context(), g, y, o))(t)
			y[i] -= 2 * h
			down := must(TreeWavelets(t.Context(), g, y, o))(t)
			y[i] += h
			trace += (up.X[i] - down.X[i]) / (2 * h)
		}
		if math.Abs(trace-fit.DF) > 1e-4*fit.DF {
			t.Errorf("rule %d: divergence %v, by differences %v", rule, fit.DF, trace)
		}
	}
}

// normal draws by Box and Muller's formula.
func normal(r *public) float64 {
	return math.Sqrt(-2*math.Log(1-r.unit())) * math.Cos(2*math.Pi*r.unit())
}

func TestWaveletsAreTheSameForAnyWorkers(t *testing.T) {
	g := must(Product([]int{20, 20}))(t)
	y := make([]float64, g.Nodes())
	r := &public{1}
	for i := range y {
		y[i] = normal(r)
	}
	var first []float64
	for _, workers := range []int{1, 2, 7} {
		fit := must(TreeWavelets(t.Context(), g, y, WaveletOptions{Sigma: 1, Trees: 19, Run: Run{Workers: workers}}))(t)
		if first == nil {
			first = fit.X
		} else if csvtest.Farthest(first, fit.X) != 0 {
			t.Errorf("%d workers give another estimate", workers)
		}
	}
}
