package kinds

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Queries whose bound on the rows of a unit is discovered
//
// The job gives a public upper limit, which may be generous. A fraction of the query's budget mu² is spent on a
// histogram of the number of rows of each unit. It has a cell for each power of two, and each unit counts in one cell.
// The noisy histogram is released, and the bound is chosen from it (queries/internal/privateclamp). The rest of mu² is
// spent on the answers, whose sensitivity depends on the bound. Both mu are fixed before a row is read, as for a clamp
// (discoveredclamp.go).
//
// One pass over the rows suffices. Rows of a unit beyond the upper limit are dropped. Every other row has a rank: the
// smallest bound under which the row still counts (queries/bounding). So the answer under a bound is the sum of the
// totals of all ranks up to this bound (queries/internal/accumulate).

// Limited is a query whose bound on the rows of a unit is discovered. Before the bound is chosen, it is the upper
// limit.
type Limited struct {
	query.Query
	base *Base
	with func(maxRows int64) (query.Query, error)
}

const (
	maxRowsField      = problem.FieldBounds + ".max_rows"
	maxRowsUpToField  = problem.FieldBounds + ".max_rows_up_to"
	maxRowsShareField = problem.FieldBounds + ".max_rows_share"
	maxRowsRemedy     = "write max_rows: N from what you know about the data"
)

// checkLimited reports parts of a spec that a query with a discovered bound cannot have.
func checkLimited(s query.Spec, p *problem.Problems) {
	switch {
	case !s.BoundsUnits():
		p.Add(maxRowsField, problem.CodeBadSpec, "each row is a unit, which has one row",
			"leave per_unit out, or name the columns that identify the privacy unit")
	case s.Kind == query.OverBound:
		p.Add(maxRowsField, problem.CodeBadSpec, "the units over a bound are counted for a bound that is known",
			maxRowsRemedy)
	case s.Kind == query.Crosstab || s.Read.Sums || s.CommonNoise != "":
		p.Add(maxRowsField, problem.CodeBadSpec, "the noise of this query is laid out for a bound that is known",
			maxRowsRemedy+", or ask for histograms")
	case s.Discovers():
		p.Add(maxRowsField, problem.CodeBadSpec, "keys are discovered with a threshold for a bound that is known",
			maxRowsRemedy+", or list the keys")
	case s.Value != nil && s.Value.Share != 0:
		p.Add(maxRowsField, problem.CodeBadSpec, "a query discovers its clamp or its bound on rows, and not both",
			maxRowsRemedy+", or clamp: [lo, hi]")
	case s.Declared != 0:
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec, "the sensitivity follows from the bound that is discovered",
			"leave the declaration out")
	case s.Bounds.MaxRows < 2 || s.Bounds.MaxRows > privateclamp.MostRows:
		p.Add(maxRowsUpToField, problem.CodeBadValue, fmt.Sprintf("the largest bound is at least 2 and at most %d",
			privateclamp.MostRows), "it may be generous, such as 1000")
	case !(s.RowsShare > 0 && s.RowsShare < 1):
		p.Add(maxRowsShareField, problem.CodeBadValue, "the share of mu² that finding the bound takes is above 0 and below 1",
			"")
	}
}

// newLimited returns the query with a discovered bound. q is the same query with the largest bound, and with returns it
// with another bound.
func newLimited(q kind, with func(maxRows int64) (query.Query, error), p *problem.Problems) query.Query {
	out := &Limited{Query: q, base: q.common(), with: with}
	if len(out.Steps()) < 2 {
		p.Add(maxRowsField, problem.CodeBadSpec,
			"the other bounds leave a unit one row at most: there is nothing to discover", "leave max_rows out, or raise "+
				"max_rows_per_group; a count is one cell")
		return nil
	}
	return out
}

// Steps returns the bounds from which one is chosen, in ascending order.
func (q *Limited) Steps() []int64 { return privateclamp.Steps(q.base.Limits.Rows) }

// RuleVersion returns the version of the rule by which the bound is chosen.
func (q *Limited) RuleVersion() int { return privateclamp.RowsRule }

// Widest returns the range of bounds: from 1 to the largest.
func (q *Limited) Widest() mechanism.Range { return mechanism.Range{Low: 1, High: q.base.Limits.Rows} }

// Chosen returns the query with the bound r.High.
func (q *Limited) Chosen(r mechanism.Range) (query.Query, error) {
	if r.Low != 1 || r.High < 1 || r.High > q.base.Limits.Rows {
		return nil, fmt.Errorf("query %s: the bound is not within its public range", q.Name())
	}
	return q.with(r.High)
}

// Components returns the components that are charged: they have the sensitivity under the largest bound.
func (q *Limited) Components(adj query.Adjacency) ([]query.Component, error) {
	components, err := q.Query.Components(adj)
	for i := range components {
		components[i].Sens.Why = fmt.Sprintf("max_rows is found first, with %.4g %% of the query's mu², at most %s; were "+
			"it that: %s", 100*q.base.Spec.RowsShare, spelling.Integer(q.base.Limits.Rows), components[i].Sens.Why)
	}
	return components, err
}

// Follows reports for each component whether it depends on the bound. All do.
func (q *Limited) Follows() []bool {
	components, err := q.Query.Components(query.AddRemove)
	if err != nil {
		return nil // Components reports the error
	}
	return slices.Repeat([]bool{true}, len(components))
}

// rowsHistogramName is the name of the histogram's component.
const rowsHistogramName = "max_rows"

// Histogram returns the component of the histogram of rows per unit. A unit with rows adds 1 to one cell. Under
// replace-one it may also move from one cell to another.
func (q *Limited) Histogram(adj query.Adjacency) (query.Component, error) {
	if err := q.base.checkAdjacency(adj); err != nil {
		return query.Component{}, err
	}
	sens := calibrate.Sensitivity{L2: 1, Why: q.base.Spec.EachUnit() +
		" counts in one cell of the histogram of rows: 1"}
	if adj == query.ReplaceOne {
		sens = calibrate.Sensitivity{L2: sensitivity.RootUp(big.NewInt(2)), Why: q.base.Spec.EachUnit() +
			" can move from one cell of the histogram of rows to another: sqrt(2)"}
	}
	return query.Component{Name: rowsHistogramName, Sens: sens, Cells: len(q.Steps()), Quantum: 1, RowBound: 1, Scale: 1,
		Weight: q.base.Spec.RowsShare}, nil
}

// Aggregation describes the query's totals by the ranks of rows.
func (q *Limited) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	a, err := q.Query.Aggregation(s)
	if err == nil {
		a.Steps = q.Steps()
	}
	return a, err
}

// Hide returns the exact answers, for which a bound must be chosen before they get noise, and the histogram.
func (q *Limited) Hide(t accumulate.Totals) ([]mechanism.Exact, error) {
	return t.Ranked.Hide(len(q.Follows()), q.Query.Hide)
}

// Bytes returns the memory for one answer for each possible bound: see [query.Query].
func (q *Limited) Bytes(workers int, maxDense int64) int64 {
	return q.Query.Bytes(workers, maxDense) * int64(len(q.Steps())+1)
}

// Find chooses the bound from the noisy histogram.
func (q *Limited) Find(histogram mechanism.Noisy, charged []calibrate.Mechanism,
	adj query.Adjacency) (query.SearchResult,
	error) {
	m := histogram.Mechanism()
	s := &query.RowsSearch{RuleVersion: privateclamp.RowsRule, Steps: q.Steps(), Groups: q.Cells(), Grid: m.Grid,
		Deviation: m.Deviation(), Cells: gridCells(histogram)}
	for _, k := range s.Steps {
		noise, err := q.noise(k, charged, adj)
		if err != nil {
			return query.SearchResult{}, err
		}
		s.Noise = append(s.Noise, noise)
	}
	return query.SearchResult{Rows: s}, s.Choose()
}

// noise returns the standard deviation of an answer's noise under a bound. It combines all components, and assumes that
// a row adds at most 1.
func (q *Limited) noise(maxRows int64, charged []calibrate.Mechanism, adj query.Adjacency) (float64, error) {
	with, err := q.with(maxRows)
	if err != nil {
		return 0, err
	}
	components, err := with.Components(adj)
	if err != nil {
		return 0, err
	}
	noise := 0.0
	for i, c := range components {
		m, err := charged[i].Chosen(c.Sens, c.Quantum, c.RowBound)
		if err != nil {
			return 0, err
		}
		noise = math.Hypot(noise, float64(m.Sigma)/c.RowBound)
	}
	return noise, nil
}
