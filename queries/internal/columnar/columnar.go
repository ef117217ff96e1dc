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

// Worthwhile reports whether it is faster to compute something once for each value of c's dictionary than once for each
// row: if the dictionary has an identity, so that the results can be cached, or if it is not longer than the rows.
func Worthwhile(c *table.Column) bool {
	return c.Codes != nil && (c.Dict != 0 || c.Values.Len(c.Type.Kind) <= c.Len())
}
