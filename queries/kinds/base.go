// Package kinds has the kinds of query, implementations of [query.Query]. [New] chooses the kind of a spec.
//
// A kind embeds [Base], or [Sums] if it adds values up. It says what it counts or adds up, with which noise, and
// what becomes of the noisy vectors. Each has a file:
//
//   - histogram.go: counts and histograms; kernel.go spreads their rows over points
//   - ordered.go: histograms for the sums below their edges
//   - commonnoise.go: histograms whose cells have noise in common
//   - discovered.go: histograms whose keys are not listed; bykeys.go: sums by the keys that such a histogram selects
//   - crosstabs.go and the files after it: tables that share their noise
//   - sums.go: what sums, means and variances have in common; sum.go, mean.go and variance.go
//   - clamped.go: sums whose clamp is discovered; limited.go: queries whose bound on the rows of a unit is discovered
package kinds

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

// Base is what a query of any kind has: the rows of its privacy units, within limits, in the cells that its axes make.
type Base struct {
	Spec   query.Spec
	Axes   []domain.Axis // of the dimensions whose keys are listed
	Size   int           // the number of cells
	Limits bounding.Limits
}

// newBase checks the dimensions and bounds of a spec whose cells are listed. Its answer has some columns beside those
// of every answer.
func newBase(s query.Spec, columns []string, p *problem.Problems) Base {
	axes := newAxes(s, columns, p)
	cells := countCells(s, axes, p)
	return Base{Spec: s, Axes: axes, Size: cells, Limits: newLimits(s, cells, p)}
}

// Name returns the query's name.
func (q *Base) Name() string { return q.Spec.Name }

// resized returns the query with another number of cells.
func (q *Base) resized(cells int) Base {
	out := *q
	out.Size = cells
	return out
}

// Cells returns the length of the answer.
func (q *Base) Cells() int { return q.Size }

// Directions returns those of the axes.
func (q *Base) Directions() []domain.Direction { return domain.Directions(q.Axes) }

// Columns returns the columns of the dimensions, then those of the value and of the unit, each once.
func (q *Base) Columns() []string {
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
func (q *Base) Layout(s table.Schema, p *problem.Problems) domain.Layout {
	return domain.Layout{Schema: s, Columns: q.Columns(), Problems: p}
}

// compileUnits makes what reads the privacy units of rows for a schema, and reports every column that does not fit.
func (q *Base) compileUnits(s table.Schema, p *problem.Problems) *units.Reader {
	return units.New(q.Spec.Unit, q.Spec.FloatUnit, q.Columns(), s, p)
}

// copies is how many accumulators have cells of their own.
func (q *Base) copies(workers int) int64 {
	if q.Spec.PerRow() {
		return int64(workers)
	}
	return 1
}

// Tally compiles a tally of the query against the table's schema, of which each batch will hold the columns of Columns,
// in that order. Errors are those of New.
func (q *Base) Tally(s table.Schema) (*tally.Tally, error) {
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
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	if !q.Spec.PerRow() {
		t.AddUnit(q.Spec.Unit, u, l)
	}
	return t, nil
}

// common returns what all kinds have.
func (q *Base) common() *Base { return q }

// Steps are the bounds on the rows of a unit of which one is chosen, if it is discovered.
func (q *Base) Steps() []int64 { return privateclamp.Steps(q.Limits.Rows) }

// byRank returns an answer of some vectors, which adds rows up by rank if the bound on the rows of a unit is
// discovered.
func (q *Base) byRank(vectors int, answer func() accumulate.Answer) accumulate.Answer {
	if q.Spec.RowsShare == 0 {
		return answer()
	}
	return accumulate.NewRanked(accumulate.RankedOf{Steps: q.Steps(), Make: answer, Vectors: vectors})
}

// gather returns an accumulator of a query. The first cellBytes of the content of a row are its cell.
func (q *Base) gather(of query.Query, answer accumulate.Answer, u *units.Reader, cellBytes int,
	spill bounding.Spill) query.Accumulator {
	return gather.New(of, q.Spec.Unit, q.Limits, answer, u, cellBytes, spill)
}
