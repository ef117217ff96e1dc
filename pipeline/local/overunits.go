package local

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/perunit"
)

// Queries over units
//
// A query over units reads the table of units, which has one row for each privacy unit, computed from the unit's rows.
// A scan then has two passes. The first reads the input as usual, and each worker gathers rows for the table of units.
// The second passes the table of units to the accumulators of these queries; it holds one row per unit.

// unitsWorker gathers, on one worker, the rows for the table of units. It is nil if no query is over units.
type unitsWorker struct {
	bound   *perunit.Compiled
	builder *perunit.Builder
	at      []int  // indices, among the logical columns, of the columns to gather
	over    []bool // over[i]: query i is over units
}

func newUnitsWorker(p *pipeline.Plan, schema table.Schema, spill bounding.Spill) (*unitsWorker, error) {
	bound, err := p.Units(schema)
	if err != nil || bound == nil {
		return nil, err
	}
	u := &unitsWorker{bound: bound, builder: bound.Builder(spill)}
	for i, q := range p.Queries() {
		u.over = append(u.over, q.OverUnits())
		if q.OverUnits() {
			u.at = positions(p, p.Reads(i))
		}
	}
	return u, nil
}

// newAccumulators makes the accumulators of all queries. Queries over units have accumulators of their own group, which
// share no rows with other queries.
func newAccumulators(p *pipeline.Plan, of []*aggregation.Aggregation, spill bounding.Spill,
	l Limits) ([]*queries.Accumulator, error) {
	accumulators := queries.NewAccumulators
	if l.Separate {
		accumulators = queries.NewSeparately
	}
	out := make([]*queries.Accumulator, len(of))
	for _, over := range []bool{false, true} {
		var some []*aggregation.Aggregation
		var at []int
		for i, a := range of {
			if p.Queries()[i].OverUnits() == over {
				some, at = append(some, a), append(at, i)
			}
		}
		if len(some) == 0 {
			continue
		}
		made, err := accumulators(some, spill)
		if err != nil {
			return nil, err
		}
		for k, i := range at {
			out[i] = made[k]
		}
	}
	return out, nil
}

// positions returns the indices of the columns that a query names: in the table of units if the query is over units,
// and otherwise among the logical columns.
func (u *unitsWorker) positions(p *pipeline.Plan, query int, names []string) []int {
	if !u.asked(query) {
		return positions(p, names)
	}
	var at []int
	for _, name := range names {
		at = append(at, u.bound.Schema.Index(name))
	}
	return at
}

// asked reports whether a query is over units.
func (u *unitsWorker) asked(query int) bool { return u != nil && u.over[query] }

// reads returns the logical columns that are gathered for the table of units.
func (u *unitsWorker) reads() []int {
	if u == nil {
		return nil
	}
	return u.at
}

// schema returns the schema of the table of units.
func (u *unitsWorker) schema() table.Schema {
	if u == nil {
		return table.Schema{}
	}
	return u.bound.Schema
}

// add adds the rows i with keep[i] to the table of units. The batch has the columns that queries name; an event may
// have put other columns in their place.
func (u *unitsWorker) add(logical *table.Batch, keep []bool) error {
	if u == nil {
		return nil
	}
	return u.builder.Add(selectColumns(logical, u.at, keep))
}

// aggregateOverUnits adds the table of units, gathered by all workers, to the first worker's accumulators of queries
// over units.
func aggregateOverUnits(workers []*worker) error {
	first := workers[0]
	if first.units == nil {
		return nil
	}
	for _, w := range workers[1:] {
		first.units.builder.Merge(w.units.builder)
	}
	add := func(b *table.Batch) error {
		if err := first.applyFilters(b, nil, true); err != nil {
			return err
		}
		for q, a := range first.accumulators {
			if !first.units.asked(q) {
				continue
			}
			batch := selectColumns(b, first.columns[q], nil)
			if own := first.own[q]; own != nil {
				batch.Keep = own.kept
			}
			if first.inspection != nil {
				if err := first.inspection.Queries[q].Add(batch); err != nil {
					return err
				}
			}
			if err := a.Add(batch); err != nil {
				return err
			}
		}
		return nil
	}
	return first.units.builder.Each(func(b *table.Batch) error { return b.Pieces(first.atOnce, add) })
}
