package parquet

import (
	"slices"

	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/table"
)

// decode decodes n values of a leaf into the memory of d or, if the decoder can work in place, into the memory of data.
// The caller must have called check for data.
func (d *decoded) decode(l *leaf, enc encoding.Encoding, data []byte, n int) (v decoded, err error) {
	if n == 0 {
		return v, nil
	}
	have := 0
	switch l.physical {
	case format.Boolean:
		v.bits, err = enc.DecodeBoolean(d.memory(enc, data), data)
		have = 8 * len(v.bits)
		d.keep(enc, v.bits)
	case format.Int32:
		v.ints32, err = enc.DecodeInt32(d.ints32, data)
		d.ints32, have = v.ints32, len(v.ints32)
	case format.Int64:
		v.ints64, err = enc.DecodeInt64(d.ints64, data)
		d.ints64, have = v.ints64, len(v.ints64)
	case format.Int96:
		v.ints96, err = enc.DecodeInt96(d.ints96, data)
		d.ints96, have = v.ints96, len(v.ints96)
	case format.Float:
		v.floats32, err = enc.DecodeFloat(d.floats32, data)
		d.floats32, have = v.floats32, len(v.floats32)
	case format.Double:
		v.floats64, err = enc.DecodeDouble(d.floats64, data)
		d.floats64, have = v.floats64, len(v.floats64)
	case format.FixedLenByteArray:
		v.bytes, err = enc.DecodeFixedLenByteArray(d.memory(enc, data), data, l.width)
		have = len(v.bytes) / l.width
		d.keep(enc, v.bytes)
	case format.ByteArray:
		v.bytes, v.offsets, err = enc.DecodeByteArray(d.memory(enc, data), data, d.offsets)
		d.offsets, have = v.offsets, len(v.offsets)-1
		d.keep(enc, v.bytes)
		if have >= n && !isOrdered(v.offsets[:n+1], len(v.bytes)) {
			return v, short()
		}
	}
	if err != nil {
		return v, undecodable()
	}
	if have < n {
		return v, short()
	}
	return v, nil
}

// memory returns the slice into which bytes are decoded: data itself, if the decoder can work in place.
func (d *decoded) memory(enc encoding.Encoding, data []byte) []byte {
	if enc.CanDecodeInPlace() {
		return data
	}
	return d.bytes
}

// keep stores b, into which a page was decoded, as memory for later pages, unless b is the page's own memory.
func (d *decoded) keep(enc encoding.Encoding, b []byte) {
	if !enc.CanDecodeInPlace() {
		d.bytes = b
	}
}

// narrow cuts 32-bit integers that were coded as differences to their lower 32 bits. The format lets differences
// overflow, but some writers compute them in 64 bits.
func narrow(values []int64, l *leaf) {
	if l.field.Type.Kind == table.Uint {
		for i, v := range values {
			values[i] = int64(uint32(v))
		}
		return
	}
	for i, v := range values {
		values[i] = int64(int32(v))
	}
}

// isOrdered reports whether offsets never fall and never exceed size.
func isOrdered(offsets []uint32, size int) bool {
	return slices.IsSorted(offsets) && int64(offsets[len(offsets)-1]) <= int64(size)
}

// allBelow reports whether all codes are in [0, n).
func allBelow(codes []int32, n int) bool {
	var a, b, c, d uint32 // four maxima, so that comparisons can run in parallel
	left := codes
	for ; len(left) >= 8; left = left[8:] {
		a = max(a, uint32(left[0]), uint32(left[4]))
		b = max(b, uint32(left[1]), uint32(left[5]))
		c = max(c, uint32(left[2]), uint32(left[6]))
		d = max(d, uint32(left[3]), uint32(left[7]))
	}
	for _, code := range left {
		a = max(a, uint32(code))
	}
	return len(codes) == 0 || int64(max(a, b, c, d)) < int64(n)
}

func notInDictionary() error {
	return fault.New(fault.CodeDamaged, "a code is not in the dictionary")
}
