package source_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// exactColumn is a column of distinct values, and their form in an exact column; nil is null.
type exactColumn struct {
	node   parquet.Node
	values []parquet.Value
	want   []any
}

func fixed(size int, high, low uint64) parquet.Value {
	return parquet.FixedLenByteArrayValue(bigEndian(size, high, low))
}

var exactColumns = map[string]exactColumn{
	"int32 with a fraction": {parquet.Decimal(2, 9, parquet.Int32Type),
		[]parquet.Value{i32(-1), i32(1999), i32(0), i32(100)}, []any{"-0.01", "19.99", "0", "1"}},
	// These have the same nearest float64.
	"int64 with a fraction": {parquet.Decimal(2, 18, parquet.Int64Type),
		[]parquet.Value{i64(99999999999999997), i64(99999999999999998), i64(99999999999999999),
			i64(-99999999999999999)}, []any{"999999999999999.97", "999999999999999.98", "999999999999999.99",
			"-999999999999999.99"}},
	"wide without fraction": {parquet.Decimal(0, 38, parquet.FixedLenByteArrayType(16)),
		[]parquet.Value{fixed(16, 1<<32, 0), fixed(16, 1<<32, 1), fixed(16, 0, 7),
			fixed(16, math.MaxUint64,
				math.MaxUint64)}, []any{"79228162514264337593543950336", "79228162514264337593543950337", "7", "-1"}},
	"wide with a fraction": {parquet.Decimal(30, 38, parquet.FixedLenByteArrayType(16)),
		[]parquet.Value{fixed(16, 1<<32, 0), fixed(16, 1<<32, 1), fixed(16, 0, 0),
			fixed(16, 0, 10)}, []any{"0.079228162514264337593543950336", "0.079228162514264337593543950337", "0",
			"0.00000000000000000000000000001"}},
	"bytes": {parquet.Decimal(1, 20, parquet.ByteArrayType),
		[]parquet.Value{parquet.ByteArrayValue([]byte{0xff}), parquet.ByteArrayValue([]byte{1, 0}),
			parquet.ByteArrayValue(nil), parquet.ByteArrayValue(bigEndian(40, 1<<62,
				0))}, []any{"-0.1", "25.6", "0", "8507059173023461586584365185794205286.4"}},
	"int64 without fraction": {parquet.Decimal(0, 18, parquet.Int64Type),
		[]parquet.Value{i64(999_999_999_999_999_999), i64(-1), i64(0), i64(1)}, []any{int64(999_999_999_999_999_999),
			int64(-1), int64(0), int64(1)}},
	// The announced precision is 18 digits, and two values have more.
	"beyond its precision": {parquet.Decimal(0, 18, parquet.FixedLenByteArrayType(16)),
		[]parquet.Value{fixed(16, 1, 0), fixed(16, 1, 1), fixed(16, 0, 7), fixed(16, 0, 1<<62)}, []any{nil, nil, int64(7),
			int64(1 << 62)}},
	"int96": {parquet.Leaf(parquet.Int96Type),
		[]parquet.Value{int96(-1, 2440588), int96(1499, 2440589), int96(1500, 2440589),
			int96(1501, 2440589)}, []any{int64(-1), int64(86_400_000_001_499), int64(86_400_000_001_500),
			int64(86_400_000_001_501)}},
	"far int96": {parquet.Leaf(parquet.Int96Type),
		[]parquet.Value{int96(0, math.MinInt32), int96(0, math.MaxInt32), int96(0, 5373484),
			int96(math.MaxInt64, 2440588+106751)}, []any{nil, nil, nil, nil}},
	"uuid": {parquet.UUID(), []parquet.Value{fixed(16, 0, 0), fixed(16, 0, 1), fixed(16, 1, 0),
		fixed(16, 1, 1)}, []any{string(bigEndian(16, 0, 0)), string(bigEndian(16, 0, 1)), string(bigEndian(16, 1,
		0)), string(bigEndian(16, 1, 1))}},
}

// In an exact column of Parquet, plain or dictionary-encoded, different values stay different. A value that cannot be
// represented is null.
func TestExactColumnsOfParquet(t *testing.T) {
	var names []string
	group := parquet.Group{}
	for name := range exactColumns {
		names = append(names, name)
	}
	for _, dict := range []bool{false, true} {
		for name, c := range exactColumns {
			group[name] = c.node
			if dict {
				group[name] = parquet.Encoded(c.node, &parquet.RLEDictionary)
			}
			group[name] = parquet.Optional(group[name])
		}
		schema := parquet.NewSchema("exact", group)
		rows := make([]parquet.Row, 5) // the third one is null
		for at, path := range schema.Columns() {
			values := exactColumns[path[0]].values
			for i := range rows {
				switch {
				case i < 2:
					rows[i] = append(rows[i], values[i].Level(0, 1, at))
				case i == 2:
					rows[i] = append(rows[i], parquet.Value{}.Level(0, 0, at))
				default:
					rows[i] = append(rows[i], values[i-1].Level(0, 1, at))
				}
			}
		}
		var b bytes.Buffer
		w := parquet.NewGenericWriter[any](&b, schema)
		if _, err := w.WriteRows(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		d := openWith(t, source.Options{Files: []string{write(t, "a.parquet", b.Bytes())}, Exact: names})
		for name, c := range exactColumns {
			var want [][]any
			for i, v := range c.want {
				if i == 2 {
					want = append(want, []any{nil})
				}
				want = append(want, []any{v})
			}
			if diff := cmp.Diff(want, read(t, d, name)); diff != "" {
				t.Errorf("%s, dictionary %t: %s", name, dict, diff)
			}
		}
	}
}

// rationalText writes a fraction, whose denominator is a power of ten, as a decimal.
func rationalText(r *big.Rat) string {
	for digits := 0; ; digits++ {
		s := r.FloatString(digits)
		if back, _ := new(big.Rat).SetString(s); back.Cmp(r) == 0 {
			return s
		}
	}
}

// In an exact column of Arrow, a decimal becomes its decimal text, checked against the library's own integers, and
// dates in milliseconds keep the time of the day.
func TestExactColumnsOfArrow(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	types := []arrow.DecimalType{
		&arrow.Decimal128Type{Precision: 16,
			Scale: 2}, &arrow.Decimal128Type{Precision: 38}, &arrow.Decimal128Type{Precision: 38, Scale: 30},
		&arrow.Decimal128Type{Precision: 38, Scale: -3}, &arrow.Decimal256Type{Precision: 76,
			Scale: 40}, &arrow.Decimal256Type{Precision: 76},
	}
	for _, typ := range types {
		var want [][]any
		var a arrow.Array
		ints := []*big.Int{big.NewInt(0), big.NewInt(-1), big.NewInt(10), big.NewInt(99999999999999997),
			big.NewInt(99999999999999998)}
		for range 200 {
			ints = append(ints, new(big.Int).Sub(new(big.Int).Rand(rng, big.NewInt(math.MaxInt64)), big.NewInt(math.MaxInt64/2)))
		}
		for _, v := range ints {
			want = append(want, []any{rationalText(scaled(new(big.Int).Set(v), typ.GetScale()))})
		}
		switch typ := typ.(type) {
		case *arrow.Decimal128Type:
			b := array.NewDecimal128Builder(memory.DefaultAllocator, typ)
			for _, v := range ints {
				b.Append(decimal128.FromBigInt(v))
			}
			a = b.NewArray()
		case *arrow.Decimal256Type:
			b := array.NewDecimal256Builder(memory.DefaultAllocator, typ)
			for _, v := range ints {
				b.Append(decimal256.FromBigInt(v))
			}
			a = b.NewArray()
		}
		codes := array.NewInt16Builder(memory.DefaultAllocator)
		for i := range ints {
			codes.Append(int16(i))
		}
		coded := array.NewDictionaryArray(coded(arrow.PrimitiveTypes.Int16, typ.(arrow.DataType)), codes.NewArray(), a)
		for name, a := range map[string]arrow.Array{"plain": a, "coded": coded} {
			content := ipcFile(t, []arrow.Record{oneColumn(a)}, []ipc.Option{}...)
			d := openWith(t, source.Options{Files: []string{write(t, "a.arrow", content)}, Exact: []string{"x"}})
			if diff := cmp.Diff(want, read(t, d, "x")); diff != "" {
				t.Errorf("%s, %s: %s", typ, name, diff)
			}
		}
	}
	b := array.NewDate64Builder(memory.DefaultAllocator)
	b.AppendValues([]arrow.Date64{0, 1, 86_399_999, -1}, nil)
	d := openWith(t, source.Options{Files: []string{write(t, "a.arrow",
		ipcFile(t, []arrow.Record{oneColumn(b.NewArray())}))}, Exact: []string{"x"}})
	if diff := cmp.Diff(ofX(int64(0), int64(1), int64(86_399_999), int64(-1)), read(t, d, "x")); diff != "" {
		t.Error(diff)
	}
	if f, _ := d.Schema().Lookup("x"); f.Type != instant(1e6, table.Local) {
		t.Error(f.Type)
	}
	wide := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 18})
	wide.Append(decimal128.New(1, 0)) // beyond the announced precision
	wide.Append(decimal128.New(1, 1))
	wide.Append(decimal128.New(0, 7))
	d = openWith(t, source.Options{Files: []string{write(t, "b.arrow",
		ipcFile(t, []arrow.Record{oneColumn(wide.NewArray())}))}, Exact: []string{"x"}})
	if diff := cmp.Diff(ofX(nil, nil, int64(7)), read(t, d, "x")); diff != "" {
		t.Error(diff)
	}
}

// Equal decimals of different types are the same unit: their texts are equal.
func TestExactDecimalsOfDifferentScales(t *testing.T) {
	var texts []any
	for scale := range 5 {
		v := int64(5 * math.Pow10(scale))
		node := parquet.Decimal(scale, 18, parquet.Int64Type)
		if scale == 0 {
			node = parquet.Decimal(0, 20, parquet.FixedLenByteArrayType(16))
		}
		var b bytes.Buffer
		w := parquet.NewGenericWriter[any](&b, parquet.NewSchema("exact", parquet.Group{"x": node}))
		value := i64(v)
		if scale == 0 {
			value = fixed(16, 0, 5)
		}
		if _, err := w.WriteRows([]parquet.Row{{value.Level(0, 0, 0)}}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		d := openWith(t, source.Options{Files: []string{write(t, fmt.Sprintf("%d.parquet", scale), b.Bytes())},
			Exact: []string{"x"}})
		texts = append(texts, read(t, d, "x")[0][0])
	}
	if diff := cmp.Diff([]any{"5", "5", "5", "5", "5"}, texts); diff != "" {
		t.Error(diff)
	}
}

// In an exact column of a text format, a number or time that does not fit its type is null.
func TestExactColumnsOfText(t *testing.T) {
	floats := []string{"0.1", "0.10", "1e-1", "0.10000000000000000001", "9007199254740993", "1e400", "NaN", "-0", "5e-324"}
	wantFloats := []any{0.1, 0.1, 0.1, nil, nil, nil, nil, 0.0, 5e-324}
	times := []string{"2024-01-01 00:00:00.000001", "2024-01-01 00:00:00.0000010", "2024-01-01 00:00:00.0000011",
		"2024-01-01 00:00:00.0000010000000001"}
	wantTimes := []any{int64(1704067200_000001), int64(1704067200_000001), nil, nil}
	for _, format := range []string{"csv", "tsv", "jsonl"} {
		for column, texts := range map[string][]string{"f": floats, "t": times} {
			content, want := column+"\n", wantFloats
			if column == "t" {
				want = wantTimes
			}
			if format == "jsonl" {
				content = ""
			}
			for _, text := range texts {
				if format == "jsonl" {
					content += fmt.Sprintf("{%q: %q}\n", column, text)
				} else {
					content += text + "\n"
				}
			}
			types := map[string]string{column: map[string]string{"f": "float", "t": "timestamp 2006-01-02 15:04:05"}[column]}
			d := openWith(t, source.Options{
				Files: []string{write(t, "a."+format, []byte(content))}, CSV: textfile.CSV{Header: true,
					Types: types}, JSONL: textfile.JSONL{Columns: types}, Exact: []string{column},
			})
			got := read(t, d, column)
			for i := range want {
				if f, ok := want[i].(float64); ok {
					want[i] = tabletest.Float(f)
				}
				if len(got) != len(want) || got[i][0] != want[i] {
					t.Errorf("%s, %s: %s is read as %v, want %v", format, column, texts[i], got[i][0], want[i])
				}
			}
		}
	}
}
