package queries

import (
	"fmt"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// rowValues reads the values of rows, as floats.
type rowValues struct {
	columns []domain.Coordinates
	dims    int
	// of the last batch: the columns' floats row by row, or the column of lists
	rows []float64
	list *table.Column
	// of a column of lists
	at   int
	kind table.Type
}

// compileVectors finds the columns of the value, or reports those that do not fit.
func (q *summing) compileVectors(l domain.Layout) *rowValues {
	v := q.spec.Value
	r := &rowValues{dims: q.quantizer.dims}
	for i, name := range v.Columns {
		field := v.columnField(q.quantizer.field, i)
		at, t, ok := l.Find(name, field)
		if !ok {
			continue
		}
		checkValueType(t, v.List, field, l.Problems)
		if v.List {
			r.at, r.kind = at, t
			continue
		}
		r.columns = append(r.columns, domain.Coordinates{At: at, Kind: t})
	}
	return r
}

func checkValueType(t table.Type, list bool, field string, p *problem.Problems) {
	switch t.Kind {
	case table.Bool, table.Int, table.Uint, table.Float, table.String:
		if list {
			p.Add(field, problem.CodeColumnType, fmt.Sprintf("a column of type %s has no lists", t), "leave length out for a column of numbers")
		}
	case table.List:
		if !list {
			p.Add(field, problem.CodeColumnType, "a column of lists needs the public length of its lists", "add length: N")
		}
	default:
		p.Add(field, problem.CodeColumnType, fmt.Sprintf("a column of type %s cannot be added up", t), "input.csv.types types a CSV column")
	}
}

// open reads the values of a batch.
func (r *rowValues) open(b *table.Batch) (err error) {
	switch {
	case r.columns == nil:
		r.list, err = listsOf(b, r.at, r.kind)
		return err
	case len(r.columns) == 1:
		r.rows, err = r.columns[0].OfRows(b)
		return err
	}
	r.rows = columnar.Resize(r.rows, b.Rows*r.dims)
	for j := range r.columns {
		column, err := r.columns[j].OfRows(b)
		if err != nil {
			return err
		}
		for i, x := range column {
			r.rows[i*r.dims+j] = x
		}
	}
	return nil
}

// row returns the value of a row: if it has none, not as many components as there should be, or one that is NaN.
func (r *rowValues) row(i int) []float64 {
	if r.columns != nil {
		return r.rows[i*r.dims : (i+1)*r.dims]
	}
	if r.list.IsNull(i) {
		return nil
	}
	return r.list.List(i)
}

// listsOf returns the column of lists at a position of a batch if it is whole.
func listsOf(b *table.Batch, at int, t table.Type) (*table.Column, error) {
	if at >= len(b.Columns) {
		return nil, columnar.ErrShape
	}
	c := &b.Columns[at]
	last := uint32(0)
	for _, end := range c.Lists {
		if end < last {
			return nil, columnar.ErrShape
		}
		last = end
	}
	switch {
	case c.Type != t, c.Codes != nil, c.Ends != nil, c.Len() != b.Rows:
		return nil, columnar.ErrShape
	case uint64(last) > uint64(len(c.Values.Floats)), c.Valid != nil && len(c.Valid) < b.Rows:
		return nil, columnar.ErrShape
	}
	return c, nil
}

// components are the labels of a vector's components: column names, or numbers from 0.
func (v *Value) components() domain.Labels {
	if !v.List {
		return domain.Labels{Strings: v.Columns}
	}
	return domain.IntegerLabels(0, int64(v.Length), nil)
}
