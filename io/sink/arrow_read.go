package sink

import (
	"context"
	"io"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

func (arrowFormat) loses() losses { return losses{} }

// Read passes the rows to to, one record batch at a time.
func (arrowFormat) Read(ctx context.Context, r io.ReaderAt, size int64, to tableReceiver) error {
	f, err := ipc.NewFileReader(io.NewSectionReader(r, 0, size), ipc.WithAllocator(newBoundedAllocator(size)))
	if err != nil {
		return err
	}
	var names []string
	var optional []bool
	for _, field := range f.Schema().Fields() {
		names, optional = append(names, field.Name), append(optional, field.Nullable)
	}
	keys, needed, err := to.columns(names, optional)
	if err != nil {
		return err
	}
	rows := newFileRows(keys, len(names)-keys)
	for n := range f.NumRecords() {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := f.RecordAt(n)
		if err != nil {
			return err
		}
		rows.reset()
		rows.n = int(record.NumRows())
		for i, name := range names {
			if i < keys && !needed {
				continue
			}
			column := record.Column(i)
			ok := column.Len() == rows.n
			if i < keys {
				ok = ok && rows.keys[i].setArray(column)
			} else {
				ok = ok && setDoubles(&rows.values[i-keys], column, optional[i])
			}
			if !ok {
				return mismatch("column " + name)
			}
		}
		err = to.add(rows)
		record.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// setDoubles fills values, an empty slice, with the numbers of a column; a null becomes NaN. It returns false if an
// optional column holds a NaN, which would look like a null.
func setDoubles(values *[]float64, column arrow.Array, optional bool) bool {
	c, ok := column.(*array.Float64)
	if !ok || !optional && c.NullN() > 0 {
		return false
	}
	if !optional {
		*values = c.Float64Values() // not copied: the rows are used before the library releases the record batch
		return true
	}
	for i, v := range c.Float64Values() {
		missing := c.IsNull(i)
		if !missing && math.IsNaN(v) {
			return false
		}
		if missing {
			v = math.NaN()
		}
		*values = append(*values, v)
	}
	return true
}

// setArray fills k, which is empty, with the labels of a column. It returns false if the file is damaged, for instance
// if a code is out of range.
func (k *fileKeys) setArray(column arrow.Array) bool {
	if column.NullN() > 0 {
		return false
	}
	switch c := column.(type) {
	case *array.Dictionary:
		k.kind = textKey
		labels, ok := c.Dictionary().(*array.String)
		codes, wide := c.Indices().(*array.Int32)
		if !ok || !wide {
			return false
		}
		for _, code := range codes.Int32Values() {
			if code < 0 || int(code) >= labels.Len() {
				return false
			}
			k.texts = append(k.texts, labels.Value(int(code)))
		}
	case *array.Int64:
		k.kind, k.ints = wholeKey, c.Int64Values()
	case *array.Float64:
		k.kind, k.floats = realKey, c.Float64Values()
	default:
		return false
	}
	return true
}
