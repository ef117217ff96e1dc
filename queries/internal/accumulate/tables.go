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

// Tables counts the same rows in several tables (marginals), each by some of the dimensions.
type Tables struct {
	coders []domain.RowCoder // one for each dimension
	sizes  []int             // the number of cells of each dimension
	tables [][]int           // the dimensions of each table, as indexes; the last dimension changes fastest
	counts [][]int64         // the row counts of each table; nil before the first row

	// weights reads the multiplicity of each row, and quantizer makes it an integer; both are nil if each row counts
	// once.
	quantizer *quantize.Quantizer
	weights   *quantize.RowValues

	dropped []int32   // for each row of a batch, -1 if a filter drops it or it has no cell in some dimension, else 0
	cells   [][]int32 // for each dimension, the cell of each row of a batch
}

// NewTables returns totals without rows.
func NewTables(of *aggregation.Aggregation, l domain.BatchColumns) *Tables {
	a := &Tables{sizes: of.Sizes, tables: of.Tables}
	for i := range of.Axes {
		a.coders = append(a.coders, of.Axes[i].Coder(l))
	}
	if of.Weighted {
		a.quantizer, a.weights = of.Value, of.Value.Compile(l)
	}
	return a
}

// TableBytes returns the length in bytes of a row's content, which is one cell number for each dimension.
func TableBytes(dimensions int) int { return codeBytes * dimensions }

// makeCounts allocates the tables at their first use, because they may take much memory.
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

// read sets a.cells and a.dropped for the rows of a batch.
func (a *Tables) read(b *table.Batch) error {
	var err error
	if a.dropped, err = columnar.Kept(a.dropped, b); err != nil {
		return err
	}
	a.cells = a.cells[:0]
	for _, coder := range a.coders {
		codes, err := coder.OfRows(b)
		if err != nil {
			return err
		}
		for row, code := range codes[:b.Rows] {
			a.dropped[row] |= code >> 31 // negative if the row has no cell in this dimension
		}
		a.cells = append(a.cells, codes)
	}
	return nil
}

// AddRows implements [Partial].
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
		for row, dropped := range a.dropped {
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

// addWeighted is AddRows for rows with a multiplicity, which weights reads.
func (a *Tables) addWeighted(b *table.Batch) error {
	if err := a.weights.Open(b); err != nil {
		return err
	}
	var weight [1]int64
	for row, dropped := range a.dropped {
		if dropped < 0 || !a.quantizer.Quantize(weight[:], a.weights.Row(row)) {
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

// WriteRows implements [Partial].
func (a *Tables) WriteRows(b *table.Batch, to bounding.Writer) error {
	if err := a.read(b); err != nil {
		return err
	}
	if err := to.Start(b, a.dropped); err != nil {
		return err
	}
	for row, dropped := range a.dropped {
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

// Content implements [Partial].
func (a *Tables) Content() []bounding.Field {
	var fields []bounding.Field
	for i := range a.coders {
		fields = append(fields, bounding.CellField(a.sizes[i]))
	}
	return fields
}

// AddRecords implements [Partial].
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

// Merge implements [Partial].
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

// Totals implements [Partial].
func (a *Tables) Totals() Totals {
	a.makeCounts()
	for _, counts := range a.counts {
		capRows(counts)
	}
	return Totals{Tables: a.counts}
}
