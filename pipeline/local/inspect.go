package local

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/tally"
)

// Data checks
//
// A worker may have tallies besides its accumulators. They code the columns a second time and count the rows that are
// null, unparsed, outside a domain or clamped. That takes about as long as the answers themselves, so a run tallies
// only some batches: the whole input if it has up to about two million rows, and otherwise an even sample.

// Look is how much of the input is tallied for the data checks.
type Look int

// LookNone tallies nothing, LookSome all of a small input and an even sample of a large one, and LookAll everything.
const (
	LookNone Look = iota
	LookSome
	LookAll
)

// A sample consists of at most sampledSplits splits, evenly spread. From each split it takes the first batches,
// sampledBatches over all splits, and every sampledStep-th of the other batches.
const (
	sampledSplits  = 32
	sampledBatches = 32
	sampledStep    = 32
)

// looksAt reports whether a batch of a split is tallied. It depends on these numbers alone.
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

// inspection holds the tallies of one worker.
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
		x.Queries = append(x.Queries, pipeline.QueryCheck{Name: q.Query.Name(), Tally: t})
	}
	return x, nil
}

// setBounds sets the bounds of a query whose totals are hidden.
func setBounds(c *pipeline.DataChecks, query int, a *queries.Accumulator) {
	if c != nil {
		c.Queries[query].Bounds = a.Bounded()
	}
}
