package domain

import (
	"maps"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// RulesOut says that no row passes if the values of a filter's column are null or within bounds. bounds takes the
// column's position; ok is false if nothing is known of it. Only tests on integers, dates and times use bounds. It may
// be called concurrently.
func (s *CompiledFilters) RulesOut(bounds func(column int) (b table.Bounds, ok bool)) bool {
	for i := range s.conditions {
		t := &s.conditions[i]
		if t.rule == nil {
			continue
		}
		if b, ok := bounds(t.At); ok && t.rule.excludes(b) { // nulls pass no test
			return true
		}
	}
	return false
}

// newExcluder returns what bounds tell of a test that wants a code, or nil. Floats have none: NaN is in no order, and
// writers of files disagree about it. Nor do texts and unsigned numbers.
func newExcluder(c valueCoder, want int32) ruler {
	if want != 0 {
		return nil
	}
	switch c := c.(type) {
	case intRange:
		if !c.Unsigned {
			return c
		}
	case *intLabels:
		return listedInts(slices.Sorted(maps.Keys(c.cells)))
	}
	return nil
}

func (r intRange) excludes(b table.Bounds) bool {
	return b.Max < r.first || b.Min > r.last || r.first > r.last
}

// listedInts are the values of a list, sorted.
type listedInts []int64

func (l listedInts) excludes(b table.Bounds) bool {
	i, _ := slices.BinarySearch(l, b.Min)
	return i == len(l) || l[i] > b.Max
}
