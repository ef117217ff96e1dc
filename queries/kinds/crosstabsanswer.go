package kinds

import (
	"context"
	"math"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// The key columns of a crosstabs answer: the dimensions of a residual, and the index of a coordinate.
const (
	residualKey   = "residual"
	coordinateKey = "coordinate"
)

// Finish returns the answer, which holds the noisy coordinates of all residuals, and computes the tables from it.
func (q *Crosstabs) Finish(ctx context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	if err := checkComponents(q.Name(), noisy, estimate, q.lengths...); err != nil {
		return query.Answer{}, err
	}
	a, vectors := q.partsAnswer(residualKey, coordinateKey, noisy)
	measured := map[strategy.Set][]float64{}
	for i, r := range q.Marginals.Residuals() {
		measured[r] = vectors[i]
	}
	a.Readings = q.read(ctx, measured, noisy)
	return a, context.Cause(ctx)
}

// read computes each table from the residuals, with its intervals.
func (q *Crosstabs) read(ctx context.Context, measured map[strategy.Set][]float64,
	noisy []mechanism.Noisy) []query.Reading {
	var out []query.Reading
	estimates := tables{Stopped: func() bool { return ctx.Err() != nil }}
	names, variances := q.tableNames(), variancesOf(mechanismsOf(noisy))
	for i := range q.Axes {
		estimates.Sizes = append(estimates.Sizes, q.Marginals.Size(i))
		estimates.Deviations = append(estimates.Deviations, math.Sqrt(q.Marginals.Variance(strategy.SetOf(i), variances)))
	}
	for k, t := range q.Marginals.Tables() {
		if estimates.stopped() {
			return nil
		}
		variance := q.Marginals.Variance(t, variances)
		values := q.Marginals.Reconstruct(t, func(r strategy.Set) []float64 { return measured[r] })
		estimates.Of = append(estimates.Of, uint64(t))
		estimates.Values = append(estimates.Values, slices.Clone(values))
		cells := query.HeldSeries(values)
		a := normalAnswer(cells, cells, math.Sqrt(variance))
		a.Cells = q.Marginals.Cells(t)
		var axes []domain.Axis
		for _, i := range t.Attributes() {
			axes = append(axes, q.Axes[i])
		}
		a.Keys = domain.KeyColumns(axes)
		out = append(out, query.Reading{Name: names[k], Answer: a})
	}
	q.adjust(&estimates, out)
	return out
}

// adjust makes the estimates of the tables non-negative, or multiples of a number, if the job requests this.
func (q *Crosstabs) adjust(t *tables, readings []query.Reading) {
	x := q.Spec.Crosstabs
	if !x.Adjusted() {
		return
	}
	if base := float64(x.RoundTo); x.Nonnegative {
		t.nonnegative(base)
	} else {
		t.round(base)
	}
	for k := range readings {
		a := &readings[k].Answer
		a.Estimate = query.HeldSeries(t.Values[k])
		a.Low, a.High = outerOf(a.Low, a.Estimate, math.Min), outerOf(a.High, a.Estimate, math.Max)
		if x.Nonnegative {
			a.Low, a.High = notBelowZero(a.Low), notBelowZero(a.High)
		}
	}
}

// notBelowZero returns the end of an interval of counts, or 0 if the end is negative. No count is below 0, so the
// interval contains the count as often as before.
func notBelowZero(end query.Series) query.Series {
	return mapped(end, func(x float64) float64 { return max(x, 0) })
}

// Lattice describes the tables: each dimension has one level.
func (q *Crosstabs) Lattice() (out query.Lattice) {
	for i := range q.Axes {
		out.First = append(out.First, [][]int32{{0, int32(q.Axes[i].Size)}})
	}
	for _, t := range q.Marginals.Tables() {
		levels := make([]int, len(q.Axes))
		for _, i := range t.Attributes() {
			levels[i] = 1
		}
		out.Tables = append(out.Tables, levels)
	}
	out.Step = latticeStep(q.Spec.Crosstabs)
	return out
}

// latticeStep returns the step of a lattice of tables: 1, or the number of which the estimates are multiples, if they
// are not negative.
func latticeStep(x *query.Crosstabs) float64 {
	if !x.Nonnegative {
		return 0
	}
	return float64(max(x.RoundTo, 1))
}
