package domain

import (
	"cmp"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// RulesOut reports whether the bounds of columns prove that no row passes the filters. bounds(i) returns a least and a
// greatest value of column i, between which all its values are unless they are null; ok is false if they are unknown.
// Only bounds of integers, dates and times are used. RulesOut may be called concurrently.
func (s *CompiledFilters) RulesOut(bounds func(column int) (b table.Bounds, ok bool)) bool {
	for i := range s.tests {
		t := &s.tests[i]
		if b, ok := bounds(t.At); ok && t.excludes(b) { // a null fulfils no condition
			return true
		}
	}
	return false
}

// excludes reports whether the bounds prove that no value fulfils the condition. It returns false for floats, because
// NaN has no order and programs that write files treat it differently. It also returns false for texts and unsigned
// ranges.
func (c *Condition) excludes(b table.Bounds) bool {
	switch {
	case c.Want != 0:
		return false
	case c.IntRange != nil && c.Type.Kind != table.Uint && c.Type.Kind != table.String:
		r := c.IntRange
		return b.Max < r.Least || b.Min > r.Most || r.Least > r.Most
	case c.Ints != nil:
		i, _ := slices.BinarySearchFunc(c.Ints, b.Min, func(x Listed[int64], least int64) int {
			return cmp.Compare(x.Value, least)
		})
		return i == len(c.Ints) || c.Ints[i].Value > b.Max
	}
	return false
}
