package source_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// kindOf is a column of every type that is read, and its expected type.
type kindOf struct {
	name string
	typ  arrow.DataType
	want table.Type
	ipc  bool // the library writes it only in Arrow's own formats, or writes it differently
}

func plain(k table.Kind) table.Type { return table.Type{Kind: k} }

func stamp(u arrow.TimeUnit, zone string) arrow.DataType {
	return &arrow.TimestampType{Unit: u, TimeZone: zone}
}

func coded(index, value arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: index, ValueType: value}
}

var kinds = []kindOf{
	{"null", arrow.Null, plain(table.String), false},
	{"bool", arrow.FixedWidthTypes.Boolean, plain(table.Bool), false},
	{"i8", arrow.PrimitiveTypes.Int8, plain(table.Int), false},
	{"i16", arrow.PrimitiveTypes.Int16, plain(table.Int), false},
	{"i32", arrow.PrimitiveTypes.Int32, plain(table.Int), false},
	{"i64", arrow.PrimitiveTypes.Int64, plain(table.Int), false},
	{"u8", arrow.PrimitiveTypes.Uint8, plain(table.Uint), false},
	{"u16", arrow.PrimitiveTypes.Uint16, plain(table.Uint), false},
	{"u32", arrow.PrimitiveTypes.Uint32, plain(table.Uint), false},
	{"u64", arrow.PrimitiveTypes.Uint64, plain(table.Uint), false},
	{"f16", arrow.FixedWidthTypes.Float16, plain(table.Float), false},
	{"f32", arrow.PrimitiveTypes.Float32, plain(table.Float), false},
	{"f64", arrow.PrimitiveTypes.Float64, plain(table.Float), false},
	{"d9", &arrow.Decimal128Type{Precision: 9, Scale: 2}, plain(table.Float), false},
	{"d18", &arrow.Decimal128Type{Precision: 18, Scale: 5}, plain(table.Float), false},
	{"d38", &arrow.Decimal128Type{Precision: 38, Scale: 30}, plain(table.Float), false},
	{"d18-whole", &arrow.Decimal128Type{Precision: 18}, plain(table.Int), false},
	{"d38-whole", &arrow.Decimal128Type{Precision: 38}, plain(table.Float), false},
	{"d5-hundreds", &arrow.Decimal128Type{Precision: 5, Scale: -2}, plain(table.Int), true},
	{"d76", &arrow.Decimal256Type{Precision: 76, Scale: 40}, plain(table.Float), true},
	{"date32", arrow.FixedWidthTypes.Date32, plain(table.Date), false},
	{"date64", arrow.FixedWidthTypes.Date64, plain(table.Date), false},
	{"s", stamp(arrow.Second, ""), instant(1e9, table.Local), true},
	{"ms", stamp(arrow.Millisecond, "UTC"), instant(1e6, table.UTC), false},
	{"us", stamp(arrow.Microsecond, ""), instant(1e3, table.Local), false},
	{"ns", stamp(arrow.Nanosecond, "Europe/Berlin"), instant(1, table.UTC), true},
	{"text", arrow.BinaryTypes.String, plain(table.String), false},
	{"large", arrow.BinaryTypes.LargeString, plain(table.String), false},
	{"view", arrow.BinaryTypes.StringView, plain(table.String), true},
	{"bytes", arrow.BinaryTypes.Binary, plain(table.String), false},
	{"large-bytes", arrow.BinaryTypes.LargeBinary, plain(table.String), false},
	{"byte-view", arrow.BinaryTypes.BinaryView, plain(table.String), true},
	{"fixed", &arrow.FixedSizeBinaryType{ByteWidth: 5}, plain(table.String), false},
	{"coded", coded(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), plain(table.String), true},
	{"coded-ints", coded(arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int16), plain(table.Int), true},
	{"coded-floats", coded(arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Float64), plain(table.Float), true},
	{"list", arrow.ListOf(arrow.PrimitiveTypes.Float64), plain(table.List), false},
	{"list-i64", arrow.ListOf(arrow.PrimitiveTypes.Int64), plain(table.List), false},
	{"list-f16", arrow.ListOf(arrow.FixedWidthTypes.Float16), plain(table.List), true},
	{"list-d18", arrow.ListOf(&arrow.Decimal128Type{Precision: 18, Scale: 3}), plain(table.List), true},
	{"list-u64", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Uint64), plain(table.List), true},
	{"large-list", arrow.LargeListOf(arrow.PrimitiveTypes.Float32), plain(table.List), true},
	{"fixed-list", arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float64), plain(table.List), true},
}

// fill appends a random value.
func fill(b array.Builder, rng *rand.Rand) {
	sign := int64(1)
	if rng.Intn(2) == 0 {
		sign = -1
	}
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.Float16Builder:
		b.Append(float16.New(float32(rng.NormFloat64())))
	case *array.Float32Builder:
		b.Append(float32(rng.NormFloat64()))
	case *array.Float64Builder:
		b.Append([]float64{rng.NormFloat64(), math.NaN(), math.Inf(1), math.Copysign(0, -1)}[max(rng.Intn(40)-36, 0)])
	case *array.Decimal128Builder:
		digits := b.Type().(*arrow.Decimal128Type).Precision
		b.Append(decimal128.FromBigInt(digitsOf(rng, int(digits), sign)))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromBigInt(digitsOf(rng, 76, sign)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(sign * rng.Int63n(40_000)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(sign * rng.Int63n(40_000) * 86_400_000))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(sign * rng.Int63n(1<<50)))
	case *array.FixedSizeBinaryBuilder:
		b.Append(randomBytes(rng, 5))
	case *array.BinaryBuilder:
		b.Append(randomBytes(rng, rng.Intn(20)))
	case *array.BinaryViewBuilder:
		b.Append(randomBytes(rng, rng.Intn(30)))
	case *array.BinaryDictionaryBuilder:
		_ = b.AppendString("canary "[:rng.Intn(7)])
	case *array.Int16DictionaryBuilder:
		_ = b.Append(int16(rng.Intn(300)) - 100)
	case *array.Float64DictionaryBuilder:
		_ = b.Append(float64(rng.Intn(300)) / 7)
	case array.ListLikeBuilder:
		fillList(b, rng)
	case array.StringLikeBuilder:
		b.Append(string(randomBytes(rng, rng.Intn(30))))
	default:
		fillInteger(b, rng.Uint64()>>rng.Intn(64))
	}
}

func fillInteger(b array.Builder, v uint64) {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v&1 == 1)
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(int64(v))
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Uint16Builder:
		b.Append(uint16(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint64Builder:
		b.Append(v)
	}
}

func fillList(b array.ListLikeBuilder, rng *rand.Rand) {
	n := rng.Intn(5)
	if _, fixed := b.(*array.FixedSizeListBuilder); fixed {
		n = 3
	}
	b.Append(true)
	for range n {
		if _, u := b.ValueBuilder().(*array.Uint64Builder); !u && rng.Intn(10) == 0 {
			b.ValueBuilder().AppendNull()
		} else {
			fill(b.ValueBuilder(), rng)
		}
	}
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + rng.Intn(26))
	}
	return b
}

// digitsOf returns an integer of at most the given number of digits.
func digitsOf(rng *rand.Rand, digits int, sign int64) *big.Int {
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(1+rng.Intn(digits))), nil)
	v := new(big.Int).Rand(rng, most)
	return v.Mul(v, big.NewInt(sign))
}

// everyKind returns n rows of some kinds, with nulls.
func everyKind(n int, kinds []kindOf) arrow.Record {
	rng := rand.New(rand.NewSource(3))
	fields := make([]arrow.Field, len(kinds))
	for i, k := range kinds {
		fields[i] = arrow.Field{Name: k.name, Type: k.typ, Nullable: true}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	for i := range kinds {
		for j := range n {
			if j/50%3 > 0 && rng.Intn(4) == 0 {
				b.Field(i).AppendNull()
			} else {
				fill(b.Field(i), rng)
			}
		}
	}
	return b.NewRecord()
}

// oracle returns value i of an array in the form of a table, by the library's own readers.
func oracle(a arrow.Array, i int) any {
	if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
		return nil
	}
	switch a := a.(type) {
	case *array.Dictionary:
		return oracle(a.Dictionary(), a.GetValueIndex(i))
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		elements := []float64{}
		for j := from; j < to; j++ {
			elements = append(elements, oracleFloat(a.ListValues(), int(j)))
		}
		return tabletest.List(elements...)
	case *array.Float16, *array.Float32, *array.Float64:
		return tabletest.Float(oracleFloat(a, i))
	case *array.Decimal128:
		if t := a.DataType().(*arrow.Decimal128Type); t.Scale <= 0 && t.Precision-t.Scale <= 18 {
			return scaled(a.Value(i).BigInt(), t.Scale).Num().Int64()
		}
		return tabletest.Float(oracleFloat(a, i))
	case *array.Decimal256:
		return tabletest.Float(oracleFloat(a, i))
	case *array.Date64:
		return int64(a.Value(i)) / 86_400_000
	}
	return oraclePlain(a, i)
}

func oraclePlain(a arrow.Array, i int) any {
	switch a := a.(type) {
	case *array.Boolean:
		return map[bool]int64{true: 1}[a.Value(i)]
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Uint8:
		return int64(a.Value(i))
	case *array.Uint16:
		return int64(a.Value(i))
	case *array.Uint32:
		return int64(a.Value(i))
	case *array.Uint64:
		return int64(a.Value(i))
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.StringView:
		return a.Value(i)
	case *array.Binary:
		return string(a.Value(i))
	case *array.LargeBinary:
		return string(a.Value(i))
	case *array.BinaryView:
		return string(a.Value(i))
	case *array.FixedSizeBinary:
		return string(a.Value(i))
	}
	return "no oracle"
}

func scaled(v *big.Int, scale int32) *big.Rat {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
	if scale < 0 {
		return new(big.Rat).SetInt(v.Mul(v, power))
	}
	return new(big.Rat).SetFrac(v, power)
}

func oracleFloat(a arrow.Array, i int) float64 {
	if a.IsNull(i) {
		return math.NaN()
	}
	var f float64
	switch a := a.(type) {
	case *array.Float16:
		f = float64(a.Value(i).Float32())
	case *array.Float32:
		f = float64(a.Value(i))
	case *array.Float64:
		f = a.Value(i)
	case *array.Int64:
		f = float64(a.Value(i))
	case *array.Uint64:
		f = float64(a.Value(i))
	case *array.Decimal128:
		f, _ = scaled(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal128Type).Scale).Float64()
	case *array.Decimal256:
		f, _ = scaled(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal256Type).Scale).Float64()
	}
	return f
}

// agrees reads every column of a file and compares it with the record batch that was written.
func agrees(t *testing.T, name string, content []byte, kinds []kindOf, r arrow.Record) {
	t.Helper()
	d := open(t, textfile.CSV{}, write(t, name, content))
	for i, k := range kinds {
		f, _ := d.Schema().Lookup(k.name)
		if f.Type != k.want {
			t.Errorf("%s: %s: type %v, want %v", name, k.name, f.Type, k.want)
			continue
		}
		want := make([][]any, r.NumRows())
		for j := range want {
			want[j] = []any{oracle(r.Column(i), j)}
		}
		if got := read(t, d, k.name); !equal(want, got) {
			t.Errorf("%s: %s: %s", name, k.name, difference(want, got))
		}
	}
}

// difference describes the first row that differs.
func difference(want, got [][]any) string {
	for i := range min(len(want), len(got)) {
		if !slices.Equal(want[i], got[i]) {
			return fmt.Sprintf("row %d: got %#v, want %#v", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d rows, want %d", len(got), len(want))
}

// Every type of Arrow is read as the library's own readers read it, in every format, whole and in pieces.
func TestArrowTypes(t *testing.T) {
	r := everyKind(1003, kinds)
	for name, options := range map[string][]ipc.Option{
		"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}, "some": {ipc.WithZstd(),
			ipc.WithMinSpaceSavings(0.5)},
	} {
		agrees(t, name+".arrow", ipcFile(t, []arrow.Record{r}, options...), kinds, r)
		agrees(t, name+"-stream.arrow", ipcStream(t, []arrow.Record{r}, options...), kinds, r)
		pieces, sliced := withoutViews(kinds, r)
		agrees(t, name+"-cut.feather", ipcFile(t, cut(sliced, 101), options...), pieces, sliced)
		agrees(t, name+"-cut-stream.arrow", ipcStream(t, cut(sliced, 101), options...), pieces, sliced)
	}
}

// withoutViews omits the kinds that the library cannot slice and write.
func withoutViews(kinds []kindOf, r arrow.Record) (some []kindOf, out arrow.Record) {
	var fields []arrow.Field
	var columns []arrow.Array
	for i, k := range kinds {
		if k.typ.ID() != arrow.STRING_VIEW && k.typ.ID() != arrow.BINARY_VIEW {
			some, fields, columns = append(some, k), append(fields, r.Schema().Field(i)), append(columns, r.Column(i))
		}
	}
	return some, array.NewRecord(arrow.NewSchema(fields, nil), columns, r.NumRows())
}

// The same types in Parquet have the same values, if the library writes them.
func TestParquetOfArrowTypes(t *testing.T) {
	var some []kindOf
	for _, k := range kinds {
		if !k.ipc {
			some = append(some, k)
		}
	}
	r := everyKind(1003, some)
	arrowParquet(t, r, func(name string, content []byte) { agrees(t, name, content, some, r) })
}
