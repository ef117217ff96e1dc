package sink

import (
	"context"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/queries/domain"
)

// createdBy is the name of the writer in every file. It never changes. Its form is one that other programs parse.
const createdBy = "dprelease version 1 (build parquet-go)"

// parquetFormat writes a Parquet file with one row group for each block of rows.
type parquetFormat struct{}

func (parquetFormat) Extension() string { return ".parquet" }

// Write writes column by column, so that memory holds only the compressed pages of one row group.
func (parquetFormat) Write(ctx context.Context, w io.Writer, t *table) (rows int, err error) {
	out := parquet.NewGenericWriter[any](w, schemaOf(t), &parquet.WriterConfig{
		CreatedBy:       createdBy,
		Compression:     &parquet.Zstd,
		DataPageVersion: 1, // version 1, which all readers support
	}, parquet.DataPageStatistics(false)) // not in pages: the page index and the footer have statistics
	columns := newValueColumns(t)
	for b, err := range t.blocks(ctx) {
		if err != nil {
			return rows, err
		}
		if err := columns.write(out.ColumnWriters(), b); err != nil {
			return rows, err
		}
		if err := out.Flush(); err != nil {
			return rows, fmt.Errorf("row group: %w", err)
		}
		rows += len(b.cells)
	}
	return rows, out.Close()
}

// valueBatch is the number of values that the library gets in one call.
const valueBatch = 1 << 13

// valueColumnSet converts blocks of rows to the library's values. It converts each label only once.
type valueColumnSet struct {
	table  *table
	labels [][]parquet.Value
	batch  [valueBatch]parquet.Value
}

func newValueColumns(t *table) *valueColumnSet {
	s := &valueColumnSet{table: t}
	for _, k := range t.keys {
		s.labels = append(s.labels, labelValues(k.Labels))
	}
	return s
}

func labelValues(l domain.Labels) []parquet.Value {
	values := make([]parquet.Value, 0, labelCount(l))
	for _, s := range l.Strings {
		values = append(values, parquet.ByteArrayValue([]byte(s)))
	}
	for _, i := range l.Ints {
		values = append(values, parquet.Int64Value(i))
	}
	for _, f := range l.Floats {
		values = append(values, parquet.DoubleValue(f))
	}
	return values
}

func (s *valueColumnSet) write(writers []*parquet.ColumnWriter, b *block) error {
	for i, w := range writers {
		for start := 0; start < len(b.cells); start += valueBatch {
			values := s.batch[:min(valueBatch, len(b.cells)-start)]
			s.fill(values, b, i, start)
			if _, err := w.WriteRowValues(values); err != nil {
				return fmt.Errorf("column %d: %w", i, err)
			}
		}
	}
	return nil
}

// fill sets dst to the values of one column in the block's rows from start on.
func (s *valueColumnSet) fill(dst []parquet.Value, b *block, column, start int) {
	if keys := s.table.keys; column < len(keys) {
		key, labels := keys[column], s.labels[column]
		for i, cell := range b.cells[start : start+len(dst)] {
			dst[i] = labels[labelAt(key, len(labels), cell)]
		}
		return
	}
	for i, v := range b.values[column-len(s.table.keys)][start : start+len(dst)] {
		dst[i] = s.value(v)
	}
}

// value returns a number as the library's value. Definition level 1 means that an optional column has a value.
func (s *valueColumnSet) value(v float64) parquet.Value {
	switch {
	case s.table.isMissing(v):
		return parquet.NullValue()
	case s.table.nullable:
		return parquet.DoubleValue(v).Level(0, 1, 0)
	default:
		return parquet.DoubleValue(v)
	}
}
