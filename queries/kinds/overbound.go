package kinds

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
)

// Units over a bound
//
// A count with a bound of k rows drops the further rows of a unit, so it is too small by an unknown number. This query
// counts the units that lost rows. Engines keep k + 1 rows of each unit, and count units by the number of rows that
// they keep, as for a discovered bound (discoveredrows.go). A unit of which k + 1 rows are kept has more than k. A unit
// counts once or not at all, so the sensitivity is 1 under both adjacencies.

// OverBound counts the units with more rows than the bounds of a count allow.
type OverBound struct {
	Base
	most int64 // the bound of the count; Limits.Rows is larger by 1
}

// newOverBound returns the query that counts the units with more rows than the count c allows (c.Limits).
func newOverBound(c Base, p *problem.Problems) kind {
	switch {
	case len(p.List) > 0:
		return nil
	case !c.Spec.BoundsUnits():
		p.Add("count.measure", problem.CodeBadSpec, "each row is a unit, which has one row: no bound cuts any",
			"remove measure, or name the columns that identify the privacy unit")
		return nil
	case c.Limits.Rows > accumulate.MaxRows:
		p.Add(maxRowsField, problem.CodeBadValue, fmt.Sprintf("no unit has more than %d rows", int64(accumulate.MaxRows)),
			"lower the bound, or remove measure")
		return nil
	}
	q := &OverBound{Base: c, most: c.Limits.Rows}
	q.Limits = bounding.Limits{Rows: q.most + 1, Cells: 1, RowsPerCell: q.most + 1}
	return q
}

// Components returns the only component. Its sensitivity is 1.
func (q *OverBound) Components(adj query.Adjacency) ([]query.Component, error) {
	if err := q.checkAdjacency(adj); err != nil {
		return nil, err
	}
	verb := " counts once if it has more than "
	if adj == query.ReplaceOne {
		verb = " can change from one that does not count to one that counts once, by having more than "
	}
	why := q.Spec.EachUnit() + verb + spelling.Count(q.most, "row") + ": 1"
	one := func(bounding.Limits, query.Adjacency) float64 { return 1 }
	sens, err := q.declared(adj, calibrate.Sensitivity{L2: 1, Why: why}, one)
	if err != nil {
		return nil, err
	}
	return []query.Component{{Sens: sens, Cells: 1, Quantum: 1, RowBound: 1, Scale: 1, Weight: 1, L1: 1, WhyL1: why,
		Cost: 1}}, nil
}

// Aggregation describes counting units by their number of rows: up to the bound, and above it.
func (q *OverBound) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	a, err := q.Base.Aggregation(s)
	a.Steps = []int64{q.most, q.most + 1}
	return a, err
}

// Hide returns the number of units above the bound as an exact answer.
func (q *OverBound) Hide(t accumulate.Totals) ([]mechanism.Exact, error) {
	return t.Ranked.HideLongest()
}

// Bytes returns 0: the two numbers of this query take almost no memory.
func (q *OverBound) Bytes(int, int64) int64 { return 0 }

// Finish returns the answer of the noisy number, as for a count.
func (q *OverBound) Finish(_ context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	if err := checkLengths(q.Name(), noisy, estimate, 1); err != nil {
		return query.Answer{}, err
	}
	a := answerWithNoise(noisy[0].Fill, estimate[0].Fill, noisy[0].Mechanism(), 1)
	a.Cells, a.Keys = 1, domain.KeyColumns(nil)
	return a, nil
}

// Recover reads the noisy number back.
func (q *OverBound) Recover(c query.Columns, grids []float64) (query.Recovered, error) {
	return recoverColumns(1, grids, c.Noisy)
}

// LooksEmpty returns false: if no unit is above the bound, the input need not be empty.
func (q *OverBound) LooksEmpty([]mechanism.Noisy) bool { return false }
