// Package columnar reads the entries of one column of a batch, checks their form, and writes values as canonical text.
package columnar

import (
	"errors"

	"github.com/dprelease/dprelease/io/table"
)

// Dropped is the cell of a row that does not count.
const Dropped = -1

// ErrShape is a bug of the code that makes batches. The data of a table cannot cause it.
var ErrShape = errors.New("queries: a batch does not fit its schema")

// Of returns column at of a batch, after checking that it has type t and enough entries for all rows. It does not check
// dictionary codes. The error is ErrShape.
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

// Resize returns a slice of n items, in the memory of s if that suffices. The items have arbitrary values.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// ExpandRuns copies the item of each run to all rows of the run, in dst. ends[i] is the row after run i.
func ExpandRuns[T any](dst, runs []T, ends []int32) []T {
	start := int32(0)
	for i, end := range ends {
		for ; start < end; start++ {
			dst[start] = runs[i]
		}
	}
	return dst
}

// Worthwhile reports whether it is faster to compute something once for each value of c's dictionary than once for each
// entry: if the dictionary has an identity, so that the results can be cached, or if it is not longer than the entries.
func Worthwhile(c *table.Column, entries int) bool {
	return c.Codes != nil && (c.Dict != 0 || c.Values.Len(c.Type.Kind) <= entries)
}
