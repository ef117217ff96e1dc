package sink

import (
	"context"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/dprelease/dprelease/queries/domain"
)

// Verify implements Format.
func (arrowFormat) Verify(ctx context.Context, r io.ReaderAt, size int64, t *table) (err error) {
	f, err := ipc.NewFileReader(io.NewSectionReader(r, 0, size), ipc.WithAllocator(newWithin(size)))
	if err != nil {
		return err
	}
	if !f.Schema().Equal(arrowSchema(t)) {
		return mismatch("the schema")
	}
	batches, n := arrowBatches{f, t}, 0
	for b, err := range t.blocks(ctx) {
		if err != nil {
			return err
		}
		if err := batches.verifyBatch(n, b); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		err = batches.verifyBatch(n, newBlock(t))
		n++
	}
	if err == nil && f.NumRecords() != n {
		err = mismatch("the number of rows")
	}
	return err
}

// arrowBatches are the record batches of a file.
type arrowBatches struct {
	file  *ipc.FileReader
	table *table
}

// verifyBatch compares record batch n with a block.
func (a arrowBatches) verifyBatch(n int, b *block) error {
	if n >= a.file.NumRecords() {
		return mismatch("the number of rows")
	}
	r, err := a.file.RecordAt(n)
	if err != nil {
		return err
	}
	defer r.Release()
	if r.NumRows() != int64(len(b.cells)) {
		return mismatch("the number of rows")
	}
	for i, name := range a.table.columns() {
		if !a.sameColumn(r.Column(i), b, i) {
			return mismatch("column " + name)
		}
	}
	return nil
}

// sameColumn compares column i of a record batch with the block.
func (a arrowBatches) sameColumn(column arrow.Array, b *block, i int) bool {
	if column.Len() != len(b.cells) {
		return false
	}
	if v := i - len(a.table.keys); v >= 0 {
		return a.sameValues(column, b.values[v])
	}
	return column.NullN() == 0 && sameLabels(column, a.table.keys[i], b.cells)
}

func (a arrowBatches) sameValues(column arrow.Array, want []float64) bool {
	got, ok := column.(*array.Float64)
	if !ok {
		return false
	}
	for i, w := range want {
		if missing := a.table.missing(w); got.IsNull(i) != missing || !missing && !sameBits(got.Value(i), w) {
			return false
		}
	}
	return true
}

// sameLabels compares the labels of the cells. In a damaged file, codes may be out of range.
func sameLabels(column arrow.Array, k domain.KeyColumn, cells []int) bool {
	n := labelCount(k.Labels)
	switch c := column.(type) {
	case *array.Dictionary:
		labels, ok := c.Dictionary().(*array.String)
		codes, wide := c.Indices().(*array.Int32)
		return ok && wide && slices.EqualFunc(codes.Int32Values(), cells, func(code int32, cell int) bool {
			return code >= 0 && int(code) < labels.Len() && labels.Value(int(code)) == k.Labels.Strings[labelAt(k, n, cell)]
		})
	case *array.Int64:
		return slices.EqualFunc(c.Int64Values(), cells, func(got int64, cell int) bool {
			return got == k.Labels.Ints[labelAt(k, n, cell)]
		})
	case *array.Float64:
		return slices.EqualFunc(c.Float64Values(), cells, func(got float64, cell int) bool {
			return sameBits(got, k.Labels.Floats[labelAt(k, n, cell)])
		})
	default:
		return false
	}
}
