package scan

import (
	"bytes"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// TextColumn parses the texts of a column and collects the values.
type TextColumn struct {
	TextType
	Values table.Values
	valid  []bool // validity of the rows up to the last null; the rows after it have values
	nulls  int
	// unparsed[i] is true if the text of row i is not valid for the type. The slice ends at the last such row.
	unparsed []bool
}

// Reset removes all rows.
func (c *TextColumn) Reset() {
	v := &c.Values
	v.Ints, v.Floats, v.Offsets, v.Data = v.Ints[:0], v.Floats[:0], append(v.Offsets[:0], 0), v.Data[:0]
	c.valid, c.nulls, c.unparsed = c.valid[:0], 0, c.unparsed[:0]
}

// AddText adds a row's text. If the text is not valid for the type, the row is null.
func (c *TextColumn) AddText(text []byte) {
	if c.Parse(text, &c.Values) {
		return
	}
	c.AddNull()
	if len(bytes.TrimSpace(text)) > 0 { // a blank text is a missing value, not an invalid one
		c.unparsed = append(padFlags(c.unparsed, len(c.valid)-1), true)
	}
}

// AddUnparsed adds a null row that is marked as unparsed.
func (c *TextColumn) AddUnparsed() {
	c.AddNull()
	c.unparsed = append(padFlags(c.unparsed, len(c.valid)-1), true)
}

// padFlags extends flags with false to n items.
func padFlags(flags []bool, n int) []bool {
	from := len(flags)
	flags = slices.Grow(flags, n-from)[:n]
	clear(flags[from:])
	return flags
}

// AddNull adds a null, with a placeholder among the values.
func (c *TextColumn) AddNull() {
	c.pad()
	c.valid = append(c.valid, false)
	c.nulls++
	switch v := &c.Values; c.Type.Kind {
	case table.Float:
		v.Floats = append(v.Floats, 0)
	case table.String:
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	default:
		v.Ints = append(v.Ints, 0)
	}
}

// pad extends valid to all rows: the rows after the last null have values.
func (c *TextColumn) pad() {
	for rows := c.Values.Len(c.Type.Kind); len(c.valid) < rows; {
		c.valid = append(c.valid, true)
	}
}

// Column returns the rows that were collected. It shares memory with c.
func (c *TextColumn) Column() table.Column {
	out := table.Column{Type: c.Type, Values: c.Values}
	if c.nulls > 0 {
		c.pad()
		out.Valid = c.valid
	}
	if len(c.unparsed) > 0 {
		c.unparsed = padFlags(c.unparsed, len(c.valid))
		out.Unparsed = c.unparsed
	}
	return out
}
