package stabilitytest

import (
	"bytes"
	"io"
	"math/rand/v2"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// arrowTypes are the Arrow types of the kinds. Text may be written with another type.
var arrowTypes = map[Kind]arrow.DataType{
	Int64: arrow.PrimitiveTypes.Int64, Int32: arrow.PrimitiveTypes.Int32, Uint64: arrow.PrimitiveTypes.Uint64, Float64: arrow.PrimitiveTypes.Float64,
	Float32: arrow.PrimitiveTypes.Float32, Text: arrow.BinaryTypes.String, Bool: arrow.FixedWidthTypes.Boolean, Date: arrow.FixedWidthTypes.Date32,
	Instant: &arrow.TimestampType{Unit: arrow.Microsecond,
		TimeZone: "UTC"}, Clock: &arrow.TimestampType{Unit: arrow.Microsecond},
	Cents: &arrow.Decimal128Type{Precision: 9,
		Scale: 2}, Whole: &arrow.Decimal128Type{Precision: 12}, List: arrow.ListOf(arrow.PrimitiveTypes.Float64),
}

// recordOf holds rows in Arrow's memory.
func recordOf(columns []Column, rows []Row, text arrow.DataType) (arrow.Record, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowTypes[c.Kind], Nullable: c.Optional}
		if c.Kind == Text {
			fields[i].Type = text
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	for _, row := range rows {
		for i, v := range row {
			if err := appendCell(b.Field(i), v); err != nil {
				return nil, err
			}
		}
	}
	return b.NewRecord(), nil
}

func appendCell(b array.Builder, v any) error {
	if v == nil {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(v.(int64))
	case *array.Int32Builder:
		b.Append(int32(v.(int64)))
	case *array.Uint64Builder:
		b.Append(v.(uint64))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.Float32Builder:
		b.Append(float32(v.(float64)))
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.(int64)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.(int64)))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(v.(int64)))
	case *array.BinaryDictionaryBuilder:
		return b.AppendString(v.(string))
	case array.StringLikeBuilder:
		b.Append(v.(string))
	case *array.ListBuilder:
		b.Append(true)
		b.ValueBuilder().(*array.Float64Builder).AppendValues(v.([]float64), nil)
	}
	return nil
}

func arrowParquet(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	codec := pick(r, []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy})
	properties := []parquet.WriterProperty{
		parquet.WithDictionaryDefault(r.IntN(2) == 0), parquet.WithMaxRowGroupLength(pick(r, []int64{1, 2, 3, 5, 1 << 20})),
		parquet.WithDataPageSize(pick(r, []int64{1, 16, 64, 1 << 20})), parquet.WithBatchSize(pick(r,
			[]int64{1, 2, 1024})), parquet.WithStats(r.IntN(4) > 0),
		parquet.WithDataPageVersion(pick(r, []parquet.DataPageVersion{parquet.DataPageV1,
			parquet.DataPageV2})), parquet.WithCompression(codec),
		parquet.WithMaxStatsSize(pick(r, []int64{1, 16, 4096})), parquet.WithDictionaryPageSizeLimit(pick(r,
			[]int64{8, 1 << 20})),
	}
	record, err := recordOf(columns, rows, arrow.BinaryTypes.String)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(record.Schema(), &out, parquet.NewWriterProperties(properties...),
		pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		if err := w.Write(record); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// ipcLayout draws the layout of an Arrow file or stream: its record batches and options.
func ipcLayout(columns []Column, rows []Row, r *rand.Rand) (batches []arrow.Record, options []ipc.Option, err error) {
	texts := []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}}
	record, err := recordOf(columns, rows, pick(r, texts))
	if err != nil {
		return nil, nil, err
	}
	options = append([]ipc.Option{ipc.WithSchema(record.Schema())},
		pick(r, [][]ipc.Option{nil, nil, nil, nil, {ipc.WithLZ4()}, {ipc.WithZstd()}})...)
	n := pick(r, []int64{1, 2, 3, 5, 1 << 20})
	for at := int64(0); at < record.NumRows(); at += n {
		batches = append(batches, record.NewSlice(at, min(at+n, record.NumRows())))
	}
	return batches, options, nil
}

// seeker is a file in memory that is written from front to back.
type seeker struct{ bytes.Buffer }

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, io.ErrUnexpectedEOF
	}
	return int64(s.Len()), nil
}

func arrowFile(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	batches, options, err := ipcLayout(columns, rows, r)
	if err != nil {
		return nil, err
	}
	var out seeker
	w, err := ipc.NewFileWriter(&out, options...)
	if err != nil {
		return nil, err
	}
	err = writeBatches(w, batches)
	return out.Bytes(), err
}

func arrowStream(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	batches, options, err := ipcLayout(columns, rows, r)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = writeBatches(ipc.NewWriter(&out, options...), batches)
	return out.Bytes(), err
}

func writeBatches(w interface {
	Write(arrow.Record) error
	Close() error
}, batches []arrow.Record) error {
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			return err
		}
	}
	return w.Close()
}
