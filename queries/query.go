// Package queries turns the questions of a job into exact integer answers with a known L2 sensitivity.
//
// A [Spec] is everything public about a query. [New] checks it and returns a [Query], which states its sensitivity
// for an adjacency ([Query.Parts]), gathers the exact answer from batches of rows ([Query.New]) and names the cells of
// the released vector ([Query.Finish]).
//
// # What bounds the sensitivity
//
// Each row falls in at most one cell of a public domain. What one privacy unit contributes is cut down to the
// [Bounds] of the query on the data itself; nothing is assumed of the data. What is kept of a unit over its bounds is a
// uniform sample of that unit's own rows and depends on nothing else, so exact answers are the same for every
// order of the rows, size of the batches, number of workers and split of the files.
//
// # Which rows count
//
// [Filters] mark the rows of a batch that no query counts ([table.Batch], Keep). They read private columns, so the number of
// rows left is private: [Spec], Filtered.
//
// # What a column's values mean
//
// Labels and edges are source texts of the job, read according to the column's type: see [Dimension]. What is added up is
// held in integers, of a unit that follows from the bounds: see [Value].
package queries

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// Component is one mechanism of a query: what calibration needs to know of it.
type Component struct {
	Name string // "" if the query has one part that is its answer
	Sens calibrate.Sensitivity
	// Cells is the length of the part's vector.
	Cells int
	// Quantum is the power of two of which every exact answer is a multiple: 1 for counts.
	Quantum float64
	// RowBound is the largest absolute value that one row adds to a cell: 1 for counts.
	RowBound float64
	// Scale is what an answer of the part counts in the query's answer: 1, but for means of a public number n of terms 1/n.
	Scale float64
	// Keys is in how many keys a unit counts, if cells are private keys to be selected ([mechanism.Exact.Select]); else 0.
	Keys int64
	// Weight is the part's share of the query's mu², relative to the query's other parts.
	Weight float64
}

// Query is one question with its public facts.
type Query interface {
	// Name returns the query's name.
	Name() string
	// Columns returns the input columns that the query needs, each once, in order of first use.
	Columns() []string
	// Cells returns the length of the answer; 0 if its keys are discovered.
	Cells() int
	// Components states the query's mechanisms for an adjacency. Errors are of type *Error; see [Errors].
	Components(Adjacency) ([]Component, error)
	// New compiles the query against the table's schema, of which each batch will hold the columns of Columns, in
	// that order. Errors are of type *Error; see [Errors]. The spill may be nil.
	New(table.Schema, bounding.Spill) (Accumulator, error)
	// Tally compiles what counts, for the operator, the rows that the query has no use for, as New compiles the query.
	Tally(table.Schema) (*Tally, error)
	// Finish makes the public answer of the parts' noisy vectors, before and after denoising.
	Finish(noisy, estimate []mechanism.Noisy) (Answer, error)
	// Recover reads the components' noisy vectors back from the columns of a released answer, given the grid of each one's mechanism. It
	// is the inverse of Finish: exact, or an error.
	Recover(Columns, []float64) (Recovered, error)
}

// Accumulator gathers the exact answers of one worker. It is not safe for use by several goroutines. No error of it
// depends on a row's value.
type Accumulator interface {
	// Add takes in the rows of a batch that its Keep keeps, and keeps nothing that belongs to it.
	Add(*table.Batch) error
	// Merge takes in all that another accumulator of the same query holds, and empties it.
	Merge(Accumulator) error
	// Seal bounds what each unit contributes and returns the exact answer of each part. The accumulator is spent.
	Seal() ([]mechanism.Exact, error)
}

// New checks a spec and returns its query. Errors are of type *Error, all of them at once; see [Errors].
func New(s Spec) (Query, error) {
	p := &problem.Problems{Query: s.Name}
	checkSpec(s, p)
	if s.discovers() {
		return newDiscovering(s, p)
	}
	axes := s.axes(p)
	cells := countCells(s, axes, p)
	l := s.limits(cells, p)
	v := newQuantizer(s, p)
	k := newKernel(s, axes, p)
	r := newReader(s, axes, cells, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	c := counting{spec: s, axes: axes, cells: cells, limits: l, kernel: k, reader: r}
	if v != nil {
		return newSumming(c, v), nil
	}
	return &c, nil
}

// counting is a count or a histogram: a vector of numbers of rows.
type counting struct {
	spec   Spec
	axes   []domain.Axis
	cells  int
	limits bounding.Limits
	reach  *reach              // of the values of rows, which count as 1 if it is nil
	kernel *kernel             // nil: rows stay in their cells
	reader *distributionReader // nil: nothing else is read off the answer
}

// Name returns the query's name.
func (q *counting) Name() string { return q.spec.Name }

// Cells returns the length of the answer.
func (q *counting) Cells() int { return q.cells }

// Columns returns the columns of the dimensions, then those of the value and of the unit, each once.
func (q *counting) Columns() []string {
	var columns []string
	seen := map[string]bool{}
	for _, c := range q.wanted() {
		if !seen[c] {
			seen[c] = true
			columns = append(columns, c)
		}
	}
	return columns
}

func (q *counting) wanted() []string {
	var columns []string
	for i := range q.spec.By {
		columns = append(columns, q.spec.By[i].Columns()...)
	}
	if q.spec.Value != nil {
		columns = append(columns, q.spec.Value.Columns...)
	}
	return append(columns, q.spec.Unit...)
}

// Components states the one mechanism of a count or histogram.
func (q *counting) Components(adj Adjacency) ([]Component, error) {
	sens, err := q.sensitivity(adj)
	if err != nil {
		return nil, err
	}
	part := Component{Sens: sens, Cells: q.cells, Quantum: 1, RowBound: 1, Scale: 1, Weight: 1}
	if q.kernel != nil {
		part.Quantum, part.RowBound = math.Ldexp(1, -weightBits), math.Ldexp(float64(q.kernel.largest), -weightBits)
	}
	return []Component{part}, nil
}

// layout is where the query finds its columns in batches of a schema.
func (q *counting) layout(s table.Schema, p *problem.Problems) domain.Layout {
	return domain.Layout{Schema: s, Columns: q.Columns(), Problems: p}
}

// compile makes what finds the cells of rows for a schema, and reports every column that does not fit.
func (q *counting) compile(s table.Schema, p *problem.Problems) *domain.Grouping {
	return domain.NewGrouping(q.axes, q.layout(s, p))
}

// compileUnits makes what reads the privacy units of rows for a schema, and reports every column that does not fit.
func (q *counting) compileUnits(s table.Schema, p *problem.Problems) *bounding.Units {
	return bounding.NewUnits(q.spec.Unit, q.Columns(), s, p)
}

// Directions returns the directions of a query's vector, its first part's, the last one fastest: none for one number.
func Directions(q Query) []domain.Direction {
	switch q := q.(type) {
	case *counting:
		return domain.Directions(q.axes)
	case *summing:
		axes := domain.Directions(q.axes)
		if q.spec.Value.vector() {
			axes = append(axes, domain.Direction{By: -1, Size: q.spec.Value.dims()})
		}
		return axes
	}
	return nil
}
