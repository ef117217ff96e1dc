package bounding

import (
	"math"
)

// Bounded is the limits of a query and the function that receives kept rows: Keep gets a content and how many kept rows
// have it. It is called by one goroutine at a time.
type Bounded struct {
	Limits Limits
	Keep   func(content []byte, rows uint64)
	Ranked *Ranked // takes the place of Keep if rows are kept by rank; else nil
	// KeepOf takes the place of Keep if it is not nil. contents is how many different contents are kept of the row's unit.
	KeepOf func(content []byte, contents int)
}

// Ranked receives kept rows by rank, for a bound that is chosen later. Its functions are called by one goroutine at a
// time.
type Ranked struct {
	// Steps are the bounds among which one is chosen later, ascending. The last one is Limits.Rows.
	Steps []int64
	// Keep receives rows with the same content that are kept if the chosen bound is Steps[step] or larger.
	Keep func(step int, content []byte, rows uint64)
	// Units receives how many units need the bound Steps[step] so that all their rows are kept.
	Units func(step int, units int64)
}

// BoundTally counts rows of a query that have a cell, a value and a unit (Rows), those among them that the bounds drop
// (Cut), and the units with a kept row (Units). The counts are exact and private: only the operator may see them.
type BoundTally struct{ Rows, Cut, Units int64 }

// boundQuery is one of the queries whose rows are bounded.
type boundQuery struct {
	view
	Bounded
}

// unitBounder bounds the units of one partition after the other by the limits of all queries.
type unitBounder struct {
	rows    *gatherer
	queries []queryBounder
	few     int64 // a unit with at most this many rows is within the limits of every query
	digests digests
	inAll   bool     // all rows of the current unit count in all queries
	sample  struct { // the last sample that smallest drew from the current unit
		k     int64
		rows  uint64 // the number of rows in slots
		slots []slot
	}
}

// queryBounder applies the limits of one query to the units of a partition.
type queryBounder struct {
	view
	sampler sampler
	counted []slot // the rows of a unit that count in the query, if queries share records
	kept    []slot
	cut     uint64 // rows that the limits drop
	units   int64  // units with a kept row
	// If rows are kept by rank, ranked is not nil, the field At of a kept slot is its step, and ends[step] is the number
	// of units whose last row is in a step.
	ranked *Ranked
	ends   []int64
	// If counts is set, the field At of a kept slot is the number of slots that are kept of its unit.
	counts bool
}

// view says which bytes of a record's content belong to a query.
type view struct {
	number      int // the query's index among the queries that share the record
	shared      bool
	from, width int   // its content
	cellWidth   int   // the first bytes of the query's content, which are the cell
	cells       int64 // the number of cells; math.MaxInt64 if cells are not numbered
}

// has reports whether the row with this content counts in the query.
func (v *view) has(content []byte) bool {
	return !v.shared || content[v.number/8]&(1<<(v.number%8)) != 0
}

// own returns the bytes of a content that belong to the query.
func (v *view) own(content []byte) []byte { return content[v.from : v.from+v.width] }

// cell returns the bytes of a content that are the query's cell.
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
