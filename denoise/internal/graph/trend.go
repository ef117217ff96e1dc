package graph

import (
	"context"
	"errors"
	"math"
	"slices"
)

// TrendOptions holds the options of [TrendFilter].
type TrendOptions struct {
	// K is the order: 0 for piecewise constant, 1 for piecewise linear, 2 for piecewise quadratic signals.
	K       int
	Penalty Penalty
	Run     Run
}

// TrendFilter returns the minimiser of
//
//	½·‖y − x‖² + λ·‖Op x‖₁
//
// Op is D for K = 0, D'D for K = 1 and D·D'D for K = 2. D has a row a_e·(x_v − x_u) for each edge of weight a_e;
// parallel edges have a row each. K = 0 is solved exactly, by minimum cuts. K = 1 and 2 are solved by an interior point
// method with a sparse factorisation. The duality gap, Fit.Gap, is then about 1e-12 of the objective. The degrees of
// freedom are the dimension of the space of signals for which Op x has the same zeros; for K = 0 this is the number of
// groups of equal values. Components are independent.
//
// K = 1 and 2 return a [*DenseError] if the factor is too large, which happens with nodes of high degree or above about
// 10⁵ nodes. They return a [*ConvergenceError] if λ is so large that rounding errors hide the solution. If λ is chosen
// by risk, such values are skipped.
//
// Sources: Wang, Sharpnack, Smola & Tibshirani, "Trend filtering on graphs", Journal of Machine Learning Research 17,
// 2016; degrees of freedom: Tibshirani & Taylor, Annals of Statistics 40, 2012.
func TrendFilter(ctx context.Context, g *Graph, y []float64, o TrendOptions) (*Fit, error) {
	t, err := newTrend(ctx, g, y, o)
	if err != nil {
		return nil, err
	}
	lambda, err := o.Penalty.find(ctx, t.grid(mean(g.weight)), &search{risk: t.risk})
	if err != nil {
		return nil, err
	}
	return t.solvers[0].fit(ctx, y, lambda)
}

// TrendFits returns the [*DenseError] that [TrendFilter] of order k would return, or nil. It depends on the graph
// alone, not on y.
func TrendFits(ctx context.Context, g *Graph, k int) error {
	if k == 0 {
		return nil
	}
	_, err := newPattern(ctx, g, k)
	return err
}

// solver computes the estimate for one λ. Only one goroutine may use it at a time.
type solver interface {
	fit(ctx context.Context, y []float64, lambda float64) (*Fit, error)
}

// trend holds one solver for each worker, and the values.
type trend struct {
	y       []float64
	o       TrendOptions
	solvers []solver
	done    int
}

func newTrend(ctx context.Context, g *Graph, y []float64, o TrendOptions) (*trend, error) {
	t := &trend{y: y, o: o}
	if o.K == 0 {
		for range o.workers() {
			t.solvers = append(t.solvers, newLevelSets(g))
		}
		return t, nil
	}
	pattern, err := newPattern(ctx, g, o.K)
	for err == nil && len(t.solvers) < o.workers() {
		t.solvers = append(t.solvers, newInterior(pattern))
	}
	return t, err
}

// workers returns how many values of λ are tried in parallel.
func (o TrendOptions) workers() int {
	if o.Penalty.Sigma == 0 {
		return 1
	}
	return o.Run.workers(8)
}

// grid returns the values of λ to try. Their scale depends on the order K, since the rows of Op do.
func (t *trend) grid(weight float64) scan {
	s := t.o.Penalty.Sigma
	switch t.o.K {
	case 0:
		return scan{s / 16 / weight, 2, 8, 2}
	case 1:
		return scan{s / 4 / (weight * weight), 4, 6, 3}
	}
	return scan{s / 4 / (weight * weight * weight), 4, 6, 3}
}

// risk returns Stein's risk estimate for each λ.
func (t *trend) risk(ctx context.Context, lambda []float64) ([]float64, error) {
	out := make([]float64, len(lambda))
	run := t.o.Run
	run.Workers = len(t.solvers)
	if report := t.o.Run.Progress; report != nil {
		run.Progress = func(done, total int) { report(t.done+done, t.done+total) }
	}
	err := run.runTasks(ctx, len(lambda), func(worker, i int) error {
		fit, err := t.solvers[worker].fit(ctx, t.y, lambda[i])
		var failed *ConvergenceError
		if errors.As(err, &failed) {
			out[i] = math.Inf(1)
			return nil
		}
		if err != nil {
			return err
		}
		out[i] = fit.SURE(t.y, t.o.Penalty.Sigma)
		return nil
	})
	t.done += len(lambda)
	return out, err
}

// fit returns the exact minimiser for λ. All nodes of a group have the same value.
func (s *levelSets) fit(ctx context.Context, y []float64, lambda float64) (*Fit, error) {
	penalty := slices.Clone(s.g.weight)
	for e := range penalty {
		penalty[e] *= lambda
	}
	if err := s.solve(ctx, y, penalty); err != nil {
		return nil, err
	}
	size, value := make([]float64, s.groups), make([]float64, s.groups)
	for i, k := range s.group {
		size[k]++
		value[k] += y[i]
	}
	for e, sign := range s.settled {
		pull := float64(sign) * penalty[e]
		value[s.group[s.g.u[e]]] -= pull
		value[s.group[s.g.v[e]]] += pull
	}
	fit := &Fit{X: make([]float64, len(y)), Leverage: make([]float64, len(y)), DF: float64(s.groups), Lambda: lambda}
	for i, k := range s.group {
		fit.X[i], fit.Leverage[i] = value[k]/size[k], 1/size[k]
	}
	fit.Gap = s.gap(fit.X, penalty)
	return fit, nil
}

// gap returns the duality gap between x and the dual solution, which is the flow. It is not 0 for two reasons: the flow
// leaves some surplus, and x contradicts a settled edge by at most a rounding error.
func (s *levelSets) gap(x, penalty []float64) (gap float64) {
	for i, v := range x {
		d := v - float64(s.surplus[i])*s.unit
		gap += float64(d*d) / 2
	}
	for e, sign := range s.settled {
		if jump := float64(sign) * (x[s.g.u[e]] - x[s.g.v[e]]); jump < 0 {
			gap -= 2 * penalty[e] * jump
		}
	}
	return gap
}
