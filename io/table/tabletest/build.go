// Package tabletest builds and compares columns in tests.
package tabletest

import "github.com/dprelease/dprelease/io/table"

// Strings returns a plain text column. valid is nil if there are no nulls.
func Strings(values []string, valid []bool) table.Column {
	c := table.Column{Type: table.Type{Kind: table.String}, Valid: valid}
	c.Values.Offsets = []uint32{0}
	for _, s := range values {
		c.Values.Data = append(c.Values.Data, s...)
		c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
	}
	return c
}

// Ints returns a plain column of type t, which must be held in Ints. valid is nil if there are no nulls.
func Ints(t table.Type, values []int64, valid []bool) table.Column {
	return table.Column{Type: t, Valid: valid, Values: table.Values{Ints: values}}
}

// Floats returns a plain float column. valid is nil if there are no nulls.
func Floats(values []float64, valid []bool) table.Column {
	return table.Column{Type: table.Type{Kind: table.Float}, Valid: valid, Values: table.Values{Floats: values}}
}

// Lists returns a column of lists. valid is nil if there are no nulls.
func Lists(lists [][]float64, valid []bool) table.Column {
	c := table.Column{Type: table.Type{Kind: table.List}, Valid: valid, Lists: []uint32{0}}
	for _, l := range lists {
		c.Values.Floats = append(c.Values.Floats, l...)
		c.Lists = append(c.Lists, uint32(len(c.Values.Floats)))
	}
	return c
}

// Batch returns a batch of columns of equal length.
func Batch(columns ...table.Column) *table.Batch {
	b := &table.Batch{Columns: columns}
	if len(columns) > 0 {
		b.Rows = columns[0].Len()
	}
	return b
}

// Encode returns a plain column as dictionary codes. The dictionary has the values in the order of their first
// rows.
func Encode(c table.Column) table.Column {
	out := table.Column{Type: c.Type, Valid: c.Valid, Codes: []int32{}}
	seen := map[any]int32{}
	var rows []any
	for i := range c.Len() {
		v := Value(&c, c.Index(i))
		code, ok := seen[v]
		if !ok {
			code = int32(len(rows))
			seen[v] = code
			rows = append(rows, v)
		}
		out.Codes = append(out.Codes, code)
	}
	out.Values = collect(c.Type.Kind, rows)
	return out
}

func collect(k table.Kind, rows []any) table.Values {
	v := table.Values{}
	if k == table.String {
		v.Offsets = []uint32{0}
	}
	for _, r := range rows {
		switch x := r.(type) {
		case string:
			v.Data = append(v.Data, x...)
			v.Offsets = append(v.Offsets, uint32(len(v.Data)))
		case int64:
			v.Ints = append(v.Ints, x)
		case bits:
			v.Floats = append(v.Floats, x.float())
		}
	}
	return v
}
