package isolationtest

import (
	"bytes"
	"io"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
	xparquet "github.com/xitongsys/parquet-go/parquet"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

func parquetGo(columns []binaryColumn, rows []Row, r *rand.Rand) ([]byte, error) {
	options := []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(pick[int64](r, 1, 2, 3, 1<<40)), parquet.PageBufferSize(pick(r, 1, 8, 64,
			4096)), parquet.DataPageVersion(1 + r.IntN(2)),
		parquet.DataPageStatistics(chance(r, 0.5)), parquet.WriteBufferSize(0),
	}
	if chance(r, 0.3) {
		options = append(options, parquet.Compression(&parquet.Snappy))
	}
	group := parquet.Group{}
	for i, c := range columns {
		n := c.typ.node
		switch r.IntN(4) {
		case 0:
			n = parquet.Encoded(n, &parquet.RLEDictionary)
		case 1:
			if n.Type().Kind() == parquet.ByteArray {
				n = parquet.Encoded(n, &parquet.DeltaByteArray)
			}
		}
		if c.optional {
			n = parquet.Optional(n)
		}
		group[columnName(i)] = n
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, append(options, parquet.NewSchema("adversary", group))...)
	for _, row := range rows {
		flat := make(parquet.Row, len(row))
		for i, cell := range row { // the names are in order, and so are the columns
			level := 0
			if columns[i].optional {
				level = 1
			}
			if cell == nil {
				flat[i] = parquet.Value{}.Level(0, 0, i)
			} else {
				flat[i] = columns[i].typ.value(cell).Level(0, level, i)
			}
		}
		if _, err := w.WriteRows([]parquet.Row{flat}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// record holds rows in Arrow's memory.
func record(columns []binaryColumn, rows []Row) (arrow.Record, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: columnName(i), Type: c.typ.arrow, Nullable: c.optional}
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

// appendCell appends a cell, with the method Append of the builder for most types.
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
	}
	method := reflect.ValueOf(b).MethodByName("Append")
	out := method.Call([]reflect.Value{reflect.ValueOf(cell).Convert(method.Type().In(0))})
	if len(out) > 0 && !out[0].IsNil() {
		return out[0].Interface().(error)
	}
	return nil
}

func arrowParquet(columns []binaryColumn, rows []Row, r *rand.Rand) ([]byte, error) {
	properties := []arrowparquet.WriterProperty{
		arrowparquet.WithDictionaryDefault(chance(r, 0.5)), arrowparquet.WithMaxRowGroupLength(pick[int64](r, 1, 2,
			1<<20)), arrowparquet.WithDataPageSize(pick[int64](r, 1, 16, 1<<20)),
		arrowparquet.WithBatchSize(pick[int64](r, 1, 1024)), arrowparquet.WithStats(chance(r, 0.5)),
		arrowparquet.WithDataPageVersion(pick(r, arrowparquet.DataPageV1,
			arrowparquet.DataPageV2)), arrowparquet.WithCompression(pick(r, compress.Codecs.Uncompressed, compress.Codecs.Snappy)),
	}
	of, err := record(columns, rows)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(of.Schema(), &out, arrowparquet.NewWriterProperties(properties...),
		pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		if err := w.Write(of); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// batches draws the record batches of an Arrow file or stream, and its options.
func batches(columns []binaryColumn, rows []Row, r *rand.Rand) (of []arrow.Record, options []ipc.Option, err error) {
	all, err := record(columns, rows)
	if err != nil {
		return nil, nil, err
	}
	options = append([]ipc.Option{ipc.WithSchema(all.Schema()), ipc.WithDictionaryDeltas(false)},
		pick(r, nil, nil, nil, []ipc.Option{ipc.WithLZ4()}, []ipc.Option{ipc.WithZstd()})...)
	n := pick[int64](r, 1, 2, 3, 1<<20)
	for at := int64(0); at < all.NumRows(); at += n {
		of = append(of, all.NewSlice(at, min(at+n, all.NumRows())))
	}
	return of, options, nil
}

// seeker is a file in memory that is written from front to back.
type seeker struct{ bytes.Buffer }

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, io.ErrUnexpectedEOF
	}
	return int64(s.Len()), nil
}

func arrowFile(columns []binaryColumn, rows []Row, r *rand.Rand) ([]byte, error) {
	of, options, err := batches(columns, rows, r)
	if err != nil {
		return nil, err
	}
	var out seeker
	w, err := ipc.NewFileWriter(&out, options...)
	if err != nil {
		return nil, err
	}
	err = writeBatches(w, of)
	return out.Bytes(), err
}

func arrowStream(columns []binaryColumn, rows []Row, r *rand.Rand) ([]byte, error) {
	of, options, err := batches(columns, rows, r)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = writeBatches(ipc.NewWriter(&out, options...), of)
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

func xitongsys(columns []binaryColumn, rows []Row, r *rand.Rand) ([]byte, error) {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		tag := "name=" + columnName(i) + ", " + c.typ.tag
		if chance(r, 0.5) && c.typ.name != "bool" && c.typ.name != "INT96" {
			tag += ", encoding=PLAIN_DICTIONARY"
		}
		of := c.typ.of
		if c.optional {
			of = reflect.PointerTo(of)
		}
		fields[i] = reflect.StructField{Name: strings.ToUpper(columnName(i)), Type: of,
			Tag: reflect.StructTag(`parquet:"` + tag + `"`)}
	}
	of := reflect.StructOf(fields)
	out := make([]any, len(rows))
	for i, row := range rows {
		p := reflect.New(of).Elem()
		for k, cell := range row {
			if cell == nil {
				continue
			}
			f := p.Field(k)
			if f.Kind() == reflect.Pointer {
				f.Set(reflect.New(f.Type().Elem()))
				f = f.Elem()
			}
			if x, ok := cell.(*big.Int); ok {
				if cell = x.Int64(); f.Kind() == reflect.String {
					cell = string(shortest(x))
				}
			}
			f.Set(reflect.ValueOf(cell).Convert(f.Type()))
		}
		out[i] = p.Interface()
	}
	return sourcetest.MarshalXitongsys(reflect.New(of).Interface(), out,
		pick(r, xparquet.CompressionCodec_UNCOMPRESSED, xparquet.CompressionCodec_SNAPPY))
}
