package parquet

import (
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// pageData is the values of a page or a dictionary as the library holds them: one of the slices is in use.
type pageData struct {
	bits     []byte // booleans, from bit skipped on
	skipped  int
	ints32   []int32
	ints64   []int64
	ints96   []deprecated.Int96
	floats32 []float32
	floats64 []float64
	bytes    []byte   // strings: of a fixed length, or
	offsets  []uint32 // one more than strings, or nil
}

// dataOf returns n values of a leaf, after checking that there are as many.
func dataOf(l *leaf, v encoding.Values, n int) (pageData, error) {
	var d pageData
	have := 0
	switch l.physical {
	case format.Boolean:
		d.bits = v.Boolean()
		have = len(d.bits) * 8
	case format.Int32:
		d.ints32 = v.Int32()
		have = len(d.ints32)
	case format.Int64:
		d.ints64 = v.Int64()
		have = len(d.ints64)
	case format.Int96:
		d.ints96 = v.Int96()
		have = len(d.ints96)
	case format.Float:
		d.floats32 = v.Float()
		have = len(d.floats32)
	case format.Double:
		d.floats64 = v.Double()
		have = len(d.floats64)
	case format.FixedLenByteArray:
		d.bytes, _ = v.FixedLenByteArray()
		have = len(d.bytes) / l.width
	case format.ByteArray:
		d.bytes, d.offsets = v.ByteArray()
		have = len(d.offsets) - 1
		if n > 0 && have >= n && !ordered(d.offsets[:n+1], len(d.bytes)) {
			return d, short()
		}
	}
	if have < n && n > 0 {
		return d, short()
	}
	return d, nil
}

// ordered says whether offsets never fall and stay within size bytes.
func ordered(offsets []uint32, size int) bool {
	return slices.IsSorted(offsets) && int64(offsets[len(offsets)-1]) <= int64(size)
}

// values takes the next n values: shared with the page if a table holds them alike, else in to, from its start.
func (d *pageData) values(l *leaf, n int, to *table.Values) table.Values {
	if l.convert != nil {
		return l.convert(d, n, to)
	}
	switch l.physical {
	case format.Boolean:
		return table.Values{Ints: d.takeBits(n, &to.Ints)}
	case format.Int32:
		return table.Values{Ints: d.takeInts32(l, n, &to.Ints)}
	case format.Int64:
		s := d.ints64[:n]
		d.ints64 = d.ints64[n:]
		return table.Values{Ints: s}
	case format.Int96:
		return table.Values{Ints: d.takeInts96(n, &to.Ints)}
	case format.Float:
		return table.Values{Floats: d.takeFloats32(n, &to.Floats)}
	case format.Double:
		s := d.floats64[:n]
		d.floats64 = d.floats64[n:]
		return table.Values{Floats: s}
	}
	return d.takeStrings(l, n, &to.Offsets)
}

func (d *pageData) takeBits(n int, to *[]int64) []int64 {
	out := scan.Room(to, n)
	for i := range out {
		at := d.skipped + i
		out[i] = int64(d.bits[at/8] >> (at % 8) & 1)
	}
	d.skipped += n
	return out
}

func (d *pageData) takeInts32(l *leaf, n int, to *[]int64) []int64 {
	out := scan.Room(to, n)
	if l.field.Type.Kind == table.Uint {
		for i, v := range d.ints32[:n] {
			out[i] = int64(uint32(v))
		}
	} else {
		for i, v := range d.ints32[:n] {
			out[i] = int64(v)
		}
	}
	d.ints32 = d.ints32[n:]
	return out
}

func (d *pageData) takeInts96(n int, to *[]int64) []int64 {
	out := scan.Room(to, n)
	for i, v := range d.ints96[:n] {
		out[i] = micros(int64(uint64(v[1])<<32|uint64(v[0])), int64(int32(v[2])))
	}
	d.ints96 = d.ints96[n:]
	return out
}

// micros turns nanoseconds of a day and a Julian day number into microseconds since 1970, rounded down and saturating.
func micros(nanos, day int64) int64 {
	const epoch, perDay = 2440588, 86_400_000_000
	day -= epoch
	us := nanos / 1000
	if nanos%1000 < 0 {
		us--
	}
	const most = math.MaxInt64/perDay - 200_000 // nanos alone can be 106,752 days
	switch {
	case day > most:
		return math.MaxInt64
	case day < -most:
		return math.MinInt64
	}
	return day*perDay + us
}

func (d *pageData) takeFloats32(n int, to *[]float64) []float64 {
	out := scan.Room(to, n)
	for i, v := range d.floats32[:n] {
		out[i] = float64(v)
	}
	d.floats32 = d.floats32[n:]
	return out
}

func (d *pageData) takeStrings(l *leaf, n int, to *[]uint32) table.Values {
	if l.physical == format.ByteArray {
		if len(d.offsets) == 0 {
			return table.Values{Offsets: append((*to)[:0], 0)}
		}
		out := table.Values{Offsets: d.offsets[:n+1], Data: d.bytes}
		d.offsets = d.offsets[n:]
		return out
	}
	out := table.Values{Offsets: scan.Room(to, n+1), Data: d.bytes[:n*l.width]}
	for i := range out.Offsets {
		out.Offsets[i] = uint32(i * l.width)
	}
	d.bytes = d.bytes[n*l.width:]
	return out
}
