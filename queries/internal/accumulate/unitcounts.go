package accumulate

import (
	"cmp"

	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// UnitCounter is a Partial that also counts the units with a kept row. AddUnits adds n units.
type UnitCounter interface{ AddUnits(n int64) }

// maxUnits is the largest number of units; no table has that many rows.
const maxUnits = 1 << 62

// Units counts the rows of each cell, and the units that have a kept row.
type Units struct {
	Counts
	units int64
}

// AddUnits implements [UnitCounter].
func (a *Units) AddUnits(n int64) { a.units = min(a.units+min(n, maxUnits), maxUnits) }

// Merge implements [Partial].
func (a *Units) Merge(other Partial) error {
	o, ok := other.(*Units)
	if !ok {
		return bounding.ErrMerge
	}
	a.AddUnits(o.units)
	return a.Counts.Merge(&o.Counts)
}

// Totals implements [Partial].
func (a *Units) Totals() (Totals, error) {
	t, err := a.Counts.Totals()
	t.Units = a.units
	return t, err
}

// SaveState implements [Partial].
func (a *Units) SaveState(w *state.Writer) {
	w.Uint(uint64(a.units))
	a.Counts.SaveState(w)
}

// LoadState implements [Partial].
func (a *Units) LoadState(r *state.Reader) error {
	n := r.Uint()
	if n > maxUnits {
		return r.Fail()
	}
	a.AddUnits(int64(n))
	return a.Counts.LoadState(r)
}

// AddTotal adds the rows of a cell if t.Table is 0, and units if it is 1.
func (a *Units) AddTotal(t aggregation.Total) error {
	if t.Table == 0 {
		return a.Counts.AddTotal(t)
	}
	if err := checkTotal(&t, 1); err != nil || t.Table != 1 {
		return cmp.Or(err, columnar.ErrShape)
	}
	a.AddUnits(t.Rows)
	return nil
}
