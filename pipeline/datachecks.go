package pipeline

import (
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/tally"
)

// DataChecks counts, for the operator, the rows that a plan cannot use. Its numbers are exact and private: the operator
// may read the input, but the numbers never become part of a release, a ledger or a metric. Nothing that is released
// depends on them, unless the job refuses unusable columns.
type DataChecks struct {
	// Rows is the number of rows of the input, Skipped the rows that the files' statistics rule out by the filters, and
	// Looked the rows that the tallies count: all others, or a sample of them.
	Rows, Skipped, Looked int64
	// Filters has one input for each filter; it counts the tallied rows once for each of the job's events, as Queries
	// do.
	Filters *tally.Tally
	// Queries are in the plan's order.
	Queries []QueryCheck
	// Tables are the checks of each table, if there are several, by [Plan.OfTable]; nil of a table that no query reads.
	// All other fields are empty then.
	Tables []*DataChecks
}

// QueryCheck holds the counts of rows for one query.
type QueryCheck struct {
	Name string
	*tally.Tally
	// Bounds counts all rows, even if only a sample is tallied.
	Bounds bounding.BoundTally
}

// Merge adds the counts of another worker for the same plan.
func (c *DataChecks) Merge(o *DataChecks) {
	c.Rows += o.Rows
	c.Skipped += o.Skipped
	c.Looked += o.Looked
	c.Filters.Merge(o.Filters)
	for i := range c.Queries {
		c.Queries[i].Merge(o.Queries[i].Tally)
	}
}

// All reports whether all rows were tallied, except the rows that the files' statistics rule out.
func (c *DataChecks) All() bool { return c.Looked+c.Skipped == c.Rows }
