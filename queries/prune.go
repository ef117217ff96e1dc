package queries

import "github.com/dprelease/dprelease/io/table"

// excluder is a coder that can tell from bounds that no value between them has its code 0.
type excluder interface{ excludes(table.Bounds) bool }

// None says that no row passes where the values of the filters' columns are within bounds, which takes a column's position. It is
// false where that is not known.
func (s *Selector) None(bounds func(column int) (table.Bounds, bool)) bool {
	for i := range s.tests {
		t := &s.tests[i]
		e, ok := t.values.(excluder)
		if !ok || t.want != 0 {
			continue
		}
		if b, ok := bounds(t.at); ok && e.excludes(b) {
			return true
		}
	}
	return false
}

func (r intRange) excludes(b table.Bounds) bool {
	return !r.unsigned && (b.Ints[1] < r.first || b.Ints[0] > r.last || r.first > r.last)
}

func (r floatRange) excludes(b table.Bounds) bool {
	return b.Floats[1] < r.least || b.Floats[0] > r.most
}

func (c intLabels) excludes(b table.Bounds) bool {
	if c.other == 0 {
		return false
	}
	for x := range c.cells {
		if b.Ints[0] <= x && x <= b.Ints[1] {
			return false
		}
	}
	return true
}

func (c floatLabels) excludes(b table.Bounds) bool {
	if c.other == 0 || c.null == 0 {
		return false
	}
	for x := range c.cells {
		if b.Floats[0] <= x && x <= b.Floats[1] {
			return false
		}
	}
	return true
}
