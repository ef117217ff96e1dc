package bounding

import (
	"bytes"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// One pass for several queries
//
// Queries of a job whose privacy unit is made of the same columns share one store. A record holds the unit once, then a
// content for all queries: one bit for each query, which is 1 if the row counts in the query, and the row's content for
// each query (zeros if it does not count). So each row is written, spilled and grouped by unit once.
//
// Each query still bounds each unit by its own limits, among the rows that count in it. A row has one digest, of its
// content for all queries, so that the queries compute it once. The order of these digests is as random as the order of
// digests for one query, and depends only on the unit's rows. So each query keeps a uniform sample of a unit's rows,
// and its sensitivity is the same as if it had a store of its own.

// Writer stores the rows of batches for one query.
type Writer interface {
	// Start reads the units of a batch and sets cells[i] to columnar.Dropped if row i has no unit. Then Record may be
	// called for each row whose cell is not Dropped.
	Start(b *table.Batch, cells []int32) error
	// Record returns the empty, unpacked content of a row. The caller fills it before the batch ends, when rows are
	// stored.
	Record(row int) []byte
	// AddCells stores the rows of a batch that have a unit and a cell, for a query that only counts rows.
	AddCells(b *table.Batch, cells []int32) error
	// Failure returns the first error of the spill.
	Failure() error
}

// QueryRows is the access of one query to a store that it shares with other queries.
type QueryRows struct {
	store      *sharedStore
	view           // locates the query's content in an unpacked content for all queries
	packing        // packs the query's content
	packedFrom int // the index of the query's first byte in a packed content for all queries
	pending    pendingContents
}

// sharedStore stores the rows of several queries.
type sharedStore struct {
	*Rows
	queries    int     // the number of queries
	skipped    []int32 // for each row of the batch: Dropped if the row has no unit or a filter rejects it, else 0
	anySkipped bool    // skipped is Dropped for at least one row
	content    []byte  // the packed contents of the batch, row by row, if contents are not numbered
}

// Together replaces several empty stores for the same unit by one store, and returns each query's access to it. One
// goroutine must use all of them, and pass each batch to all of them in order, from the first to the last. If sample is
// not nil, it chooses the rows of units for all queries. The sample's digests are computed from the batches of the
// first query.
func Together(rows []*Rows, sample *Sample) []*QueryRows {
	mask := (len(rows) + 7) / 8
	bits := make([]Field, mask, mask+sampleBytes)
	if sample != nil {
		bits = bits[:mask+sampleBytes]
	}
	for i := range bits {
		bits[i].Bytes = 1
	}
	store, whole := &sharedStore{queries: len(rows)}, &packing{}
	whole.add(bits)
	parts, own := make([]*QueryRows, len(rows)), make([]ownContents, len(rows))
	for i, r := range rows {
		parts[i] = &QueryRows{
			store: store, packing: r.packing, packedFrom: whole.Packed,
			view: view{number: i, shared: true, from: whole.Size, width: r.Size, cellWidth: r.cellWidth, cells: r.cells},
		}
		own[i] = ownContents{packing: &parts[i].packing, From: whole.Packed, Cells: r.cells}
		whole.join(&r.packing)
	}
	r := rows[0]
	r.packing, r.shared, r.maskBytes, r.sample = *whole, true, mask, sample
	if r.width = r.packedWidth(); whole.Packed > numberWidth && sample == nil {
		r.numbers, r.width = newContentNumbers(own, whole), r.key+numberWidth
	}
	store.Rows = r
	return parts
}

// Start prepares for a batch. The first query reads the units for all queries.
func (p *QueryRows) Start(b *table.Batch, cells []int32) error {
	s := p.store
	if p.number == 0 {
		s.skipped = columnar.Resize(s.skipped, b.Rows)
		clear(s.skipped)
		if b.Keep != nil {
			if len(b.Keep) != b.Rows {
				return columnar.ErrShape
			}
			for row, keep := range b.Keep {
				if !keep {
					s.skipped[row] = columnar.Dropped
				}
			}
		}
		if err := s.Start(b, s.skipped); err != nil {
			return err
		}
		s.anySkipped = slices.Contains(s.skipped, columnar.Dropped)
		if s.numbers != nil && !s.numbers.start(b.Rows, s.spill.Share()) {
			s.writeContents()
		}
		if s.numbers == nil {
			s.content = columnar.Resize(s.content, b.Rows*s.Packed)
			clear(s.content)
		}
		if s.sample != nil {
			if err := s.putDigests(b); err != nil {
				return err
			}
		}
	}
	p.pending.rows, p.pending.contents = p.pending.rows[:0], p.pending.contents[:0]
	if len(s.skipped) != len(cells) {
		return columnar.ErrShape
	}
	if s.anySkipped {
		for row, skip := range s.skipped {
			cells[row] |= skip // Dropped has all bits set
		}
	}
	return s.failed
}

// Record returns an empty content for a row, which the caller fills.
func (p *QueryRows) Record(row int) []byte { return p.pending.add(row, p.Size) }

// AddCells records the cells of a batch for a query that only counts rows.
func (p *QueryRows) AddCells(b *table.Batch, cells []int32) error {
	if err := p.Start(b, cells); err != nil {
		return err
	}
	if n := p.store.numbers; n != nil {
		if !n.addCells(p.number, cells) {
			return columnar.ErrShape
		}
		return p.store.failed
	}
	rest, size := uint64(0), p.store.Packed
	for row, cell := range cells {
		if cell >= 0 {
			content := p.store.content[row*size:][:size]
			content[p.number/8] |= 1 << (p.number % 8)
			rest |= putLow(content[p.packedFrom:p.packedFrom+p.Packed], uint64(cell))
		}
	}
	if rest > 0 {
		return columnar.ErrShape
	}
	return p.store.failed
}

// EndBatch completes the batch for this query. The last query stores the rows. It leaves out rows that count in no
// query, unless there is a sample, in which they take up places.
func (p *QueryRows) EndBatch() error {
	s := p.store
	if s.numbers != nil {
		return p.endNumbered(s.numbers)
	}
	for i, row := range p.pending.rows {
		content := s.content[int(row)*s.Packed:][:s.Packed]
		content[p.number/8] |= 1 << (p.number % 8)
		if !p.pack(content[p.packedFrom:], p.pending.contents[i*p.Size:]) {
			return columnar.ErrShape
		}
	}
	p.pending.rows, p.pending.contents = p.pending.rows[:0], p.pending.contents[:0]
	if p.number < s.queries-1 {
		return s.failed
	}
	for row, skip := range s.skipped {
		content := s.content[row*s.Packed : (row+1)*s.Packed]
		if anyBit(content[:s.maskBytes]) || s.sample != nil && skip != columnar.Dropped {
			copy(s.record(row), content)
		}
	}
	return s.failed
}

// endNumbered does the same as EndBatch if contents are numbered.
func (p *QueryRows) endNumbered(n *contentNumbers) error {
	s := p.store
	if !n.addContents(p.number, p.pending.rows, p.pending.contents) {
		return columnar.ErrShape
	}
	if p.number < s.queries-1 {
		return s.failed
	}
	n.complete()
	for row, skip := range s.skipped {
		if number, counts := n.number(row); skip == 0 && counts {
			putNumber(s.record(row), number)
		}
	}
	return s.failed
}

// anyBit reports whether some bit is set.
func anyBit(mask []byte) bool {
	for _, b := range mask {
		if b != 0 {
			return true
		}
	}
	return false
}

// Failure returns the first error of the spill.
func (p *QueryRows) Failure() error { return p.store.failed }

// Merge moves the rows of another worker to p. The first query merges the rows of all queries; for the others, Merge
// only checks that both workers have the same queries.
func (p *QueryRows) Merge(o *QueryRows) error {
	switch {
	case p == nil || o == nil:
		return ErrSpent
	case p.view != o.view || p.store.queries != o.store.queries:
		return ErrMerge
	case p.number > 0:
		return nil
	}
	return p.store.Merge(o.store.Rows)
}

// BoundTogether bounds each unit by the limits of each query. bounds[i] is the limits of parts[i] and receives its kept
// rows. It empties the shared store. The i-th tally counts the rows of parts[i]. Errors are errors of the spill.
func BoundTogether(parts []*QueryRows, bounds []Bounded) ([]BoundTally, error) {
	queries := make([]boundQuery, len(parts))
	for i, p := range parts {
		queries[i] = boundQuery{view: p.view, Bounded: bounds[i]}
	}
	return parts[0].store.boundAll(queries)
}

// keepFromShared keeps the rows of a unit that count in the query, up to the query's limits. slots are all rows of the
// unit.
func (p *queryBounder) keepFromShared(u *unitBounder, slots []slot) {
	l := p.sampler.Limits
	// If only the limit on rows can drop rows of this unit, and another query with the same limit has drawn a sample of
	// the same rows already, take that sample.
	if only := l.RowsPerCell >= l.Rows && p.ranked == nil && p.cells <= l.Cells; only && u.inAll && u.sample.k == l.Rows {
		p.cut += u.sample.rows
		p.keep(u.sample.slots)
		return
	}
	u.counted = u.counted[:0]
	for i, x := range slots {
		if u.inAll || p.has(u.rows.Content(x.Ref)) {
			x.At = int32(i)
			u.counted = append(u.counted, x)
		}
	}
	if p.ranked != nil {
		p.sortByCell(u)
		p.keepRanked(u.counted)
		return
	}
	rows := totalRows(u.counted)
	p.cut += rows
	kept := u.counted
	switch {
	case rows <= uint64(min(l.Rows, l.Cells, l.RowsPerCell)):
	case l.RowsPerCell >= l.Rows && p.cellsFit(u): // only the limit Rows can drop rows
		if rows > uint64(l.Rows) {
			kept = u.smallest(p, len(u.counted) == len(slots))
		}
	default:
		p.sortByCell(u)
		kept = p.sampler.keepWithinLimits(u.counted)
	}
	p.keep(kept)
}

// keep appends slots to the query's kept slots and subtracts their rows from the dropped rows.
func (p *queryBounder) keep(slots []slot) {
	for _, x := range slots {
		if x.Rows > 0 {
			p.kept = append(p.kept, x)
			p.cut -= x.Rows
		}
	}
}

// sortByCell sorts u.counted by the query's cell.
func (p *queryBounder) sortByCell(u *unitBounder) {
	rows := u.rows
	slices.SortFunc(u.counted, func(a, b slot) int {
		return bytes.Compare(p.cell(rows.Content(a.Ref)), p.cell(rows.Content(b.Ref)))
	})
}

// cellsFit returns true only if the rows in u.counted are in at most L cells. It counts no cells: if all cell numbers
// are below L, there are at most L cells, because they are numbered from 0. So it may return false although the cells
// fit.
func (p *queryBounder) cellsFit(u *unitBounder) bool {
	groups := p.sampler.Limits.Cells
	if int64(len(u.counted)) <= groups || p.cellWidth != CellBytes {
		return int64(len(u.counted)) <= groups
	}
	if p.cells <= groups {
		return true
	}
	for _, x := range u.counted {
		if int64(CellOf(p.cell(u.rows.Content(x.Ref)))) >= groups {
			return false
		}
	}
	return true
}

// smallest returns the k rows of u.counted with the smallest digests. all is set if all rows of the unit count in the
// query; queries for which this holds share one sample if they have the same k.
func (u *unitBounder) smallest(p *queryBounder, all bool) []slot {
	k := p.sampler.Limits.Rows
	if all && u.sample.k == k {
		return u.sample.slots
	}
	s := &p.sampler
	s.startUnit()
	s.InAll.reset(k)
	s.addRows(&s.InAll, u.counted, 0)
	rows := totalRows(u.counted)
	recount(u.counted, s.InAll.kept())
	if all {
		u.sample.k, u.sample.rows, u.sample.slots = k, rows, u.sample.slots[:0]
		for _, x := range u.counted {
			if x.Rows > 0 {
				u.sample.slots = append(u.sample.slots, x)
			}
		}
	}
	return u.counted
}
