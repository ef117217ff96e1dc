package csv

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// column is one column of the batch that is gathered.
type column struct {
	columnType
	at      int // which field of a record
	values  table.Values
	valid   []bool // of the rows up to the last null
	nulls   int
	scratch []byte
	// unparsed is of the rows up to the last one whose text is no value of the type; empty if there is none.
	unparsed []bool
}

func (c *column) reset() {
	v := &c.values
	v.Ints, v.Floats, v.Offsets, v.Data = v.Ints[:0], v.Floats[:0], append(v.Offsets[:0], 0), v.Data[:0]
	c.valid, c.nulls, c.unparsed = c.valid[:0], 0, c.unparsed[:0]
}

// add adds a row's field.
func (c *column) add(d *Dialect, text []byte) {
	switch {
	case d.null(text):
		c.null()
	case !c.parse(text, &c.values):
		c.null()
		if len(bytes.TrimSpace(text)) > 0 { // a blank field is a value that is missing
			c.unparsed = append(padded(c.unparsed, len(c.valid)-1), true)
		}
	}
}

// padded extends flags with false to n items.
func padded(flags []bool, n int) []bool {
	from := len(flags)
	flags = slices.Grow(flags, n-from)[:n]
	clear(flags[from:])
	return flags
}

// null adds a row without a value, and the value that stands in its place.
func (c *column) null() {
	c.pad()
	c.valid = append(c.valid, false)
	c.nulls++
	switch v := &c.values; c.typ.Kind {
	case table.Float:
		v.Floats = append(v.Floats, 0)
	case table.String:
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	default:
		v.Ints = append(v.Ints, 0)
	}
}

// pad says of all rows since the last null that they are none.
func (c *column) pad() {
	for rows := c.values.Len(c.typ.Kind); len(c.valid) < rows; {
		c.valid = append(c.valid, true)
	}
}

// take adds the fields of rows, which are places in b.
func (c *column) take(d *Dialect, b []byte, fields []field) {
	if c.typ.Kind == table.String {
		c.takeTexts(d, b, fields)
		return
	}
	for _, f := range fields {
		c.takeOne(d, b, f)
	}
}

func (c *column) takeOne(d *Dialect, b []byte, f field) {
	switch {
	case f.to < f.from:
		c.null()
	case f.doubled:
		c.scratch = undouble(c.scratch[:0], b[f.from:f.to])
		c.add(d, c.scratch)
	default:
		c.add(d, b[f.from:f.to])
	}
}

// takeTexts is take for text, of which most is short: two words are copied sooner than it is found out how long it is.
func (c *column) takeTexts(d *Dialect, b []byte, fields []field) {
	v := &c.values
	for _, f := range fields {
		n := int(f.to - f.from)
		if n < 0 || f.doubled || d.nullLengths>>min(uint(n), 63)&1 != 0 {
			c.takeOne(d, b, f)
			continue
		}
		end := len(v.Data)
		if text := b[f.from:]; n <= 16 && len(text) >= 16 && cap(v.Data)-end >= 16 {
			room := v.Data[end : end+16]
			binary.LittleEndian.PutUint64(room, binary.LittleEndian.Uint64(text))
			binary.LittleEndian.PutUint64(room[8:], binary.LittleEndian.Uint64(text[8:]))
			v.Data = v.Data[:end+n]
		} else {
			v.Data = append(v.Data, text[:n]...)
		}
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	}
}

// column returns the rows that were gathered.
func (c *column) column() table.Column {
	out := table.Column{Type: c.typ, Values: c.values}
	if c.nulls > 0 {
		c.pad()
		out.Valid = c.valid
	}
	if len(c.unparsed) > 0 {
		c.unparsed = padded(c.unparsed, len(c.valid))
		out.Unparsed = c.unparsed
	}
	return out
}
