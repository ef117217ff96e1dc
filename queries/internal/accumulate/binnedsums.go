package accumulate

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Sums whose clamp is chosen later
//
// The clamp is chosen from a noisy histogram of the values, after all rows are read. Its minimum and maximum are edges
// of the histogram's bins. So each cell has a row count and a sum of values for each bin. The sum under a clamp is the
// sum of the bins inside the clamp, plus the clamp's minimum for each row below it and its maximum for each row above
// it. A bin of the histogram counts the rows of all cells.

// BinnedSums is the totals of values, which are single numbers, by cell and bin.
type BinnedSums struct {
	BinnedSumsSpec
	cells     []cellBins // nil before the first row
	missing   []int64    // for each cell, the number of rows without a value
	quantized [1]int64   // working memory: the quantized value of one row
}

// BinnedSumsSpec describes a BinnedSums: how the rows of a batch get their cells (Groups) and values.
type BinnedSumsSpec struct {
	// Quantizer clamps values to the public range and quantizes them. It has no centre.
	Quantizer *quantize.Quantizer
	Groups    *domain.Grouping
	Values    *quantize.RowValues
	Cells     int // the number of cells
}

// cellBins holds the row count and the sum of each bin of a cell; both are nil if the cell has no rows.
type cellBins struct {
	rows []int64
	sums int128.Slice
}

// Layout returns the bins of the histogram.
func (of BinnedSumsSpec) Layout() privateclamp.Layout {
	return privateclamp.Layout{Signed: of.Quantizer.Min < 0}
}

// lowest returns the number of the bin of the smallest values. privateclamp numbers bins of negative values below 0.
func (of BinnedSumsSpec) lowest() int {
	if of.Layout().Signed {
		return 1 - privateclamp.Edges
	}
	return 0
}

func (of BinnedSumsSpec) bins() int { return privateclamp.Edges - of.lowest() }

// CellBytes returns the memory in bytes for a cell that has rows.
func (of BinnedSumsSpec) CellBytes() int64 { return 24 * int64(of.bins()) }

// NewBinnedSums returns totals without rows.
func NewBinnedSums(of BinnedSumsSpec) *BinnedSums { return &BinnedSums{BinnedSumsSpec: of} }

// AddRows implements [Partial].
func (a *BinnedSums) AddRows(b *table.Batch) error {
	a.makeCells()
	return a.eachValue(b, nil, func(_ int, cell int32) { a.addQuantized(cell, 1) }, func(cell int32) { a.missing[cell]++ })
}

// WriteRows implements [Partial].
func (a *BinnedSums) WriteRows(b *table.Batch, to bounding.Writer) error {
	write := func(row int, cell int32) {
		content := to.Record(row)
		binary.BigEndian.PutUint32(content, uint32(cell))
		binary.BigEndian.PutUint64(content[bounding.CellBytes:], uint64(a.quantized[0]))
	}
	err := a.eachValue(b, func(cells []int32) error { return to.Start(b, cells) }, write, nil)
	if err != nil {
		return err
	}
	return to.Failure()
}

// eachValue calls value for each row of a batch that has a cell and a value, and none for each row that has a cell but
// no value. While value runs, a.quantized holds the row's quantized value. eachValue first calls start with the cells
// of all rows. start and none may be nil.
func (a *BinnedSums) eachValue(b *table.Batch, start func([]int32) error, value func(row int, cell int32),
	none func(cell int32)) error {
	cells, err := a.Groups.OfRows(b)
	if err != nil {
		return err
	}
	if err := a.Values.Open(b); err != nil {
		return err
	}
	if start != nil {
		if err := start(cells); err != nil {
			return err
		}
	}
	for row, cell := range cells {
		switch {
		case cell < 0:
		case a.Quantizer.Quantize(a.quantized[:], a.Values.Row(row)):
			value(row, cell)
		case none != nil:
			none(cell)
		}
	}
	return nil
}

// Content implements [Partial].
func (a *BinnedSums) Content() []bounding.Field {
	return append([]bounding.Field{bounding.CellField(a.Cells)}, ValueFields(a.Quantizer)...)
}

// AddRecords implements [Partial].
func (a *BinnedSums) AddRecords() func(content []byte, rows uint64) {
	a.makeCells()
	return func(content []byte, rows uint64) {
		a.quantized[0] = int64(binary.BigEndian.Uint64(content[bounding.CellBytes:]))
		a.addQuantized(bounding.CellOf(content), rows)
	}
}

func (a *BinnedSums) makeCells() {
	if a.cells == nil {
		a.cells, a.missing = make([]cellBins, a.Cells), make([]int64, a.Cells)
	}
}

// addQuantized adds a number of rows, each with the value in a.quantized, to a cell.
func (a *BinnedSums) addQuantized(cell int32, times uint64) {
	c := &a.cells[cell]
	if c.rows == nil {
		c.rows, c.sums = make([]int64, a.bins()), int128.Make(a.bins())
	}
	at := privateclamp.BinOf(a.quantized[0]) - a.lowest()
	c.rows[at] += int64(times)
	c.sums.Add(at, int128.Product(a.quantized[0], times))
}

// Merge implements [Partial].
func (a *BinnedSums) Merge(other Partial) error {
	o, ok := other.(*BinnedSums)
	if !ok {
		return bounding.ErrMerge
	}
	a.makeCells()
	for i := range o.cells {
		mine, theirs := &a.cells[i], &o.cells[i]
		a.missing[i] += o.missing[i]
		switch {
		case theirs.rows == nil:
		case mine.rows == nil:
			*mine = *theirs
		default:
			for j, n := range theirs.rows {
				mine.rows[j] += n
			}
			mine.sums.AddSlice(theirs.sums)
		}
	}
	o.cells, o.missing = nil, nil
	return nil
}

// Totals implements [Partial].
func (a *BinnedSums) Totals() Totals {
	a.makeCells()
	return Totals{Binned: a}
}

// AllRows returns the number of rows of all cells, including rows without a value.
func (a *BinnedSums) AllRows() (all int64) {
	for i := range a.cells {
		all += a.missing[i]
		for _, n := range a.cells[i].rows {
			all += n
		}
	}
	return all
}

// Hide returns the exact answers: the sums, for which a clamp must be chosen before they get noise; the row counts, if
// countRows is set; and the histogram. If centred is set, the centre of the chosen clamp is subtracted from each value.
func (a *BinnedSums) Hide(centred, countRows bool) ([]mechanism.Exact, error) {
	histogram, rows := make([]int64, a.Layout().Cells()), make([]int64, a.Cells)
	for i := range a.cells {
		for j, n := range a.cells[i].rows {
			a.Layout().Count(histogram, j+a.lowest(), n)
			rows[i] += n
		}
	}
	vectors := [][]int64{histogram}
	if countRows {
		vectors = [][]int64{rows, histogram}
	}
	exacts := []mechanism.Exact{mechanism.HideChoice(func(r mechanism.Range) (mechanism.Exact, error) {
		return a.clamped(r, centred)
	}, a.write)}
	for _, counts := range vectors {
		e, err := HideCounts(counts)
		if err != nil {
			return nil, err
		}
		exacts = append(exacts, e...)
	}
	return exacts, nil
}

// write writes the totals for a fingerprint (see content.go).
func (a *BinnedSums) write(to io.Writer) error {
	w := &contentWriter{to: to}
	for i := range a.cells {
		if c := &a.cells[i]; c.rows != nil {
			w.words(uint64(i))
			w.counts('r', c.rows)
			w.wide('s', c.sums)
		}
	}
	if a.Quantizer.Value.Rows > 0 { // if Rows is 0, rows without a value do not count
		w.counts('m', a.missing)
	}
	return w.err
}

// errEdges is a bug of this program: the minimum or maximum of the chosen clamp is not an edge of a bin.
var errEdges = errors.New("the ends of the chosen clamp are not edges of the histogram")

// clamped returns the sums by cell, if values are clamped to r.
func (a *BinnedSums) clamped(r mechanism.Range, centred bool) (mechanism.Exact, error) {
	if r.Low >= r.High {
		return mechanism.Exact{}, errEdges
	}
	from, to, err := a.within(r)
	if err != nil {
		return mechanism.Exact{}, err
	}
	centre := int64(0)
	if centred {
		centre = CentreOf(r)
	}
	totals := int128.Make(a.Cells)
	for i := range a.cells {
		c := &a.cells[i]
		for j, n := range c.rows {
			sum := c.sums.At(j)
			switch {
			case j < from:
				sum = int128.Product(r.Low, uint64(n))
			case j >= to:
				sum = int128.Product(r.High, uint64(n))
			}
			totals.Add(i, sum.Sub(int128.Product(centre, uint64(n))))
		}
	}
	exacts, err := HideSums(math.Ldexp(1, a.Quantizer.Exponent), totals)
	if err != nil {
		return mechanism.Exact{}, err
	}
	return exacts[0], nil
}

// CentreOf returns the centre of a clamp in quanta, rounded down.
func CentreOf(r mechanism.Range) int64 { return r.Low + (r.High-r.Low)/2 }

// within returns the bins inside a clamp: bin from to bin to-1.
func (a *BinnedSums) within(r mechanism.Range) (from, to int, err error) {
	to = a.bins()
	for j := range a.bins() {
		low, high := privateclamp.Bounds(j + a.lowest())
		low, high = max(low, a.Quantizer.Min), min(high, a.Quantizer.Max)
		switch {
		case low > high: // a bin beyond the public range is empty
		case high <= r.Low:
			from = j + 1
		case low >= r.High:
			to = min(to, j)
		case low < r.Low || high > r.High:
			return 0, 0, errEdges
		}
	}
	return from, to, nil
}
