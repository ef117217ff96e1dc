package queries

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
)

// Accumulator gathers the exact answers of one worker. It is not safe for use by several goroutines. No error of it
// depends on a row's value.
type Accumulator interface {
	// Add takes in the rows of a batch that its Keep keeps, and keeps nothing that belongs to it.
	Add(*table.Batch) error
	// Merge takes in all that another accumulator of the same query holds, and empties it.
	Merge(Accumulator) error
	// Seal bounds what each unit contributes and returns the exact answer of each component. The accumulator is spent.
	Seal() ([]mechanism.Exact, error)
}

// gathering is the accumulator of every kind of query. If the privacy unit is made of columns it keeps all rows: bounds are enforced when it
// is sealed, on the whole of a unit's rows.
type gathering struct {
	query  Query
	answer accumulate.Answer // nil if the accumulator is spent
	rows   *bounding.Rows    // nil if each row is a unit, or if rows are shared
	unit   []string
	limits bounding.Limits
	tally  bounding.BoundTally
	shared *sharing            // nil if the rows of units are the query's own
	part   *bounding.QueryRows // of the shared rows; nil if these are bounded
}

// gather returns an accumulator of a query. Records of rows of units have contents of cellBytes and some components.
func (q *counting) gather(of Query, answer accumulate.Answer, u *bounding.Units, cellBytes, components int, spill bounding.Spill) Accumulator {
	g := &gathering{query: of, answer: answer, unit: q.spec.Unit, limits: q.limits}
	if !q.spec.perRow() {
		g.rows = bounding.NewRows(u, cellBytes, components, spill)
	}
	return g
}

// Add adds the rows of a batch to the answer, or keeps them if the unit is made of columns.
func (g *gathering) Add(b *table.Batch) error {
	switch {
	case g.answer == nil:
		return bounding.ErrSpent
	case g.part != nil:
		if err := g.answer.WriteRows(b, g.part); err != nil {
			return err
		}
		return g.part.EndBatch()
	case g.rows == nil:
		return g.answer.AddRows(b)
	}
	return g.answer.WriteRows(b, g.rows)
}

// Merge takes in another's answer and rows.
func (g *gathering) Merge(other Accumulator) error {
	o, ok := other.(*gathering)
	switch {
	case !ok || o == g || o.query != g.query:
		return bounding.ErrMerge
	case g.answer == nil || o.answer == nil:
		return bounding.ErrSpent
	}
	switch {
	case (g.shared == nil) != (o.shared == nil):
		return bounding.ErrMerge
	case g.shared != nil:
		if err := g.part.Merge(o.part); err != nil {
			return err
		}
	case g.rows != nil:
		if err := g.rows.Merge(o.rows); err != nil {
			return err
		}
	}
	if err := g.answer.Merge(o.answer); err != nil {
		return err
	}
	o.answer, o.rows, o.part = nil, nil, nil
	return nil
}

// Seal bounds the rows of units, if there are some, and hides the answer.
func (g *gathering) Seal() ([]mechanism.Exact, error) {
	answer := g.answer
	if answer == nil {
		return nil, bounding.ErrSpent
	}
	if g.shared != nil {
		if err := g.shared.bound(); err != nil {
			return nil, err
		}
	}
	g.answer = nil
	if g.rows != nil {
		var err error
		g.tally, err = g.rows.Bound(g.limits, answer.AddRecords())
		if g.rows = nil; err != nil {
			return nil, err
		}
	}
	return answer.Seal()
}

// Bounded returns the tally of an accumulator that is sealed; that of one without units is 0.
func Bounded(a Accumulator) bounding.BoundTally {
	if g, ok := a.(*gathering); ok {
		return g.tally
	}
	return bounding.BoundTally{}
}
