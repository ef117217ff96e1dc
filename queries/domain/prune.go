package domain

import (
	"cmp"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// RulesOut reports whether no row can pass, given that the values of each filter's column are null or within its
// bounds. bounds takes the column's position; ok is false if the bounds are unknown. Only tests on integers, dates and
// times use bounds. It may be called concurrently.
func (s *CompiledFilters) RulesOut(bounds func(column int) (b table.Bounds, ok bool)) bool {
	for i := range s.tests {
		t := &s.tests[i]
		if b, ok := bounds(t.At); ok && t.excludes(b) { // nulls pass no test
			return true
		}
	}
	return false
}

// excludes reports whether no value within the bounds fulfils a condition. It ignores bounds of floats, because NaN has
// no order and writers of files disagree about it, and bounds of texts and unsigned ranges.
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
