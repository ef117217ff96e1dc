package tally

import (
	"fmt"
	"math"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// OfFilters returns a tally with one input for each filter. If Add gets all rows of the table, Counted returns how many
// rows pass all filters.
func OfFilters(f domain.Filters, s table.Schema, zone *time.Location) (*Tally, error) {
	p := &problem.Problems{}
	l := domain.BatchColumns{Schema: s, Columns: f.Columns(), Problems: p}
	t := &Tally{}
	for i := range f.Specs {
		in := Input{Role: RoleFilter, Columns: []string{f.Specs[i].Column}, Field: fmt.Sprintf("%s[%d]", f.Field, i)}
		c := &filterClasser{numeric: f.Specs[i].Ranged()}
		for _, condition := range f.Specs[i].Conditions(l, zone, "") {
			c.tests = append(c.tests, condition.Test(l))
		}
		t.addInput(l, in, c)
	}
	return t, p.Err()
}

// filterClasser puts rows that one filter rejects in the class null or outside, and other rows in the class inside.
type filterClasser struct {
	tests   []domain.Test
	numeric bool // texts are compared as numbers
}

func (c *filterClasser) classes(b *table.Batch, dst []uint8) error {
	clear(dst)
	for i := range c.tests {
		t := &c.tests[i]
		codes, err := t.OfRows(b)
		if err != nil {
			return err
		}
		column := &b.Columns[t.At]
		for row, code := range codes[:len(dst)] {
			switch {
			case code == t.Want || dst[row] == classNull:
			case !c.hasValue(column, row):
				dst[row] = classNull
			default:
				dst[row] = classOutside
			}
		}
	}
	return nil
}

// hasValue reports whether the filter can compare the value of a row: it is not null and has the right form.
func (c *filterClasser) hasValue(column *table.Column, row int) bool {
	switch {
	case column.IsNull(row):
		return false
	case column.Type.Kind == table.Float:
		return !math.IsNaN(column.Values.Floats[column.Index(row)])
	case column.Type.Kind == table.String && c.numeric:
		_, ok := domain.ParseFloat(column.Values.Bytes(column.Index(row)))
		return ok
	}
	return true
}
