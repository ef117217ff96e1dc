package accumulate

import (
	"cmp"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
)

// Totals is the exact, private totals of a partial. The query's Hide method turns them into exact answers, whose values
// other packages cannot read.
type Totals struct {
	// Tables[t][c] is the row count of cell c of table t, at most [MaxRows].
	Tables [][]int64
	// Sparse holds the row counts that are not 0, if the query has one table with too many cells for memory. Then Tables
	// is empty.
	Sparse *mechanism.Sparse
	// Units is the number of units that have a kept row, if the query needs it.
	Units int64
	// By cell: Sums is the sum of the quantized values minus their centre, Second the sum of the second numbers (see
	// [aggregation.Second]), and Rows the row count, at most [MaxRows]. Each is empty if the query does not need it.
	Sums, Second int128.Slice
	Rows         []int64
	// Binned, Ranked and Keyed are totals for a clamp, a bound on rows or keys that are chosen later; nil if the query
	// chooses none.
	Binned *BinnedSums
	Ranked *Ranked
	Keyed  Keyed
}

// Keyed is totals by discovered keys. Nobody can read them before keys are selected.
type Keyed interface {
	// Hide returns the exact answers, one for each number that has a total by key.
	Hide() ([]mechanism.Exact, error)
}

// capRows lowers row counts above MaxRows to MaxRows.
func capRows(cells []int64) []int64 {
	for i, n := range cells {
		cells[i] = min(n, MaxRows)
	}
	return cells
}

// checkTotal returns an error if the total's cell is not below cells, or if its row count is negative.
func checkTotal(t *aggregation.Total, cells int64) error {
	if t.Cell < 0 || t.Cell >= cells || t.Rows < 0 {
		return columnar.ErrShape
	}
	return nil
}

// AddTotal adds the rows of a cell. If the number of units is needed, t.Table 1 adds units.
func (a *Counts) AddTotal(t aggregation.Total) error {
	a.makeSlots()
	if a.CountUnits && t.Table != 0 {
		if err := checkTotal(&t, 1); err != nil || t.Table != 1 {
			return cmp.Or(err, columnar.ErrShape)
		}
		a.AddUnits(t.Rows)
		return nil
	}
	if err := checkTotal(&t, int64(a.Cells)); err != nil {
		return err
	}
	a.slots[t.Cell+1] += min(t.Rows, MaxRows)
	return nil
}

// AddTotal implements [Partial].
func (a *Sparse) AddTotal(t aggregation.Total) error {
	if err := checkTotal(&t, int64(a.size)); err != nil {
		return err
	}
	a.countCell(int32(t.Cell), t.Rows)
	return nil
}

// AddTotal implements [Partial].
func (a *Tables) AddTotal(t aggregation.Total) error {
	a.makeCounts()
	if t.Table < 0 || t.Table >= len(a.counts) {
		return columnar.ErrShape
	}
	if err := checkTotal(&t, int64(len(a.counts[t.Table]))); err != nil {
		return err
	}
	a.counts[t.Table][t.Cell] += min(t.Rows, MaxRows)
	return nil
}

// AddTotal implements [Partial].
func (a *Sums) AddTotal(t aggregation.Total) error {
	a.makeTotals()
	if err := checkTotal(&t, int64(a.Cells)); err != nil {
		return err
	}
	if len(t.Sums) != len(a.quantized) {
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

// AddTotal adds the rows of a cell and step t.Table. If t.Table is the number of steps, it adds the units of step
// t.Cell.
func (a *Ranked) AddTotal(t aggregation.Total) error {
	steps := len(a.steps)
	switch {
	case t.Table == steps:
		if err := checkTotal(&t, int64(steps)); err != nil {
			return err
		}
		a.units[t.Cell] += min(t.Rows, MaxRows)
		return nil
	case t.Table < 0 || t.Table > steps:
		return columnar.ErrShape
	case t.Rows == 0: // the database returned a group of no rows, which has no step
		return nil
	}
	partial := a.at(t.Table)
	t.Table = 0
	return partial.AddTotal(t)
}

// AddTotal adds the rows and the sum of a cell and bin t.Table. If t.Table is the number of bins, it adds rows without
// a value.
func (a *BinnedSums) AddTotal(t aggregation.Total) error {
	a.makeCells()
	if err := checkTotal(&t, int64(a.Cells)); err != nil {
		return err
	}
	bins := a.bins()
	switch {
	case t.Table < 0 || t.Table > bins || len(t.Sums) != 1:
		return columnar.ErrShape
	case t.Rows == 0:
		return nil
	case t.Table == bins:
		a.missing[t.Cell] += min(t.Rows, MaxRows)
		return nil
	}
	c := &a.cells[t.Cell]
	if c.rows == nil {
		c.rows, c.sums = make([]int64, bins), int128.Make(bins)
	}
	c.rows[t.Table] += min(t.Rows, MaxRows)
	c.sums.Add(t.Table, t.Sums[0])
	return nil
}

// BinEdges returns the smallest value of each bin except the first, ascending.
func (of BinnedSumsSpec) BinEdges() []int64 {
	edges := make([]int64, 0, of.bins()-1)
	for j := 1; j < of.bins(); j++ {
		low, _ := privateclamp.Bounds(j + of.lowest())
		edges = append(edges, low)
	}
	return edges
}
