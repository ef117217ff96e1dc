// Package sampling keeps, of the rows of a unit over its bounds, those of smallest digest.
//
// messages.go has the rule, sample.go keeps the rows of one unit after the other, and digests.go shares digests among queries.
package sampling

import (
	"bytes"
	"slices"

	"github.com/dprelease/dprelease/queries/internal/bottomk"
)

// Sampler bounds the rows of one unit after the other.
type Sampler struct {
	Limits Limits
	Messages
	// cellWidth bytes of a content are its cell, from cellFrom on
	CellFrom, CellWidth int
	Digests             *Digests // nil if records are of one query
	cells               []span
	// what the unit, and what it in one cell, might contribute
	InAll, inCell bottomk.Sample
}

// span is the places of the slots of one cell.
type span struct{ from, to int }

// cell returns the cell of a content.
func (s *Sampler) cell(content []byte) []byte { return content[s.CellFrom : s.CellFrom+s.CellWidth] }

// AddRows adds the rows of slots with their digests to l, each under the place of its slot. The first slot has place from.
func (s *Sampler) AddRows(l *bottomk.Sample, slots []Slot, from int) {
	if s.Digests != nil && s.Digests.On {
		s.Digests.add(slots, &s.Messages)
		for i, x := range slots {
			for _, d := range s.Digests.of(x) {
				l.Add(&d, from+i)
			}
		}
		return
	}
	if s.Order == SharedOrder {
		for i, x := range slots {
			s.addManyRows(l, x, from+i)
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

// addManyRows adds the rows of one slot, if several queries share records and digests are not remembered.
func (s *Sampler) addManyRows(l *bottomk.Sample, x Slot, place int) {
	first := s.ofFirst(s.Contents.Content(x.Ref))
	l.Add(&first, place)
	s.openLater()
	s.batch.SetContent(first.AppendTo(nil))
	for n := s.batch.AddRun(1, x.Rows, int32(place)); n < x.Rows; n = s.batch.AddRun(n, x.Rows, int32(place)) {
		s.addHashed(l)
	}
	s.addHashed(l)
}

// addHashed adds the digests of the messages of the batch, each under its tag. Most are above the bar.
func (s *Sampler) addHashed(l *bottomk.Sample) {
	sums, places := s.batch.Empty()
	for i := range sums {
		if d := &sums[i]; !l.Rejects(d) {
			l.Add(d, int(places[i]))
		}
	}
}

// KeepWithinLimits returns the unit's slots that it may contribute to and the rows that it may have in each; it changes slots, of
// which those of a cell are together.
func (s *Sampler) KeepWithinLimits(slots []Slot) []Slot {
	s.StartUnit()
	s.Cut(slots)
	slots = s.KeepCells(slots)
	left := int64(0)
	for _, c := range s.cells {
		left += s.Limits.capped(Total(slots[c.from:c.to]))
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

// Cut finds the slots of each cell.
func (s *Sampler) Cut(slots []Slot) {
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

// KeepCells keeps the L cells of smallest digest.
func (s *Sampler) KeepCells(slots []Slot) []Slot {
	if int64(len(s.cells)) <= s.Limits.Groups {
		return slots
	}
	s.InAll.Reset(s.Limits.Groups)
	s.openCells(s.CellWidth)
	for i, c := range s.cells {
		if s.batch.Full() {
			s.addHashed(&s.InAll)
		}
		s.addCell(s.cell(s.Contents.Content(slots[c.from].Ref)), int32(i))
	}
	s.addHashed(&s.InAll)
	kept := s.InAll.Kept()
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
func (s *Sampler) keepInCell(slots []Slot) {
	switch n := Total(slots); {
	case n <= uint64(s.Limits.PerGroup):
	case len(slots) == 1: // any m of equal rows
		slots[0].Rows = uint64(s.Limits.PerGroup)
	default:
		Recount(slots, s.bottomKInCell(slots, 0))
	}
}

// Recount leaves in slots the rows that are kept.
func Recount(slots []Slot, kept []bottomk.Item) {
	for i := range slots {
		slots[i].Rows = 0
	}
	for i := range kept {
		slots[kept[i].Index].Rows++
	}
}

// bottomKInCell returns the m rows of smallest digest of a cell whose slots start at a place.
func (s *Sampler) bottomKInCell(slots []Slot, place int) []bottomk.Item {
	s.inCell.Reset(s.Limits.PerGroup)
	s.AddRows(&s.inCell, slots, place)
	return s.inCell.Kept()
}

// keepRows keeps the first rows.
func (s *Sampler) keepRows(slots []Slot) { Recount(slots, s.FirstRows(slots)) }

// FirstRows returns, of the m rows of smallest digest in each cell, the k of smallest digest. If m is not below k, these are the k of smallest digest of all.
func (s *Sampler) FirstRows(slots []Slot) []bottomk.Item {
	s.InAll.Reset(s.Limits.Rows)
	if s.Limits.PerGroup >= s.Limits.Rows {
		s.AddRows(&s.InAll, slots, 0)
		return s.InAll.Kept()
	}
	for _, c := range s.cells {
		if Total(slots[c.from:c.to]) <= uint64(s.Limits.PerGroup) {
			s.AddRows(&s.InAll, slots[c.from:c.to], c.from)
			continue
		}
		for _, x := range s.bottomKInCell(slots[c.from:c.to], c.from) {
			s.InAll.Add(&x.Digest, x.Index)
		}
	}
	return s.InAll.Kept()
}
