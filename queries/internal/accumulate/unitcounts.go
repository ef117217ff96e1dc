package accumulate

import (
	"cmp"

	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// UnitCounter is a Partial that also counts units with a kept row.
type UnitCounter interface{ AddUnits(n int64) }

// maxUnits is the largest number of units that is counted. There cannot be that many rows.
const maxUnits = 1 << 62

// Units counts the rows of each cell, and the units that have a kept row in any cell.
type Units struct {
	Counts
	units int64
}

// AddUnits counts units.
func (a *Units) AddUnits(n int64) { a.units = min(a.units+min(n, maxUnits), maxUnits) }

// Merge adds the counts of another partial.
func (a *Units) Merge(other Partial) error {
	o, ok := other.(*Units)
	if !ok {
		return bounding.ErrMerge
	}
	a.AddUnits(o.units)
	return a.Counts.Merge(&o.Counts)
}

// Totals returns the counts, and the number of units.
func (a *Units) Totals() (Totals, error) {
	t, err := a.Counts.Totals()
	t.Units = a.units
	return t, err
}

// SaveState writes the number of units, and the counts of all cells.
func (a *Units) SaveState(w *state.Writer) {
	w.Uint(uint64(a.units))
	a.Counts.SaveState(w)
}

// LoadState adds the numbers of a state.
func (a *Units) LoadState(r *state.Reader) error {
	n := r.Uint()
	if n > maxUnits {
		return r.Fail()
	}
	a.AddUnits(int64(n))
	return a.Counts.LoadState(r)
}

// AddTotal adds the rows of a cell, or, in table 1, the units that have a row.
func (a *Units) AddTotal(t aggregation.Total) error {
	if t.Table == 0 {
		return a.Counts.AddTotal(t)
	}
	if err := fits(&t, 1); err != nil || t.Table != 1 {
		return cmp.Or(err, columnar.ErrShape)
	}
	a.AddUnits(t.Rows)
	return nil
}
