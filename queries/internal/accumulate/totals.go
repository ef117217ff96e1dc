package accumulate

import (
	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Total is what another engine has added up in one cell: rows that were bounded already.
type Total struct {
	Table int // of crosstabs: which of the largest tables; else 0
	Cell  int64
	Rows  int64
	// Sums are the sums of the components of the quantized values, less the centre; Second is the sum of the second number.
	Sums   []int128.Int
	Second int128.Int
}

// Taker is an Answer that takes totals in. The error depends on places and shapes alone.
type Taker interface{ AddTotal(t Total) error }

func (t *Total) fits(cells int64) error {
	if t.Cell < 0 || t.Cell >= cells || t.Rows < 0 {
		return columnar.ErrShape
	}
	return nil
}

// AddTotal adds the rows of a cell.
func (a *Counts) AddTotal(t Total) error {
	a.makeSlots()
	if err := t.fits(int64(a.Cells)); err != nil {
		return err
	}
	a.slots[t.Cell+1] += min(t.Rows, MaxRows)
	return nil
}

// AddTotal adds the rows of a cell.
func (a *Sparse) AddTotal(t Total) error {
	if err := t.fits(int64(a.size)); err != nil {
		return err
	}
	a.countCell(int32(t.Cell), t.Rows)
	return nil
}

// AddTotal adds the rows of a cell of a table.
func (a *Tables) AddTotal(t Total) error {
	a.makeCounts()
	if t.Table < 0 || t.Table >= len(a.counts) {
		return columnar.ErrShape
	}
	if err := t.fits(int64(len(a.counts[t.Table]))); err != nil {
		return err
	}
	a.counts[t.Table][t.Cell] += min(t.Rows, MaxRows)
	return nil
}

// AddTotal adds the sums and the rows of a cell.
func (a *Sums) AddTotal(t Total) error {
	a.makeTotals()
	if err := t.fits(int64(a.Cells)); err != nil {
		return err
	}
	if len(t.Sums) != a.Quantizer.Dims {
		return columnar.ErrShape
	}
	for i, x := range t.Sums {
		a.totals.Add(int(t.Cell)*len(t.Sums)+i, x)
	}
	if a.rows != nil {
		a.rows[t.Cell] += t.Rows
	}
	if a.Second != nil {
		a.second.Add(int(t.Cell), t.Second)
	}
	return nil
}
