package isolationtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// binaryType is a column type of a binary format, with a function that draws its cells.
type binaryType struct {
	sourcetest.Type
	units bool // readers may convert the cell to another unit, for example a timestamp
	draw  func(r *rand.Rand) any
}

// binaryColumn is a column of a binary table.
type binaryColumn struct {
	typ      binaryType
	optional bool
}

func columnName(i int) string { return "c" + strconv.Itoa(i) }

var binaryTypes = allTypes()

func allTypes() (out []binaryType) {
	out = append(out, integerTypes()...)
	for _, p := range []int{1, 9, 10, 15, 16, 17, 18, 19, 20, 38} {
		for _, scale := range []int{0, 2} {
			if scale < p {
				out = append(out, decimalTypes(p, scale)...)
			}
		}
	}
	out = append(out, timeTypes()...)
	out = append(out, byteTypes()...)
	return append(out, floatTypes()...)
}

// near draws an integer close to a limit of the integer type with this number of bits.
func near(r *rand.Rand, bits int, signed bool) *big.Int {
	one := big.NewInt(1)
	x := new(big.Int).Lsh(one, pick(r, uint(0), 7, 8, 15, 16, 24, 31, 32, 53, 63, uint(bits), uint(bits)))
	x.Add(x, big.NewInt(r.Int64N(5)-2))
	if signed && chance(r, 0.3) {
		x.Neg(x)
	}
	low, high := new(big.Int), new(big.Int).Lsh(one, uint(bits))
	if signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	if x.Cmp(low) < 0 {
		return low
	}
	if x.Cmp(high) >= 0 {
		return high.Sub(high, one)
	}
	return x
}

func integerTypes() (out []binaryType) {
	kinds := [][2]arrow.DataType{
		{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8}, {arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16},
		{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32}, {arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64},
	}
	for i, of := range kinds {
		bits := 8 << i
		signed := binaryType{Type: sourcetest.Type{Name: fmt.Sprintf("int%d", bits), Arrow: of[0], Node: parquet.Int(bits)},
			draw: func(r *rand.Rand) any { return near(r, bits, true).Int64() }}
		unsigned := binaryType{Type: sourcetest.Type{Name: fmt.Sprintf("uint%d", bits), Arrow: of[1],
			Node: parquet.Uint(bits)},
			draw: func(r *rand.Rand) any { return near(r, bits, false).Uint64() }}
		if bits >= 32 {
			signed.Tag = fmt.Sprintf("type=INT%d", bits)
			unsigned.Tag = fmt.Sprintf("type=INT%d, convertedtype=UINT_%d", bits, bits)
		}
		coded := signed
		coded.Type = sourcetest.Type{Name: "dictionary of " + signed.Name, IPCOnly: true,
			Arrow: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: of[0]}}
		out = append(out, signed, unsigned, coded)
	}
	return out
}

// decimalTypes returns the column types that can hold a decimal with this many digits, scale of them after the point. A
// cell is an integer: the decimal times 10^scale.
func decimalTypes(digits, scale int) (out []binaryType) {
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	draw := func(r *rand.Rand) any {
		x := new(big.Int).Quo(most, big.NewInt(pick[int64](r, 1, 2, 10, 11)))
		if chance(r, 0.5) {
			x = new(big.Int).Rem(near(r, 127, true), most)
		}
		x.Sub(x, big.NewInt(1+r.Int64N(3)))
		if x.CmpAbs(most) >= 0 {
			return new(big.Int)
		}
		return x
	}
	width := (digits*10+2)/24 + 1 // a first estimate, too small by a few bytes at most: 10 bits hold 3 digits
	for lengthFits := func() bool {
		return new(big.Int).Lsh(big.NewInt(1),
			uint(8*width-1)).Cmp(most) >= 0
	}; !lengthFits(); {
		width++
	}
	add := func(as string, t sourcetest.Type) {
		t.Name = fmt.Sprintf("decimal(%d, %d) %s", digits, scale, as)
		out = append(out, binaryType{t, true, draw})
	}
	node := func(of parquet.Type) parquet.Node { return parquet.Decimal(scale, digits, of) }
	tag := fmt.Sprintf(", convertedtype=DECIMAL, scale=%d, precision=%d", scale, digits)
	if digits <= 9 {
		add("INT32", sourcetest.Type{Node: node(parquet.Int32Type), Tag: "type=INT32" + tag})
	}
	if digits >= 10 && digits <= 18 {
		add("INT64", sourcetest.Type{Node: node(parquet.Int64Type), Tag: "type=INT64" + tag})
	}
	add("FIXED", sourcetest.Type{Node: node(parquet.FixedLenByteArrayType(width))})
	add("BYTE_ARRAY", sourcetest.Type{Node: node(parquet.ByteArrayType), Tag: "type=BYTE_ARRAY" + tag})
	add("128", sourcetest.Type{Arrow: &arrow.Decimal128Type{Precision: int32(digits), Scale: int32(scale)}})
	add("256", sourcetest.Type{Arrow: &arrow.Decimal256Type{Precision: int32(digits), Scale: int32(scale)}, IPCOnly: true})
	return out
}

func timeTypes() (out []binaryType) {
	out = append(out, binaryType{
		Type: sourcetest.Type{Name: "date", Arrow: arrow.FixedWidthTypes.Date32, Node: parquet.Date(),
			Tag: "type=INT32, convertedtype=DATE"},
		draw: func(r *rand.Rand) any {
			return pick[int64](r, 0, 15706, -1, math.MaxInt32-2, math.MinInt32, 2932895, -719163) + int64(r.IntN(3))
		},
	}, binaryType{
		Type: sourcetest.Type{Name: "date64", Arrow: arrow.FixedWidthTypes.Date64, IPCOnly: true}, units: true,
		draw: func(r *rand.Rand) any {
			return 86400000 * (pick[int64](r, 0, 15706, -1, 2932895, -719163) + int64(r.IntN(3)))
		},
	})
	for i, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		for _, zone := range []string{"", "UTC", "America/New_York"} {
			t := binaryType{units: true, Type: sourcetest.Type{Name: fmt.Sprintf("timestamp %s %s", unit, zone),
				Arrow: &arrow.TimestampType{Unit: unit, TimeZone: zone}, IPCOnly: unit == arrow.Second}}
			t.draw = func(r *rand.Rand) any {
				x := pick[int64](r, 0, 1356998400, -62135596800, 253402300799, 9e9)
				if x *= int64(math.Pow10(3 * i)); i == 3 && chance(r, 0.5) {
					x = 1356998400e9
				}
				return pick(r, x, x, x, math.MaxInt64-4, math.MinInt64) + int64(r.IntN(4))
			}
			if i > 0 && zone != "America/New_York" {
				t.Node = parquet.TimestampAdjusted([]parquet.TimeUnit{nil, parquet.Millisecond, parquet.Microsecond,
					parquet.Nanosecond}[i], zone != "")
			}
			if i == 2 && zone == "UTC" {
				t.Tag = "type=INT64, logicaltype=TIMESTAMP, logicaltype.isadjustedtoutc=true, logicaltype.unit=MICROS"
			}
			out = append(out, t)
		}
	}
	int96 := binaryType{Type: sourcetest.Type{Name: "INT96", Node: parquet.Leaf(parquet.Int96Type), Tag: "type=INT96"},
		units: true, draw: func(r *rand.Rand) any {
			b := binary.LittleEndian.AppendUint64(nil, pick[uint64](r, 0, 1000, 43200e9, 86399999999000)+uint64(r.IntN(3)))
			return string(binary.LittleEndian.AppendUint32(b, pick[uint32](r, 2440588, 2456294, 2440588-719163, 0,
				math.MaxInt32-3, 1<<28)+uint32(r.IntN(2))))
		}}
	return append(out, int96, int96, int96)
}

func byteTypes() (out []binaryType) {
	p := &pieces{rows: oddTexts}
	text := func(r *rand.Rand) any {
		if chance(r, 0.3) {
			return pick(r, oddTexts...)
		}
		return p.text(r)
	}
	for _, t := range []sourcetest.Type{
		{Name: "text", Arrow: arrow.BinaryTypes.String, Node: parquet.String(), Tag: "type=BYTE_ARRAY, convertedtype=UTF8"},
		{Name: "binary", Arrow: arrow.BinaryTypes.Binary, Node: parquet.Leaf(parquet.ByteArrayType)},
		{Name: "enum", Node: parquet.Enum()},
	} {
		out = append(out, binaryType{t, false, text})
	}
	for name, of := range map[string]arrow.DataType{
		"large text": arrow.BinaryTypes.LargeString, "large binary": arrow.BinaryTypes.LargeBinary,
		"text view": arrow.BinaryTypes.StringView, "binary view": arrow.BinaryTypes.BinaryView,
		"dictionary of texts": &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8,
			ValueType: arrow.BinaryTypes.String},
		"dictionary of binaries": &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32,
			ValueType: arrow.BinaryTypes.Binary},
	} {
		out = append(out, binaryType{sourcetest.Type{Name: name, Arrow: of, IPCOnly: true}, false, text})
	}
	for _, n := range []int{1, 3, 16, 40} {
		out = append(out, binaryType{
			Type: sourcetest.Type{Name: fmt.Sprintf("%d bytes", n), Arrow: &arrow.FixedSizeBinaryType{ByteWidth: n},
				Node: parquet.Leaf(parquet.FixedLenByteArrayType(n))},
			draw: func(r *rand.Rand) any {
				s := strings.Repeat(pick(r, "\x00", "a", "\xff"), n)
				return s[:n-1] + pick(r, "\x00", "a", "\xff", "\xfe", "b")
			},
		})
	}
	uuid := out[len(out)-2]
	uuid.Type, uuid.units = sourcetest.Type{Name: "UUID", Node: parquet.UUID()}, true
	return append(out, uuid)
}

func floatTypes() []binaryType {
	draw := func(fit func(float64) float64) func(r *rand.Rand) any {
		return func(r *rand.Rand) any {
			x := pick(r, 0, 1, -1, 0.1, 0.5, 1<<53, 65504, 1e300, math.Inf(1), math.NaN(), math.Copysign(0, -1),
				math.SmallestNonzeroFloat64)
			return fit(math.Nextafter(x, pick(r, x, math.Inf(1))))
		}
	}
	same := func(x float64) float64 { return x }
	single := func(x float64) float64 { return float64(float32(x)) }
	half := func(x float64) float64 { return float64(float16.New(float32(x)).Float32()) }
	return []binaryType{
		{sourcetest.Type{Name: "double", Arrow: arrow.PrimitiveTypes.Float64, Node: parquet.Leaf(parquet.DoubleType),
			Tag: "type=DOUBLE"}, false, draw(same)},
		{sourcetest.Type{Name: "float", Arrow: arrow.PrimitiveTypes.Float32, Node: parquet.Leaf(parquet.FloatType),
			Tag: "type=FLOAT"}, false, draw(single)},
		{sourcetest.Type{Name: "half", Arrow: arrow.FixedWidthTypes.Float16, IPCOnly: true}, false, draw(half)},
		{sourcetest.Type{Name: "bool", Arrow: arrow.FixedWidthTypes.Boolean, Node: parquet.Leaf(parquet.BooleanType),
			Tag: "type=BOOLEAN"}, false, func(r *rand.Rand) any { return chance(r, 0.5) }},
	}
}
