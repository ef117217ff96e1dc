package queries

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"github.com/dprelease/dprelease/queries/tally"
)

// counting is a count or a histogram: a vector of numbers of rows. The other kinds are made of one.
type counting struct {
	spec   Spec
	axes   []domain.Axis
	cells  int
	limits bounding.Limits
	reach  *sensitivity.Reach  // of the values of rows, which count as 1 if it is nil
	kernel *kernel             // nil if rows stay in their cells
	reader *distributionReader // nil if nothing else is read off the answer
}

// Name returns the query's name.
func (q *counting) Name() string { return q.spec.Name }

// Cells returns the length of the answer.
func (q *counting) Cells() int { return q.cells }

func (q *counting) directions() []domain.Direction { return domain.Directions(q.axes) }

// Columns returns the columns of the dimensions, then those of the value and of the unit, each once.
func (q *counting) Columns() []string {
	var all, columns []string
	for i := range q.spec.By {
		all = append(all, q.spec.By[i].Columns()...)
	}
	if q.spec.Value != nil {
		all = append(all, q.spec.Value.Columns...)
	}
	seen := map[string]bool{}
	for _, c := range append(all, q.spec.Unit...) {
		if !seen[c] {
			seen[c] = true
			columns = append(columns, c)
		}
	}
	return columns
}

// Components states the one mechanism of a count or histogram.
func (q *counting) Components(adj Adjacency) ([]Component, error) {
	sens, err := q.sensitivity(adj)
	if err != nil {
		return nil, err
	}
	c := Component{Sens: sens, Cells: q.cells, Quantum: 1, RowBound: 1, Scale: 1, Weight: 1}
	if q.kernel != nil {
		c.Quantum, c.RowBound = math.Ldexp(1, -weightBits), math.Ldexp(float64(q.kernel.largest), -weightBits)
	}
	return []Component{c}, nil
}

// layout says where in batches of a schema the query finds its columns.
func (q *counting) layout(s table.Schema, p *problem.Problems) domain.Layout {
	return domain.Layout{Schema: s, Columns: q.Columns(), Problems: p}
}

// compileUnits makes what reads the privacy units of rows for a schema, and reports every column that does not fit.
func (q *counting) compileUnits(s table.Schema, p *problem.Problems) *bounding.Units {
	return bounding.NewUnits(q.spec.Unit, q.Columns(), s, p)
}

// New compiles the query: it counts the rows of all cells, or of those that have rows if a domain is too large to hold.
func (q *counting) New(s table.Schema, spill bounding.Spill) (Accumulator, error) {
	p := &problem.Problems{Query: q.spec.Name}
	groups := domain.NewGrouping(q.axes, q.layout(s, p))
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	var answer accumulate.Answer = &accumulate.Counts{Groups: groups, Cells: q.cells, Finish: q.seal}
	if spill != nil && q.isSparse(spill.Cells()) {
		answer = accumulate.NewSparse(groups, q.cells)
	}
	return q.gather(q, answer, u, bounding.CellBytes, 0, spill), nil
}

// seal hides the counts of the cells, spread if the query has a kernel.
func (q *counting) seal(cells []int64) ([]mechanism.Exact, error) {
	if q.kernel != nil {
		return q.kernel.seal(cells)
	}
	return accumulate.SealCounts(cells)
}

// isSparse says whether accumulators hold only the cells that have rows, if at most so many fit in memory. A kernel spreads rows over all.
func (q *counting) isSparse(most int64) bool { return q.kernel == nil && int64(q.cells) > most }

func (q *counting) bytes(workers int, most int64) int64 {
	if q.isSparse(most) {
		return 0
	}
	n := 8 * int64(q.cells) * max(q.copies(workers), 2)
	if q.kernel != nil {
		n += 16 * int64(q.cells) // the sums that rows are spread to
	}
	return n
}

// copies is how many accumulators have cells of their own.
func (q *counting) copies(workers int) int64 {
	if q.spec.perRow() {
		return int64(workers)
	}
	return 1
}

// Tally compiles a tally of the query against the table's schema, of which each batch will hold the columns of Columns, in that order.
// Errors are those of New.
func (q *counting) Tally(s table.Schema) (*tally.Tally, error) {
	p := &problem.Problems{Query: q.spec.Name}
	l := q.layout(s, p)
	t := &tally.Tally{}
	listed := 0
	for i := range q.spec.By {
		if q.spec.By[i].Discover {
			t.AddDiscovered(&q.spec.By[i], q.spec.dimensionField(i), l)
			continue
		}
		t.AddDimension(q.axes[listed], l)
		listed++
	}
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	if !q.spec.perRow() {
		t.AddUnit(q.spec.Unit, u, l)
	}
	return t, nil
}

// Finish makes the answer of one noisy vector and its estimate. Low and High are noisy ∓ z·d, with z the 97.5 % quantile
// of the normal distribution and d the standard deviation of the published values, rounded outwards.
func (q *counting) Finish(noisy, estimate []mechanism.Noisy) (Answer, error) {
	if err := checkComponents(q.Name(), noisy, estimate, q.cells); err != nil {
		return Answer{}, err
	}
	a := normal(noisy[0].Fill, estimate[0].Fill, noisy[0].Mechanism().Deviation())
	a.Cells, a.Keys = q.cells, domain.KeyColumns(q.axes)
	if q.reader != nil {
		a.Readings = q.reader.readCells(noisy[0], estimate[0])
	}
	return a, nil
}

// Recover reads the noisy counts back.
func (q *counting) Recover(c Columns, grids []float64) (Recovered, error) {
	return recoverComponents(q.cells, grids, c.Noisy)
}
