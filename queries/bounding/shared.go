package bounding

import (
	"bytes"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// One pass for several queries
//
// Queries of a job whose privacy unit is made of the same columns read the same rows. Their rows are kept together. A
// record holds the unit once, one bit for each query that is 1 if the row counts in the query, and the row's content
// for each query (zeros if it does not count). So each row is written, spilled and grouped by unit once.
//
// Each query still bounds each unit by its own limits, among the rows that count in it. The queries share the digests
// of rows: a digest covers the whole record, so that it is computed once for all queries. The order of these digests is
// as random as the order of digests for one query, and depends only on the unit's rows. So each query keeps a uniform
// sample of a unit's rows, and its sensitivity is the same as if it were alone.

// Writer stores the rows of batches for one query.
type Writer interface {
	// Start reads the units of a batch and sets cells[i] to Dropped if row i has no unit. Then Record may be called for
	// each row whose cell is not Dropped.
	Start(b *table.Batch, cells []int32) error
	// Record returns an empty content for a row, which the caller fills. The rows are stored at the end of the batch.
	Record(row int) []byte
	// AddCells stores the rows of a batch that have a unit and a cell, for a query that only counts rows.
	AddCells(b *table.Batch, cells []int32) error
	// Failure returns the first error of the spill.
	Failure() error
}

// QueryRows holds the rows of one of several queries whose rows are kept together.
type QueryRows struct {
	store *together
	view
	packing
	packedFrom int // the first byte of the query's part of a packed content
	pending    pendingContents
}

// together is the store of rows that several queries share. Its parts are the queries.
type together struct {
	*Rows
	parts   int
	mask    int     // the length of the bits at the start of a content, in bytes
	none    []int32 // for each row of the batch: Dropped if it has no unit or a filter rejects it, else 0
	some    bool    // some row is Dropped in none
	content []byte  // the packed contents of the batch, row by row, if contents are not numbered
}

// Together replaces several empty stores for the same unit by one. It returns its parts, one for each query. One
// goroutine uses them all; each batch passes through the parts in order, from the first to the last.
func Together(rows []*Rows) []*QueryRows {
	mask := (len(rows) + 7) / 8
	bits := make([]Field, mask)
	for i := range bits {
		bits[i].Bytes = 1
	}
	store, whole := &together{parts: len(rows), mask: mask}, &packing{}
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
	r.packing, r.shared = *whole, true
	if r.width = r.plainWidth(); whole.Packed > numberWidth {
		r.numbers, r.width = newContentNumbers(own, whole), r.key+numberWidth
	}
	store.Rows = r
	return parts
}

// Start prepares for a batch. The first part reads the units for all parts.
func (p *QueryRows) Start(b *table.Batch, cells []int32) error {
	s := p.store
	if p.number == 0 {
		s.none = columnar.Resize(s.none, b.Rows)
		clear(s.none)
		if b.Keep != nil {
			if len(b.Keep) != b.Rows {
				return columnar.ErrShape
			}
			for row, keep := range b.Keep {
				if !keep {
					s.none[row] = columnar.Dropped
				}
			}
		}
		if err := s.Start(b, s.none); err != nil {
			return err
		}
		s.some = slices.Contains(s.none, columnar.Dropped)
		if s.numbers != nil && !s.numbers.start(b.Rows) {
			s.writeContents()
		}
		if s.numbers == nil {
			s.content = columnar.Resize(s.content, b.Rows*s.Packed)
			clear(s.content)
		}
	}
	p.pending.rows, p.pending.contents = p.pending.rows[:0], p.pending.contents[:0]
	if len(s.none) != len(cells) {
		return columnar.ErrShape
	}
	if s.some {
		for row, none := range s.none {
			cells[row] |= none // Dropped has all bits set
		}
	}
	return s.failed
}

// Record returns an empty content for a row, which the caller fills.
func (p *QueryRows) Record(row int) []byte { return p.pending.add(row, p.Size) }

// AddCells notes the cells of a batch for a query that only counts rows.
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

// EndBatch stores the rows of the batch if this is the last part. Rows that count in no query are left out.
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
	if p.number < s.parts-1 {
		return s.failed
	}
	for row := range s.none {
		content := s.content[row*s.Packed : (row+1)*s.Packed]
		if anyBit(content[:s.mask]) {
			copy(s.record(row), content)
		}
	}
	return s.failed
}

// endNumbered does the work of EndBatch if contents are numbered.
func (p *QueryRows) endNumbered(n *contentNumbers) error {
	s := p.store
	if !n.addContents(p.number, p.pending.rows, p.pending.contents) {
		return columnar.ErrShape
	}
	if p.number < s.parts-1 {
		return s.failed
	}
	n.complete()
	for row, none := range s.none {
		if number, counts := n.number(row); none == 0 && counts {
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

// Merge adds the rows of another worker's part. The first part merges the rows of all parts.
func (p *QueryRows) Merge(o *QueryRows) error {
	switch {
	case p == nil || o == nil:
		return ErrSpent
	case p.view != o.view || p.store.parts != o.store.parts:
		return ErrMerge
	case p.number > 0:
		return nil
	}
	return p.store.Merge(o.store.Rows)
}

// BoundTogether bounds each unit by the limits of each query. bounds[i] belongs to parts[i] and receives the kept rows
// of this query. All parts are empty afterwards.
func BoundTogether(parts []*QueryRows, bounds []Bounded) ([]BoundTally, error) {
	queries := make([]boundQuery, len(parts))
	for i, p := range parts {
		queries[i] = boundQuery{view: p.view, Bounded: bounds[i]}
	}
	return parts[0].store.boundAll(queries)
}

// keepOwn keeps the rows of a unit that count in the query and are within its limits. slots holds all rows of the unit.
func (p *queryBounder) keepOwn(u *unitBounder, slots []slot) {
	l := p.sampler.Limits
	// an earlier query with the same k has drawn the same sample
	if only := l.RowsPerCell >= l.Rows && p.ranked == nil && p.cells <= l.Cells; only && u.inAll && u.sample.k == l.Rows {
		p.cut += u.sample.rows
		p.keep(u.sample.slots)
		return
	}
	p.counted = p.counted[:0]
	for i, x := range slots {
		if u.inAll || p.has(u.rows.Content(x.Ref)) {
			x.At = int32(i)
			p.counted = append(p.counted, x)
		}
	}
	if p.ranked != nil {
		p.sortByCell(u.rows)
		p.keepRanked(p.counted)
		return
	}
	rows := totalRows(p.counted)
	p.cut += rows
	kept := p.counted
	switch {
	case rows <= uint64(min(l.Rows, l.Cells, l.RowsPerCell)):
	case l.RowsPerCell >= l.Rows && p.cellsFit(u.rows): // only the limit k on all rows can be exceeded
		if rows > uint64(l.Rows) {
			kept = u.smallest(p, len(p.counted) == len(slots))
		}
	default:
		p.sortByCell(u.rows)
		kept = p.sampler.keepWithinLimits(p.counted)
	}
	p.keep(kept)
}

// keep appends slots to the query's kept slots and no longer counts their rows as dropped.
func (p *queryBounder) keep(slots []slot) {
	for _, x := range slots {
		if x.Rows > 0 {
			p.kept = append(p.kept, x)
			p.cut -= x.Rows
		}
	}
}

// sortByCell sorts the slots that count in the query by cell.
func (p *queryBounder) sortByCell(rows *gatherer) {
	slices.SortFunc(p.counted, func(a, b slot) int {
		return bytes.Compare(p.cell(rows.Content(a.Ref)), p.cell(rows.Content(b.Ref)))
	})
}

// cellsFit returns true only if the rows that count are in at most L cells. Cells are numbered from 0, so that a cell
// number below L proves it without counting cells.
func (p *queryBounder) cellsFit(rows *gatherer) bool {
	groups := p.sampler.Limits.Cells
	if int64(len(p.counted)) <= groups || p.cellWidth != CellBytes {
		return int64(len(p.counted)) <= groups
	}
	if p.cells <= groups {
		return true
	}
	for _, x := range p.counted {
		if int64(CellOf(p.cell(rows.Content(x.Ref)))) >= groups {
			return false
		}
	}
	return true
}

// smallest keeps the k rows with the smallest digests. all is set if all rows of the unit count in the query: such
// queries with the same k share one sample.
func (u *unitBounder) smallest(p *queryBounder, all bool) []slot {
	k := p.sampler.Limits.Rows
	if all && u.sample.k == k {
		return u.sample.slots
	}
	s := &p.sampler
	s.startUnit()
	s.InAll.reset(k)
	s.addRows(&s.InAll, p.counted, 0)
	rows := totalRows(p.counted)
	recount(p.counted, s.InAll.kept())
	if all {
		u.sample.k, u.sample.rows, u.sample.slots = k, rows, u.sample.slots[:0]
		for _, x := range p.counted {
			if x.Rows > 0 {
				u.sample.slots = append(u.sample.slots, x)
			}
		}
	}
	return p.counted
}
