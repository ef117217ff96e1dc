// Package columnar reads the entries of one column of a batch, checks their form, and writes values as canonical text.
package columnar

import (
	"errors"

	"github.com/dprelease/dprelease/io/table"
)

// Dropped is the code of a row that belongs to no cell.
const Dropped = -1

// ErrShape is a bug in the code that makes batches, never an error of the data.
var ErrShape = errors.New("queries: a batch does not fit its schema")

// Of returns the column at position at of a batch. It checks that the column has type t and as many entries as the rows
// need. It does not check dictionary codes.
func Of(b *table.Batch, at int, t table.Type) (*table.Column, error) {
	if at >= len(b.Columns) {
		return nil, ErrShape
	}
	c := &b.Columns[at]
	n := c.Entries()
	switch {
	case c.Type != t, c.Len() != b.Rows, !ascend(c.Ends):
		return nil, ErrShape
	case c.Valid != nil && len(c.Valid) < n, c.Codes != nil && len(c.Codes) < n:
		return nil, ErrShape
	case c.Codes == nil && t.Kind != table.List && c.Values.Len(t.Kind) < n:
		return nil, ErrShape
	}
	return c, nil
}

func ascend(ends []int32) bool {
	last := int32(0)
	for _, end := range ends {
		if end < last {
			return false
		}
		last = end
	}
	return true
}

// Resize returns a slice of n items, in the memory of s if that suffices; the contents are unspecified.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Spread copies the item of each run to all rows of the run. ends[i] is the row after run i.
func Spread[T any](dst, runs []T, ends []int32) []T {
	start := int32(0)
	for i, end := range ends {
		for ; start < end; start++ {
			dst[start] = runs[i]
		}
	}
	return dst
}

// Worthwhile reports whether it is faster to compute codes once per dictionary value than once per entry: either the
// codes of the dictionary are cached, or the dictionary is not longer than the entries.
func Worthwhile(c *table.Column, entries int) bool {
	return c.Codes != nil && (c.Dict != 0 || c.Values.Len(c.Type.Kind) <= entries)
}
