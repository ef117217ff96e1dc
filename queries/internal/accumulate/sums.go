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

// Sums adds up values: in each cell the sum of the quantized values minus their centre, and the other totals that the
// query needs. 128 bits suffice: a cell counts at most 2^48 rows of at most 2^41 quanta each.
type Sums struct {
	SumsOf
	quantized []int64      // working memory: the quantized value of one row
	totals    int128.Slice // empty before the first batch
	second    int128.Slice // empty if the query has no second number
	rows      []int64      // row counts; nil if they are not needed
	plain     *plainSums   // sums in 64 bits; nil if the values are vectors or if there are very many cells
}

// SumsOf describes the values, how a batch's rows get their cells and values, and the other totals of the query.
type SumsOf struct {
	Quantizer *quantize.Quantizer
	Groups    *domain.Grouping
	Values    *quantize.RowValues
	Cells     int
	// Second describes a second number of each row, which is also added up; nil if there is none.
	Second *aggregation.Second
	// CountRows is set if row counts are needed, too.
	CountRows bool
}

// NewSums returns totals without rows.
func NewSums(of SumsOf) *Sums {
	return &Sums{SumsOf: of, quantized: make([]int64, of.Quantizer.Numbers()), plain: newPlainSums(of)}
}

// HoldPlain reports whether such values are first added up in 64 bits.
func (of SumsOf) HoldPlain() bool { return newPlainSums(of) != nil }

// makeTotals allocates the sums, which may be many, at their first use.
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

// allRows reports whether rows without a value count as the centre.
func (a *Sums) allRows() bool { return a.Quantizer.Value.Rows > 0 }

// openBatch returns the cell of each row of a batch and reads the rows' values.
func (a *Sums) openBatch(b *table.Batch) ([]int32, error) {
	cells, err := a.Groups.OfRows(b)
	if err != nil {
		return nil, err
	}
	return cells, a.Values.Open(b)
}

// AddRows adds the rows of a batch that have a cell and a value. If allRows holds, a row without a value counts as the
// centre.
func (a *Sums) AddRows(b *table.Batch) error {
	a.makeTotals()
	if done, err := a.addCodes(b); done || err != nil {
		return err
	}
	cells, err := a.openBatch(b)
	if err != nil {
		return err
	}
	if a.plain != nil {
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

// addQuantized adds rows that all have the quantized value in a.quantized to a cell.
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

// WriteRows writes the cells and quantized values of the rows of a batch that have a cell and a value.
func (a *Sums) WriteRows(b *table.Batch, to bounding.Writer) error {
	cells, err := a.openBatch(b)
	if err != nil {
		return err
	}
	if err := to.Start(b, cells); err != nil {
		return err
	}
	if a.plain != nil {
		for row, x := range a.Values.Numbers(len(cells)) {
			if cell := cells[row]; cell >= 0 && !math.IsNaN(x) {
				content := to.Record(row)
				binary.BigEndian.PutUint32(content, uint32(cell))
				binary.BigEndian.PutUint64(content[bounding.CellBytes:], uint64(a.plain.Quantize(x)+a.Quantizer.Centre))
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

// Content returns the fields of the cell and of the value's components.
func (a *Sums) Content() []bounding.Field {
	return append([]bounding.Field{bounding.CellField(a.Cells)}, ValueFields(a.Quantizer)...)
}

// AddRecords returns the function that adds rows by their cell and quantized value.
func (a *Sums) AddRecords() func(content []byte, rows uint64) {
	a.makeTotals()
	return func(content []byte, rows uint64) {
		for i := range a.quantized {
			a.quantized[i] = int64(binary.BigEndian.Uint64(content[bounding.CellBytes+8*i:]))
		}
		a.addQuantized(bounding.CellOf(content), rows)
	}
}

// Merge adds the sums of another partial.
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

// Totals returns the sums, the sums of the second number and the numbers of rows.
func (a *Sums) Totals() (Totals, error) {
	a.makeTotals()
	a.flush()
	return Totals{Sums: a.totals, Second: a.second, Rows: capRows(a.rows)}, nil
}

// newPlainSums returns 64-bit sums, or nil if they cannot hold such values.
func newPlainSums(of SumsOf) *plainSums {
	q := of.Quantizer
	if q.Bits > quantize.MaxBits || q.Numbers() > 1 || q.Clip || q.Value.List || of.Cells > plainCells {
		return nil
	}
	return &plainSums{Fast: q.Fast(), left: plainRows, second: of.Second}
}

// addNumbers adds each row's value to its cell.
func (a *Sums) addNumbers(cells []int32, values []float64) {
	p := a.plain
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

// forPieces calls add for pieces of n rows that are short enough not to overflow 64 bits.
func (a *Sums) forPieces(n int, add func(from, to int)) {
	p := a.plain
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

// addCodes adds the rows of a batch whose values are codes of a dictionary of numbers. It returns false if the batch
// has another form.
func (a *Sums) addCodes(b *table.Batch) (bool, error) {
	if a.plain == nil {
		return false, nil
	}
	c, err := a.Values.Column(b)
	if err != nil || c.Codes == nil || c.Dict == 0 || c.Valid != nil || c.Ends != nil {
		return false, err
	}
	numbers := a.plain.quantizeDictionary(c)
	if numbers == nil {
		return false, nil
	}
	cells, err := a.Groups.OfRows(b)
	if err != nil {
		return true, err
	}
	codes := c.Codes[:len(cells)]
	a.forPieces(len(cells), func(from, to int) {
		if e := a.plain.addCodes(cells[from:to], codes[from:to], numbers); e != nil {
			err = e
		}
	})
	return true, err
}

// flush adds the 64-bit sums to the 128-bit sums and clears them.
func (a *Sums) flush() {
	p := a.plain
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
	p.left = plainRows
}
