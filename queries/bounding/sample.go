package bounding

import (
	"bytes"
	"slices"

	"github.com/dprelease/dprelease/queries/internal/bottomk"
)

// sampler bounds the rows of one unit after the other.
type sampler struct {
	limits Limits
	messages
	// cellWidth bytes of a content are its cell, from cellFrom on
	cellFrom, cellWidth int
	digests             *rowDigests // nil if records are of one query
	cells               []span
	// what the unit, and what it in one cell, might contribute
	inAll, inCell bottomk.Sample
}

// span is the places of the slots of one cell.
type span struct{ from, to int }

// cell returns the cell of a content.
func (s *sampler) cell(content []byte) []byte { return content[s.cellFrom : s.cellFrom+s.cellWidth] }

// addRows adds the rows of slots with their digests to l, each under the place of its slot. The first slot has place from.
func (s *sampler) addRows(l *bottomk.Sample, slots []slot, from int) {
	if s.digests != nil && s.digests.on {
		s.digests.add(slots, &s.messages)
		for i, x := range slots {
			for _, d := range s.digests.of(x) {
				l.Add(&d, from+i)
			}
		}
		return
	}
	if s.order == sharedOrder {
		for i, x := range slots {
			s.addManyRows(l, x, from+i)
		}
		return
	}
	s.openRows(len(s.contents.content(slots[0].ref)))
	for i, x := range slots {
		s.batch.SetContent(s.contents.content(x.ref))
		for n := s.batch.AddRun(0, x.rows, int32(from+i)); n < x.rows; n = s.batch.AddRun(n, x.rows, int32(from+i)) {
			s.addHashed(l)
		}
	}
	s.addHashed(l)
}

// addManyRows adds the rows of one slot, if several queries share records and digests are not remembered.
func (s *sampler) addManyRows(l *bottomk.Sample, x slot, place int) {
	first := s.ofFirst(s.contents.content(x.ref))
	l.Add(&first, place)
	s.openLater()
	s.batch.SetContent(first.AppendTo(nil))
	for n := s.batch.AddRun(1, x.rows, int32(place)); n < x.rows; n = s.batch.AddRun(n, x.rows, int32(place)) {
		s.addHashed(l)
	}
	s.addHashed(l)
}

// addHashed adds the digests of the messages of the batch, each under its tag. Most are above the bar.
func (s *sampler) addHashed(l *bottomk.Sample) {
	sums, places := s.batch.Empty()
	for i := range sums {
		if d := &sums[i]; !l.Rejects(d) {
			l.Add(d, int(places[i]))
		}
	}
}

// keepWithinLimits returns the unit's slots that it may contribute to and the rows that it may have in each; it changes slots, of
// which those of a cell are together.
func (s *sampler) keepWithinLimits(slots []slot) []slot {
	s.startUnit()
	s.cut(slots)
	slots = s.keepCells(slots)
	left := int64(0)
	for _, c := range s.cells {
		left += s.limits.capped(total(slots[c.from:c.to]))
	}
	if left > s.limits.Rows {
		s.keepRows(slots)
		return slots
	}
	for _, c := range s.cells {
		s.keepInCell(slots[c.from:c.to])
	}
	return slots
}

// cut finds the slots of each cell.
func (s *sampler) cut(slots []slot) {
	s.cells = s.cells[:0]
	var last []byte
	for i, x := range slots {
		cell := s.cell(s.contents.content(x.ref))
		if i == 0 || !bytes.Equal(cell, last) {
			s.cells = append(s.cells, span{i, i})
		}
		last = cell
		s.cells[len(s.cells)-1].to = i + 1
	}
}

// keepCells keeps the L cells of smallest digest.
func (s *sampler) keepCells(slots []slot) []slot {
	if int64(len(s.cells)) <= s.limits.Groups {
		return slots
	}
	s.inAll.Reset(s.limits.Groups)
	s.openCells(s.cellWidth)
	for i, c := range s.cells {
		if s.batch.Full() {
			s.addHashed(&s.inAll)
		}
		s.addCell(s.cell(s.contents.content(slots[c.from].ref)), int32(i))
	}
	s.addHashed(&s.inAll)
	kept := s.inAll.Kept()
	slices.SortFunc(kept, func(a, b bottomk.Item) int { return a.Index - b.Index })
	end := 0
	for i, x := range kept {
		c := s.cells[x.Index] // i is at most the index: no later cell is lost
		n := copy(slots[end:], slots[c.from:c.to])
		s.cells[i] = span{end, end + n}
		end += n
	}
	s.cells = s.cells[:len(kept)]
	return slots[:end]
}

// keepInCell keeps the m rows of smallest digest of a cell.
func (s *sampler) keepInCell(slots []slot) {
	switch n := total(slots); {
	case n <= uint64(s.limits.PerGroup):
	case len(slots) == 1: // any m of equal rows
		slots[0].rows = uint64(s.limits.PerGroup)
	default:
		recount(slots, s.bottomKInCell(slots, 0))
	}
}

// recount leaves in slots the rows that are kept.
func recount(slots []slot, kept []bottomk.Item) {
	for i := range slots {
		slots[i].rows = 0
	}
	for i := range kept {
		slots[kept[i].Index].rows++
	}
}

// bottomKInCell returns the m rows of smallest digest of a cell whose slots start at a place.
func (s *sampler) bottomKInCell(slots []slot, place int) []bottomk.Item {
	s.inCell.Reset(s.limits.PerGroup)
	s.addRows(&s.inCell, slots, place)
	return s.inCell.Kept()
}

// keepRows keeps the first rows.
func (s *sampler) keepRows(slots []slot) { recount(slots, s.firstRows(slots)) }

// firstRows returns, of the m rows of smallest digest in each cell, the k of smallest digest. If m is not below k, these are the k of smallest digest of all.
func (s *sampler) firstRows(slots []slot) []bottomk.Item {
	s.inAll.Reset(s.limits.Rows)
	if s.limits.PerGroup >= s.limits.Rows {
		s.addRows(&s.inAll, slots, 0)
		return s.inAll.Kept()
	}
	for _, c := range s.cells {
		if total(slots[c.from:c.to]) <= uint64(s.limits.PerGroup) {
			s.addRows(&s.inAll, slots[c.from:c.to], c.from)
			continue
		}
		for _, x := range s.bottomKInCell(slots[c.from:c.to], c.from) {
			s.inAll.Add(&x.Digest, x.Index)
		}
	}
	return s.inAll.Kept()
}
