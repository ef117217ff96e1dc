package graph

import (
	"context"
	"math"
	"slices"
)

// family is a set of random spanning trees with the same distribution, together with the factor of λ at each edge.
type family struct {
	g     *Graph
	trees []*Forest
	scale []float64
	// Each worker has a solver. sum averages estimates and leverages over the trees. terms holds the factors of λ at the
	// edges of each tree in the current pass.
	solvers []Solver
	sum     *average
	terms   []float64
	run     Run
}

// newFamily draws trees in which the conductance of an edge is weight·b², and scales λ by weight·b at each edge. If b
// is nil, it is 1 at every edge.
func newFamily(ctx context.Context, g *Graph, b []float64, o EnsembleOptions) (*family, error) {
	f := &family{g: g, scale: slices.Clone(g.weight), run: o.Run.quiet()}
	conductance := slices.Clone(g.weight)
	for e, v := range b {
		f.scale[e] *= v
		conductance[e] *= float64(v * v)
	}
	f.trees = make([]*Forest, o.Trees)
	f.solvers = make([]Solver, f.run.workers(batch))
	f.sum = newAverage(2*g.Nodes(), len(f.trees))
	walks := newWalker(g, conductance)
	first := uint64(0)
	if b != nil {
		first = 1 << 32
	}
	return f, f.run.runTasks(ctx, len(f.trees), func(_, i int) (err error) {
		f.trees[i], err = walks.draw(ctx, publicStream(0, first+uint64(i)))
		return err
	})
}

// lengthBias returns the number clip(median length / length, 1/5, 5) for each edge, or 1 for an edge of unknown length.
// If all lengths are unknown, it returns nil.
func lengthBias(g *Graph) []float64 {
	known := slices.DeleteFunc(slices.Clone(g.length), func(l float64) bool { return l == 0 })
	if len(known) == 0 {
		return nil
	}
	slices.Sort(known)
	median := known[len(known)/2]
	b := make([]float64, len(g.length))
	for e, l := range g.length {
		b[e] = 1
		if l > 0 {
			b[e] = min(max(median/l, 0.2), 5)
		}
	}
	return b
}

// pilot sets the factor of λ at each edge: the edge's scale, divided by the geometric mean of value at its two ends.
// value has a number for each node that grows with a first estimate (see pilotValues). So λ is smaller at nodes with a
// large estimate. If value is nil, the factor is the scale.
func (f *family) pilot(value []float64) {
	if value == nil {
		f.terms = f.scale
		return
	}
	f.terms = make([]float64, len(f.scale))
	for e, s := range f.scale {
		f.terms[e] = s / math.Sqrt(float64(value[f.g.u[e]]*value[f.g.v[e]]))
	}
}

// estimate averages the total variation estimates of the trees, and their leverages. The next call overwrites the
// result.
func (f *family) estimate(ctx context.Context, y []float64, lambda float64) (*Fit, error) {
	n := len(y)
	err := f.sum.run(ctx, f.run, func(worker, i int, out []float64) (df, _ float64, err error) {
		s := &f.solvers[worker]
		df = float64(s.Solve(f.trees[i].parent, f.problem(i, y, lambda)))
		s.Scatter(f.trees[i].node, out[:n])
		s.Leverage(f.trees[i].node, nil, out[n:])
		return df, 0, nil
	})
	return &Fit{X: f.sum.x[:n], Leverage: f.sum.x[n:], DF: f.sum.df, Lambda: lambda}, err
}

// problem returns the terms of tree i for [Solver.Solve], by position.
func (f *family) problem(i int, y []float64, lambda float64) func(p int) Term {
	t := f.trees[i]
	return func(p int) Term {
		v := Term{Y: y[t.node[p]], Weight: 1}
		if e := t.edge[p]; e >= 0 {
			v.Lambda = lambda * f.terms[e]
		}
		return v
	}
}
