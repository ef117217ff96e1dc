package scan

import (
	"math"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// Room returns a slice of n items with unspecified contents, in the memory of s if that is large enough.
func Room[T any](s *[]T, n int) []T {
	*s = slices.Grow((*s)[:0], n)[:n]
	return *s
}

// Sized returns a slice of n bytes, in b's memory if it is large enough.
func Sized(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// AppendFloats appends the numbers of a plain column to dst.
func AppendFloats(dst []float64, c *table.Column) []float64 {
	from := len(dst)
	switch c.Type.Kind {
	case table.Float:
		dst = append(dst, c.Values.Floats...)
	case table.Uint:
		for _, v := range c.Values.Ints {
			dst = append(dst, float64(uint64(v)))
		}
	default:
		for _, v := range c.Values.Ints {
			dst = append(dst, float64(v))
		}
	}
	for i, v := range c.Valid {
		if !v {
			dst[from+i] = math.NaN()
		}
	}
	return dst
}

// UnreadableType returns the type of a column whose values this program cannot read. name is the column's type in the
// file, for messages.
func UnreadableType(name string) table.Type { return table.Type{Name: name} }

// ZoneOf returns the zone of a timestamp type: table.UTC for instants, and table.Local for dates and times of day
// without a zone.
func ZoneOf(utc bool) string {
	if utc {
		return table.UTC
	}
	return table.Local
}

// Nullify makes each row null whose value is [NoValue]. The column's values must be in Ints. It uses the memory of
// valid, which may hold the column's validity.
func Nullify(c *table.Column, valid *[]bool) {
	n := c.Len()
	before := c.Valid
	out := Room(valid, n)
	nulls := false
	for i := range out {
		out[i] = (before == nil || before[i]) && c.Values.Ints[c.Index(i)] != NoValue
		nulls = nulls || !out[i]
	}
	if nulls {
		c.Valid = out
	}
}

// ExactNanos returns an instant in nanoseconds since 1970. The instant is given as nanoseconds of a day, and the day
// counted from 1970. It returns [NoValue] if the result overflows an int64.
func ExactNanos(nanos, day int64) int64 {
	const perDay = 86_400_000_000_000
	day, nanos = day+nanos/perDay, nanos%perDay
	if nanos < 0 {
		day, nanos = day-1, nanos+perDay
	}
	const last = math.MaxInt64 / perDay // the first and the last day are left out: only a part of each fits an int64
	if day >= last || day <= -last {
		return NoValue
	}
	return day*perDay + nanos
}

// Dictionary holds the values for a column's codes. No two dictionaries of a process have the same ID.
type Dictionary struct {
	Values table.Values
	Size   int
	ID     uint64
}
