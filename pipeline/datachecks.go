package pipeline

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/tally"
)

// This file holds what an engine saw of the rows that a plan has no use for, and judges it: which columns and queries
// are unusable, or odd.

// DataChecks is what an engine saw of the rows that a plan has no use for. Its numbers are exact and private: they are
// for the operator, who may read the input, and never become part of a release, a ledger or a metric. Nothing that is
// released depends on them, unless the run is asked to refuse columns that are unusable.
type DataChecks struct {
	// Rows is the number of rows of the input, Skipped those that the files' statistics rule out by the filters, and
	// Looked those that the columns and tallies speak of: all others, or a part of them.
	Rows, Skipped, Looked int64
	Columns               []ColumnCheck
	// Filters has one input a filter; its rows, like those of queries, are the looked-at ones, once for each of the job's
	// events.
	Filters *tally.Tally
	// Queries are in the plan's order.
	Queries []QueryCheck
}

// ColumnCheck is a column of the input, before filters.
type ColumnCheck struct {
	Name string
	Type table.Type
	// Null rows have no value or NaN, Unparsed ones a text that is no value of the type, Garbled ones a text that is not
	// UTF-8.
	Rows, Null, Unparsed, Garbled int64
}

// QueryCheck is the rows of one query.
type QueryCheck struct {
	Name string
	*tally.Tally
	// Bounds are of all rows, whatever part of them was looked at.
	Bounds bounding.BoundTally
}

// Merge adds what another engine's worker saw of the same plan.
func (c *DataChecks) Merge(o *DataChecks) {
	c.Rows += o.Rows
	c.Skipped += o.Skipped
	c.Looked += o.Looked
	for i := range c.Columns {
		a, b := &c.Columns[i], &o.Columns[i]
		a.Rows += b.Rows
		a.Null += b.Null
		a.Unparsed += b.Unparsed
		a.Garbled += b.Garbled
	}
	c.Filters.Merge(o.Filters)
	for i := range c.Queries {
		c.Queries[i].Merge(o.Queries[i].Tally)
	}
}

// All says whether every row was looked at that the files' statistics do not rule out.
func (c *DataChecks) All() bool { return c.Looked+c.Skipped == c.Rows }
