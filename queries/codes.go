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

// dictionary holds a code for each value of a dictionary, as long as it is the same one.
type dictionary struct {
	id    uint64
	codes []int32
}

// worthwhile says that looking codes up beats finding each entry's: the dictionary is kept, or not longer than the
// entries.
func worthwhile(c *table.Column, entries int) bool {
	return c.Codes != nil && (c.Dict != 0 || c.Values.Len(c.Type.Kind) <= entries)
}

// open returns the codes for the values of c's dictionary; fresh: they are still to be filled.
func (d *dictionary) open(c *table.Column) (codes []int32, fresh bool) {
	n := c.Values.Len(c.Type.Kind)
	if c.Dict != 0 && c.Dict == d.id && len(d.codes) == n {
		return d.codes, false
	}
	d.id, d.codes = c.Dict, resize(d.codes, n)
	return d.codes, true
}

// axisCoder finds the cells of an axis of one column for the rows of batches.
type axisCoder struct {
	at     int // position among the columns
	kind   table.Type
	values valueCoder
	null   int32
	dict   dictionary
	codes  []int32 // of entries
	rows   []int32 // of rows, where entries are runs
}

// ofEntries returns the code of each entry of c.
func (a *axisCoder) ofEntries(c *table.Column) ([]int32, error) {
	a.codes = resize(a.codes, c.Entries())
	switch {
	case c.Codes == nil:
		a.values.codes(c.Values, 0, a.codes)
	case worthwhile(c, len(a.codes)):
		if err := gather(a.codes, a.lookup(c), c); err != nil {
			return nil, err
		}
	default:
		if err := a.eachCode(c); err != nil {
			return nil, err
		}
	}
	for i := range a.codes {
		if c.Valid != nil && !c.Valid[i] {
			a.codes[i] = a.null
		}
	}
	return a.codes, nil
}

// lookup returns the code of each value of c's dictionary.
func (a *axisCoder) lookup(c *table.Column) []int32 {
	codes, fresh := a.dict.open(c)
	if fresh {
		a.values.codes(c.Values, 0, codes)
	}
	return codes
}

// gather looks the codes of the entries up; those of nulls are unspecified.
func gather(dst, lookup []int32, c *table.Column) error {
	for i, code := range c.Codes[:len(dst)] {
		if uint(code) >= uint(len(lookup)) {
			if c.Valid != nil && !c.Valid[i] {
				continue
			}
			return errShape
		}
		dst[i] = lookup[code]
	}
	return nil
}

// eachCode finds the code of each entry of a long dictionary that is used once.
func (a *axisCoder) eachCode(c *table.Column) error {
	n := c.Values.Len(c.Type.Kind)
	for i, code := range c.Codes[:len(a.codes)] {
		if uint(code) >= uint(n) {
			if c.Valid != nil && !c.Valid[i] {
				continue
			}
			return errShape
		}
		a.values.codes(c.Values, int(code), a.codes[i:i+1])
	}
	return nil
}

// ofRows returns the code of each row of a batch.
func (a *axisCoder) ofRows(b *table.Batch) ([]int32, error) {
	c, err := columnOf(b, a.at, a.kind)
	if err != nil {
		return nil, err
	}
	codes, err := a.ofEntries(c)
	if err != nil || c.Ends == nil {
		return codes, err
	}
	a.rows = resize(a.rows, b.Rows)
	return spread(a.rows, codes, c.Ends), nil
}
