package domain

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// AxisCoder maps the rows of batches to the cells of an axis that reads one column.
type AxisCoder struct {
	At     int // position of the column in a batch
	Kind   table.Type
	Values valueCoder
	Null   int32
	dict   uint64  // the dictionary of the last batch with one, or 0
	lookup []int32 // the code of each of its values
	codes  []int32 // codes of the rows of the last batch
}

// OfColumn returns the code of each row of column c.
func (a *AxisCoder) OfColumn(c *table.Column) ([]int32, error) {
	a.codes = columnar.Resize(a.codes, c.Len())
	switch {
	case c.Codes == nil:
		a.Values.Codes(c.Values, 0, a.codes)
	case columnar.Worthwhile(c):
		if err := gather(a.codes, a.Lookup(c), c); err != nil {
			return nil, err
		}
	default:
		if err := a.eachCode(c); err != nil {
			return nil, err
		}
	}
	if c.Valid != nil {
		for i, valid := range c.Valid[:len(a.codes)] {
			if !valid {
				a.codes[i] = a.Null
			}
		}
	}
	return a.codes, nil
}

// Lookup returns the code of each value of c's dictionary. It computes them again only for another dictionary.
func (a *AxisCoder) Lookup(c *table.Column) []int32 {
	if n := c.Values.Len(c.Type.Kind); c.Dict == 0 || c.Dict != a.dict || len(a.lookup) != n {
		a.dict, a.lookup = c.Dict, columnar.Resize(a.lookup, n)
		a.Values.Codes(c.Values, 0, a.lookup)
	}
	return a.lookup
}

// Forget empties the cache of codes. Call it if values get new codes.
func (a *AxisCoder) Forget() { a.dict = 0 }

// gather looks up the code of each row by its dictionary index. The codes of nulls are arbitrary.
func gather(dst, lookup []int32, c *table.Column) error {
	for i, code := range c.Codes[:len(dst)] {
		if uint(code) >= uint(len(lookup)) {
			if c.Valid != nil && !c.Valid[i] {
				continue
			}
			return columnar.ErrShape
		}
		dst[i] = lookup[code]
	}
	return nil
}

// eachCode computes the code of each row by itself. It is for a dictionary that is longer than the batch and used
// once.
func (a *AxisCoder) eachCode(c *table.Column) error {
	n := c.Values.Len(c.Type.Kind)
	for i, code := range c.Codes[:len(a.codes)] {
		if uint(code) >= uint(n) {
			if c.Valid != nil && !c.Valid[i] {
				continue
			}
			return columnar.ErrShape
		}
		a.Values.Codes(c.Values, int(code), a.codes[i:i+1])
	}
	return nil
}

// OfRows returns the code of each row of a batch.
func (a *AxisCoder) OfRows(b *table.Batch) ([]int32, error) {
	c, err := columnar.Of(b, a.At, a.Kind)
	if err != nil {
		return nil, err
	}
	return a.OfColumn(c)
}
