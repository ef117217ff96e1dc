package source_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/dprelease/dprelease/io/source/sourcetest"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// nodes returns the sample's columns for parquet-go; encodings gives the encodings of some.
func nodes(encodings map[string]encoding.Encoding) parquet.Group {
	g := parquet.Group{
		"unit": parquet.Int(64), "cat": parquet.Optional(parquet.String()),
		"value": parquet.Optional(parquet.Leaf(parquet.DoubleType)), "flag": parquet.Optional(parquet.Leaf(parquet.BooleanType)),
		"day": parquet.Date(), "at": parquet.Timestamp(parquet.Microsecond), "note": parquet.String(),
	}
	for name, e := range encodings {
		g[name] = parquet.Encoded(g[name], e)
	}
	return g
}

// parquetGo writes the sample with parquet-go.
func parquetGo(t testing.TB, records []record, encodings map[string]encoding.Encoding,
	options ...parquet.WriterOption) []byte {
	t.Helper()
	schema := parquet.NewSchema("sample", nodes(encodings))
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, append(options, schema)...)
	column := map[string]int{}
	for i, path := range schema.Columns() {
		column[path[0]] = i
	}
	for _, r := range records {
		row := make(parquet.Row, len(column))
		put := func(name string, v parquet.Value, level int) { row[column[name]] = v.Level(0, level, column[name]) }
		put("unit", parquet.Int64Value(r.unit), 0)
		put("day", parquet.Int32Value(r.day), 0)
		put("at", parquet.Int64Value(r.at), 0)
		put("note", parquet.ByteArrayValue([]byte(r.note)), 0)
		put("cat", parquet.Value{}, 0)
		put("value", parquet.Value{}, 0)
		put("flag", parquet.Value{}, 0)
		if r.cat != nil {
			put("cat", parquet.ByteArrayValue([]byte(*r.cat)), 1)
		}
		if r.value != nil {
			put("value", parquet.DoubleValue(*r.value), 1)
		}
		if r.flag != nil {
			put("flag", parquet.BooleanValue(*r.flag), 1)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// arrowRecord returns the sample as a record of Arrow's Go library.
func arrowRecord(records []record) arrow.Record {
	instant := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "unit", Type: arrow.PrimitiveTypes.Int64}, {Name: "cat", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "value", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32}, {Name: "at", Type: instant}, {Name: "note",
			Type: arrow.BinaryTypes.String},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, r := range records {
		b.Field(0).(*array.Int64Builder).Append(r.unit)
		b.Field(4).(*array.Date32Builder).Append(arrow.Date32(r.day))
		b.Field(5).(*array.TimestampBuilder).Append(arrow.Timestamp(r.at))
		b.Field(6).(*array.StringBuilder).Append(r.note)
		appendArrow(b.Field(1), r.cat == nil, func() { b.Field(1).(*array.StringBuilder).Append(*r.cat) })
		appendArrow(b.Field(2), r.value == nil, func() { b.Field(2).(*array.Float64Builder).Append(*r.value) })
		appendArrow(b.Field(3), r.flag == nil, func() { b.Field(3).(*array.BooleanBuilder).Append(*r.flag) })
	}
	return b.NewRecord()
}

// arrowV17 writes the sample with Arrow's Go library.
func arrowV17(t testing.TB, records []record, properties ...arrowparquet.WriterProperty) []byte {
	t.Helper()
	return sourcetest.Must(t)(sourcetest.MarshalArrowParquet(arrowRecord(records), properties...))
}

func appendArrow(b array.Builder, null bool, value func()) {
	if null {
		b.AppendNull()
		return
	}
	value()
}

// sampleCSV is the dialect of text.
var sampleCSV = textfile.CSV{Header: true, NullValues: []string{"-"}, Types: map[string]string{
	"unit": "int", "value": "float", "flag": "bool", "day": "date", "at": "timestamp 2006-01-02T15:04:05Z07:00",
}}

// text writes the sample as CSV.
func text(t testing.TB, records []record) []byte {
	t.Helper()
	var out bytes.Buffer
	rows := [][]string{sampleColumns}
	for _, r := range records {
		day := time.Unix(int64(r.day)*86400, 0).UTC().Format(time.DateOnly)
		row := []string{strconv.FormatInt(r.unit, 10), "-", "", "", day, time.UnixMicro(r.at).UTC().Format(time.RFC3339Nano),
			r.note}
		if r.cat != nil {
			row[1] = *r.cat
		}
		if r.value != nil {
			row[2] = strconv.FormatFloat(*r.value, 'g', -1, 64)
		}
		if r.flag != nil {
			row[3] = strconv.FormatBool(*r.flag)
		}
		rows = append(rows, row)
	}
	if err := csv.NewWriter(&out).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	return sourcetest.Must(t)(sourcetest.Pack(".gz", b))
}

func zstandard(t testing.TB, b []byte) []byte {
	t.Helper()
	return sourcetest.Must(t)(sourcetest.Pack(".zst", b))
}
