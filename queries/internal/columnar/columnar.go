// Package columnar reads one column of a batch, checks its form, and writes values as canonical text.
package columnar

import (
	"errors"

	"github.com/dprelease/dprelease/io/table"
)

// Dropped is the cell of a row that does not count.
const Dropped = -1

// ErrShape is a bug of the code that makes batches. The data of a table cannot cause it.
var ErrShape = errors.New("queries: a batch does not fit its schema")

// Of returns column at of a batch, after checking that it has type t and as many rows as the batch. It does not check
// dictionary codes. The error is ErrShape.
func Of(b *table.Batch, at int, t table.Type) (*table.Column, error) {
	if at >= len(b.Columns) {
		return nil, ErrShape
	}
	c := &b.Columns[at]
	if c.Type != t || c.Len() != b.Rows || c.Valid != nil && len(c.Valid) < b.Rows {
		return nil, ErrShape
	}
	return c, nil
}

// Resize returns a slice of n items, in the memory of s if that suffices. The items have arbitrary values.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Kept returns a cell for each row of a batch: 0, or Dropped if a filter drops the row. It uses the memory of cells if
// that suffices.
func Kept(cells []int32, b *table.Batch) ([]int32, error) {
	cells = Resize(cells, b.Rows)
	switch {
	case b.Keep == nil:
		clear(cells)
		return cells, nil
	case len(b.Keep) != b.Rows:
		return nil, ErrShape
	}
	for i, k := range b.Keep { // arithmetic instead of a branch, which the processor could not predict
		left := int32(1)
		if k {
			left = 0
		}
		cells[i] = left * Dropped
	}
	return cells, nil
}

// Worthwhile reports whether it is faster to compute something once for each value of c's dictionary than once for each
// row: if the dictionary has an identity, so that the results can be cached, or if it is not longer than the rows.
func Worthwhile(c *table.Column) bool {
	return c.Codes != nil && (c.Dict != 0 || c.Values.Len(c.Type.Kind) <= c.Len())
}
