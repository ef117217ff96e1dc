package source

import (
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/table"
)

// picker says where, by the statistics of a column, there is no row that is wanted.
type picker struct {
	leaf   *leaf
	none   func(table.Bounds) bool
	chunk  *table.Bounds // nil: the footer says nothing
	index  *pageIndex
	whole  *table.Checker // of the chunk's values; nil: nothing is known of them
	within *table.Checker // of those of the page that is read
}

// of returns the picker of a chunk, or nil where the selection does not go by its column.
func (s *Selection) of(l *leaf, c *chunk) *picker {
	if s == nil || !slices.Contains(s.columns, l.field.Name) {
		return nil
	}
	p := &picker{leaf: l, none: func(b table.Bounds) bool { return s.rulesOut(l.field.Name, b) }}
	if b, ok := l.bounds(c.ends); ok {
		p.chunk, p.whole = &b, table.NewChecker(l.field.Type.Kind, b)
	}
	return p
}

// rulesOut says whether no row of a data page is wanted. Else, the values that are read next are the page's.
func (p *picker) rulesOut(h *format.PageHeader, page int) bool {
	b, ok := p.index.bounds(p.leaf, page)
	if !ok {
		b, ok = p.leaf.bounds(pageEnds(p.leaf.physical, h))
	}
	p.within = p.whole
	if !ok {
		return false
	}
	b = p.cut(b)
	if p.none(b) {
		return true
	}
	p.within = table.NewChecker(p.leaf.field.Type.Kind, b)
	return false
}

// cut returns those of a page's bounds that are within the chunk's.
func (p *picker) cut(b table.Bounds) table.Bounds {
	if p.chunk == nil {
		return b
	}
	return b.And(p.leaf.field.Type.Kind, *p.chunk)
}

// pageEnds are the statistics in a data page's header.
func pageEnds(physical format.Type, h *format.PageHeader) ends {
	if h.Type == format.DataPageV2 {
		return endsOf(physical, &h.DataPageHeaderV2.V.Statistics)
	}
	return endsOf(physical, &h.DataPageHeader.V.Statistics)
}

// check compares values that are read with what the file says of them.
func (p *picker) check(c *table.Column) error {
	if p != nil && p.within != nil && !p.within.Holds(c) {
		return contradicted()
	}
	return nil
}
