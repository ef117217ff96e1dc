package queries

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dprelease/dprelease/io/table"
)

// labelDomain is the cells of listed values.
type labelDomain struct {
	labels []Label
	zone   *time.Location
}

func newLabels(labels []Label, zone *time.Location) labelDomain {
	return labelDomain{labels: labels, zone: zone}
}

// checkLabels reports labels without members and texts that stand for two cells.
func checkLabels(labels []Label, bins []string, field string, p *problems) {
	names, members := make(map[string]bool, len(labels)), make(map[string]int, len(labels))
	for i, l := range labels {
		report := func(code, message, hint string) { p.add(fmt.Sprintf("%s[%d]", field, i), code, message, hint) }
		switch {
		case names[l.Name]:
			report(CodeDuplicate, fmt.Sprintf("cell %q is listed twice", l.Name), "")
		case slices.Contains(bins, l.Name):
			report(CodeDuplicate, fmt.Sprintf("cell %q has the name of the cell that bin adds", l.Name), fmt.Sprintf("give it a name of its own: {my %s: [%s]}", l.Name, l.Name))
		case len(l.Members) == 0:
			report(CodeBadSpec, fmt.Sprintf("cell %q has no values", l.Name), "")
		}
		names[l.Name] = true
		for _, m := range l.Members {
			if other, ok := members[m]; ok {
				report(CodeDuplicate, fmt.Sprintf("value %q belongs to cell %q already", m, labels[other].Name), "")
			}
			members[m] = i
		}
	}
}

func (d labelDomain) size() int { return len(d.labels) }

func (d labelDomain) keys(name string, bins []string) []KeyColumn {
	names := make([]string, 0, len(d.labels)+len(bins))
	for _, l := range d.labels {
		names = append(names, l.Name)
	}
	return []KeyColumn{{Name: name, Labels: Labels{Strings: append(names, bins...)}}}
}

func (d labelDomain) compile(t table.Type, b bins) (valueCoder, []*Error) {
	switch t.Kind {
	case table.String:
		return d.texts(b), nil
	case table.Float:
		return d.floats(t, b)
	}
	return d.ints(t, b)
}

// each calls add with every member and its cell, and places the errors: all of them, but a type's once.
func (d labelDomain) each(add func(member string, code int32) *Error) []*Error {
	var errs []*Error
	for i, l := range d.labels {
		for _, m := range l.Members {
			err := add(m, int32(i))
			if err == nil {
				continue
			}
			if err.Code == CodeColumnType {
				err.Field = ".column"
				return []*Error{err}
			}
			err.Field = fmt.Sprintf(".values[%d]", i)
			errs = append(errs, err)
		}
	}
	return errs
}

// insert maps a value to its cell, or reports that it belongs to another one already.
func insert[K comparable](cells map[K]int32, key K, member string, code int32) *Error {
	if old, ok := cells[key]; ok && old != code {
		return &Error{Code: CodeDuplicate, Message: fmt.Sprintf("value %q equals, in a column of this type, a value of another cell", member)}
	}
	cells[key] = code
	return nil
}

func (d labelDomain) texts(b bins) valueCoder {
	n := 0
	for _, l := range d.labels {
		n += len(l.Members)
	}
	c := textLabels{cells: newTextCodes(n), other: b.other}
	for i, l := range d.labels {
		for _, m := range l.Members {
			c.cells.set(m, int32(i))
		}
	}
	return c
}

func (d labelDomain) floats(t table.Type, b bins) (valueCoder, []*Error) {
	c := floatLabels{cells: map[float64]int32{}, bins: b}
	errs := d.each(func(m string, code int32) *Error {
		x, ok := nearest(m)
		if !ok {
			return badText(m, t, "a decimal number in float64's range")
		}
		return insert(c.cells, x, m, code)
	})
	return c, errs
}

func (d labelDomain) ints(t table.Type, b bins) (valueCoder, []*Error) {
	c := intLabels{cells: map[int64]int32{}, other: b.other}
	n := integers{unsigned: t.Kind == table.Uint}
	errs := d.each(func(m string, code int32) *Error {
		x, err := scalar(m, t, d.zone)
		if err != nil || !x.IsInt() || t.Zone == table.UTC && skipped(m, d.zone) {
			return err // what is no integer, or no time, equals no value of the column
		}
		key, beyond := n.of(x.Num())
		if beyond != 0 {
			return nil
		}
		return insert(c.cells, n.key(key), m, code)
	})
	return c, errs
}

// textLabels codes text byte by byte.
type textLabels struct {
	cells *textCodes
	other int32
}

func (c textLabels) codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		dst[i] = c.cells.of(v.Bytes(from+i), c.other)
	}
}

// intLabels codes integers, booleans, dates and timestamps by their bits.
type intLabels struct {
	cells map[int64]int32
	other int32
}

func (c intLabels) codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		code, ok := c.cells[v.Ints[from+i]]
		if !ok {
			code = c.other
		}
		dst[i] = code
	}
}

// floatLabels codes floats; -0 equals 0.
type floatLabels struct {
	cells map[float64]int32
	bins
}

func (c floatLabels) codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		x := v.Floats[from+i]
		code, ok := c.cells[x]
		switch {
		case ok:
		case math.IsNaN(x):
			code = c.null
		default:
			code = c.other
		}
		dst[i] = code
	}
}
