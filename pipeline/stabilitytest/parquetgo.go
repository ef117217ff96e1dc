package stabilitytest

import (
	"bytes"
	"math/rand/v2"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
)

// parquetGo writes with parquet-go, row by row, so that a page ends where its limit says.
func parquetGo(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	schema, options := layoutOf(columns, r)
	return parquetGoWith(schema, options, columns, rows)
}

// plainParquetGo writes with the library's default settings and dictionaries for all columns.
func plainParquetGo(columns []Column, rows []Row, _ *rand.Rand) ([]byte, error) {
	group := parquet.Group{}
	for _, c := range columns {
		n := nodeOf(c)
		if c.Kind != List {
			n = parquet.Encoded(n, &parquet.RLEDictionary)
		}
		if c.Optional {
			n = parquet.Optional(n)
		}
		group[c.Name] = n
	}
	return parquetGoWith(parquet.NewSchema("fuzz", group), nil, columns, rows)
}

func parquetGoWith(schema *parquet.Schema, options []parquet.WriterOption, columns []Column, rows []Row) ([]byte,
	error) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, append(options, schema)...)
	at := map[string]int{} // index of a column in the file, which sorts them
	for i, path := range schema.Columns() {
		at[path[0]] = i
	}
	values := make([][]parquet.Value, len(columns))
	for _, row := range rows {
		for i, c := range columns {
			values[at[c.Name]] = leaves(values[at[c.Name]][:0], c, row[i], at[c.Name])
		}
		var flat parquet.Row
		for _, v := range values {
			flat = append(flat, v...)
		}
		if _, err := w.WriteRows([]parquet.Row{flat}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// codecs are mostly fast ones, since compression does not matter for stability.
var codecs = []compress.Codec{
	&parquet.Uncompressed, &parquet.Uncompressed, &parquet.Uncompressed, &parquet.Uncompressed, &parquet.Snappy, &parquet.Snappy, &parquet.Snappy, &parquet.Snappy, &parquet.Zstd, &parquet.Gzip,
}

// layoutOf draws the encodings of the columns and how the file is divided.
func layoutOf(columns []Column, r *rand.Rand) (*parquet.Schema, []parquet.WriterOption) {
	group := parquet.Group{}
	dictionaries := r.Float64()
	options := []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(pick(r, []int64{1, 2, 3, 4, 7, 1 << 40, 1 << 40})), parquet.PageBufferSize(pick(r,
			[]int{1, 8, 16, 33, 64, 4096})),
		parquet.DataPageVersion(1 +
			r.IntN(2)), parquet.DataPageStatistics(r.IntN(3) > 0), parquet.DeprecatedDataPageStatistics(r.IntN(2) > 0),
		parquet.Compression(pick(r, codecs)), parquet.WriteBufferSize(0), parquet.ColumnPageBuffers(parquet.NewBufferPool()),
	}
	limit := pick(r, []int{1, 3, 16, 64})
	options = append(options, parquet.ColumnIndexSizeLimit(func([]string) int { return limit }))
	for _, c := range columns {
		n := nodeOf(c)
		if c.Kind != List {
			switch x := r.Float64(); {
			case x < dictionaries:
				n = parquet.Encoded(n, &parquet.RLEDictionary)
			case x > 0.7:
				n = parquet.Encoded(n, otherEncoding(c.Kind))
			}
		}
		if c.Optional {
			n = parquet.Optional(n)
		}
		group[c.Name] = n
		if r.IntN(8) == 0 {
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	return parquet.NewSchema("fuzz", group), options
}

func nodeOf(c Column) parquet.Node {
	switch c.Kind {
	case Int64:
		return parquet.Int(64)
	case Int32:
		return parquet.Int(32)
	case Uint64:
		return parquet.Uint(64)
	case Float64:
		return parquet.Leaf(parquet.DoubleType)
	case Float32:
		return parquet.Leaf(parquet.FloatType)
	case Bool:
		return parquet.Leaf(parquet.BooleanType)
	case Date:
		return parquet.Date()
	case Instant:
		return parquet.TimestampAdjusted(parquet.Microsecond, true)
	case Clock:
		return parquet.TimestampAdjusted(parquet.Microsecond, false)
	case Cents:
		return parquet.Decimal(2, 9, parquet.Int32Type)
	case Whole:
		return parquet.Decimal(0, 12, parquet.Int64Type)
	case List:
		return parquet.List(parquet.Leaf(parquet.DoubleType))
	}
	return parquet.String()
}

func otherEncoding(k Kind) encoding.Encoding {
	switch k {
	case Float64, Float32:
		return &parquet.ByteStreamSplit
	case Text:
		return &parquet.DeltaByteArray
	case Bool:
		return &parquet.RLE
	}
	return &parquet.DeltaBinaryPacked
}

// leaves appends the values of a cell, with their levels.
func leaves(to []parquet.Value, c Column, v any, column int) []parquet.Value {
	level := 0
	if c.Optional {
		level = 1
	}
	if v == nil {
		return append(to, parquet.Value{}.Level(0, 0, column))
	}
	list, ok := v.([]float64)
	if !ok {
		return append(to, leafOf(c.Kind, v).Level(0, level, column))
	}
	if len(list) == 0 {
		return append(to, parquet.Value{}.Level(0, level, column))
	}
	for i, x := range list {
		to = append(to, parquet.DoubleValue(x).Level(min(i, 1), level+1, column))
	}
	return to
}

func leafOf(k Kind, v any) parquet.Value {
	switch v := v.(type) {
	case string:
		return parquet.ByteArrayValue([]byte(v))
	case bool:
		return parquet.BooleanValue(v)
	case uint64:
		return parquet.Int64Value(int64(v))
	case float64:
		if k == Float32 {
			return parquet.FloatValue(float32(v))
		}
		return parquet.DoubleValue(v)
	case int64:
		if k == Int32 || k == Date || k == Cents {
			return parquet.Int32Value(int32(v))
		}
		return parquet.Int64Value(v)
	}
	return parquet.Value{}
}
