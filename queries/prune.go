package queries

import (
	"maps"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// excluder can tell from bounds that no value between them passes a test.
type excluder interface{ excludes(table.Bounds) bool }

// None says that no row passes where the values of the filters' columns are within bounds, which takes a column's position. It is
// false where that is not known. It may be called concurrently.
func (s *Selector) None(bounds func(column int) (table.Bounds, bool)) bool {
	for i := range s.tests {
		t := &s.tests[i]
		b, ok := bounds(t.at)
		if ok && (b.Empty || t.rule != nil && t.rule.excludes(b)) { // nulls and NaN pass no test
			return true
		}
	}
	return false
}

// excluder returns what bounds tell of a test that wants a code; nil: nothing. Texts are not in the order of numbers.
func (f *FilterSpec) excluder(c valueCoder, want int32) excluder {
	if want != 0 {
		return nil
	}
	switch c := c.(type) {
	case intRange:
		if !c.unsigned {
			return c
		}
	case floatRange:
		return c
	case intLabels:
		return listedInts(slices.Sorted(maps.Keys(c.cells)))
	case floatLabels:
		return listedFloats(slices.Sorted(maps.Keys(c.cells)))
	case textLabels:
		return listedTexts(slices.Sorted(slices.Values(f.In)))
	}
	return nil
}

func (r intRange) excludes(b table.Bounds) bool {
	return b.Ints[1] < r.first || b.Ints[0] > r.last || r.first > r.last
}

func (r floatRange) excludes(b table.Bounds) bool {
	return b.Floats[1] < r.least || b.Floats[0] > r.most
}

// The values of a list, sorted.
type (
	listedInts   []int64
	listedFloats []float64
	listedTexts  []string
)

func (l listedInts) excludes(b table.Bounds) bool {
	i, _ := slices.BinarySearch(l, b.Ints[0])
	return i == len(l) || l[i] > b.Ints[1]
}

func (l listedFloats) excludes(b table.Bounds) bool {
	i, _ := slices.BinarySearch(l, b.Floats[0])
	return i == len(l) || l[i] > b.Floats[1]
}

func (l listedTexts) excludes(b table.Bounds) bool {
	i, _ := slices.BinarySearch(l, b.Texts[0])
	return i == len(l) || b.Above(l[i])
}
