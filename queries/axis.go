package queries

import "fmt"

// axis is a dimension that was checked.
type axis struct {
	Dimension
	domain domain
	field  string // place in the query
	size   int    // cells with bins
	bins   bins
}

// dimensionField is the place of a dimension in the query.
func (s *Spec) dimensionField(i int) string { return fmt.Sprintf("%s.by[%d]", s.Kind, i) }

// newAxes checks the dimensions of a spec that are listed and makes their axes.
func newAxes(s Spec, p *problems) []axis {
	var axes []axis
	for i, d := range s.By {
		if !d.Discover {
			axes = append(axes, newAxis(d, s.dimensionField(i), s, p))
		}
	}
	if len(p.list) == 0 {
		checkKeys(axes, s.ownColumns(), p)
	}
	return axes
}

func newAxis(d Dimension, field string, s Spec, p *problems) axis {
	a := axis{Dimension: d, field: field}
	checkForm(d, field, p)
	checkPolicy(d.Null, field+".null", p)
	checkPolicy(d.Other, field+".other", p)
	if a.domain = newDomain(d, s, field, p); a.domain == nil {
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
func newDomain(d Dimension, s Spec, field string, p *problems) domain {
	switch {
	case d.forms() != 1:
		return nil // reported already
	case len(d.Labels) > 0:
		return newLabels(d.Labels, s.Location)
	case len(d.Edges) > 0:
		return newEdges(d.Edges, s.Location, field+".edges", p)
	case d.Part != "":
		return newPart(d.Part, s.Location, field+".part", p)
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
