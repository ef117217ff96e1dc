package accumulate

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/quantize"
)

// codeBytes is the length of a dimension's cell number in a content.
const codeBytes = 4

// Tables counts the same rows in several tables, each by some of the dimensions.
type Tables struct {
	coders []domain.RowCoder // one for each dimension
	sizes  []int             // number of cells of each dimension
	tables [][]int           // the dimensions of each table
	counts [][]int64         // the counts of each table; nil before the first row

	of      *quantize.Quantizer // the multiplicity as an integer; nil if each row counts once
	weights *quantize.RowValues // the multiplicity of each row of a batch; nil if each row counts once

	kept  []int32   // the rows of a batch that have a cell in every dimension
	cells [][]int32 // the cell of each of these rows, by dimension
}

// NewTables returns tables without rows.
func NewTables(of *aggregation.Aggregation, l domain.BatchColumns) *Tables {
	a := &Tables{sizes: of.Sizes, tables: of.Tables}
	for i := range of.Axes {
		a.coders = append(a.coders, of.Axes[i].Coder(l))
	}
	if of.Weighted {
		a.of, a.weights = of.Value, of.Value.Compile(l)
	}
	return a
}

// TableBytes returns the length of a row's content for a number of dimensions.
func TableBytes(dimensions int) int { return codeBytes * dimensions }

// makeCounts allocates the tables, which may be large, at their first use.
func (a *Tables) makeCounts() {
	if a.counts != nil {
		return
	}
	for _, axes := range a.tables {
		cells := 1
		for _, i := range axes {
			cells *= a.sizes[i]
		}
		a.counts = append(a.counts, make([]int64, cells))
	}
}

// read finds the cells of the rows of a batch in each dimension, and notes the rows that have a cell in every
// dimension.
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
	for _, coder := range a.coders {
		codes, err := coder.OfRows(b)
		if err != nil {
			return err
		}
		for row, code := range codes[:b.Rows] {
			a.kept[row] |= code >> 31 // negative if the row has no cell in this dimension
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
	if a.weights != nil {
		return a.addWeighted(b)
	}
	for k, axes := range a.tables {
		counts := a.counts[k]
		for row, dropped := range a.kept {
			if dropped < 0 {
				continue
			}
			cell := 0
			for _, i := range axes {
				cell = cell*a.sizes[i] + int(a.cells[i][row])
			}
			counts[cell]++
		}
	}
	return nil
}

// addWeighted does the work of AddRows for rows with a multiplicity.
func (a *Tables) addWeighted(b *table.Batch) error {
	if err := a.weights.Open(b); err != nil {
		return err
	}
	var weight [1]int64
	for row, dropped := range a.kept {
		if dropped < 0 || !a.of.Quantize(weight[:], a.weights.Row(row)) {
			continue
		}
		for k, axes := range a.tables {
			cell := 0
			for _, i := range axes {
				cell = cell*a.sizes[i] + int(a.cells[i][row])
			}
			a.counts[k][cell] = min(a.counts[k][cell]+weight[0], MaxRows)
		}
	}
	return nil
}

// WriteRows writes the cell in each dimension of the rows of a batch.
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
	for i := range a.coders {
		fields = append(fields, bounding.CellField(a.sizes[i]))
	}
	return fields
}

// AddRecords returns the function that counts rows by their cells.
func (a *Tables) AddRecords() func(content []byte, rows uint64) {
	a.makeCounts()
	return func(content []byte, rows uint64) {
		for k, axes := range a.tables {
			cell := 0
			for _, i := range axes {
				cell = cell*a.sizes[i] + int(binary.BigEndian.Uint32(content[codeBytes*i:]))
			}
			a.counts[k][cell] += int64(rows)
		}
	}
}

// Merge adds the counts of another partial.
func (a *Tables) Merge(other Partial) error {
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

// Totals returns the counts of the tables.
func (a *Tables) Totals() (Totals, error) {
	a.makeCounts()
	for _, counts := range a.counts {
		capRows(counts)
	}
	return Totals{Tables: a.counts}, nil
}
