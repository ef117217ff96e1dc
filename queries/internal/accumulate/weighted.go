package accumulate

import (
	"github.com/dprelease/dprelease/queries/bounding"
)

// Weighted counts the rows of each cell if a row of the table stands for several rows: a row's value is its multiplicity,
// an integer of at least 0. A row without a value does not count.
type Weighted struct{ Sums }

// Merge implements [Partial].
func (a *Weighted) Merge(other Partial) error {
	o, ok := other.(*Weighted)
	if !ok {
		return bounding.ErrMerge
	}
	return a.Sums.Merge(&o.Sums)
}

// Totals implements [Partial].
func (a *Weighted) Totals() (Totals, error) {
	t, err := a.Sums.Totals()
	if err != nil {
		return Totals{}, err
	}
	cells := make([]int64, a.Cells)
	for i := range cells {
		cells[i] = MaxRows
		if x := t.Sums.At(i); x.IsInt64() {
			cells[i] = min(int64(x.Low), MaxRows)
		}
	}
	return Totals{Tables: [][]int64{cells}}, nil
}
