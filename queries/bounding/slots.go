package bounding

import (
	"bytes"
	"slices"

	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Content returns the unpacked content of row ref.
func (g *gatherer) Content(ref uint32) []byte {
	n := g.Size
	if g.all != nil {
		return g.all.at(g.contentOf[ref])
	}
	return g.contents[int(ref)*n : (int(ref)+1)*n]
}

// AppendUnit appends the canonical text of the current unit, for which slotsOf was called last.
func (g *gatherer) AppendUnit(dst []byte) []byte {
	if g.oneWord() {
		return g.units.AppendWord(dst, g.words.Keys[g.unit.id])
	}
	return g.units.AppendText(dst, g.texts.At(g.unit.id))
}

// slotsOf groups the rows refs of unit id by content: each slot is all rows with the same content. The slots are sorted
// by cell, unless several queries share records.
func (g *gatherer) slotsOf(id int32, refs []uint32) []slot {
	u := &g.unit
	u.id, u.slots = id, u.slots[:0]
	if g.all != nil {
		g.countContents(refs)
		return u.slots
	}
	if g.countCells(refs) {
		return u.slots
	}
	size := 64
	for size < 2*len(refs) {
		size *= 2
	}
	u.table = columnar.Resize(u.table, size)
	clear(u.table)
	for _, ref := range refs {
		g.addToSlot(ref)
	}
	switch {
	case g.shared || g.cellWidth == g.Size: // each query sorts for itself, or each cell has one slot
	case g.cellWidth == CellBytes:
		u.sortByCell(g)
	default:
		slices.SortFunc(u.slots, func(a, b slot) int { return bytes.Compare(g.Content(a.Ref), g.Content(b.Ref)) })
	}
	return u.slots
}

// countContents does the same as slotsOf if records hold content numbers.
func (g *gatherer) countContents(refs []uint32) {
	u := &g.unit
	if len(u.of) != len(g.all.InAll) {
		u.of = make([]uint32, len(g.all.InAll))
	}
	for _, ref := range refs { // in order, so that a slot's Ref is the first of its rows
		at := &u.of[g.contentOf[ref]]
		if *at == 0 {
			u.slots = append(u.slots, slot{Ref: ref})
			*at = uint32(len(u.slots))
		}
		u.slots[*at-1].Rows += g.countOf(ref)
	}
	for _, x := range u.slots {
		u.of[g.contentOf[x.Ref]] = 0
	}
}

// inAll reports whether all rows of slots count in all queries. It returns false if records hold contents, because only
// content numbers tell this without reading the contents.
func (g *gatherer) inAll(slots []slot) bool {
	if g.all == nil {
		return false
	}
	for _, x := range slots {
		if !g.all.InAll[g.contentOf[x.Ref]] {
			return false
		}
	}
	return true
}

// addToSlot adds a row to the slot of its content.
func (g *gatherer) addToSlot(ref uint32) {
	u, content := &g.unit, g.Content(ref)
	mask := uint64(len(u.table) - 1)
	for i := hashRecord(content) & mask; ; i = (i + 1) & mask {
		n := u.table[i]
		if n == 0 {
			u.slots = append(u.slots, slot{Ref: ref, Rows: g.countOf(ref)})
			u.table[i] = uint32(len(u.slots))
			return
		}
		if x := &u.slots[n-1]; string(g.Content(x.Ref)) == string(content) {
			x.Rows += g.countOf(ref)
			return
		}
	}
}

// sortByCell sorts the slots of a unit by cell, with a counting sort if the cell numbers are small.
func (u *unitSlots) sortByCell(g *gatherer) {
	last := uint32(0)
	for _, x := range u.slots {
		last = max(last, uint32(CellOf(g.Content(x.Ref))))
	}
	if last == 0 {
		return
	}
	u.cells = append(u.cells[:0], u.slots...)
	if uint64(last) >= 2*uint64(len(u.slots)) {
		u.sorted = u.sorted[:0]
		for i, x := range u.cells {
			u.sorted = append(u.sorted, uint64(CellOf(g.Content(x.Ref)))<<32|uint64(i))
		}
		slices.Sort(u.sorted)
		for i, x := range u.sorted {
			u.slots[i] = u.cells[uint32(x)]
		}
		return
	}
	u.starts = columnar.Resize(u.starts, int(last)+2)
	clear(u.starts)
	for _, x := range u.cells {
		u.starts[CellOf(g.Content(x.Ref))+1]++
	}
	for i := range last {
		u.starts[i+1] += u.starts[i]
	}
	for _, x := range u.cells {
		at := &u.starts[CellOf(g.Content(x.Ref))]
		u.slots[*at] = x
		*at++
	}
}

// countCells does the same as slotsOf by counting rows in each cell, if contents are cell numbers of one query. It
// returns false if contents hold more, or if cell numbers are too large compared with the number of rows.
func (g *gatherer) countCells(refs []uint32) bool {
	if g.shared || g.Size != CellBytes {
		return false
	}
	u, last := &g.unit, uint32(0)
	for _, ref := range refs {
		last = max(last, uint32(CellOf(g.Content(ref))))
	}
	if uint64(last) >= 2*uint64(len(refs)) {
		return false
	}
	u.cells = columnar.Resize(u.cells, int(last)+1)
	clear(u.cells)
	for _, ref := range refs { // in order, so that the slot's Ref is the first of its rows
		x := &u.cells[CellOf(g.Content(ref))]
		if x.Rows == 0 {
			x.Ref = ref
		}
		x.Rows += g.countOf(ref)
	}
	for _, x := range u.cells {
		if x.Rows > 0 {
			u.slots = append(u.slots, x)
		}
	}
	return true
}
