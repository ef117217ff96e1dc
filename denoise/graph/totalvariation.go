package graph

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/denoise/graph/internal/treetv"
)

// TVOptions are the parameters of [TotalVariation].
type TVOptions struct {
	Penalty Penalty
	// NodeWeight is the weight of each node's squared error; nil if all are 1.
	NodeWeight []float64
	// EdgeWeight multiplies λ at each edge of the graph from which the forest comes, or at edge i between i and i+1 of
	// a chain; nil if all are 1.
	EdgeWeight []float64
	Run        Run
}

// TotalVariation returns the exact minimiser of
//
//	½·Σ w_i·(x_i − y_i)² + λ·Σ over edges of a_e·|x_u − x_v|
//
// on a tree, forest or chain (the fused lasso), in O(n log n). Its degrees of freedom are the number of fused groups.
// The leverage of a node is its weight over the sum of its group's weights.
//
// Sources: Kolmogorov, Pock & Rolinek, "Total variation on a tree", SIAM Journal on Imaging Sciences 9, 2016; degrees
// of freedom: Tibshirani & Taylor, Annals of Statistics 40, 2012.
func TotalVariation(ctx context.Context, f *Forest, y []float64, o TVOptions) (*Fit, error) {
	if err := o.check(f); err != nil {
		return nil, err
	}
	if err := checkValues(f.Nodes(), y); err != nil {
		return nil, err
	}
	workers := make([]treetv.Solver, o.Run.workers(batch))
	risk := func(ctx context.Context, lambda []float64) ([]float64, error) {
		out := make([]float64, len(lambda))
		return out, o.Run.runTasks(ctx, len(lambda), func(w, i int) error {
			s := &workers[w]
			fit := &Fit{DF: float64(s.Solve(f.parent, o.terms(f, y, lambda[i]))), X: make([]float64, len(y))}
			s.Scatter(f.node, fit.X)
			out[i] = fit.SURE(y, o.Penalty.Sigma)
			return nil
		})
	}
	lambda, err := o.Penalty.find(ctx, scan{o.Penalty.Sigma / 16 / mean(o.EdgeWeight), 2, 9, 3}, &search{risk: risk})
	if err != nil {
		return nil, err
	}
	s := &workers[0]
	fit := &Fit{DF: float64(s.Solve(f.parent, o.terms(f, y, lambda))), Lambda: lambda}
	fit.X, fit.Leverage = make([]float64, len(y)), make([]float64, len(y))
	s.Scatter(f.node, fit.X)
	s.Leverage(f.node, o.NodeWeight, fit.Leverage)
	return fit, nil
}

func (o TVOptions) check(f *Forest) error {
	if err := o.Penalty.check(); err != nil {
		return err
	}
	if o.NodeWeight != nil && len(o.NodeWeight) != f.Nodes() {
		return &SizeError{"weights of nodes", len(o.NodeWeight), f.Nodes()}
	}
	for i, w := range o.NodeWeight {
		if !(w >= smallestWeight && w <= largestWeight) {
			return &OptionError{"node weights", fmt.Sprintf("that of node %d is %v, not a number from 1e-100 to 1e+100", i, w)}
		}
	}
	for p, e := range f.edge {
		if f.parent[p] >= 0 && o.EdgeWeight != nil && int(e) >= len(o.EdgeWeight) {
			return &SizeError{"weights of edges", len(o.EdgeWeight), int(e) + 1}
		}
	}
	for i, w := range o.EdgeWeight {
		if !(w >= 0 && w <= largestWeight) {
			return &OptionError{"edge weights", fmt.Sprintf("that of edge %d is %v, not a number from 0 to 1e+100", i, w)}
		}
	}
	return nil
}

// terms returns the terms of the problem by position.
func (o TVOptions) terms(f *Forest, y []float64, lambda float64) func(p int) treetv.Term {
	return func(p int) treetv.Term {
		v := treetv.Term{Y: y[f.node[p]], Weight: 1, Lambda: lambda}
		if o.NodeWeight != nil {
			v.Weight = o.NodeWeight[f.node[p]]
		}
		if o.EdgeWeight != nil && f.parent[p] >= 0 {
			v.Lambda *= o.EdgeWeight[f.edge[p]]
		}
		return v
	}
}

// mean returns the mean of positive numbers, or 1 if there are none.
func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(len(x))
}
