package accumulate

// Saving and loading partials
//
// A partial writes its totals to a [state.Writer]; a partial of another process adds them to its own totals. A process
// with little memory holds row counts in a Sparse and others in a Counts, so each of them also loads the other's form.
//
//	Counts      the number of units, if the query needs it; then 1, then the count of each cell in eight bytes
//	Sparse      2, the number of cells that have rows, then the index and the count of each of them
//	Sums        the sums in sixteen bytes each, then the second sums and the row counts, if the query has them
//	Tables      the counts of each table
//	BinnedSums  for each cell, the number of rows without a value; then 1 + the index of each cell that has rows, with
//	            the row counts and sums of its bins; then 0
//	Ranked      the units of each step; then for each step 1 and its partial, or 0 if it has no rows

import (
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/internal/state"
)

const (
	denseForm  = 1
	sparseForm = 2
)

// SaveState implements [Partial].
func (a *Counts) SaveState(w *state.Writer) {
	a.makeSlots()
	if a.CountUnits {
		w.Uint(uint64(a.units))
	}
	w.Uint(denseForm)
	w.Int64s(a.slots[1:])
}

// LoadState implements [Partial].
func (a *Counts) LoadState(r *state.Reader) error {
	a.makeSlots()
	if a.CountUnits {
		n := r.Uint()
		if n > maxUnits {
			return r.Fail()
		}
		a.AddUnits(int64(n))
	}
	return loadCounts(r, a.Cells, func(cell int, n int64) { addCount(&a.slots[cell+1], n) })
}

// addCount adds n to a count, which stays at most MaxRows.
func addCount(count *int64, n int64) { *count = min(*count+min(n, MaxRows), MaxRows) }

// loadCounts reads counts in either form and calls add for each of them.
func loadCounts(r *state.Reader, cells int, add func(cell int, n int64)) error {
	switch r.Uint() {
	case denseForm:
		eachCount(r, cells, add)
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

// SaveState implements [Partial].
func (a *Sparse) SaveState(w *state.Writer) {
	w.Uint(sparseForm)
	w.Uint(uint64(len(a.rows)))
	for id, cell := range a.cells.Keys {
		w.Uint(cell)
		w.Uint(uint64(a.rows[id]))
	}
}

// LoadState implements [Partial].
func (a *Sparse) LoadState(r *state.Reader) error {
	return loadCounts(r, a.size, func(cell int, n int64) {
		if n > 0 {
			a.countCell(int32(cell), n)
		}
	})
}

// SaveState implements [Partial].
func (a *Sums) SaveState(w *state.Writer) {
	a.makeTotals()
	a.flush()
	saveWide(w, a.totals)
	saveWide(w, a.second)
	w.Int64s(a.rows)
}

// LoadState implements [Partial].
func (a *Sums) LoadState(r *state.Reader) error {
	a.makeTotals()
	loadWide(r, a.totals)
	loadWide(r, a.second)
	loadRows(r, a.rows)
	return r.Err()
}

// SaveState implements [Partial].
func (a *Tables) SaveState(w *state.Writer) {
	a.makeCounts()
	for _, counts := range a.counts {
		w.Int64s(counts)
	}
}

// LoadState implements [Partial].
func (a *Tables) LoadState(r *state.Reader) error {
	a.makeCounts()
	for _, counts := range a.counts {
		loadRows(r, counts)
	}
	return r.Err()
}

// SaveState implements [Partial].
func (a *BinnedSums) SaveState(w *state.Writer) {
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

// LoadState implements [Partial].
func (a *BinnedSums) LoadState(r *state.Reader) error {
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

// saveWide writes 128-bit integers: the upper halves, then the lower halves.
func saveWide(w *state.Writer, s int128.Slice) {
	w.Int64s(s.High)
	for _, x := range s.Low {
		w.Uint64(x)
	}
}

// loadWide adds to s the 128-bit integers that saveWide wrote.
func loadWide(r *state.Reader, s int128.Slice) {
	r.Int64s(len(s.High), func(i int, x int64) { s.Add(i, int128.Int{High: x}) })
	for i := 0; i < len(s.Low) && r.Err() == nil; i++ {
		s.Add(i, int128.Int{Low: r.Uint64()})
	}
}

// loadRows adds row counts to rows.
func loadRows(r *state.Reader, rows []int64) {
	eachCount(r, len(rows), func(i int, n int64) { addCount(&rows[i], n) })
}

// eachCount reads n counts and calls add for each of them.
func eachCount(r *state.Reader, n int, add func(i int, count int64)) {
	r.Int64s(n, func(i int, count int64) {
		if count < 0 {
			_ = r.Fail() // Fail makes all later reads fail
			return
		}
		add(i, count)
	})
}
