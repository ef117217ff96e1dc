package denoise

import (
	"context"
	"errors"
	"math"

	"github.com/dprelease/dprelease/denoise/internal/graph"
)

// maxTrees is the largest number of random trees that a job can ask for. It bounds the work and the memory.
const maxTrees = 4096

func treesParam(number, doc string) Param {
	return Param{Name: "trees", Type: Integer, Default: number, Doc: doc, Least: 1, Most: maxTrees,
		Advice: "16 to 40 are enough", Example: "40"}
}

func init() { register(treeWavelet) }

func treeWavelet() Method {
	threshold := Param{
		Name: "threshold", Type: Decimal, Words: []string{"level", "universal", "sure"}, Default: "level",
		Doc: "how differences become smaller: James-Stein for each size of node sets, s*sqrt(2*ln(cells)) for all, the " +
			"level of least " +
			"estimated error for each tree, or a number in the query's unit for all",
		AtLeast0: true, Positive: true, InUnit: true, Example: "sure",
	}
	trees := treesParam("40", "how many random spanning trees are averaged")
	return Method{
		Name: "tree-wavelet", Params: []Param{threshold, trees}, KnownNoise: true, Needs: NeedsGraph, TakesGraph: true,
		Doc: "computes the differences of neighbouring node sets of random spanning trees and reduces those that noise " +
			"explains",
		build: func(a Args) rule {
			word, t := a.choice(threshold)
			how := map[string]graph.ThresholdRule{"level": graph.Levels, "universal": graph.Universal,
				"sure": graph.SUREThreshold,
				"":     graph.Given}
			return onGraph(func(ctx context.Context, g *graph.Graph, v scaled, run graph.Run) (*graph.Fit, error) {
				return graph.TreeWavelets(ctx, g, v.y, graph.WaveletOptions{
					Sigma: v.s, Rule: how[word], Threshold: min(v.toScaled(t), farthest), Trees: a.integer(trees), Run: run,
				})
			})
		},
	}
}

func init() { register(trendFilter) }

func trendFilter() Method {
	k := Param{
		Name: "k", Type: Integer, Least: 0, Most: 2, Default: "0", Example: "0",
		Doc: "the order: 0 for areas with one level, 1 for linear changes, 2 for quadratic ones",
	}
	lambda := lambdaParam()
	return Method{
		Name: "trend-filter", Params: []Param{k, lambda}, KnownNoise: true, Needs: NeedsGraph, TakesGraph: true,
		Doc: "finds areas of the graph with one level or trend, by the exact minimum of squared distance plus lambda times " +
			"the sum of changes",
		build: func(a Args) rule {
			word, value := a.choice(lambda)
			return onGraph(func(ctx context.Context, g *graph.Graph, v scaled, run graph.Run) (*graph.Fit, error) {
				return trendOf(ctx, g, v.y, graph.TrendOptions{K: a.integer(k), Penalty: penalty(word, value, v), Run: run})
			})
		},
		probe: func(a Args, cells structure) error {
			if a.integer(k) == 0 {
				return nil
			}
			g, err := cells.network()
			if err != nil {
				return err
			}
			if err := graph.TrendFits(context.Background(), g, a.integer(k)); err != nil {
				return &Error{Code: CodeTooLarge, Message: err.Error(), Hint: "k: 0 and tree-ensemble have no such bound"}
			}
			return nil
		},
	}
}

// trendOf returns graph.TrendFilter's estimate. If λ is so large that rounding errors hide the solution, it uses a
// smaller λ, for which the solution is also nearly constant.
func trendOf(ctx context.Context, g *graph.Graph, y []float64, o graph.TrendOptions) (*graph.Fit, error) {
	for {
		f, err := graph.TrendFilter(ctx, g, y, o)
		var failed *graph.ConvergenceError
		if !errors.As(err, &failed) || failed.Lambda == 0 {
			return f, err
		}
		o.Penalty = graph.Penalty{Lambda: failed.Lambda / 16}
	}
}

func init() { register(treeEnsemble) }

func treeEnsemble() Method {
	trees := treesParam("16", "how many random spanning trees are averaged in each half")
	lambda, floor := lambdaParam(), nonnegativeParam()
	floor.Default = "true"
	return Method{
		Name: "tree-ensemble", Params: []Param{trees, lambda, floor}, KnownNoise: true, Needs: NeedsGraph, TakesGraph: true,
		Doc: "averages total variation on many random spanning trees, twice, with relative jumps penalised: the best for " +
			"counts on graphs",
		build: func(a Args) rule {
			number := 0 // 0 lets graph.TreeEnsemble choose the number: fewer trees on large graphs
			if _, given := a[trees.Name]; given {
				number = a.integer(trees)
			}
			word, value := a.choice(lambda)
			return onGraph(func(ctx context.Context, g *graph.Graph, v scaled, run graph.Run) (*graph.Fit, error) {
				o := graph.EnsembleOptions{Penalty: penalty(word, value, v), Trees: number, Signed: !a.boolean(floor), Run: run}
				if word == "" {
					o.Floor = givenFloor
				}
				return graph.TreeEnsemble(ctx, g, v.y, o)
			})
		},
	}
}

// givenFloor is the floor of graph.TreeEnsemble if the job gives λ. Without a given λ, the ensemble chooses its floor
// by estimated risk.
const givenFloor = 0.3

func penalty(word string, lambda float64, v scaled) graph.Penalty {
	if word == "sure" {
		return graph.Penalty{Sigma: v.s}
	}
	return graph.Penalty{Lambda: min(v.toScaled(lambda), farthest)}
}

// onGraph returns a rule that applies an estimator on graphs. The rule scales the values so that nothing overflows,
// calls the estimator, and scales its result back.
func onGraph(fit func(context.Context, *graph.Graph, scaled, graph.Run) (*graph.Fit, error)) rule {
	return func(ctx context.Context, p problem) (Fit, error) {
		g, err := p.network()
		if err != nil {
			return Fit{}, err
		}
		v, ok := rescale(p.y, p.s)
		if !ok || len(p.y) == 0 {
			return unchanged(p.y), nil
		}
		f, err := fit(ctx, g, v, p.run)
		if err != nil {
			return Fit{}, err
		}
		out := v.restore(Fit{X: f.X, DF: f.DF})
		if f.Lambda > 0 && !math.IsInf(f.Lambda, 0) {
			out = noted(out, "lambda %.6g", v.fromScaled(f.Lambda))
		}
		return out, nil
	}
}

// nodes returns the number of cells. The structure must have a graph or a shape.
func (c structure) nodes() int {
	if c.graph != nil {
		return c.graph.Nodes()
	}
	return c.shape.Cells()
}
