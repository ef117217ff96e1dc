// Package base has what the kinds of query share: checks of a spec, columns, limits, the tally, and the words that explain a
// sensitivity. A kind embeds [Query] and adds what it counts or adds up.
package base

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/gather"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/tally"
)

// Query is what a query of any kind has: the rows of its privacy units, within limits, in the cells that its axes make.
type Query struct {
	Spec   query.Spec
	Axes   []domain.Axis // of the dimensions whose keys are listed
	Size   int           // the number of cells
	Limits bounding.Limits
}

// New checks the dimensions and bounds of a spec whose cells are listed. Its answer has some columns beside those of every answer.
func New(s query.Spec, columns []string, p *problem.Problems) Query {
	axes := NewAxes(s, columns, p)
	cells := CountCells(s, axes, p)
	return Query{Spec: s, Axes: axes, Size: cells, Limits: NewLimits(s, cells, p)}
}

// Name returns the query's name.
func (q *Query) Name() string { return q.Spec.Name }

// Resized returns the query with another number of cells.
func (q *Query) Resized(cells int) Query {
	out := *q
	out.Size = cells
	return out
}

// Cells returns the length of the answer.
func (q *Query) Cells() int { return q.Size }

// Directions returns those of the axes.
func (q *Query) Directions() []domain.Direction { return domain.Directions(q.Axes) }

// Columns returns the columns of the dimensions, then those of the value and of the unit, each once.
func (q *Query) Columns() []string {
	var all, columns []string
	for i := range q.Spec.By {
		all = append(all, q.Spec.By[i].Columns()...)
	}
	if q.Spec.Value != nil {
		all = append(all, q.Spec.Value.Columns...)
	}
	seen := map[string]bool{}
	for _, c := range append(all, q.Spec.Unit...) {
		if !seen[c] {
			seen[c] = true
			columns = append(columns, c)
		}
	}
	return columns
}

// Layout says where in batches of a schema the query finds its columns.
func (q *Query) Layout(s table.Schema, p *problem.Problems) domain.Layout {
	return domain.Layout{Schema: s, Columns: q.Columns(), Problems: p}
}

// CompileUnits makes what reads the privacy units of rows for a schema, and reports every column that does not fit.
func (q *Query) CompileUnits(s table.Schema, p *problem.Problems) *units.Reader {
	return units.New(q.Spec.Unit, q.Columns(), s, p)
}

// Copies is how many accumulators have cells of their own.
func (q *Query) Copies(workers int) int64 {
	if q.Spec.PerRow() {
		return int64(workers)
	}
	return 1
}

// Tally compiles a tally of the query against the table's schema, of which each batch will hold the columns of Columns, in that order.
// Errors are those of New.
func (q *Query) Tally(s table.Schema) (*tally.Tally, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	l := q.Layout(s, p)
	t := &tally.Tally{}
	listed := 0
	for i := range q.Spec.By {
		if q.Spec.By[i].Discover {
			t.AddDiscovered(&q.Spec.By[i], q.Spec.DimensionField(i), l)
			continue
		}
		t.AddDimension(q.Axes[listed], l)
		listed++
	}
	u := q.CompileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	if !q.Spec.PerRow() {
		t.AddUnit(q.Spec.Unit, u, l)
	}
	return t, nil
}

// Base returns what all kinds have.
func (q *Query) Base() *Query { return q }

// Steps are the bounds on the rows of a unit of which one is chosen, if it is discovered.
func (q *Query) Steps() []int64 { return privateclamp.Steps(q.Limits.Rows) }

// ByRank returns an answer of some vectors, which adds rows up by rank if the bound on the rows of a unit is discovered.
func (q *Query) ByRank(vectors int, answer func() accumulate.Answer) accumulate.Answer {
	if q.Spec.RowsShare == 0 {
		return answer()
	}
	return accumulate.NewRanked(accumulate.RankedOf{Steps: q.Steps(), Make: answer, Vectors: vectors})
}

// Gather returns an accumulator of a query. The first cellBytes of the content of a row are its cell.
func (q *Query) Gather(of query.Query, answer accumulate.Answer, u *units.Reader, cellBytes int, spill bounding.Spill) query.Accumulator {
	return gather.New(of, q.Spec.Unit, q.Limits, answer, u, cellBytes, spill)
}
