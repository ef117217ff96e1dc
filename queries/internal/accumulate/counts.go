package accumulate

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Counts counts the rows of each cell and, if CountUnits is set, the units that have a kept row.
type Counts struct {
	Groups     *domain.Grouping
	Cells      int
	CountUnits bool
	units      int64
	// slots[0] counts the dropped rows, and slots[c+1] the rows of cell c. It is nil before the first batch.
	slots []int64
}

// makeSlots allocates slots at their first use, because they may take much memory.
func (a *Counts) makeSlots() {
	if a.slots == nil {
		a.slots = make([]int64, a.Cells+1)
	}
}

// AddRows implements [Partial].
func (a *Counts) AddRows(b *table.Batch) error {
	a.makeSlots()
	if len(a.Groups.Axes) == 0 && b.Keep == nil {
		a.slots[1] += int64(b.Rows)
		return nil
	}
	if x := a.Groups.Only(); x != nil && b.Keep == nil {
		return a.countAxis(x, b)
	}
	cells, err := a.Groups.OfRows(b)
	if err != nil {
		return err
	}
	a.countCells(cells)
	return nil
}

func (a *Counts) countCells(cells []int32) {
	for _, c := range cells {
		a.slots[c+1]++
	}
}

// countAxis counts the rows of a batch if there is one axis. It maps dictionary codes to cells without a list of the
// cell of each row.
func (a *Counts) countAxis(x *domain.AxisCoder, b *table.Batch) error {
	c, err := columnar.Of(b, x.At, x.Kind)
	if err != nil {
		return err
	}
	if columnar.Worthwhile(c) {
		return a.countCodes(x.Lookup(c), c, x.Null)
	}
	codes, err := x.OfColumn(c)
	if err == nil {
		a.countCells(codes)
	}
	return err
}

// countCodes counts the rows of a column with dictionary codes. lookup[code] is the cell of a code, and null the cell
// of null values.
func (a *Counts) countCodes(lookup []int32, c *table.Column, null int32) error {
	slots := a.slots
	if c.Valid != nil {
		return a.countValidCodes(lookup, c, null)
	}
	for _, code := range c.Codes {
		if uint(code) >= uint(len(lookup)) {
			return columnar.ErrShape
		}
		slots[lookup[code]+1]++
	}
	return nil
}

func (a *Counts) countValidCodes(lookup []int32, c *table.Column, null int32) error {
	valid := c.Valid[:len(c.Codes)]
	for i, code := range c.Codes {
		cell := null
		if valid[i] {
			if uint(code) >= uint(len(lookup)) {
				return columnar.ErrShape
			}
			cell = lookup[code]
		}
		a.slots[cell+1]++
	}
	return nil
}

// WriteRows implements [Partial].
func (a *Counts) WriteRows(b *table.Batch, to bounding.Writer) error {
	return writeCells(a.Groups, b, to)
}

func writeCells(groups *domain.Grouping, b *table.Batch, to bounding.Writer) error {
	cells, err := groups.OfRows(b)
	if err != nil {
		return err
	}
	return to.AddCells(b, cells)
}

// Content implements [Partial].
func (a *Counts) Content() []bounding.Field { return []bounding.Field{bounding.CellField(a.Cells)} }

// AddRecords implements [Partial].
func (a *Counts) AddRecords() func(content []byte, rows uint64) {
	a.makeSlots()
	cells := a.slots[1:]
	return func(content []byte, rows uint64) { cells[bounding.CellOf(content)] += int64(rows) }
}

// Merge implements [Partial].
func (a *Counts) Merge(other Partial) error {
	o, ok := other.(*Counts)
	if !ok {
		return bounding.ErrMerge
	}
	a.AddUnits(o.units)
	if a.slots == nil {
		a.slots, o.slots = o.slots, nil
	}
	for i, n := range o.slots {
		a.slots[i] = min(a.slots[i]+min(n, MaxRows), MaxRows)
	}
	return nil
}

// Totals implements [Partial].
func (a *Counts) Totals() Totals {
	a.makeSlots()
	return Totals{Tables: [][]int64{capRows(a.slots[1:])}, Units: a.units}
}

// maxUnits is the largest number of units; no table has that many rows.
const maxUnits = 1 << 62

// AddUnits adds to the number of units that have a kept row.
func (a *Counts) AddUnits(n int64) { a.units = min(a.units+min(n, maxUnits), maxUnits) }
