package arrow

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// fixedBody reads values that all have the same number of bytes.
type fixedBody struct {
	buffer  *buffer
	width   int
	decode  func(raw []byte, to *table.Values) // decodes raw into the memory of to, from its start
	nullify bool                               // a value of scan.NoValue is a null
	valid   []bool
}

func (b *fixedBody) fit(n int, _ []bool) (int, error) {
	return min(n, max(scan.BatchBytes/b.width, 1)), nil
}

func (b *fixedBody) store(n int, c *table.Column) error {
	raw, err := b.buffer.nextBytes(int64(n) * int64(b.width))
	if err != nil {
		return err
	}
	to := &b.buffer.memory().values
	to.Ints, to.Floats, to.Offsets = to.Ints[:0], to.Floats[:0], to.Offsets[:0] // old values, perhaps of another type
	b.decode(raw, to)
	c.Values = *to
	if b.nullify {
		scan.Nullify(c, &b.valid)
	}
	return nil
}

type boolBody struct {
	bits  bitReader
	bools []bool
	out   []int64
}

func (b *boolBody) fit(n int, _ []bool) (int, error) { return n, nil }

func (b *boolBody) store(n int, c *table.Column) (err error) {
	if b.bools, err = b.bits.appendBits(n, b.bools[:0]); err != nil {
		return err
	}
	c.Values.Ints = scan.Room(&b.out, n)
	for i, v := range b.bools {
		c.Values.Ints[i] = 0
		if v {
			c.Values.Ints[i] = 1
		}
	}
	return nil
}

// fixedOf returns the decoder of a type and the length of its values in bytes. decode is nil if the type has no fixed
// length or is not read.
func fixedOf(t arrow.DataType, exact bool) (decode func([]byte, *table.Values), width int) {
	if d, ok := decimalOf(t); ok {
		if exact {
			d = d.Exact()
		}
		width = t.(arrow.FixedWidthDataType).BitWidth() / 8
		return decimals(d, width), width
	}
	switch t := t.(type) {
	case *arrow.FixedSizeBinaryType:
		return fixedText(t.ByteWidth), t.ByteWidth
	case *arrow.Date64Type:
		if exact {
			return int64s, 8
		}
		return fixedNumbers(t.ID()), 8
	case arrow.FixedWidthDataType:
		return fixedNumbers(t.ID()), t.BitWidth() / 8
	}
	return nil, 0
}

var little = binary.LittleEndian

// fixedNumbers returns the decoder for a type of numbers or times.
func fixedNumbers(id arrow.Type) func([]byte, *table.Values) {
	switch id {
	case arrow.INT8:
		return integers(1, func(b []byte) int64 { return int64(int8(b[0])) })
	case arrow.UINT8:
		return integers(1, func(b []byte) int64 { return int64(b[0]) })
	case arrow.INT16:
		return integers(2, func(b []byte) int64 { return int64(int16(little.Uint16(b))) })
	case arrow.UINT16:
		return integers(2, func(b []byte) int64 { return int64(little.Uint16(b)) })
	case arrow.INT32, arrow.DATE32:
		return int32s
	case arrow.UINT32:
		return integers(4, func(b []byte) int64 { return int64(little.Uint32(b)) })
	case arrow.INT64, arrow.UINT64, arrow.TIMESTAMP:
		return int64s
	case arrow.DATE64:
		return integers(8, func(b []byte) int64 { return days(int64(little.Uint64(b))) })
	case arrow.FLOAT16:
		return reals(2, func(b []byte) float64 { return scan.Half(little.Uint16(b)) })
	case arrow.FLOAT32:
		return reals(4, func(b []byte) float64 { return float64(math.Float32frombits(little.Uint32(b))) })
	case arrow.FLOAT64:
		return float64s
	}
	return nil
}

// int32s, int64s and float64s decode the most frequent types without a function call for each value.
func int32s(raw []byte, to *table.Values) {
	out := scan.Room(&to.Ints, len(raw)/4)
	for i := range out {
		out[i] = int64(int32(little.Uint32(raw[4*i : 4*i+4])))
	}
}

func int64s(raw []byte, to *table.Values) {
	out := scan.Room(&to.Ints, len(raw)/8)
	for i := range out {
		out[i] = int64(little.Uint64(raw[8*i : 8*i+8]))
	}
}

func float64s(raw []byte, to *table.Values) {
	out := scan.Room(&to.Floats, len(raw)/8)
	for i := range out {
		out[i] = math.Float64frombits(little.Uint64(raw[8*i : 8*i+8]))
	}
}

// days converts milliseconds since 1970 to days, rounded down.
func days(ms int64) int64 {
	const perDay = 86_400_000
	d := ms / perDay
	if ms%perDay < 0 {
		d--
	}
	return d
}

func integers(width int, one func([]byte) int64) func([]byte, *table.Values) {
	return func(raw []byte, to *table.Values) {
		out := slices.Grow(to.Ints[:0], len(raw)/width)
		for ; len(raw) >= width; raw = raw[width:] {
			out = append(out, one(raw))
		}
		to.Ints = out
	}
}

func reals(width int, one func([]byte) float64) func([]byte, *table.Values) {
	return func(raw []byte, to *table.Values) {
		out := slices.Grow(to.Floats[:0], len(raw)/width)
		for ; len(raw) >= width; raw = raw[width:] {
			out = append(out, one(raw))
		}
		to.Floats = out
	}
}

// decimals returns a decoder of decimals that are little-endian integers of width bytes.
func decimals(d scan.Decimal, width int) func([]byte, *table.Values) {
	return func(raw []byte, to *table.Values) {
		var big [scan.MaxDecimal]byte
		to.Ints, to.Floats, to.Offsets, to.Data = to.Ints[:0], to.Floats[:0], append(to.Offsets[:0], 0), nil
		for ; len(raw) >= width; raw = raw[width:] {
			copy(big[:], raw[:width])
			slices.Reverse(big[:width])
			d.AddBytes(big[:width], to)
		}
	}
}

// fixedText returns a decoder of texts of width bytes, which it does not change.
func fixedText(width int) func([]byte, *table.Values) {
	return func(raw []byte, to *table.Values) {
		to.Data = raw
		to.Offsets = to.Offsets[:0]
		for i := 0; i <= len(raw); i += width {
			to.Offsets = append(to.Offsets, uint32(i))
		}
	}
}
