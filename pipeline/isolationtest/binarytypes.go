package isolationtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// binaryType is a type of a column, as each library knows it.
type binaryType struct {
	name    string
	units   bool // it is not read as the number or the text that the cell holds
	draw    func(r *rand.Rand) any
	arrow   arrow.DataType // nil if Arrow does not have it
	ipcOnly bool           // Arrow does not write it to Parquet, or as another type
	node    parquet.Node   // nil if parquet-go does not have it
	value   func(cell any) parquet.Value
	tag     string // empty if xitongsys does not have it
	of      reflect.Type
}

// binaryColumn is a column of a table.
type binaryColumn struct {
	typ      binaryType
	optional bool
}

// columnName returns the name of a column.
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

// near draws an integer of so many bits: at an edge of a type, or next to one.
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
		signed := binaryType{name: fmt.Sprintf("int%d", bits), arrow: of[0], node: parquet.Int(bits), value: intValue(bits),
			draw: func(r *rand.Rand) any { return near(r, bits, true).Int64() }}
		unsigned := binaryType{name: fmt.Sprintf("uint%d", bits), arrow: of[1], node: parquet.Uint(bits),
			value: intValue(bits), draw: func(r *rand.Rand) any { return near(r, bits, false).Uint64() }}
		switch bits {
		case 32:
			signed.tag, signed.of = "type=INT32", reflect.TypeFor[int32]()
			unsigned.tag, unsigned.of = "type=INT32, convertedtype=UINT_32", reflect.TypeFor[uint32]()
		case 64:
			signed.tag, signed.of = "type=INT64", reflect.TypeFor[int64]()
			unsigned.tag, unsigned.of = "type=INT64, convertedtype=UINT_64", reflect.TypeFor[uint64]()
		}
		coded := signed
		coded.name, coded.arrow, coded.ipcOnly = "dictionary of "+signed.name, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: of[0]}, true
		coded.node, coded.tag = nil, ""
		out = append(out, signed, unsigned, coded)
	}
	return out
}

// intValue returns how parquet-go holds an integer of so many bits.
func intValue(bits int) func(any) parquet.Value {
	return func(cell any) parquet.Value {
		x, ok := cell.(int64)
		if !ok {
			x = int64(cell.(uint64))
		}
		if bits <= 32 {
			return parquet.Int32Value(int32(x))
		}
		return parquet.Int64Value(x)
	}
}

// decimalTypes returns the forms of a decimal of so many digits. Its cells are integers: multiples of the last digit.
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
	width := (digits*10+2)/24 + 1 // 10 bits hold more than 3 digits
	for lengthFits := func() bool {
		return new(big.Int).Lsh(big.NewInt(1),
			uint(8*width-1)).Cmp(most) >= 0
	}; !lengthFits(); {
		width++
	}
	base := binaryType{name: fmt.Sprintf("decimal(%d, %d)", digits, scale), units: true, draw: draw}
	add := func(as string, change func(*binaryType)) {
		t := base
		t.name += " " + as
		change(&t)
		out = append(out, t)
	}
	tag := fmt.Sprintf(", convertedtype=DECIMAL, scale=%d, precision=%d", scale, digits)
	if digits <= 9 {
		add("INT32", func(t *binaryType) {
			t.node, t.tag, t.of = parquet.Decimal(scale, digits, parquet.Int32Type), "type=INT32"+tag, reflect.TypeFor[int32]()
			t.value = func(c any) parquet.Value { return parquet.Int32Value(int32(c.(*big.Int).Int64())) }
		})
	}
	if digits >= 10 && digits <= 18 {
		add("INT64", func(t *binaryType) {
			t.node, t.tag, t.of = parquet.Decimal(scale, digits, parquet.Int64Type), "type=INT64"+tag, reflect.TypeFor[int64]()
			t.value = func(c any) parquet.Value { return parquet.Int64Value(c.(*big.Int).Int64()) }
		})
	}
	add("FIXED", func(t *binaryType) {
		t.node = parquet.Decimal(scale, digits, parquet.FixedLenByteArrayType(width))
		t.value = func(c any) parquet.Value { return parquet.FixedLenByteArrayValue(twos(c.(*big.Int), width)) }
	})
	add("BYTE_ARRAY", func(t *binaryType) {
		t.tag, t.of = "type=BYTE_ARRAY"+tag, reflect.TypeFor[string]()
		t.node = parquet.Decimal(scale, digits, parquet.ByteArrayType)
		t.value = func(c any) parquet.Value { return parquet.ByteArrayValue(shortest(c.(*big.Int))) }
	})
	add("128", func(t *binaryType) { t.arrow = &arrow.Decimal128Type{Precision: int32(digits), Scale: int32(scale)} })
	add("256", func(t *binaryType) {
		t.arrow, t.ipcOnly = &arrow.Decimal256Type{Precision: int32(digits), Scale: int32(scale)}, true
	})
	return out
}

// twos returns an integer in so many bytes, the highest one first.
func twos(x *big.Int, width int) []byte {
	if x.Sign() < 0 {
		x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
	}
	return x.FillBytes(make([]byte, width))
}

// shortest returns an integer in as few bytes as hold it.
func shortest(x *big.Int) []byte { return twos(x, x.BitLen()/8+1) }

func timeTypes() (out []binaryType) {
	out = append(out, binaryType{
		name: "date", arrow: arrow.FixedWidthTypes.Date32, node: parquet.Date(), tag: "type=INT32, convertedtype=DATE", of: reflect.TypeFor[int32](), value: intValue(32),
		draw: func(r *rand.Rand) any {
			return pick[int64](r, 0, 15706, -1, math.MaxInt32-2, math.MinInt32, 2932895, -719163) + int64(r.IntN(3))
		},
	}, binaryType{
		name: "date64", units: true, arrow: arrow.FixedWidthTypes.Date64, ipcOnly: true,
		draw: func(r *rand.Rand) any {
			return 86400000 * (pick[int64](r, 0, 15706, -1, 2932895, -719163) + int64(r.IntN(3)))
		},
	})
	for i, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		for _, zone := range []string{"", "UTC", "America/New_York"} {
			t := binaryType{name: fmt.Sprintf("timestamp %s %s", unit, zone), units: true,
				arrow: &arrow.TimestampType{Unit: unit, TimeZone: zone}, ipcOnly: unit == arrow.Second, value: intValue(64)}
			t.draw = func(r *rand.Rand) any {
				x := pick[int64](r, 0, 1356998400, -62135596800, 253402300799, 9e9)
				if x *= int64(math.Pow10(3 * i)); i == 3 && chance(r, 0.5) {
					x = 1356998400e9
				}
				return pick(r, x, x, x, math.MaxInt64-4, math.MinInt64) + int64(r.IntN(4))
			}
			if i > 0 && zone != "America/New_York" {
				t.node = parquet.TimestampAdjusted([]parquet.TimeUnit{nil, parquet.Millisecond, parquet.Microsecond,
					parquet.Nanosecond}[i], zone != "")
			}
			if i == 2 && zone == "UTC" {
				t.tag, t.of = "type=INT64, logicaltype=TIMESTAMP, logicaltype.isadjustedtoutc=true, logicaltype.unit=MICROS", reflect.TypeFor[int64]()
			}
			out = append(out, t)
		}
	}
	int96 := binaryType{name: "INT96", units: true, node: parquet.Leaf(parquet.Int96Type), tag: "type=INT96",
		of: reflect.TypeFor[string](), draw: func(r *rand.Rand) any {
			b := binary.LittleEndian.AppendUint64(nil, pick[uint64](r, 0, 1000, 43200e9, 86399999999000)+uint64(r.IntN(3)))
			return string(binary.LittleEndian.AppendUint32(b, pick[uint32](r, 2440588, 2456294, 2440588-719163, 0,
				math.MaxInt32-3, 1<<28)+uint32(r.IntN(2))))
		}}
	int96.value = func(c any) parquet.Value {
		b := []byte(c.(string))
		return parquet.Int96Value(deprecated.Int96{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]),
			binary.LittleEndian.Uint32(b[8:])})
	}
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
	bytes := func(c any) parquet.Value { return parquet.ByteArrayValue([]byte(c.(string))) }
	out = append(out, binaryType{
		name: "text", draw: text, arrow: arrow.BinaryTypes.String, node: parquet.String(), value: bytes, tag: "type=BYTE_ARRAY, convertedtype=UTF8", of: reflect.TypeFor[string](),
	}, binaryType{name: "binary", draw: text, arrow: arrow.BinaryTypes.Binary, node: parquet.Leaf(parquet.ByteArrayType), value: bytes},
		binaryType{name: "enum", draw: text, node: parquet.Enum(), value: bytes})
	for name, of := range map[string]arrow.DataType{
		"large text": arrow.BinaryTypes.LargeString, "large binary": arrow.BinaryTypes.LargeBinary, "text view": arrow.BinaryTypes.StringView, "binary view": arrow.BinaryTypes.BinaryView,
		"dictionary of texts": &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8,
			ValueType: arrow.BinaryTypes.String},
		"dictionary of binaries": &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32,
			ValueType: arrow.BinaryTypes.Binary},
	} {
		out = append(out, binaryType{name: name, draw: text, arrow: of, ipcOnly: true})
	}
	for _, n := range []int{1, 3, 16, 40} {
		out = append(out, binaryType{
			name: fmt.Sprintf("%d bytes",
				n), arrow: &arrow.FixedSizeBinaryType{ByteWidth: n}, node: parquet.Leaf(parquet.FixedLenByteArrayType(n)),
			value: func(c any) parquet.Value { return parquet.FixedLenByteArrayValue([]byte(c.(string))) },
			draw: func(r *rand.Rand) any {
				s := strings.Repeat(pick(r, "\x00", "a", "\xff"), n)
				return s[:n-1] + pick(r, "\x00", "a", "\xff", "\xfe", "b")
			},
		})
	}
	uuid := out[len(out)-2]
	uuid.name, uuid.units, uuid.arrow, uuid.node = "UUID", true, nil, parquet.UUID()
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
	return []binaryType{
		{
			name: "double", arrow: arrow.PrimitiveTypes.Float64, node: parquet.Leaf(parquet.DoubleType), draw: draw(same), tag: "type=DOUBLE", of: reflect.TypeFor[float64](),
			value: func(c any) parquet.Value { return parquet.DoubleValue(c.(float64)) },
		},
		{
			name: "float", arrow: arrow.PrimitiveTypes.Float32, node: parquet.Leaf(parquet.FloatType), draw: draw(func(x float64) float64 { return float64(float32(x)) }), tag: "type=FLOAT", of: reflect.TypeFor[float32](),
			value: func(c any) parquet.Value { return parquet.FloatValue(float32(c.(float64))) },
		},
		{name: "half", arrow: arrow.FixedWidthTypes.Float16, ipcOnly: true,
			draw: draw(func(x float64) float64 { return float64(float16.New(float32(x)).Float32()) })},
		{name: "bool", arrow: arrow.FixedWidthTypes.Boolean, node: parquet.Leaf(parquet.BooleanType),
			draw:  func(r *rand.Rand) any { return chance(r, 0.5) },
			value: func(c any) parquet.Value { return parquet.BooleanValue(c.(bool)) }, tag: "type=BOOLEAN", of: reflect.TypeFor[bool]()},
	}
}
