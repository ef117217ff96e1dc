package accumulate

// Saving and loading partials
//
// A partial writes its state to a [state.Writer]; a partial of another process adds it to its own totals. Counts are
// written in one of two forms, dense or sparse, depending on the memory of the process. So a partial of each form can
// also load the other form.
//
//	Counts   1, then the count of each cell in eight bytes
//	Units    the number of units, then as Counts
//	Sparse   2, the number of cells that follow, then the index and the count of each
//	Sums     the sums in sixteen bytes each, then the second sums and the row counts, if the query has them
//	Tables   the counts of each of the largest tables
//	Spread   the number of rows without a value, then the index of each cell that has rows, with its bins

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/state"
)

const (
	wholeForm  = 1
	sparseForm = 2
)

// SaveState writes the counts of all cells.
func (a *Counts) SaveState(w *state.Writer) {
	a.makeSlots()
	w.Uint(wholeForm)
	w.Int64s(a.slots[1:])
}

// LoadState adds the counts of a state.
func (a *Counts) LoadState(r *state.Reader) error {
	a.makeSlots()
	return loadCounts(r, a.Cells, func(cell int, n int64) { addCount(&a.slots[cell+1], n) })
}

// addCount adds n to a count, up to MaxRows.
func addCount(count *int64, n int64) { *count = min(*count+min(n, MaxRows), MaxRows) }

// loadCounts calls add for each count of a state of either form.
func loadCounts(r *state.Reader, cells int, add func(cell int, n int64)) error {
	switch r.Uint() {
	case wholeForm:
		r.Int64s(cells, func(i int, n int64) {
			if n < 0 {
				_ = r.Fail() // the error stays
				return
			}
			add(i, n)
		})
	case sparseForm:
		for left := r.Uint(); left > 0 && r.Err() == nil; left-- {
			cell, n := r.Uint(), r.Uint()
			if cell >= uint64(cells) || n > MaxRows {
				return r.Fail()
			}
			add(int(cell), int64(n))
		}
	default:
		return r.Fail()
	}
	return r.Err()
}

// ValidRecord reports whether a content is a cell of the query.
func (a *Counts) ValidRecord(content []byte) bool { return isCell(content, a.Cells) }

func isCell(content []byte, cells int) bool {
	cell := bounding.CellOf(content)
	return cell >= 0 && int(cell) < cells
}

// SaveState writes the counts of the cells that have rows.
func (a *Sparse) SaveState(w *state.Writer) {
	w.Uint(sparseForm)
	w.Uint(uint64(len(a.rows)))
	for id, cell := range a.cells.Keys {
		w.Uint(cell)
		w.Uint(uint64(a.rows[id]))
	}
}

// LoadState adds the counts of a state.
func (a *Sparse) LoadState(r *state.Reader) error {
	return loadCounts(r, a.size, func(cell int, n int64) {
		if n > 0 {
			a.countCell(int32(cell), n)
		}
	})
}

// ValidRecord reports whether a content is a cell of the query.
func (a *Sparse) ValidRecord(content []byte) bool { return isCell(content, a.size) }

// SaveState writes the sums and the numbers of rows.
func (a *Sums) SaveState(w *state.Writer) {
	a.makeTotals()
	a.flush()
	saveWide(w, a.totals)
	saveWide(w, a.second)
	w.Int64s(a.rows)
}

// LoadState adds the sums of a state.
func (a *Sums) LoadState(r *state.Reader) error {
	a.makeTotals()
	loadWide(r, a.totals)
	loadWide(r, a.second)
	loadRows(r, a.rows)
	return r.Err()
}

// ValidRecord reports whether a content is a cell of the query and values within their bounds.
func (a *Sums) ValidRecord(content []byte) bool {
	return isCell(content, a.Cells) && ValidValues(a.Quantizer, content[bounding.CellBytes:])
}

// SaveState writes the counts of the largest tables.
func (a *Tables) SaveState(w *state.Writer) {
	a.makeCounts()
	for _, counts := range a.counts {
		w.Int64s(counts)
	}
}

// LoadState adds the counts of a state.
func (a *Tables) LoadState(r *state.Reader) error {
	a.makeCounts()
	for _, counts := range a.counts {
		loadRows(r, counts)
	}
	return r.Err()
}

// ValidRecord reports whether a content is a cell of each dimension.
func (a *Tables) ValidRecord(content []byte) bool {
	for i := range a.coders {
		if code := binary.BigEndian.Uint32(content[codeBytes*i:]); int64(code) >= int64(a.sizes[i]) {
			return false
		}
	}
	return true
}

// SaveState writes the number of rows without a value, and the bins of each cell that has rows.
func (a *Spread) SaveState(w *state.Writer) {
	a.makeCells()
	w.Int64s(a.missing)
	for i := range a.cells {
		c := &a.cells[i]
		if c.rows == nil {
			continue
		}
		w.Uint(uint64(i) + 1)
		w.Int64s(c.rows)
		saveWide(w, c.sums)
	}
	w.Uint(0)
}

// LoadState adds the bins of a state.
func (a *Spread) LoadState(r *state.Reader) error {
	a.makeCells()
	loadRows(r, a.missing)
	for {
		switch at := r.Uint(); {
		case r.Err() != nil:
			return r.Err()
		case at == 0:
			return nil
		case at > uint64(a.Cells):
			return r.Fail()
		default:
			c := &a.cells[at-1]
			if c.rows == nil {
				c.rows, c.sums = make([]int64, a.bins()), int128.Make(a.bins())
			}
			loadRows(r, c.rows)
			loadWide(r, c.sums)
		}
	}
}

// ValidRecord reports whether a content is a cell of the query and a value within the public range.
func (a *Spread) ValidRecord(content []byte) bool {
	return isCell(content, a.Cells) && ValidValues(a.Quantizer, content[bounding.CellBytes:])
}

// saveWide writes 128-bit integers. loadWide adds 128-bit integers that saveWide wrote.
func saveWide(w *state.Writer, s int128.Slice) {
	w.Int64s(s.High)
	for _, x := range s.Low {
		w.Uint64(x)
	}
}

func loadWide(r *state.Reader, s int128.Slice) {
	r.Int64s(len(s.High), func(i int, x int64) { s.Add(i, int128.Int{High: x}) })
	for i := 0; i < len(s.Low) && r.Err() == nil; i++ {
		s.Add(i, int128.Int{Low: r.Uint64()})
	}
}

// loadRows adds row counts.
func loadRows(r *state.Reader, rows []int64) {
	r.Int64s(len(rows), func(i int, n int64) {
		if n < 0 {
			_ = r.Fail() // the error stays
			return
		}
		addCount(&rows[i], n)
	})
}
