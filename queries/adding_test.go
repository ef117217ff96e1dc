package queries

import (
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
)

// adding is an accumulator with its query.
type adding struct {
	*Accumulator
	of Query
}

func (a adding) Merge(o adding) error { return a.Accumulator.Merge(o.Accumulator) }

func (a adding) hide() ([]mechanism.Exact, error) { return HideTotals(a.of, a.Accumulator) }

// newAdding makes the accumulator of a query over a table.
func newAdding(q Query, s table.Schema, spill bounding.Spill) (a adding, err error) {
	all, err := addSeparately([]Query{q}, s, spill)
	if err != nil {
		return a, err
	}
	return all[0], nil
}

// addTogether makes the accumulators of queries that share the rows of units.
func addTogether(qs []Query, s table.Schema, spill bounding.Spill) ([]adding, error) {
	return addingBy(NewAccumulators, qs, s, spill)
}

// addSeparately makes the accumulators of queries that share no rows.
func addSeparately(qs []Query, s table.Schema, spill bounding.Spill) ([]adding, error) {
	return addingBy(NewSeparately, qs, s, spill)
}

func addingBy(newAll func([]*aggregation.Aggregation, bounding.Spill) ([]*Accumulator, error), qs []Query,
	s table.Schema, spill bounding.Spill) (out []adding, err error) {
	of := []*aggregation.Aggregation{}
	for _, q := range qs {
		a, err := q.Aggregation(s)
		if err != nil {
			return nil, err
		}
		of = append(of, a)
	}
	all, err := newAll(of, spill)
	for i, a := range all {
		out = append(out, adding{a, qs[i]})
	}
	return out, err
}

// bare returns the accumulators without their queries.
func bare(all []adding) (out []*Accumulator) {
	for _, a := range all {
		out = append(out, a.Accumulator)
	}
	return out
}

// groupingOf makes the coders of axes, or reports every column that does not fit and returns nil.
func groupingOf(axes []domain.Axis, l domain.BatchColumns) *domain.Grouping {
	codings, sizes := domain.Codings(axes, l)
	if len(l.Problems.List) > 0 {
		return nil
	}
	return domain.NewGrouping(codings, sizes, l)
}
