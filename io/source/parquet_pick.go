package source

import (
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// picker says where, by the statistics of a column, there is no row that is wanted.
type picker struct {
	leaf   *leaf
	none   func(table.Bounds) bool
	chunk  *table.Bounds  // nil: the footer says nothing
	within *table.Checker // of the values that are read; nil: nothing is known of them
}

// of returns the picker of a chunk, or nil where the selection does not go by its column.
func (s *Selection) of(l *leaf, c *chunk) *picker {
	if s == nil {
		return nil
	}
	if !slices.Contains(s.columns, l.field.Name) {
		return nil
	}
	p := &picker{leaf: l, none: func(b table.Bounds) bool { return s.rulesOut(l.field.Name, b) }}
	if b, ok := l.bounds(c.ends); ok {
		p.chunk, p.within = &b, table.NewChecker(l.field.Type.Kind, b)
	}
	return p
}

// check compares values that are read with what the file says of them.
func (p *picker) check(c *table.Column) error {
	if p != nil && p.within != nil && !p.within.Holds(c) {
		return contradicted()
	}
	return nil
}
