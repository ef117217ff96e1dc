package table

import "sort"

// Values are plain values of one kind; which slice is in use follows from the kind.
type Values struct {
	Ints   []int64
	Floats []float64
	// Offsets has one entry more than there are strings; string i is Data[Offsets[i]:Offsets[i+1]].
	Offsets []uint32
	Data    []byte
}

// Bytes returns string i, sharing memory.
func (v Values) Bytes(i int) []byte { return v.Data[v.Offsets[i]:v.Offsets[i+1]] }

// Len returns the number of values, of lists that of their elements; k says which slice holds them.
func (v Values) Len(k Kind) int {
	switch k {
	case Float, List:
		return len(v.Floats)
	case String:
		return max(len(v.Offsets)-1, 0)
	}
	return len(v.Ints)
}

// slice returns the values from i up to, not including, j, sharing memory.
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

// Column is the values of one column in a batch: plain (one value a row), dictionary codes (Codes, one a row,
// into Values) or runs (Ends: row at which each run stops; codes or values are then one a run). What there is one of
// a row, or a run if Ends is set, is called an entry. Columns of lists are plain.
type Column struct {
	Type Type
	// Valid has one item an entry; nil: no nulls. At a null, code and value are unspecified but in range.
	Valid []bool
	// Unparsed marks the nulls that stand for a text that is no value of the column's type, such as a date in a layout that
	// was not declared; nil if there are none. It has one item an entry. Only text formats have it, and no answer depends on it.
	Unparsed []bool
	Codes    []int32
	Ends     []int32
	Values   Values
	// Lists has one item more than there are lists, of columns of lists: list i is Values.Floats[Lists[i]:Lists[i+1]]. An
	// element that is null is NaN; the lists of nulls may be empty.
	Lists []uint32
	// Dict is not zero if Codes is set and the dictionary has an identity: columns with equal Dict have the same
	// dictionary in Values, in all batches of a process, so work done for each of its values can be kept.
	Dict uint64
}

// Entries returns the number of entries: rows, or runs if Ends is set.
func (c *Column) Entries() int {
	switch {
	case c.Ends != nil:
		return len(c.Ends)
	case c.Codes != nil:
		return len(c.Codes)
	case c.Type.Kind == List:
		return max(len(c.Lists)-1, 0)
	}
	return c.Values.Len(c.Type.Kind)
}

// Len returns the number of rows.
func (c *Column) Len() int {
	if c.Ends == nil {
		return c.Entries()
	}
	if len(c.Ends) == 0 {
		return 0
	}
	return int(c.Ends[len(c.Ends)-1])
}

// Entry returns the entry that holds a row: the row itself, or its run, found in logarithmic time.
func (c *Column) Entry(row int) int {
	if c.Ends == nil {
		return row
	}
	return sort.Search(len(c.Ends), func(i int) bool { return int(c.Ends[i]) > row })
}

// List returns a row's list, of a column of lists, sharing memory.
func (c *Column) List(row int) []float64 { return c.Values.Floats[c.Lists[row]:c.Lists[row+1]] }

// IsNull says whether a row is null.
func (c *Column) IsNull(row int) bool { return c.Valid != nil && !c.Valid[c.Entry(row)] }

// Index returns the position in Values of a row's value.
func (c *Column) Index(row int) int {
	e := c.Entry(row)
	if c.Codes != nil {
		return int(c.Codes[e])
	}
	return e
}

// Slice returns the rows from i up to, not including, j, of a column without runs, sharing memory.
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
