package quantize

import (
	"fmt"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// RowValues reads the values of a batch's rows as floats.
type RowValues struct {
	columns []domain.Coordinates // readers of the columns; nil if the value is a column of lists
	dims    int                  // how many numbers a row has
	rows    []float64            // the values of the batch, row by row, if they are in columns of numbers
	list    *table.Column        // the values of the batch, if they are in a column of lists
	listAt  int                  // the index in a batch and the type of the column of lists
	listOf  table.Type
}

// Compile returns a RowValues for batches with the columns of l. It reports to l.Problems each column that is missing
// or has an unsuitable type.
func (q *Quantizer) Compile(l domain.BatchColumns) *RowValues {
	v := q.Value
	r := &RowValues{dims: q.Numbers()}
	for i, name := range v.AllColumns() {
		field := v.columnField(q.Field, i)
		at, t, ok := l.Find(name, field)
		if !ok {
			continue
		}
		checkValueType(t, v.List, field, l.Problems)
		if v.List {
			r.listAt, r.listOf = at, t
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
			p.Add(field, problem.CodeColumnType, fmt.Sprintf("a column of type %s has no lists", t),
				"leave length out for a column of numbers")
		}
	case table.List:
		if !list {
			p.Add(field, problem.CodeColumnType, "a column of lists needs the public length of its lists", "add length: N")
		}
	default:
		hint := problem.BadType(t).Hint // BadType has a hint if no query can read columns of this type
		if hint == "" {
			hint = problem.TypesOfTexts
		}
		p.Add(field, problem.CodeColumnType, fmt.Sprintf("a column of type %s cannot be added up", t), hint)
	}
}

// Open reads the values of a batch. Row and Numbers then return them.
func (r *RowValues) Open(b *table.Batch) (err error) {
	switch {
	case r.columns == nil:
		r.list, err = listsOf(b, r.listAt, r.listOf)
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

// Row returns the numbers of a row of the batch. If the row has no value, the result has the wrong length or holds NaN.
func (r *RowValues) Row(i int) []float64 {
	if r.columns != nil {
		return r.rows[i*r.dims : (i+1)*r.dims]
	}
	if r.list.IsNull(i) {
		return nil
	}
	return r.list.List(i)
}

// Numbers returns the values of the first n rows. The value must be one column of numbers.
func (r *RowValues) Numbers(n int) []float64 { return r.rows[:n] }

// Column returns the column of a batch that holds the values. The value must be one column of numbers.
func (r *RowValues) Column(b *table.Batch) (*table.Column, error) {
	return columnar.Of(b, r.columns[0].At, r.columns[0].Kind)
}

// listsOf returns column at of a batch, which holds lists, after checking its form.
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
	case c.Type != t, c.Codes != nil, c.Len() != b.Rows:
		return nil, columnar.ErrShape
	case uint64(last) > uint64(len(c.Values.Floats)), c.Valid != nil && len(c.Valid) < b.Rows:
		return nil, columnar.ErrShape
	}
	return c, nil
}
