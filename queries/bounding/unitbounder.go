package bounding

import (
	"math"
)

// boundQuery is a query whose rows are bounded: where a record holds the query's content, and the query's limits.
type boundQuery struct {
	view
	Bounded
}

// unitBounder bounds the units of one partition after another by the limits of all queries.
type unitBounder struct {
	rows        *gatherer
	queries     []queryBounder
	unhashed    int64 // a unit with at most this many rows is kept whole by every query, so it needs no digests
	digests     digests
	least       bottomK  // finds the bar of a Sample
	inAll       bool     // all rows of the current unit count in all queries
	counted     []slot   // the current unit's rows that count in the current query, if queries share records
	undelivered int      // the number of kept slots of all queries
	sample      struct { // the last result of smallest for the current unit; other queries with the same k reuse it
		k     int64  // 0 if there is none
		rows  uint64 // the number of the unit's rows before sampling
		slots []slot // the kept rows
	}
}

// queryBounder applies the limits of one query to the units of a partition.
type queryBounder struct {
	view
	sampler sampler
	kept    []slot // the rows kept since deliver was called last
	cut     uint64 // the number of rows that the limits drop
	units   int64  // the number of units with a kept row
	// If the bound on rows is chosen later (see ranked.go), ranked is not nil, and a kept slot's field At is an index in
	// ranked.Steps. ends[step] is the number of units whose last kept row has this step.
	ranked *Ranked
	ends   []int64
	// If counts is set, a kept slot's field At is the number of kept slots (different contents) of its unit.
	counts bool
}

// view locates one query's bytes in a record's content: the query's content is width bytes, beginning at from, and its
// first cellWidth bytes are the cell.
type view struct {
	shared      bool // several queries share the record: its content begins with one bit for each query
	number      int  // the index of the query's bit
	from, width int
	cellWidth   int
	cells       int64 // the number of cells of the query; math.MaxInt64 if cells are not numbered
}

// has reports whether the row with this content counts in the query.
func (v *view) has(content []byte) bool {
	return !v.shared || content[v.number/8]&(1<<(v.number%8)) != 0
}

// own returns the query's content, which is a part of the record's content.
func (v *view) own(content []byte) []byte { return content[v.from : v.from+v.width] }

// cell returns the query's cell, which is a part of the record's content.
func (v *view) cell(content []byte) []byte { return content[v.from : v.from+v.cellWidth] }

func newUnitBounder(g *gatherer, queries []boundQuery) *unitBounder {
	u := &unitBounder{rows: g, queries: make([]queryBounder, len(queries)), unhashed: math.MaxInt64}
	memory := &samplerMemory{messages: messages{Contents: g, Order: RowOrder}}
	for i, q := range queries {
		u.queries[i] = queryBounder{view: q.view, sampler: sampler{Limits: q.Limits, samplerMemory: memory,
			CellFrom: q.from, CellWidth: q.cellWidth}}
		u.queries[i].counts = q.KeepOf != nil
		if u.queries[i].ranked = q.Ranked; q.Ranked != nil {
			u.queries[i].ends = make([]int64, len(q.Ranked.Steps))
		}
		if q.shared {
			memory.Order, u.queries[i].sampler.Digests = sharedOrder, &u.digests
		}
		u.unhashed = min(u.unhashed, q.Limits.Rows, q.Limits.Cells, q.Limits.RowsPerCell, q.unhashed())
	}
	return u
}

// maxKept limits the memory for kept slots: as soon as the lists of all queries together have this many, all of them
// are delivered and emptied.
const maxKept = 1 << 17

// bound enforces the limits of all queries on the units that the gatherer has in memory. It calls deliver with each
// query at the end, and before that whenever maxKept slots are kept.
func (u *unitBounder) bound(deliver func(*queryBounder)) {
	start := uint32(0)
	for id, end := range u.rows.ends {
		refs := u.rows.order[start:end]
		start = end
		if int64(len(refs)) <= u.unhashed && len(u.rows.counts) == 0 {
			u.keepAll(refs)
			u.deliverMany(maxKept, deliver)
			continue
		}
		slots := u.rows.slotsOf(int32(id), refs)
		if u.rows.sample != nil {
			u.keepSample(slots)
			u.deliverMany(maxKept, deliver)
			continue
		}
		u.digests.reset(slots)
		u.sample.k = 0
		u.inAll = u.rows.inAll(slots)
		for i := range u.queries {
			q := &u.queries[i]
			before := len(q.kept)
			switch {
			case q.shared:
				q.keepFromShared(u, slots)
			case q.ranked != nil:
				q.keepRanked(slots)
			default:
				q.keepWithinLimits(slots)
			}
			u.endUnit(q, before)
			u.deliverMany(maxKept, deliver)
		}
	}
	u.deliverMany(0, deliver)
}

// deliverMany delivers the kept slots of all queries if there are at least the given number, and empties the lists.
func (u *unitBounder) deliverMany(slots int, deliver func(*queryBounder)) {
	if u.undelivered < slots {
		return
	}
	most := 4 * max(u.undelivered, maxKept) / len(u.queries)
	for i := range u.queries {
		q := &u.queries[i]
		deliver(q)
		if q.kept, q.cut, q.units = q.kept[:0], 0, 0; cap(q.kept) > most {
			q.kept = nil // otherwise each query's list could grow to maxKept slots
		}
	}
	u.undelivered = 0
}

// endUnit counts the current unit if the query keeps any of its rows: q.kept[before:].
func (u *unitBounder) endUnit(q *queryBounder, before int) {
	of := q.kept[before:]
	u.undelivered += len(of)
	if len(of) > 0 {
		q.units++
	}
	if q.counts {
		numberContents(of)
	}
}

// numberContents sets the field At of each kept slot of a unit to the number of these slots.
func numberContents(of []slot) {
	for i := range of {
		of[i].At = int32(len(of))
	}
}

// keepAll keeps all rows of a unit that is within the limits of every query. refs are the numbers of its rows, none of
// which has a multiplicity.
func (u *unitBounder) keepAll(refs []uint32) {
	for i := range u.queries {
		q := &u.queries[i]
		before := len(q.kept)
		for _, ref := range refs {
			if q.has(u.rows.Content(ref)) {
				q.kept = append(q.kept, slot{Ref: ref, Rows: 1})
				if q.ranked != nil {
					q.ends[0]++
				}
			}
		}
		u.endUnit(q, before)
	}
}

// keepWithinLimits keeps as many rows of a unit as the query's limits allow, and drops the others.
func (q *queryBounder) keepWithinLimits(slots []slot) {
	q.cut += totalRows(slots)
	for _, x := range q.sampler.keepWithinLimits(slots) {
		if x.Rows > 0 {
			q.kept = append(q.kept, x)
			q.cut -= x.Rows
		}
	}
}
