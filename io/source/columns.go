package source

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/dprelease/dprelease/io/table"
)

// room returns n items in the memory of s.
func room[T any](s *[]T, n int) []T {
	*s = slices.Grow((*s)[:0], n)[:n]
	return *s
}

// sized returns a slice of n bytes, in b's memory if it is large enough.
func sized(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// appendFloats appends the numbers of a plain column.
func appendFloats(dst []float64, c *table.Column) []float64 {
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

func unread(name string) table.Type { return table.Type{Name: name} }

func zoneOf(utc bool) string {
	if utc {
		return table.UTC
	}
	return table.Local
}

// dictionary is the values that a chunk's codes stand for.
type dictionary struct {
	values table.Values
	size   int
	id     uint64
}

var dictionaries atomic.Uint64

// nextDictionary returns a number that no other dictionary of this process has.
func nextDictionary() uint64 { return dictionaries.Add(1) }
