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

// Dictionary is the values that the codes of a column stand for. Two dictionaries of the process have the same ID only if they are one.
type Dictionary struct {
	Values table.Values
	Size   int
	ID     uint64
}

var dictionaries atomic.Uint64

// NextDictionary returns a number that no other dictionary of this process has.
func NextDictionary() uint64 { return dictionaries.Add(1) }
