package parquet

import (
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// values takes the next n values of d. If a table holds them in the same form, they share memory with the page.
// Otherwise they are stored in to, from its start.
func (d *decoded) values(l *leaf, n int, to *table.Values) table.Values {
	if l.convert != nil {
		return l.convert(d, n, to)
	}
	switch l.physical {
	case format.Boolean:
		return table.Values{Ints: d.takeBits(n, &to.Ints)}
	case format.Int32, format.Int64:
		return table.Values{Ints: d.takeInts(l, n, &to.Ints)}
	case format.Int96:
		return table.Values{Ints: d.takeInts96(n, &to.Ints, micros)}
	case format.Float:
		return table.Values{Floats: d.takeFloats32(n, &to.Floats)}
	case format.Double:
		s := d.floats64[:n]
		d.floats64 = d.floats64[n:]
		return table.Values{Floats: s}
	}
	return d.takeStrings(l, n, &to.Offsets)
}

func (d *decoded) takeBits(n int, to *[]int64) []int64 {
	out := scan.Room(to, n)
	if d.bools != nil {
		for i, v := range d.bools[:n] {
			out[i] = int64(v & 1)
		}
		d.bools = d.bools[n:]
		return out
	}
	for i := range out {
		at := d.skipped + i
		out[i] = int64(d.bits[at/8] >> (at % 8) & 1)
	}
	d.skipped += n
	return out
}

// takeInts takes integers of 32 or 64 bits.
func (d *decoded) takeInts(l *leaf, n int, to *[]int64) []int64 {
	if d.ints32 == nil {
		out := d.ints64[:n]
		d.ints64 = d.ints64[n:]
		return out
	}
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

// takeInts96 takes the next n INT96 timestamps. time converts the nanoseconds of a day and the day (counted from 1970)
// to a value.
func (d *decoded) takeInts96(n int, to *[]int64, time func(nanos, day int64) int64) []int64 {
	const epoch = 2440588 // the Julian day number of 1970-01-01
	out := scan.Room(to, n)
	for i, v := range d.ints96[:n] {
		out[i] = time(int64(uint64(v[1])<<32|uint64(v[0])), int64(int32(v[2]))-epoch)
	}
	d.ints96 = d.ints96[n:]
	return out
}

// micros returns microseconds since 1970, rounded down, for the nanoseconds of a day and a day counted from 1970. On
// overflow it returns the nearest int64.
func micros(nanos, day int64) int64 {
	const perDay = 86_400_000_000
	us := nanos / 1000
	if nanos%1000 < 0 {
		us--
	}
	const most = math.MaxInt64/perDay - 200_000 // nanos may be any int64: up to 106,752 days
	switch {
	case day > most:
		return math.MaxInt64
	case day < -most:
		return math.MinInt64
	}
	return day*perDay + us
}

func (d *decoded) takeFloats32(n int, to *[]float64) []float64 {
	out := scan.Room(to, n)
	for i, v := range d.floats32[:n] {
		out[i] = float64(v)
	}
	d.floats32 = d.floats32[n:]
	return out
}

func (d *decoded) takeStrings(l *leaf, n int, to *[]uint32) table.Values {
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
