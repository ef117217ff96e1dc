package local

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/tally"
)

// Data checks
//
// A tally counts the rows of a query that are null, not valid for their type, outside every cell or clamped. A worker
// may have tallies besides its accumulators; they decode the columns a second time. That takes about as long as the
// answers themselves, so a run tallies only some batches: the whole input if it has up to about two million rows, and
// otherwise an even sample.

// Look selects how much of the input is tallied for the data checks.
type Look int

// LookNone tallies nothing. LookSome tallies all of a small input and an even sample of a large one. LookAll tallies
// everything.
const (
	LookNone Look = iota
	LookSome
	LookAll
)

// A sample takes up to sampledSplits evenly spread splits, and in total sampledBatches batches from the beginnings of
// these splits. Of the later batches of these splits it takes every sampledStep-th.
const (
	sampledSplits  = 32
	sampledBatches = 32
	sampledStep    = 32
)

// looksAt reports whether a batch of a split is tallied. The choice depends on its arguments alone, never on a row.
func (l Look) looksAt(split, splits, batch int) bool {
	switch l {
	case LookNone:
		return false
	case LookAll:
		return true
	}
	step := (splits + sampledSplits - 1) / sampledSplits
	return split%max(step, 1) == 0 && (batch < max(1, sampledBatches/max(splits, 1)) || batch%sampledStep == 0)
}

// inspection holds the tallies of one worker, and its evaluator.
type inspection struct {
	pipeline.DataChecks
}

// newInspection makes the tallies of a plan. ofUnits is the schema of the table of units, if a query is over units.
func newInspection(p *pipeline.Plan, logical, ofUnits table.Schema) (*inspection, error) {
	x := &inspection{}
	var err error
	if x.Filters, err = tally.OfFilters(p.Filters(), logical, p.Location()); err != nil {
		return nil, err
	}
	for _, q := range p.Queries() {
		of := logical
		if q.OverUnits() {
			of = ofUnits
		}
		t, err := q.Query.Tally(of)
		if err != nil {
			return nil, err
		}
		check := pipeline.QueryCheck{Name: q.Query.Name(), Tally: t}
		if len(q.Filters.Specs) > 0 && !q.OverUnits() {
			if check.Filters, err = tally.OfFilters(q.Filters, logical, p.Location()); err != nil {
				return nil, err
			}
		}
		x.Queries = append(x.Queries, check)
	}
	return x, nil
}

// setBounds copies the counts of rows that a query's contribution bounds dropped from its accumulator. Call it after
// the accumulator's totals were hidden.
func setBounds(c *pipeline.DataChecks, query int, a *queries.Accumulator) {
	if c != nil {
		c.Queries[query].Bounds = a.Bounded()
	}
}
