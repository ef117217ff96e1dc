package queries

import (
	"errors"

	"github.com/dprelease/dprelease/io/table"
)

// errShape is an error of the program that makes batches, not of the data.
var errShape = errors.New("queries: a batch does not fit its schema")

// columnOf returns the column at a position of a batch if it is whole: of that type, with as many entries as the rows
// need. Dictionary codes are not checked.
func columnOf(b *table.Batch, at int, t table.Type) (*table.Column, error) {
	if at >= len(b.Columns) {
		return nil, errShape
	}
	c := &b.Columns[at]
	n := c.Entries()
	switch {
	case c.Type != t, c.Len() != b.Rows, !ascend(c.Ends):
		return nil, errShape
	case c.Valid != nil && len(c.Valid) < n, c.Codes != nil && len(c.Codes) < n:
		return nil, errShape
	case c.Codes == nil && t.Kind != table.List && c.Values.Len(t.Kind) < n:
		return nil, errShape
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

// resize returns a slice of n items, in the memory of s if it suffices; what it holds is unspecified.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// spread writes the item of each run to all its rows.
func spread[T any](dst, runs []T, ends []int32) []T {
	start := int32(0)
	for i, end := range ends {
		for ; start < end; start++ {
			dst[start] = runs[i]
		}
	}
	return dst
}

// worthwhile says that looking codes up beats finding each entry's: the dictionary is kept, or not longer than the
// entries.
func worthwhile(c *table.Column, entries int) bool {
	return c.Codes != nil && (c.Dict != 0 || c.Values.Len(c.Type.Kind) <= entries)
}
