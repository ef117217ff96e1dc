package queries

import (
	"fmt"
	"time"
)

// axis is a dimension that was checked.
type axis struct {
	Dimension
	domain domain
	field  string // place in the query
	size   int    // cells with bins
	bins   bins
}

// newAxes checks the dimensions that are not to be discovered and makes their axes. The zone is that of times without an offset, nil for
// UTC; field is the place of the dimensions in the query, and columns are those that the answer has beside its keys.
func newAxes(by []Dimension, zone *time.Location, field string, columns []string, p *problems) []axis {
	var axes []axis
	for i, d := range by {
		if !d.Discover {
			axes = append(axes, newAxis(d, zone, fmt.Sprintf("%s[%d]", field, i), p))
		}
	}
	if len(p.list) == 0 {
		checkKeys(axes, columns, p)
	}
	return axes
}

func newAxis(d Dimension, zone *time.Location, field string, p *problems) axis {
	a := axis{Dimension: d, field: field}
	checkForm(d, field, p)
	checkPolicy(d.Null, field+".null", p)
	checkPolicy(d.Other, field+".other", p)
	if a.domain = newDomain(d, zone, field, p); a.domain == nil {
		return a
	}
	a.size, a.bins = addBins(a.domain.size(), d)
	switch {
	case len(d.Labels) > 0:
		checkLabels(d.Labels, a.bins.names, field+".values", p)
	case d.Nearest != nil:
		d.Nearest.checkIDs(a.bins.names, field+".nearest.points", p)
	}
	return a
}

// newDomain makes the domain of the one form that a dimension has.
func newDomain(d Dimension, zone *time.Location, field string, p *problems) domain {
	switch {
	case d.forms() != 1:
		return nil // reported already
	case len(d.Labels) > 0:
		return newLabels(d.Labels, zone)
	case len(d.Edges) > 0:
		return newEdges(d.Edges, zone, field+".edges", p)
	case d.Part != "":
		return newPart(d.Part, zone, field+".part", p)
	case d.Grid != nil:
		return newGrid(d, field+".grid", p)
	}
	return newNearest(d, field+".nearest", p)
}

// addBins returns the number of cells with the bins that the policies add, and the bins.
func addBins(size int, d Dimension) (int, bins) {
	b := bins{null: dropped, other: dropped}
	if d.Null == Bin {
		b.null = int32(size + len(b.names))
		b.names = append(b.names, nullLabel)
	}
	if d.Other == Bin {
		b.other = int32(size + len(b.names))
		b.names = append(b.names, otherLabel)
	}
	return size + len(b.names), b
}

// coder compiles an axis for the columns of a layout; nil: what is wrong is reported.
func (a *axis) coder(l layout) rowCoder {
	switch d := a.domain.(type) {
	case pointDomain:
		return a.pointCoder(d, l)
	case columnDomain:
		return a.columnCoder(d, l)
	}
	return nil
}

func (a *axis) columnCoder(d columnDomain, l layout) rowCoder {
	at, t, ok := l.find(a.Column, a.field+".column")
	if !ok {
		return nil
	}
	values, errs := d.compile(t, a.bins)
	for _, e := range errs {
		l.problems.add(a.field+e.Field, e.Code, e.Message, e.Hint)
	}
	return &axisCoder{at: at, kind: t, values: values, null: a.bins.null}
}
