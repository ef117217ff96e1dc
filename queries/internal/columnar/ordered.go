package columnar

import (
	"encoding/binary"
	"math"

	"github.com/dprelease/dprelease/io/table"
)

// AppendOrdered appends a row's value, encoded so that the order of the bytes is the order of the values: a text
// unchanged, any other value in eight bytes. ok is false if the value is null or NaN.
func AppendOrdered(dst []byte, c *table.Column, row int) (value []byte, ok bool) {
	if c.IsNull(row) {
		return dst, false
	}
	at := c.Index(row)
	switch c.Type.Kind {
	case table.String:
		return append(dst, c.Values.Bytes(at)...), true
	case table.Float:
		x := c.Values.Floats[at]
		if x == 0 {
			x = 0 // -0 equals 0
		}
		word := math.Float64bits(x)
		if word>>63 == 1 {
			word = ^word
		} else {
			word |= 1 << 63
		}
		return binary.BigEndian.AppendUint64(dst, word), !math.IsNaN(x)
	case table.Uint:
		return binary.BigEndian.AppendUint64(dst, uint64(c.Values.Ints[at])), true
	}
	return binary.BigEndian.AppendUint64(dst, uint64(c.Values.Ints[at])^1<<63), true
}

// AppendDecoded decodes a value of type t that AppendOrdered encoded, and appends it to v. For a null, whose encoding
// is empty, it appends an arbitrary value.
func AppendDecoded(v *table.Values, value []byte, t table.Type) {
	switch {
	case t.Kind == table.String:
		v.Data = append(v.Data, value...)
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	case len(value) == 0 && t.Kind == table.Float:
		v.Floats = append(v.Floats, 0)
	case len(value) == 0:
		v.Ints = append(v.Ints, 0)
	case t.Kind == table.Float:
		word := binary.BigEndian.Uint64(value)
		if word>>63 == 1 {
			word &^= 1 << 63
		} else {
			word = ^word
		}
		v.Floats = append(v.Floats, math.Float64frombits(word))
	case t.Kind == table.Uint:
		v.Ints = append(v.Ints, int64(binary.BigEndian.Uint64(value)))
	default:
		v.Ints = append(v.Ints, int64(binary.BigEndian.Uint64(value)^1<<63))
	}
}
