package sourcetest

import (
	"bytes"
	"io"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
)

func record(columns []Column, rows []Row) (arrow.Record, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type.Arrow, Nullable: c.Optional}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	for _, row := range rows {
		for i, cell := range row {
			if err := appendCell(b.Field(i), cell); err != nil {
				return nil, err
			}
		}
	}
	return b.NewRecord(), nil
}

// appendCell appends a cell to a column. For most types, it calls the builder's method Append.
func appendCell(b array.Builder, cell any) error {
	switch x := cell.(type) {
	case nil:
		b.AppendNull()
		return nil
	case *big.Int:
		switch b := b.(type) {
		case *array.Decimal128Builder:
			b.Append(decimal128.FromBigInt(x))
		case *array.Decimal256Builder:
			b.Append(decimal256.FromBigInt(x))
		}
		return nil
	case string:
		switch b := b.(type) {
		case *array.BinaryDictionaryBuilder:
			return b.AppendString(x)
		case array.StringLikeBuilder:
			b.Append(x)
			return nil
		case interface{ Append([]byte) }:
			b.Append([]byte(x))
			return nil
		}
	case float64:
		if b, ok := b.(*array.Float16Builder); ok {
			b.Append(float16.New(float32(x)))
			return nil
		}
	case []float64:
		b := b.(*array.ListBuilder)
		b.Append(true)
		b.ValueBuilder().(*array.Float64Builder).AppendValues(x, nil)
		return nil
	case int64:
		if b, ok := b.(*array.Decimal128Builder); ok {
			b.Append(decimal128.FromI64(x))
			return nil
		}
	}
	method := reflect.ValueOf(b).MethodByName("Append")
	out := method.Call([]reflect.Value{reflect.ValueOf(cell).Convert(method.Type().In(0))})
	if len(out) > 0 && !out[0].IsNil() {
		return out[0].Interface().(error)
	}
	return nil
}

func arrowParquet(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	batch := pick[int64](r, 1, 2, 1024)
	if slices.ContainsFunc(columns, func(c Column) bool { return c.Type.Arrow.ID() == arrow.LIST }) {
		batch = 1024 // more than a list has elements; see MarshalArrowParquet
	}
	properties := []parquet.WriterProperty{
		parquet.WithDictionaryDefault(chance(r, 0.5)), parquet.WithMaxRowGroupLength(pick[int64](r, 1, 2, 3, 5, 1<<20)),
		parquet.WithDataPageSize(pick[int64](r, 1, 16, 64, 1<<20)), parquet.WithBatchSize(batch),
		parquet.WithStats(r.IntN(4) > 0), parquet.WithDataPageVersion(pick(r, parquet.DataPageV1, parquet.DataPageV2)),
		parquet.WithCompression(pick(r, compress.Codecs.Uncompressed, compress.Codecs.Snappy)),
		parquet.WithMaxStatsSize(pick[int64](r, 1, 16, 4096)),
		parquet.WithDictionaryPageSizeLimit(pick[int64](r, 8, 1<<20)),
	}
	of, err := record(columns, rows)
	if err != nil {
		return nil, err
	}
	return MarshalArrowParquet(of, properties...)
}

// batches divides rows into the record batches of an Arrow file or stream, at random, and chooses its options.
func batches(columns []Column, rows []Row, r *rand.Rand) (of []arrow.Record, options []ipc.Option, err error) {
	all, err := record(columns, rows)
	if err != nil {
		return nil, nil, err
	}
	options = append([]ipc.Option{ipc.WithSchema(all.Schema()), ipc.WithDictionaryDeltas(false)},
		pick(r, nil, nil, nil, nil, []ipc.Option{ipc.WithLZ4()}, []ipc.Option{ipc.WithZstd()})...)
	n := pick[int64](r, 1, 2, 3, 5, 1<<20)
	for at := int64(0); at < all.NumRows(); at += n {
		of = append(of, all.NewSlice(at, min(at+n, all.NumRows())))
	}
	return of, options, nil
}

// seeker is a file in memory that can only be written from front to back.
type seeker struct{ bytes.Buffer }

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, io.ErrUnexpectedEOF
	}
	return int64(s.Len()), nil
}

func arrowFile(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	of, options, err := batches(columns, rows, r)
	if err != nil {
		return nil, err
	}
	return MarshalArrowFile(of, options...)
}

func arrowStream(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	of, options, err := batches(columns, rows, r)
	if err != nil {
		return nil, err
	}
	return MarshalArrowStream(of, options...)
}

// MarshalArrowFile returns record batches as an Arrow file. The options state the schema.
func MarshalArrowFile(of []arrow.Record, options ...ipc.Option) ([]byte, error) {
	var out seeker
	w, err := ipc.NewFileWriter(&out, options...)
	if err != nil {
		return nil, err
	}
	err = writeBatches(w, of)
	return out.Bytes(), err
}

// MarshalArrowStream returns record batches as an Arrow stream. The options state the schema.
func MarshalArrowStream(of []arrow.Record, options ...ipc.Option) ([]byte, error) {
	var out bytes.Buffer
	err := writeBatches(ipc.NewWriter(&out, options...), of)
	return out.Bytes(), err
}

func writeBatches(w interface {
	Write(arrow.Record) error
	Close() error
}, of []arrow.Record) error {
	for _, b := range of {
		if err := w.Write(b); err != nil {
			return err
		}
	}
	return w.Close()
}
