package csv

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// column collects the values of one column of a batch.
type column struct {
	scan.TextColumn
	at      int    // number of the column's field in a record, from 0
	scratch []byte // memory for a field without its doubled quotes
	decoded []byte // memory for a field in UTF-8
}

// add appends one field's value to the column. text is the field without quotes, in the file's encoding.
func (c *column) add(d *Dialect, text []byte) {
	if d.letters != nil {
		c.decoded = d.letters.decode(c.decoded[:0], text)
		text = c.decoded
	}
	if d.isNull(text) {
		c.AddNull()
		return
	}
	c.AddText(text)
}

// appendFields appends the values of a field of consecutive rows. fields holds the ranges of b that the field has in
// these rows.
func (c *column) appendFields(d *Dialect, b []byte, fields []field) {
	if c.Type.Kind == table.String && d.letters == nil {
		c.appendTexts(d, b, fields)
		return
	}
	for _, f := range fields {
		c.appendField(d, b, f)
	}
}

func (c *column) appendField(d *Dialect, b []byte, f field) {
	switch {
	case f.to < f.from:
		c.AddNull()
	case f.doubled:
		c.scratch = undouble(c.scratch[:0], b[f.from:f.to], d.quote)
		c.add(d, c.scratch)
	default:
		c.add(d, b[f.from:f.to])
	}
}

// appendTexts is appendFields for text columns. Most texts are short, so it copies 16 bytes at a time, which is faster
// than copying the exact number of bytes.
func (c *column) appendTexts(d *Dialect, b []byte, fields []field) {
	v := &c.Values
	for _, f := range fields {
		n := int(f.to - f.from)
		if n < 0 || f.doubled || d.nullLengths>>min(uint(n), 63)&1 != 0 {
			c.appendField(d, b, f)
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
