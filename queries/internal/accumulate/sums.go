package accumulate

import (
	"encoding/binary"
	"math"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Sums is, for each cell, the sum of the quantized values minus the quantizer's centre, and the other totals that the
// query needs. Sums cannot overflow 128 bits: a cell counts at most 2^48 rows of at most 2^41 quanta each.
type Sums struct {
	SumsSpec
	quantized []int64      // working memory: the quantized value of one row
	totals    int128.Slice // by cell, then by component of the value; empty before the first batch
	second    int128.Slice // by cell, the sum of the second numbers; empty if the query has none
	rows      []int64      // by cell, the row count; nil if the query does not need it
	narrow    *sums64      // sums in 64 bits that are not yet in totals; nil if 64 bits are not used
}

// SumsSpec describes a Sums: how the rows of a batch get their cells (Groups) and values, and which other totals the
// query needs.
type SumsSpec struct {
	Quantizer *quantize.Quantizer
	Groups    *domain.Grouping
	Values    *quantize.RowValues
	Cells     int // the number of cells
	// Second describes a second number of each row, whose sum is needed too; nil if there is none.
	Second *aggregation.Second
	// CountRows is set if row counts are needed, too.
	CountRows bool
	// Weighted is set if a row of the table stands for several rows: its value is its multiplicity, an integer of at least
	// 0, and the totals are row counts. A row without a value does not count.
	Weighted bool
}

// NewSums returns totals without rows.
func NewSums(of SumsSpec) *Sums {
	return &Sums{SumsSpec: of, quantized: make([]int64, of.Quantizer.Numbers()), narrow: newSums64(of)}
}

// FitIn64Bits reports whether sums are first computed in 64 bits.
func (of SumsSpec) FitIn64Bits() bool { return newSums64(of) != nil }

// makeTotals allocates the sums at their first use, because they may take much memory.
func (a *Sums) makeTotals() {
	if a.totals.High != nil {
		return
	}
	a.totals = int128.Make(a.Cells * len(a.quantized))
	if a.CountRows {
		a.rows = make([]int64, a.Cells)
	}
	if a.Second != nil {
		a.second = int128.Make(a.Cells)
	}
}

// allRows reports whether a row without a value counts as if its value were the centre.
func (a *Sums) allRows() bool { return a.Quantizer.Value.Rows > 0 }

// openBatch returns the cell of each row of a batch and prepares a.Values to return the rows' values.
func (a *Sums) openBatch(b *table.Batch) ([]int32, error) {
	cells, err := a.Groups.OfRows(b)
	if err != nil {
		return nil, err
	}
	return cells, a.Values.Open(b)
}

// AddRows implements [Partial].
func (a *Sums) AddRows(b *table.Batch) error {
	a.makeTotals()
	if done, err := a.addCodes(b); done || err != nil {
		return err
	}
	cells, err := a.openBatch(b)
	if err != nil {
		return err
	}
	if a.narrow != nil {
		a.addNumbers(cells, a.Values.Numbers(len(cells)))
		return nil
	}
	for row, cell := range cells {
		switch {
		case cell < 0:
		case a.Quantizer.Quantize(a.quantized, a.Values.Row(row)):
			a.addQuantized(cell, 1)
		case a.allRows():
			a.rows[cell]++
		}
	}
	return nil
}

// addQuantized adds a number of rows, each with the value in a.quantized, to a cell.
func (a *Sums) addQuantized(cell int32, times uint64) {
	at := int(cell) * len(a.quantized)
	for i, x := range a.quantized {
		a.totals.Add(at+i, int128.Product(x-a.Quantizer.Centre, times))
	}
	if a.rows != nil {
		a.rows[cell] += int64(times)
	}
	if a.Second != nil {
		a.second.Add(int(cell), int128.Product(a.Second.Of(a.quantized[0]-a.Quantizer.Centre), times))
	}
}

// WriteRows implements [Partial].
func (a *Sums) WriteRows(b *table.Batch, to bounding.Writer) error {
	cells, err := a.openBatch(b)
	if err != nil {
		return err
	}
	if err := to.Start(b, cells); err != nil {
		return err
	}
	if a.narrow != nil {
		for row, x := range a.Values.Numbers(len(cells)) {
			if cell := cells[row]; cell >= 0 && !math.IsNaN(x) {
				content := to.Record(row) // with the value before the centre is subtracted, which addQuantized does
				binary.BigEndian.PutUint32(content, uint32(cell))
				binary.BigEndian.PutUint64(content[bounding.CellBytes:], uint64(a.narrow.Quantize(x)+a.Quantizer.Centre))
			}
		}
		return to.Failure()
	}
	for row, cell := range cells {
		if cell >= 0 && a.Quantizer.Quantize(a.quantized, a.Values.Row(row)) {
			content := to.Record(row)
			binary.BigEndian.PutUint32(content, uint32(cell))
			for i, x := range a.quantized {
				binary.BigEndian.PutUint64(content[bounding.CellBytes+8*i:], uint64(x))
			}
		}
	}
	return to.Failure()
}

// Content implements [Partial].
func (a *Sums) Content() []bounding.Field {
	return append([]bounding.Field{bounding.CellField(a.Cells)}, ValueFields(a.Quantizer)...)
}

// AddRecords implements [Partial].
func (a *Sums) AddRecords() func(content []byte, rows uint64) {
	a.makeTotals()
	return func(content []byte, rows uint64) {
		for i := range a.quantized {
			a.quantized[i] = int64(binary.BigEndian.Uint64(content[bounding.CellBytes+8*i:]))
		}
		a.addQuantized(bounding.CellOf(content), rows)
	}
}

// Merge implements [Partial].
func (a *Sums) Merge(other Partial) error {
	o, ok := other.(*Sums)
	if !ok {
		return bounding.ErrMerge
	}
	a.flush()
	o.flush()
	if a.totals.High == nil {
		a.totals, a.second, a.rows = o.totals, o.second, o.rows
		return nil
	}
	a.totals.AddSlice(o.totals)
	a.second.AddSlice(o.second)
	for i, n := range o.rows {
		a.rows[i] += n
	}
	return nil
}

// Totals implements [Partial].
func (a *Sums) Totals() Totals {
	a.makeTotals()
	a.flush()
	if a.Weighted {
		cells := make([]int64, a.Cells)
		for i := range cells {
			cells[i] = MaxRows
			if x := a.totals.At(i); x.IsInt64() {
				cells[i] = min(int64(x.Low), MaxRows)
			}
		}
		return Totals{Tables: [][]int64{cells}}
	}
	return Totals{Sums: a.totals, Second: a.second, Rows: capRows(a.rows)}
}

// newSums64 returns 64-bit sums, or nil if they could overflow, if a value is a vector or a list, or if there are very
// many cells.
func newSums64(of SumsSpec) *sums64 {
	q := of.Quantizer
	if q.Bits > quantize.MaxBits || q.Numbers() > 1 || q.Clip || q.Value.List || of.Cells > maxCells64 {
		return nil
	}
	return &sums64{Fast: q.Fast(), left: maxRows64, second: of.Second}
}

// addNumbers adds the rows of a batch to the 64-bit sums. values[row] is NaN if a row has no value.
func (a *Sums) addNumbers(cells []int32, values []float64) {
	p := a.narrow
	a.forPieces(len(cells), func(from, to int) {
		switch {
		case p.rows == nil:
			p.addNumbers(cells[from:to], values[from:to])
		case p.second == nil:
			p.countNumbers(cells[from:to], values[from:to], a.allRows())
		default:
			p.countSeconds(cells[from:to], values[from:to], a.allRows())
		}
	})
}

// forPieces divides n rows into pieces, calls add for each piece, and flushes the 64-bit sums between pieces before
// they can overflow.
func (a *Sums) forPieces(n int, add func(from, to int)) {
	p := a.narrow
	if p.slots == nil {
		p.slots = make([]int64, a.Cells+1)
		if a.rows != nil {
			p.rows = make([]int64, a.Cells+1)
		}
		if p.second != nil {
			p.high, p.low = make([]int64, a.Cells+1), make([]int64, a.Cells+1)
		}
	}
	for from := 0; from < n; {
		if p.left == 0 {
			a.flush()
		}
		to := min(n, from+p.left)
		add(from, to)
		p.left -= to - from
		from = to
	}
}

// addCodes adds the rows of a batch if their values are codes of a dictionary of numbers, without nulls. Otherwise it
// adds nothing and returns false.
func (a *Sums) addCodes(b *table.Batch) (bool, error) {
	if a.narrow == nil {
		return false, nil
	}
	c, err := a.Values.Column(b)
	if err != nil || c.Codes == nil || c.Dict == 0 || c.Valid != nil {
		return false, err
	}
	numbers := a.narrow.quantizeDictionary(c)
	if numbers == nil {
		return false, nil
	}
	cells, err := a.Groups.OfRows(b)
	if err != nil {
		return true, err
	}
	codes := c.Codes[:len(cells)]
	a.forPieces(len(cells), func(from, to int) {
		if e := a.narrow.addCodes(cells[from:to], codes[from:to], numbers); e != nil {
			err = e
		}
	})
	return true, err
}

// flush adds the 64-bit sums to the 128-bit sums and clears them.
func (a *Sums) flush() {
	p := a.narrow
	if p == nil || p.slots == nil {
		return
	}
	for i, x := range p.slots[1:] {
		a.totals.Add(i, int128.Of(x))
	}
	clear(p.slots)
	if p.rows != nil {
		for i, n := range p.rows[1:] {
			a.rows[i] += n
		}
		clear(p.rows)
	}
	if p.second != nil {
		for i, x := range p.high[1:] {
			a.second.Add(i, int128.Product(x, 1<<lowBits).Add(int128.Of(p.low[i+1])))
		}
		clear(p.high)
		clear(p.low)
	}
	p.left = maxRows64
}
