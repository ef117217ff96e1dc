// Package gather has the accumulator of every kind of query: it adds rows to an answer, or keeps the rows of privacy
// units until their bounds are enforced.
package gather

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/query"
)

// Gathering is the accumulator of every kind of query. If the privacy unit is made of columns it keeps all rows: bounds
// are enforced when it is sealed, on the whole of a unit's rows.
type Gathering struct {
	query  query.Query
	answer accumulate.Answer // nil if the accumulator is spent
	Rows   *bounding.Rows    // nil if each row is a unit, or if rows are shared
	unit   []string
	limits bounding.Limits
	tally  bounding.BoundTally
	shared *sharing            // nil if the rows of units are the query's own
	part   *bounding.QueryRows // of the shared rows; nil if these are bounded
}

// New returns an accumulator of a query. The first cellBytes of a content are its cell.
func New(of query.Query, unit []string, limits bounding.Limits, answer accumulate.Answer, u *units.Reader,
	cellBytes int, spill bounding.Spill) query.Accumulator {
	g := &Gathering{query: of, answer: answer, unit: unit, limits: limits}
	if len(unit) > 0 {
		g.Rows = bounding.NewRows(u, cellBytes, answer.Content(), spill)
	}
	return g
}

// Add adds the rows of a batch to the answer, or keeps them if the unit is made of columns.
func (g *Gathering) Add(b *table.Batch) error {
	switch {
	case g.answer == nil:
		return bounding.ErrSpent
	case g.part != nil:
		if err := g.answer.WriteRows(b, g.part); err != nil {
			return err
		}
		return g.part.EndBatch()
	case g.Rows == nil:
		return g.answer.AddRows(b)
	}
	if err := g.answer.WriteRows(b, g.Rows); err != nil {
		return err
	}
	return g.Rows.EndBatch()
}

// Merge takes in another's answer and rows.
func (g *Gathering) Merge(other query.Accumulator) error {
	o, ok := other.(*Gathering)
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
	case g.Rows != nil:
		if err := g.Rows.Merge(o.Rows); err != nil {
			return err
		}
	}
	if err := g.answer.Merge(o.answer); err != nil {
		return err
	}
	o.answer, o.Rows, o.part = nil, nil, nil
	return nil
}

// Seal bounds the rows of units, if there are some, and hides the answer.
func (g *Gathering) Seal() ([]mechanism.Exact, error) {
	answer := g.answer
	if answer == nil {
		return nil, bounding.ErrSpent
	}
	if g.shared != nil {
		if err := g.shared.bound(); err != nil {
			return nil, err
		}
	}
	if g.Rows != nil {
		tally, err := g.Rows.BoundBy(g.bounded())
		g.takeTally(answer, tally)
		if g.Rows = nil; err != nil {
			g.answer = nil
			return nil, err
		}
	}
	g.answer = nil
	return answer.Seal()
}

// takeTally takes in what bounding the rows of units has counted.
func (g *Gathering) takeTally(answer accumulate.Answer, t bounding.BoundTally) {
	g.tally = t
	if c, ok := answer.(accumulate.UnitCounter); ok {
		c.AddUnits(t.Units)
	}
}

// bounded is the bounds of the query and what takes in the rows that they leave.
func (g *Gathering) bounded() bounding.Bounded {
	if ranked, ok := g.answer.(*accumulate.Ranked); ok {
		return bounding.Bounded{Limits: g.limits, Ranked: ranked.ByRank()}
	}
	return bounding.Bounded{Limits: g.limits, Keep: g.answer.AddRecords()}
}

// Bounded returns the tally of an accumulator that is sealed; that of one without units is 0.
func Bounded(a query.Accumulator) bounding.BoundTally {
	if g, ok := a.(*Gathering); ok {
		return g.tally
	}
	return bounding.BoundTally{}
}

// sharing is queries that share the rows of units.
type sharing struct {
	members []*Gathering
	done    bool
	failed  error
}

// bound bounds the rows for all queries, when the first of them is sealed.
func (s *sharing) bound() error {
	if s.done {
		return s.failed
	}
	s.done = true
	parts, bounds := make([]*bounding.QueryRows, len(s.members)), make([]bounding.Bounded, len(s.members))
	for i, g := range s.members {
		if g.answer == nil {
			s.failed = bounding.ErrSpent
			return s.failed
		}
		parts[i], bounds[i] = g.part, g.bounded()
		g.part = nil
	}
	tallies, err := bounding.BoundTogether(parts, bounds)
	for i, g := range s.members {
		g.takeTally(g.answer, tallies[i])
	}
	s.failed = err
	return err
}
