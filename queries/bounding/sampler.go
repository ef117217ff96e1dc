package bounding

import (
	"bytes"
	"slices"
)

// If a unit has more rows than its limits allow, the rows with the smallest digests are kept. messages.go defines the
// digests and the rule, this file applies the rule to one unit after another, and digests.go shares digests among
// queries.

// sampler chooses the rows of a unit that one query keeps, for one unit after another.
type sampler struct {
	Limits Limits
	*samplerMemory
	// Bytes CellFrom to CellFrom+CellWidth-1 of a content are the cell.
	CellFrom, CellWidth int
	Digests             *digests // shared with other queries; nil if records belong to one query
}

// samplerMemory is the working memory of the samplers of all queries, of which one at a time is used.
type samplerMemory struct {
	messages
	cells []span // the slots of each cell of the current unit
	// InAll samples cells of the unit, and then rows of the whole unit. inCell samples rows of one cell.
	InAll, inCell bottomK
}

// span is the slots of one cell: those with index from to to-1.
type span struct{ from, to int }

func (s *sampler) cell(content []byte) []byte { return content[s.CellFrom : s.CellFrom+s.CellWidth] }

// addRows adds each row of slots to sample l. The candidates of slots[i] get the index from + i.
func (s *sampler) addRows(l *bottomK, slots []slot, from int) {
	if s.Digests != nil && s.Digests.On {
		s.Digests.add(slots, &s.messages)
		for i, x := range slots {
			for _, d := range s.Digests.rowDigests(x) {
				l.add(&d, from+i)
			}
		}
		return
	}
	if s.Order == sharedOrder {
		for i, x := range slots {
			s.addShared(l, x, from+i)
		}
		return
	}
	s.openRows(len(s.Contents.Content(slots[0].Ref)))
	for i, x := range slots {
		s.batch.SetContent(s.Contents.Content(x.Ref))
		for n := s.batch.AddRun(0, x.Rows, int32(from+i)); n < x.Rows; n = s.batch.AddRun(n, x.Rows, int32(from+i)) {
			s.addHashed(l)
		}
	}
	s.addHashed(l)
}

// addShared adds the rows of one slot to sample l, if several queries share records and digests are not cached.
func (s *sampler) addShared(l *bottomK, x slot, index int) {
	first := s.ofFirst(s.Contents.Content(x.Ref))
	l.add(&first, index)
	s.openLater()
	s.batch.SetContent(first.AppendTo(nil))
	for n := s.batch.AddRun(1, x.Rows, int32(index)); n < x.Rows; n = s.batch.AddRun(n, x.Rows, int32(index)) {
		s.addHashed(l)
	}
	s.addHashed(l)
}

// addHashed computes the digests of the batch and adds them to sample l, which rejects most of them by their first
// bytes.
func (s *sampler) addHashed(l *bottomK) {
	sums, indexes := s.batch.Empty()
	for i := range sums {
		if d := &sums[i]; !l.rejects(d) {
			l.add(d, int(indexes[i]))
		}
	}
}

// keepWithinLimits returns the slots of the kept rows, and sets the Rows of each slot to how many of its rows are kept.
// It changes slots, which must be sorted by cell.
func (s *sampler) keepWithinLimits(slots []slot) []slot {
	s.startUnit()
	s.cut(slots)
	slots = s.keepCells(slots)
	left := int64(0)
	for _, c := range s.cells {
		left += s.Limits.capped(totalRows(slots[c.from:c.to]))
	}
	if left > s.Limits.Rows {
		s.keepRows(slots)
		return slots
	}
	for _, c := range s.cells {
		s.keepInCell(slots[c.from:c.to])
	}
	return slots
}

// cut divides slots, which must be sorted by cell, into cells: it sets s.cells.
func (s *sampler) cut(slots []slot) {
	s.cells = s.cells[:0]
	var last []byte
	for i, x := range slots {
		cell := s.cell(s.Contents.Content(x.Ref))
		if i == 0 || !bytes.Equal(cell, last) {
			s.cells = append(s.cells, span{i, i})
		}
		last = cell
		s.cells[len(s.cells)-1].to = i + 1
	}
}

// keepCells keeps only the slots of the L cells with the smallest digests. It changes slots and s.cells.
func (s *sampler) keepCells(slots []slot) []slot {
	if int64(len(s.cells)) <= s.Limits.Cells {
		return slots
	}
	s.InAll.reset(s.Limits.Cells)
	s.openCells(s.CellWidth)
	for i, c := range s.cells {
		if s.batch.Full() {
			s.addHashed(&s.InAll)
		}
		s.addCell(s.cell(s.Contents.Content(slots[c.from].Ref)), int32(i))
	}
	s.addHashed(&s.InAll)
	kept := s.InAll.kept()
	slices.SortFunc(kept, func(a, b candidate) int { return a.Index - b.Index })
	end := 0
	for i, x := range kept {
		c := s.cells[x.Index] // x.Index is at least i, so s.cells[x.Index] has not been overwritten yet
		n := copy(slots[end:], slots[c.from:c.to])
		s.cells[i] = span{end, end + n}
		end += n
	}
	s.cells = s.cells[:len(kept)]
	return slots[:end]
}

// keepInCell keeps the m rows with the smallest digests of one cell, to which slots belong.
func (s *sampler) keepInCell(slots []slot) {
	switch n := totalRows(slots); {
	case n <= uint64(s.Limits.RowsPerCell):
	case len(slots) == 1: // the rows are equal: it does not matter which of them are kept
		slots[0].Rows = uint64(s.Limits.RowsPerCell)
	default:
		recount(slots, s.bottomKInCell(slots, 0))
	}
}

// recount sets the Rows of each slot to how many of its rows are in kept.
func recount(slots []slot, kept []candidate) {
	for i := range slots {
		slots[i].Rows = 0
	}
	for i := range kept {
		slots[kept[i].Index].Rows++
	}
}

// bottomKInCell returns the m rows with the smallest digests of one cell, to which slots belong. The candidates of
// slots[i] have the index from + i.
func (s *sampler) bottomKInCell(slots []slot, from int) []candidate {
	s.inCell.reset(s.Limits.RowsPerCell)
	s.addRows(&s.inCell, slots, from)
	return s.inCell.kept()
}

// keepRows keeps the rows that firstRows returns.
func (s *sampler) keepRows(slots []slot) { recount(slots, s.firstRows(slots)) }

// firstRows returns the k rows with the smallest digests among the m rows with the smallest digests of each cell. If m
// is at least k, these are the k smallest of all rows.
func (s *sampler) firstRows(slots []slot) []candidate {
	s.InAll.reset(s.Limits.Rows)
	if s.Limits.RowsPerCell >= s.Limits.Rows {
		s.addRows(&s.InAll, slots, 0)
		return s.InAll.kept()
	}
	for _, c := range s.cells {
		if totalRows(slots[c.from:c.to]) <= uint64(s.Limits.RowsPerCell) {
			s.addRows(&s.InAll, slots[c.from:c.to], c.from)
			continue
		}
		for _, x := range s.bottomKInCell(slots[c.from:c.to], c.from) {
			s.InAll.add(&x.Digest, x.Index)
		}
	}
	return s.InAll.kept()
}
