package table

import "sync/atomic"

// Values holds plain values of one kind. The kind determines which slice is used.
type Values struct {
	Ints   []int64
	Floats []float64
	// Offsets has one item more than there are strings; string i is Data[Offsets[i]:Offsets[i+1]].
	Offsets []uint32
	Data    []byte
}

// Bytes returns string i. It shares memory with v.
func (v Values) Bytes(i int) []byte { return v.Data[v.Offsets[i]:v.Offsets[i+1]] }

// Len returns the number of values. k is their kind; if k is List, Len returns the number of elements of all lists.
func (v Values) Len(k Kind) int {
	switch k {
	case Float, List:
		return len(v.Floats)
	case String:
		return max(len(v.Offsets)-1, 0)
	}
	return len(v.Ints)
}

// slice returns the values with indices in [i, j). The result shares memory with v.
func (v Values) slice(k Kind, i, j int) Values {
	switch k {
	case Float:
		return Values{Floats: v.Floats[i:j]}
	case String:
		if len(v.Offsets) == 0 {
			return Values{}
		}
		return Values{Offsets: v.Offsets[i : j+1], Data: v.Data}
	}
	return Values{Ints: v.Ints[i:j]}
}

// Column holds the values of one column in a batch, in one of two forms: plain (one value per row) or dictionary codes
// (Codes, one per row, are indices into Values). Columns of lists are plain.
type Column struct {
	Type Type
	// Valid has one item per row; nil if there are no nulls. At a null, the code or value is unspecified but valid.
	Valid []bool
	// Unparsed has one item per row; it marks the nulls whose text is not valid for the column's type, such as a date in
	// a layout that was not declared. It is nil if there are none. Only text formats set it, and no answer depends on it.
	Unparsed []bool
	Codes    []int32
	Values   Values
	// Lists is for columns of lists, and has one item more than there are lists. List i is
	// Values.Floats[Lists[i]:Lists[i+1]]. A null element is NaN. The list of a null may be empty.
	Lists []uint32
	// Dict identifies the dictionary if Codes is set; 0 if it has no identity. Columns with equal Dict have the same
	// dictionary in Values, in all batches of a process, so that work done per dictionary value can be kept.
	Dict uint64
}

var dictionaries atomic.Uint64

// NextDictionary returns a new value for Dict, different from all others in this process.
func NextDictionary() uint64 { return dictionaries.Add(1) }

// Len returns the number of rows.
func (c *Column) Len() int {
	switch {
	case c.Codes != nil:
		return len(c.Codes)
	case c.Type.Kind == List:
		return max(len(c.Lists)-1, 0)
	}
	return c.Values.Len(c.Type.Kind)
}

// List returns the list in a row of a column of lists. It shares memory with c.
func (c *Column) List(row int) []float64 { return c.Values.Floats[c.Lists[row]:c.Lists[row+1]] }

// IsNull reports whether a row is null.
func (c *Column) IsNull(row int) bool { return c.Valid != nil && !c.Valid[row] }

// Index returns the index in Values of a row's value.
func (c *Column) Index(row int) int {
	if c.Codes != nil {
		return int(c.Codes[row])
	}
	return row
}

// Slice returns the rows with indices in [i, j). The result shares memory with c.
func (c *Column) Slice(i, j int) Column {
	s := Column{Type: c.Type, Dict: c.Dict, Values: c.Values}
	if c.Valid != nil {
		s.Valid = c.Valid[i:j]
	}
	if c.Unparsed != nil {
		s.Unparsed = c.Unparsed[i:j]
	}
	if c.Codes != nil {
		s.Codes = c.Codes[i:j]
		return s
	}
	if c.Type.Kind == List {
		s.Lists = c.Lists[i : j+1]
		return s
	}
	s.Values = c.Values.slice(c.Type.Kind, i, j)
	return s
}
