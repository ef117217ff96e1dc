package bounding

import (
	"math"
)

// Bounded holds the bounds of a query and the function that receives kept rows, as content and number of rows. Keep is
// called by one goroutine at a time.
type Bounded struct {
	Limits Limits
	Keep   func(content []byte, rows uint64)
	Ranked *Ranked // not nil if rows are kept by rank, and not by Keep
	// KeepOf takes the place of Keep if it is not nil: it receives the number of contents that are kept of the unit,
	// too.
	KeepOf func(content []byte, contents int)
}

// Ranked takes in rows by rank. Its functions are called by one goroutine at a time.
type Ranked struct {
	// Steps are the bounds that may be chosen, ascending; the largest is the bound of the limits.
	Steps []int64
	// Keep receives rows with the same content that are kept under the bound Steps[step] and all larger ones.
	Keep func(step int, content []byte, rows uint64)
	// Units receives the number of units whose last row is kept from a step on.
	Units func(step int, units int64)
}

// BoundTally counts a query's rows that have a cell, a value and a unit, the rows that the bounds drop, and the units
// with a kept row. Like all tallies for the operator it is exact and private.
type BoundTally struct{ Rows, Cut, Units int64 }

// boundQuery is a query of a run.
type boundQuery struct {
	view
	Bounded
}

// unitBounder bounds the units of one partition after the other, for all queries.
type unitBounder struct {
	rows    *gatherer
	queries []queryBounder
	few     int64 // a unit with at most this many rows is within the limits of every query
	digests digests
	inAll   bool     // all rows of the current unit count in all queries
	sample  struct { // the sample of the current unit: see smallest
		k     int64
		rows  uint64 // the number of rows of the sample
		slots []slot
	}
}

// queryBounder applies the limits of one query to the units of a partition.
type queryBounder struct {
	view
	sampler sampler
	counted []slot // the rows of a unit that count in the query, if queries share records
	kept    []slot
	cut     uint64 // rows that are dropped
	units   int64  // units that have a kept row
	// ranked is not nil if rows are kept by rank: the At field of slots in kept then holds the step. ends[step] is the
	// number of units that end in a step.
	ranked *Ranked
	ends   []int64
	// counts is set if the At field of slots in kept holds the number of slots that are kept of the unit.
	counts bool
}

// view is a query's part of the contents of records.
type view struct {
	number      int // the index of the query among those that share records
	shared      bool
	from, width int   // its content
	cellWidth   int   // bytes of its content that are its cell
	cells       int64 // the number of cells; the largest integer if they have no numbers
}

// has reports whether a row counts in the query.
func (v *view) has(content []byte) bool {
	return !v.shared || content[v.number/8]&(1<<(v.number%8)) != 0
}

// own returns the query's content.
func (v *view) own(content []byte) []byte { return content[v.from : v.from+v.width] }

// cell returns the query's cell.
func (v *view) cell(content []byte) []byte { return content[v.from : v.from+v.cellWidth] }

func newUnitBounder(g *gatherer, queries []boundQuery) *unitBounder {
	u := &unitBounder{rows: g, queries: make([]queryBounder, len(queries)), few: math.MaxInt64}
	for i, q := range queries {
		u.queries[i] = queryBounder{view: q.view, sampler: sampler{Limits: q.Limits,
			messages: messages{Contents: g, Order: RowOrder}, CellFrom: q.from, CellWidth: q.cellWidth}}
		u.queries[i].counts = q.KeepOf != nil
		if u.queries[i].ranked = q.Ranked; q.Ranked != nil {
			u.queries[i].ends = make([]int64, len(q.Ranked.Steps))
		}
		if q.shared {
			u.queries[i].sampler.Order, u.queries[i].sampler.Digests = sharedOrder, &u.digests
		}
		u.few = min(u.few, q.Limits.Rows, q.Limits.Cells, q.Limits.RowsPerCell, q.few())
	}
	return u
}
