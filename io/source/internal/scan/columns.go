package scan

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/dprelease/dprelease/io/table"
)

// Room returns n items in the memory of s.
func Room[T any](s *[]T, n int) []T {
	*s = slices.Grow((*s)[:0], n)[:n]
	return *s
}

// Sized returns a slice of n bytes, in b's memory if it is large enough.
func Sized(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// AppendFloats appends the numbers of a plain column.
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

// Unread is the type of a column whose values cannot be read; name says what they are.
func Unread(name string) table.Type { return table.Type{Name: name} }

// ZoneOf is the zone of timestamps: instants, or readings of a clock on the wall.
func ZoneOf(utc bool) string {
	if utc {
		return table.UTC
	}
	return table.Local
}

// Nullify makes the rows of a column null whose value is [NoValue], in the memory of valid, which may be that of the
// column's validity. It is for columns whose values are in Ints.
func Nullify(c *table.Column, valid *[]bool) {
	n := c.Entries()
	before := c.Valid
	out := Room(valid, n)
	nulls := false
	for i := range out {
		at := i
		if c.Codes != nil {
			at = int(c.Codes[i])
		}
		out[i] = (before == nil || before[i]) && c.Values.Ints[at] != NoValue
		nulls = nulls || !out[i]
	}
	if nulls {
		c.Valid = out
	}
}

// ExactNanos returns an instant in nanoseconds since 1970 by the nanoseconds of a day and the day since 1970, or
// [NoValue] if an int64 does not hold it.
func ExactNanos(nanos, day int64) int64 {
	const perDay = 86_400_000_000_000
	day, nanos = day+nanos/perDay, nanos%perDay
	if nanos < 0 {
		day, nanos = day-1, nanos+perDay
	}
	const last = math.MaxInt64 / perDay // the first and last days are left out: they are not whole
	if day >= last || day <= -last {
		return NoValue
	}
	return day*perDay + nanos
}

// Dictionary is the values that the codes of a column stand for. Two dictionaries of the process have the same ID only
// if they are one.
type Dictionary struct {
	Values table.Values
	Size   int
	ID     uint64
}

var dictionaries atomic.Uint64

// NextDictionary returns a number that no other dictionary of this process has.
func NextDictionary() uint64 { return dictionaries.Add(1) }
