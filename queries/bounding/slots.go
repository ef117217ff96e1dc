package bounding

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// unitSlots is the rows of one unit, those with the same content as one slot.
type unitSlots struct {
	id     int32
	sorted []uint64 // cells, or hashes of contents, and rows
	slots  []slot
	cells  []slot // by cell
}

// content returns what row ref holds, apart from its unit.
func (g *gatherer) content(ref uint32) []byte {
	n := g.width - g.key
	return g.contents[int(ref)*n : (int(ref)+1)*n]
}

// appendUnit appends the canonical text of the unit whose slots were made.
func (g *gatherer) appendUnit(dst []byte) []byte {
	if !g.units.text && len(g.units.columns) == 1 {
		return columnar.AppendValue(dst, g.words.Keys[g.unit.id], g.units.columns[0].kind)
	}
	return g.units.appendText(dst, g.texts.At(g.unit.id))
}

// appendKey appends what a record starts with for the unit whose slots were made.
func (g *gatherer) appendKey(dst []byte) []byte {
	switch {
	case g.units.text:
		return binary.LittleEndian.AppendUint32(dst, uint32(g.unit.id)) // numbered in the segment's order
	case len(g.units.columns) == 1:
		return binary.LittleEndian.AppendUint64(dst, g.words.Keys[g.unit.id])
	}
	return append(dst, g.texts.At(g.unit.id)...)
}

// slotsOf returns the rows of a unit with the same content as one slot, and, if they are of one query, those of a cell together.
func (g *gatherer) slotsOf(id int32, refs []uint32) []slot {
	u := &g.unit
	u.id, u.slots, u.sorted = id, u.slots[:0], u.sorted[:0]
	if g.countCells(refs) {
		return u.slots
	}
	for _, ref := range refs {
		u.sorted = append(u.sorted, g.orderOf(g.content(ref))|uint64(ref))
	}
	slices.Sort(u.sorted)
	if g.width-g.key > CellBytes {
		g.sortValues()
	}
	for i, x := range u.sorted {
		ref := uint32(x)
		if i > 0 {
			if last := &u.slots[len(u.slots)-1]; bytes.Equal(g.content(last.ref), g.content(ref)) {
				last.rows += g.countOf(ref)
				continue
			}
		}
		u.slots = append(u.slots, slot{ref: ref, rows: g.countOf(ref)})
	}
	return u.slots
}

// countCells is slotsOf without sorting, of one query that counts rows. It returns false if the cells of the unit are far apart, or not all of what rows hold.
func (g *gatherer) countCells(refs []uint32) bool {
	if g.shared || g.width-g.key != CellBytes {
		return false
	}
	u, last := &g.unit, uint32(0)
	for _, ref := range refs {
		last = max(last, uint32(CellOf(g.content(ref))))
	}
	if uint64(last) >= 2*uint64(len(refs)) {
		return false
	}
	u.cells = columnar.Resize(u.cells, int(last)+1)
	clear(u.cells)
	for _, ref := range refs { // in order, so that a slot has the first of its rows
		x := &u.cells[CellOf(g.content(ref))]
		if x.rows == 0 {
			x.ref = ref
		}
		x.rows += g.countOf(ref)
	}
	for _, x := range u.cells {
		if x.rows > 0 {
			u.slots = append(u.slots, x)
		}
	}
	return true
}

// sortValues sorts the rows of each cell, or hash, by their contents.
func (g *gatherer) sortValues() {
	for from := 0; from < len(g.unit.sorted); {
		to := from + 1
		for to < len(g.unit.sorted) && g.unit.sorted[to]>>32 == g.unit.sorted[from]>>32 {
			to++
		}
		if to > from+1 {
			slices.SortFunc(g.unit.sorted[from:to], func(a, b uint64) int {
				return bytes.Compare(g.content(uint32(a)), g.content(uint32(b)))
			})
		}
		from = to
	}
}
