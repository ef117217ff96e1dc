package accumulate

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/strategy"
)

// codeBytes is how many bytes of a record a row's cell of a dimension has.
const codeBytes = 4

// Tables counts the same rows in several tables, and measures the residuals of which these are made. Only tables that
// no other one has are counted: all residuals follow from them.
type Tables struct {
	Margins *strategy.Margins
	// Coders find the cells of rows in each dimension, in the order of the workload's attributes.
	Coders []domain.RowCoder
	counts [][]int64 // of the largest tables; nil before the first row

	kept  []int32   // of the rows of a batch: dropped if they have no cell in one of the dimensions
	cells [][]int32 // of the dimensions, for these rows
}

// NewTables returns an answer without rows.
func NewTables(m *strategy.Margins, coders []domain.RowCoder) *Tables {
	return &Tables{Margins: m, Coders: coders}
}

// TableBytes is how many bytes the content of a record has, for some dimensions.
func TableBytes(dimensions int) int { return codeBytes * dimensions }

// makeCounts makes the tables, which may be large, when they are needed first.
func (a *Tables) makeCounts() {
	if a.counts != nil {
		return
	}
	for _, t := range a.Margins.Largest() {
		a.counts = append(a.counts, make([]int64, a.Margins.Cells(t)))
	}
}

// read finds the cells of the rows of a batch in each dimension, and the rows that have one in all of them.
func (a *Tables) read(b *table.Batch) error {
	if b.Keep != nil && len(b.Keep) != b.Rows {
		return columnar.ErrShape
	}
	a.kept = columnar.Resize(a.kept, b.Rows)
	for row := range a.kept {
		a.kept[row] = 0
		if b.Keep != nil && !b.Keep[row] {
			a.kept[row] = columnar.Dropped
		}
	}
	a.cells = a.cells[:0]
	for _, coder := range a.Coders {
		codes, err := coder.OfRows(b)
		if err != nil {
			return err
		}
		for row, code := range codes[:b.Rows] {
			a.kept[row] |= code >> 31 // all bits are set if the code is negative
		}
		a.cells = append(a.cells, codes)
	}
	return nil
}

// AddRows counts the rows of a batch, one table after the other.
func (a *Tables) AddRows(b *table.Batch) error {
	if err := a.read(b); err != nil {
		return err
	}
	a.makeCounts()
	for k, t := range a.Margins.Largest() {
		counts, attributes := a.counts[k], t.Attributes()
		for row, dropped := range a.kept {
			if dropped < 0 {
				continue
			}
			cell := 0
			for _, i := range attributes {
				cell = cell*a.Margins.Size(i) + int(a.cells[i][row])
			}
			counts[cell]++
		}
	}
	return nil
}

// WriteRows writes the cells of the rows of a batch in all dimensions.
func (a *Tables) WriteRows(b *table.Batch, to bounding.Writer) error {
	if err := a.read(b); err != nil {
		return err
	}
	if err := to.Start(b, a.kept); err != nil {
		return err
	}
	for row, dropped := range a.kept {
		if dropped < 0 {
			continue
		}
		content := to.Record(row)
		for i, codes := range a.cells {
			binary.BigEndian.PutUint32(content[codeBytes*i:], uint32(codes[row]))
		}
	}
	return to.Failure()
}

// Content returns the fields of the cells, one for each dimension.
func (a *Tables) Content() []bounding.Field {
	var fields []bounding.Field
	for i := range a.Coders {
		fields = append(fields, bounding.CellField(a.Margins.Size(i)))
	}
	return fields
}

// AddRecords returns what counts rows by their cells.
func (a *Tables) AddRecords() func(content []byte, rows uint64) {
	a.makeCounts()
	return func(content []byte, rows uint64) {
		for k, t := range a.Margins.Largest() {
			cell := 0
			for _, i := range t.Attributes() {
				cell = cell*a.Margins.Size(i) + int(binary.BigEndian.Uint32(content[codeBytes*i:]))
			}
			a.counts[k][cell] += int64(rows)
		}
	}
}

// Merge adds another's counts.
func (a *Tables) Merge(other Answer) error {
	o, ok := other.(*Tables)
	if !ok {
		return bounding.ErrMerge
	}
	if a.counts == nil {
		a.counts, o.counts = o.counts, nil
	}
	for k, counts := range o.counts {
		for i, n := range counts {
			a.counts[k][i] = min(a.counts[k][i]+min(n, MaxRows), MaxRows)
		}
	}
	return nil
}

// Seal measures the residuals and hides them, one vector each.
func (a *Tables) Seal() ([]mechanism.Exact, error) {
	a.makeCounts()
	for _, counts := range a.counts {
		for i, n := range counts {
			counts[i] = min(n, MaxRows)
		}
	}
	var out []mechanism.Exact
	for _, r := range a.Margins.Residuals() {
		e, err := mechanism.SealWide(a.Margins.Quantum(r), a.measure(r))
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	for _, counts := range a.counts {
		clear(counts)
	}
	return out, nil
}

// measure measures a residual in the first table that has it.
func (a *Tables) measure(r strategy.Set) int128.Slice {
	for k, t := range a.Margins.Largest() {
		if t.Has(r) {
			return a.Margins.Measure(r, t, a.counts[k])
		}
	}
	return int128.Slice{} // every residual is within a table
}
