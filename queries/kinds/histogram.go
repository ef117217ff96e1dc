package kinds

import (
	"context"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Histogram is a count or a histogram: the number of rows in each cell.
type Histogram struct {
	Base
	Kernel *Kernel         // nil if rows are not spread over neighbouring points
	reader *quantileReader // nil if neither quantiles nor cumulative fractions are requested
}

// Components returns the only component of a count or histogram.
func (q *Histogram) Components(adj query.Adjacency) ([]query.Component, error) {
	sens, err := q.sensitivity(adj)
	if err != nil {
		return nil, err
	}
	c := query.Component{Sens: sens, Cells: q.Size, Quantum: 1, RowBound: 1, Scale: 1, Weight: 1}
	q.setL1(&c, adj)
	if q.Kernel != nil {
		c.L1, c.WhyL1 = q.Kernel.absolute(&q.Base, adj)
		c.Quantum, c.RowBound = math.Ldexp(1, -weightBits), math.Ldexp(float64(q.Kernel.largest), -weightBits)
	}
	return []query.Component{c}, nil
}

// Aggregation describes counting the rows of each cell. With a kernel, all cells are needed.
func (q *Histogram) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	a, err := q.Base.Aggregation(s)
	a.Dense = q.Kernel != nil
	return a, err
}

// Hide returns the row counts as an exact answer. If the query has a kernel, it spreads the rows first.
func (q *Histogram) Hide(t accumulate.Totals) ([]mechanism.Exact, error) {
	switch {
	case q.Kernel != nil:
		return q.Kernel.hide(t.Tables[0])
	case t.Sparse != nil:
		return accumulate.HideSparse(t.Sparse)
	}
	return accumulate.HideCounts(t.Tables[0])
}

// isSparse reports whether accumulators hold only cells with rows. They do if the query has more than maxDense cells:
// then a vector of all cells would not fit in memory. A kernel needs all cells, and so do sums of a column of counts.
func (q *Histogram) isSparse(maxDense int64) bool {
	return q.Kernel == nil && q.Spec.Counts == nil && int64(q.Size) > maxDense
}

// Bytes returns the memory of the cells: see [query.Query].
func (q *Histogram) Bytes(workers int, maxDense int64) int64 {
	if q.isSparse(maxDense) {
		return 0
	}
	n := q.countBytes(q.Size, max(q.copies(workers), 2))
	if q.Kernel != nil {
		n += 16 * int64(q.Size) // the counts after spreading
	}
	return n
}

// Finish returns the answer from one noisy vector and its estimate. The interval is noisy ∓ h, rounded outwards. For
// Gaussian noise h = z·d, with d the standard deviation of the published values and z the 97.5 % quantile of the normal
// distribution. For other noise h is the mechanism's HalfWidth.
func (q *Histogram) Finish(_ context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	if err := checkLengths(q.Name(), noisy, estimate, q.Size); err != nil {
		return query.Answer{}, err
	}
	a := answerWithNoise(noisy[0].Fill, estimate[0].Fill, noisy[0].Mechanism(), 1)
	a.Cells, a.Keys = q.Size, domain.KeyColumns(q.Axes)
	if q.reader != nil {
		a.Readings = q.reader.readCells(noisy[0], estimate[0])
	}
	return a, nil
}

// Recover reads the noisy counts back from released columns.
func (q *Histogram) Recover(c query.Columns, grids []float64) (query.Recovered, error) {
	return recoverColumns(q.Size, grids, c.Noisy)
}

// sensitivity returns the L2 sensitivity for calibrating noise: the implied one, or a larger one that the job declares.
func (q *Histogram) sensitivity(adj query.Adjacency) (calibrate.Sensitivity, error) {
	if err := q.checkAdjacency(adj); err != nil {
		return calibrate.Sensitivity{}, err
	}
	if q.Constant(adj) {
		return calibrate.Sensitivity{}, problem.One(q.Spec.Name, "", problem.CodeConstant,
			"under replace-one, with each row a unit, the number of all rows is public: there is nothing to protect",
			"leave the query out, or use adjacency add-remove")
	}
	if q.Kernel != nil {
		return q.declared(adj, q.Kernel.sensitivity(&q.Base, adj), q.norm)
	}
	sq := sensitivity.SquaredCounts(q.Limits, adj, q.Size)
	sens := calibrate.Sensitivity{L2: sensitivity.RootUp(sq), Why: q.why(adj, sensitivity.RootText(sq))}
	return q.declared(adj, sens, q.norm)
}

// norm returns the L2 sensitivity of the counts under limits l.
func (q *Histogram) norm(l bounding.Limits, adj query.Adjacency) float64 {
	if q.Kernel != nil {
		return q.Kernel.Norm(l, adj)
	}
	return sensitivity.RootUp(sensitivity.SquaredCounts(l, adj, q.Size))
}

// Constant reports whether all neighbouring tables have the same answer. They do if each row is a unit, the number of
// rows is fixed, and all rows count in one cell because no dimension or filter can drop one.
func (q *Histogram) Constant(adj query.Adjacency) bool {
	return adj == query.ReplaceOne && q.Spec.PerRow() && len(q.Axes) == 0 && !q.Spec.Filtered
}

// LooksEmpty reports whether the noisy counts could be noise alone.
func (q *Histogram) LooksEmpty(noisy []mechanism.Noisy) bool { return q.isNoise(noisy[0], 1) }
