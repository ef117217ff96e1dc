// Package histogram counts the rows of cells: counts and histograms.
package histogram

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/answers"
	"github.com/dprelease/dprelease/queries/internal/distribution"
	"github.com/dprelease/dprelease/queries/kinds/base"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Query is a count or a histogram: a vector of numbers of rows.
type Query struct {
	base.Query
	Kernel *Kernel              // nil if rows stay in their cells
	reader *distribution.Reader // nil if nothing else is read off the answer
}

// New makes the query of cells whose rows are counted, spread by a kernel and read if these are not nil.
func New(c base.Query, k *Kernel, r *distribution.Reader) query.Query {
	return &Query{Query: c, Kernel: k, reader: r}
}

// Components states the one mechanism of a count or histogram.
func (q *Query) Components(adj query.Adjacency) ([]query.Component, error) {
	sens, err := q.sensitivity(adj)
	if err != nil {
		return nil, err
	}
	c := query.Component{Sens: sens, Cells: q.Size, Quantum: 1, RowBound: 1, Scale: 1, Weight: 1}
	q.WithAbsolute(&c, adj)
	if q.Kernel != nil {
		c.L1, c.WhyL1 = q.Kernel.absolute(&q.Query, adj)
		c.Quantum, c.RowBound = math.Ldexp(1, -weightBits), math.Ldexp(float64(q.Kernel.largest), -weightBits)
	}
	return []query.Component{c}, nil
}

// New compiles the query: it counts the rows of all cells, or of those that have rows if a domain is too large to hold.
func (q *Query) New(s table.Schema, spill bounding.Spill) (query.Accumulator, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	groups := domain.NewGrouping(q.Axes, q.Layout(s, p))
	u := q.CompileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	answer := q.ByRank(1, func() accumulate.Answer {
		if spill != nil && q.isSparse(spill.Cells()) {
			return accumulate.NewSparse(groups, q.Size)
		}
		return &accumulate.Counts{Groups: groups, Cells: q.Size, Finish: q.seal}
	})
	return q.Gather(q, answer, u, bounding.CellBytes, spill), nil
}

// seal hides the counts of the cells, spread if the query has a kernel.
func (q *Query) seal(cells []int64) ([]mechanism.Exact, error) {
	if q.Kernel != nil {
		return q.Kernel.seal(cells)
	}
	return accumulate.SealCounts(cells)
}

// isSparse says whether accumulators hold only the cells that have rows, if at most so many fit in memory. A kernel spreads rows over all.
func (q *Query) isSparse(most int64) bool { return q.Kernel == nil && int64(q.Size) > most }

// Bytes returns the memory of the cells: see [query.Query].
func (q *Query) Bytes(workers int, most int64) int64 {
	if q.isSparse(most) {
		return 0
	}
	n := 8 * int64(q.Size) * max(q.Copies(workers), 2)
	if q.Kernel != nil {
		n += 16 * int64(q.Size) // the sums that rows are spread to
	}
	return n
}

// Finish makes the answer of one noisy vector and its estimate. Low and High are noisy ∓ z·d, with z the 97.5 % quantile
// of the normal distribution and d the standard deviation of the published values, rounded outwards; other noise has its own quantiles.
func (q *Query) Finish(noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	if err := answers.CheckLengths(q.Name(), noisy, estimate, q.Size); err != nil {
		return query.Answer{}, err
	}
	a := answers.WithNoise(noisy[0].Fill, estimate[0].Fill, noisy[0].Mechanism(), 1)
	a.Cells, a.Keys = q.Size, domain.KeyColumns(q.Axes)
	if q.reader != nil {
		a.Readings = q.reader.ReadCells(noisy[0], estimate[0])
	}
	return a, nil
}

// Recover reads the noisy counts back.
func (q *Query) Recover(c query.Columns, grids []float64) (query.Recovered, error) {
	return answers.Recover(q.Size, grids, c.Noisy)
}

// sensitivity returns the L2 sensitivity to calibrate with: the implied one, or a larger declared one.
func (q *Query) sensitivity(adj query.Adjacency) (calibrate.Sensitivity, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	if adj.Check(p); len(p.List) > 0 {
		return calibrate.Sensitivity{}, p.Err()
	}
	if q.Constant(adj) {
		p.Add("", problem.CodeConstant, "under replace-one, with each row a unit, the number of all rows is public: there is nothing to protect",
			"leave the query out, or use adjacency add-remove")
		return calibrate.Sensitivity{}, p.Err()
	}
	if q.Kernel != nil {
		return q.Declared(adj, q.Kernel.sensitivity(&q.Query, adj), q.norm)
	}
	sq := sensitivity.SquaredCounts(q.Limits, adj, q.Size)
	sens := calibrate.Sensitivity{L2: sensitivity.RootUp(sq), Why: q.Why(adj, sq)}
	return q.Declared(adj, sens, q.norm)
}

// norm returns the L2 sensitivity of the counts under some limits.
func (q *Query) norm(l bounding.Limits, adj query.Adjacency) float64 {
	if q.Kernel != nil {
		return q.Kernel.Norm(l, adj)
	}
	return sensitivity.RootUp(sensitivity.SquaredCounts(l, adj, q.Size))
}

// Constant says that neighbouring tables always have the same answer: each row is one unit, none comes or goes, and all
// are counted in one cell, for no dimension and no filter can drop one.
func (q *Query) Constant(adj query.Adjacency) bool {
	return adj == query.ReplaceOne && q.Spec.PerRow() && len(q.Axes) == 0 && !q.Spec.Filtered
}

// LooksEmpty looks at the noisy vectors: see [query.Query].
func (q *Query) LooksEmpty(noisy []mechanism.Noisy) bool { return q.IsNoise(noisy[0], 1) }
