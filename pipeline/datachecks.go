package pipeline

import (
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/tally"
)

// DataChecks counts the rows that a plan cannot use, for the operator (the person who runs the job). Its numbers are
// exact and private: the operator may read the input, but the numbers never become part of a release, a ledger or a
// metric. Nothing that is released depends on them, unless the job refuses unusable columns.
type DataChecks struct {
	// Rows is the number of rows of the input. Skipped counts the rows that were not read, because the files' min/max
	// statistics prove that the filters exclude them. Looked counts the rows that the tallies cover: all other rows, or
	// a sample of them.
	Rows, Skipped, Looked int64
	// Filters tallies each filter's columns. If the job has events, Filters and Queries count a row once for each
	// event.
	Filters *tally.Tally
	// Queries has one entry per query, in the plan's order.
	Queries []QueryCheck
	// Tables has the checks of each table if the plan has several, in the order of [Plan.OfTable]; nil for a table that no
	// query reads. All other fields are empty then.
	Tables []*DataChecks
}

// QueryCheck holds the row counts of one query.
type QueryCheck struct {
	Name string
	*tally.Tally
	// Filters tallies the columns of the query's own filters, over the rows that the table's filters keep; nil if the
	// query has none or is over units.
	Filters *tally.Tally
	// Bounds counts the rows that contribution bounds drop: over all rows, even if the tallies cover only a sample.
	Bounds bounding.BoundTally
}

// Merge adds the counts that another worker made for the same plan.
func (c *DataChecks) Merge(o *DataChecks) {
	c.Rows += o.Rows
	c.Skipped += o.Skipped
	c.Looked += o.Looked
	c.Filters.Merge(o.Filters)
	for i := range c.Queries {
		c.Queries[i].Merge(o.Queries[i].Tally)
		if own := c.Queries[i].Filters; own != nil {
			own.Merge(o.Queries[i].Filters)
		}
	}
}

// All reports whether the tallies cover all rows except the skipped ones.
func (c *DataChecks) All() bool { return c.Looked+c.Skipped == c.Rows }
