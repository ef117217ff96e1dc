package source_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// filter is a condition on a column: none reports that no value within the bounds passes.
type filter struct {
	column string
	none   func(table.Bounds) bool
}

// fromTo passes integers from low to high.
func fromTo(column string, low, high int64) filter {
	return filter{column, func(b table.Bounds) bool { return b.Max < low || b.Min > high }}
}

// nothing passes no value.
func nothing(column string) filter { return filter{column, func(table.Bounds) bool { return true }} }

func rowGroups(d *source.Dataset, filters ...filter) *source.SplitReader {
	var columns []string
	for _, f := range filters {
		columns = append(columns, f.column)
	}
	return d.NewSplitReader(columns, func(i int, b table.Bounds) bool { return filters[i].none(b) })
}

// filtered reads the row groups that pass the filters, and returns the number of rows in the others.
func filtered(d *source.Dataset, columns []string, filters ...filter) (rows [][]any, out int64, err error) {
	s := rowGroups(d, filters...)
	for split := range d.Splits() {
		sum, err := s.Read(context.Background(), split, columns, func(b *table.Batch) error {
			rows = append(rows, tabletest.Rows(b)...)
			return sound(b, len(columns))
		})
		if err != nil {
			return nil, out, err
		}
		digest, err := s.Digest(context.Background(), split, columns)
		if err != nil || !bytes.Equal(sum.Digest, digest) {
			return nil, out, fmt.Errorf("split %d: Read and Digest disagree: %w", split, err)
		}
		if s.Skips(split) != (sum.Skipped > 0) {
			return nil, out, fmt.Errorf("split %d: %d rows left out", split, sum.Skipped)
		}
		out += sum.Skipped
	}
	return rows, out, nil
}

// byteArrays encodes byte arrays in PLAIN.
func byteArrays(values ...string) []byte {
	var b []byte
	for _, v := range values {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return b
}

func int32s(values ...int32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// stated sets the statistics of a file's chunk, in the order of its type.
func stated(s format.Statistics) func(*format.FileMetaData) {
	return func(m *format.FileMetaData) {
		m.RowGroups[0].Columns[0].MetaData.Statistics = s
		m.ColumnOrders = []format.ColumnOrder{{Value: &format.TypeDefinedOrder{}}}
	}
}

// disordered is stated with an unknown order of statistics.
func disordered(s format.Statistics) func(*format.FileMetaData) {
	return func(m *format.FileMetaData) {
		stated(s)(m)
		m.ColumnOrders = []format.ColumnOrder{{}}
	}
}

func newer(low, high []byte) format.Statistics {
	return format.Statistics{MinValue: low, MaxValue: high}
}

// integer returns a column of a physical type with an older or a newer logical type.
func integer(physical format.Type, older *deprecated.ConvertedType,
	logical format.LogicalTypeValue) format.SchemaElement {
	e := format.SchemaElement{Name: "x", Type: thrift.New(physical), RepetitionType: thrift.New(format.Required)}
	if older != nil {
		e.ConvertedType = thrift.New(*older)
	}
	if logical != nil {
		e.LogicalType = format.LogicalType{Value: logical}
	}
	return e
}

// ruledOut reports whether a filter that passes nothing skips a file's row group: whether its bounds are trusted.
func ruledOut(t *testing.T, c crafted) bool {
	t.Helper()
	d := open(t, textfile.CSV{}, write(t, "a.parquet", c.file(t)))
	rows, out, err := filtered(d, []string{"x"}, nothing("x"))
	if err != nil || len(rows)+int(out) != int(c.groups[0].rows) {
		t.Fatalf("%d rows and %d left out, %v", len(rows), out, err)
	}
	return out > 0
}

// Statistics of signed integers, dates and timestamps are trusted in either form, unless they are ambiguous.
func TestStatisticsOfIntegers(t *testing.T) {
	small, large, other := int64s(-5), int64s(7), int64s(9)
	older := format.Statistics{Min: small, Max: large}
	unordered := func(m *format.FileMetaData) {
		stated(newer(small, large))(m)
		m.ColumnOrders = nil
	}
	for name, c := range map[string]struct {
		change func(*format.FileMetaData)
		want   bool
	}{
		"newer": {stated(newer(small, large)), true},
		"older": {stated(older), true},
		"both": {stated(format.Statistics{Min: small, Max: large, MinValue: small, MaxValue: large}),
			true},
		"both, of another max": {stated(format.Statistics{Min: small, Max: other, MinValue: small, MaxValue: large}),
			false},
		"both, of another min": {stated(format.Statistics{Min: int64s(-9), Max: large, MinValue: small,
			MaxValue: large}), false},
		"half of the newer":           {stated(format.Statistics{Min: small, Max: large, MaxValue: large}), false},
		"half of the older":           {stated(format.Statistics{Min: small}), false},
		"no order stated":             {unordered, true},
		"of an order that is unknown": {disordered(newer(small, large)), false},
		"older, of an unknown order":  {disordered(older), true},
		"too short":                   {stated(newer(small[:4], large[:4])), false},
		"too long":                    {stated(newer(append([]byte{0}, small...), large)), false},
		"only a max":                  {stated(newer(nil, large)), false},
		"the wrong way":               {stated(newer(large, small)), false},
		"none":                        {stated(format.Statistics{}), false},
	} {
		if got := ruledOut(t, onePage(2, dataV1(2, format.Plain, int64s(-5, 7))).with(c.change)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Whether statistics of a type are trusted does not depend on the writer.
func TestStatisticsByType(t *testing.T) {
	of := func(older deprecated.ConvertedType) *deprecated.ConvertedType { return &older }
	four, eight := newer(int32s(-5), int32s(7)), newer(int64s(-5), int64s(7))
	fixed := integer(format.FixedLenByteArray, nil, &format.DecimalType{Precision: 9})
	fixed.TypeLength = thrift.New(int32(4))
	micros := format.TimeUnit{Value: &format.MicroSeconds{}}
	for name, c := range map[string]struct {
		element format.SchemaElement
		body    []byte
		stated  format.Statistics
		want    bool
	}{
		"int32": {integer(format.Int32, nil, nil), int32s(-5, 7), four, true},
		"int8":  {integer(format.Int32, of(deprecated.Int8), nil), int32s(-5, 7), four, true},
		"int64": {integer(format.Int64, nil, &format.IntType{BitWidth: 64, IsSigned: true}), int64s(-5, 7), eight,
			true},
		"date":            {integer(format.Int32, nil, &format.DateType{}), int32s(-5, 7), four, true},
		"older date":      {integer(format.Int32, of(deprecated.Date), nil), int32s(-5, 7), four, true},
		"timestamp":       {integer(format.Int64, nil, &format.TimestampType{Unit: micros}), int64s(-5, 7), eight, true},
		"older timestamp": {integer(format.Int64, of(deprecated.TimestampMillis), nil), int64s(-5, 7), eight, true},
		"uint32":          {integer(format.Int32, nil, &format.IntType{BitWidth: 32}), int32s(-5, 7), four, false},
		"older uint64":    {integer(format.Int64, of(deprecated.Uint64), nil), int64s(-5, 7), eight, false},
		"decimal":         {integer(format.Int64, nil, &format.DecimalType{Precision: 9}), int64s(-5, 7), eight, false},
		"fixed decimal":   {fixed, []byte("abcdefgh"), newer([]byte("abcd"), []byte("efgh")), false},
		"int96": {integer(format.Int96, nil, nil), make([]byte, 24), newer(make([]byte, 12), make([]byte, 12)),
			false},
		"int96 of eight": {integer(format.Int96, nil, nil), make([]byte, 24), eight, false},
		"float":          {integer(format.Float, nil, nil), int32s(5, 7), newer(int32s(5), int32s(7)), false},
		"double":         {integer(format.Double, nil, nil), int64s(5, 7), newer(int64s(5), int64s(7)), false},
		"text": {text8("x", false), byteArrays("mangoes!", "tomatoes"),
			newer([]byte("mangoes!"), []byte("tomatoes")), false},
		"other physical": {integer(format.Int64, nil, nil), int64s(-5, 7), four, false},
	} {
		if got := ruledOut(t, onePage(2, dataV1(2, format.Plain,
			c.body)).of(c.element).with(stated(c.stated))); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Statements that a filter would trust are compared with all rows, but not with nulls and with dictionary entries that
// no row has.
func TestWrongStatements(t *testing.T) {
	dictionary := dictionaryPage(4, int64s(5, 99, 7, -99))
	within := newer(int64s(5), int64s(7))
	for name, c := range map[string]struct {
		file  crafted
		wrong bool
	}{
		"within": {onePage(2, dataV1(2, format.Plain, int64s(5, 7))), false},
		"above":  {onePage(2, dataV1(2, format.Plain, int64s(5, 8))), true},
		"below":  {onePage(2, dataV1(2, format.Plain, int64s(4, 7))), true},
		"on a later page": {onePage(4, dataV1(2, format.Plain, int64s(5, 7)), dataV1(2, format.Plain, int64s(5, 70))),
			true},
		"a code":            {onePage(3, dictionary, dataV1(3, format.RLEDictionary, codes(1, 0, 1, 1, 1, 2))), true},
		"entries of no row": {onePage(3, dictionary, dataV1(3, format.RLEDictionary, codes(1, 0, 2, 2))), false},
	} {
		d := open(t, textfile.CSV{}, write(t, "a.parquet", c.file.with(stated(within)).file(t)))
		wrong, err := d.WrongMetadata(t.Context(), 0, []string{"x"})
		if err != nil || c.wrong != (len(wrong) == 1) || c.wrong &&
			wrong[0] != (source.FalseMetadata{File: "a.parquet", Column: "x"}) {
			t.Errorf("%s: %v, %v", name, wrong, err)
		}
		// No run fails because of it.
		if rows, out, err := filtered(d, []string{"x"}, fromTo("x", 5, 5)); err != nil || out > 0 ||
			len(rows) != int(c.file.groups[0].rows) {
			t.Errorf("%s: %d rows, %d left out, %v", name, len(rows), out, err)
		}
	}
	d := open(t, textfile.CSV{}, write(t, "a.parquet", onePage(3,
		dataV1(2, format.Plain, int64s(5, 7))).with(stated(within)).file(t)))
	var e *fault.Error
	if _, err := d.WrongMetadata(t.Context(), 0, []string{"x"}); !errors.As(err, &e) || e.Code != fault.CodeRowCount {
		t.Errorf("another number of rows: %v", err)
	}
	d = open(t, textfile.CSV{Header: true}, write(t, "a.csv", []byte("x\n1\n")))
	if wrong, err := d.WrongMetadata(t.Context(), 0, []string{"x"}); err != nil || wrong != nil {
		t.Errorf("CSV states nothing: %v, %v", wrong, err)
	}
}

// A count over no columns counts rows: a footer that states another number is an error.
func TestRowsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		file crafted
		rows int
		code string
	}{
		"as stated": {onePage(2, dataV1(2, format.Plain, int64s(5, 7))), 2, ""},
		"fewer":     {onePage(3, dataV1(2, format.Plain, int64s(5, 7))), 0, fault.CodeRowCount},
		"more":      {onePage(1, dataV1(2, format.Plain, int64s(5, 7))), 0, fault.CodeRowCount},
		"none":      {onePage(0), 0, ""},
	} {
		d := open(t, textfile.CSV{}, write(t, "a.parquet", c.file.file(t)))
		rows := 0
		sum, err := d.Read(t.Context(), 0, nil, func(b *table.Batch) error { rows += b.Rows; return sound(b, 0) })
		var e *fault.Error
		if errors.As(err, &e); err != nil && e.Code != c.code || err == nil && c.code != "" || err == nil && rows != c.rows {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
		if again, digestErr := d.Digest(t.Context(), 0, nil); err == nil && (digestErr != nil || !bytes.Equal(sum, again)) {
			t.Errorf("%s: digest %x, %v, want %x", name, again, digestErr, sum)
		}
	}
}
