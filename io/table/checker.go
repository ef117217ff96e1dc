package table

import "math"

// Checker compares the values of a column, batch by batch, with bounds.
type Checker struct {
	kind   Kind
	bounds Bounds
	dict   uint64 // the dictionary that beyond is of
	beyond []bool // its entries that are not within the bounds; nil: all are
}

// NewChecker returns a checker of values of a kind that is not unsigned.
func NewChecker(k Kind, b Bounds) *Checker { return &Checker{kind: k, bounds: b} }

// Holds says whether the values of all rows of a column without runs are within the bounds. A dictionary may have entries beyond
// them that are no row's.
func (c *Checker) Holds(column *Column) bool {
	switch {
	case column.Codes != nil:
		return c.coded(column)
	case c.bounds.Empty || c.kind == String:
		return c.rows(column)
	case c.kind == Float:
		return within(column.Values.Floats, column.Valid, c.bounds.Floats)
	}
	return within(column.Values.Ints, column.Valid, c.bounds.Ints)
}

func within[T int64 | float64](values []T, valid []bool, ends [2]T) bool {
	least, most := ends[0], ends[1]
	for i, x := range values {
		if (x < least || x > most) && (valid == nil || valid[i]) {
			return false
		}
	}
	return true
}

// outside says whether value i is beyond the bounds.
func (c *Checker) outside(v Values, i int) bool {
	b := &c.bounds
	switch {
	case c.kind == Float && b.Empty:
		return !math.IsNaN(v.Floats[i])
	case b.Empty:
		return true
	case c.kind == Float:
		return v.Floats[i] < b.Floats[0] || v.Floats[i] > b.Floats[1]
	case c.kind == String:
		text := v.Bytes(i)
		return string(text) < b.Texts[0] || string(text[:min(len(text), len(b.Texts[1]))]) > b.Texts[1]
	}
	return v.Ints[i] < b.Ints[0] || v.Ints[i] > b.Ints[1]
}

// coded is Holds for a column of codes: the entries of a dictionary are compared once, if they are not many more than the rows.
func (c *Checker) coded(column *Column) bool {
	if column.Dict == 0 || c.dict != column.Dict {
		if column.Values.Len(c.kind) > 4*len(column.Codes) {
			return c.rows(column)
		}
		c.learn(column)
	}
	if c.beyond == nil {
		return true
	}
	for i, code := range column.Codes {
		if c.beyond[code] && (column.Valid == nil || column.Valid[i]) {
			return false
		}
	}
	return true
}

// rows compares the values of all rows.
func (c *Checker) rows(column *Column) bool {
	for i := range column.Entries() {
		if !column.IsNull(i) && c.outside(column.Values, column.Index(i)) {
			return false
		}
	}
	return true
}

// learn compares a dictionary's entries.
func (c *Checker) learn(column *Column) {
	n := column.Values.Len(c.kind)
	c.dict, c.beyond = column.Dict, nil
	for i := range n {
		if !c.outside(column.Values, i) {
			continue
		}
		if c.beyond == nil {
			c.beyond = make([]bool, n)
		}
		c.beyond[i] = true
	}
}
