// Package columnar reads the entries of one column of a batch: checked, by dictionary or by runs, and as the canonical
// text of a value.
package columnar

import (
	"errors"

	"github.com/dprelease/dprelease/io/table"
)

// Dropped is the code of a row that belongs to no cell.
const Dropped = -1

// ErrShape means a bug in the program that makes batches, not an error of the data.
var ErrShape = errors.New("queries: a batch does not fit its schema")

// Of returns the column at a position of a batch. It checks the column's type and that it has as many entries as the
// rows need; it does not check dictionary codes.
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

// Spread writes the item of each run to all its rows.
func Spread[T any](dst, runs []T, ends []int32) []T {
	start := int32(0)
	for i, end := range ends {
		for ; start < end; start++ {
			dst[start] = runs[i]
		}
	}
	return dst
}

// Worthwhile reports whether computing codes once per dictionary value is faster than once per entry: the dictionary is
// cached, or not longer than the entries.
func Worthwhile(c *table.Column, entries int) bool {
	return c.Codes != nil && (c.Dict != 0 || c.Values.Len(c.Type.Kind) <= entries)
}
