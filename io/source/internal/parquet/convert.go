package parquet

import (
	"encoding/binary"
	"io"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// converter takes the next n values of a type that a table holds otherwise than a page, in to, from its start.
type converter func(d *pageData, n int, to *table.Values) table.Values

// refine gives a leaf the types that need more of the schema than typeOf looks at.
func (l *leaf) refine(e *format.SchemaElement) {
	repeated := e.RepetitionType.V != format.Required && e.RepetitionType.V != format.Optional
	if !e.Type.Valid || repeated {
		return
	}
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		l.decimal(int(t.Precision), int(t.Scale))
	case *format.Float16Type:
		if l.physical == format.FixedLenByteArray && l.width == 2 {
			l.field.Type, l.convert = table.Type{Kind: table.Float}, takeHalves
		}
	case *format.NullType:
		if l.optional {
			l.field.Type, l.void = table.Type{Kind: table.String}, true
		}
	case nil:
		if e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Decimal {
			l.decimal(int(e.Precision.V), int(e.Scale.V))
		}
	}
}

// Decimal makes the leaf one of decimals.
func (l *leaf) decimal(precision, scale int) {
	d := scan.DecimalOf(precision, scale)
	switch l.physical {
	case format.Int32, format.Int64, format.ByteArray:
	case format.FixedLenByteArray:
		if l.width < 1 || l.width > scan.MaxDecimal {
			d.Typ = scan.Unread("decimal of an odd length")
		}
	default:
		d.Typ = scan.Unread("decimal of an odd physical type")
	}
	stored := storedDecimal{d, l.physical, l.width}
	l.field.Type = d.Typ
	l.convert = func(p *pageData, n int, to *table.Values) table.Values {
		to.Ints, to.Floats = to.Ints[:0], to.Floats[:0]
		p.takeDecimals(stored, n, to)
		return table.Values{Ints: to.Ints, Floats: to.Floats}
	}
}

// storedDecimal is a decimal and how a page stores it.
type storedDecimal struct {
	scan.Decimal
	physical format.Type
	width    int // in bytes, if it is fixed
}

// takeDecimals appends the next n decimals to to.
func (d *pageData) takeDecimals(dec storedDecimal, n int, to *table.Values) {
	width := dec.width
	switch dec.physical {
	case format.Int32:
		for _, v := range d.ints32[:n] {
			dec.Add(int64(v), to)
		}
		d.ints32 = d.ints32[n:]
	case format.Int64:
		for _, v := range d.ints64[:n] {
			dec.Add(v, to)
		}
		d.ints64 = d.ints64[n:]
	case format.FixedLenByteArray:
		for i := range n {
			dec.AddBytes(d.bytes[i*width:(i+1)*width], to)
		}
		d.bytes = d.bytes[n*width:]
	case format.ByteArray:
		for i := range n {
			dec.AddBytes(d.bytes[d.offsets[i]:d.offsets[i+1]], to)
		}
		if n > 0 {
			d.offsets = d.offsets[n:]
		}
	}
}

func takeHalves(d *pageData, n int, to *table.Values) table.Values {
	out := scan.Room(&to.Floats, n)
	for i := range out {
		out[i] = scan.Half(binary.LittleEndian.Uint16(d.bytes[2*i:]))
	}
	d.bytes = d.bytes[2*n:]
	return table.Values{Floats: out}
}

// readyNulls is ready for a column without values, whose pages say nothing: some writers get their levels wrong.
func (c *columnReader) readyNulls() (int, error) {
	if c.guard.rows == 0 {
		return 0, io.EOF
	}
	return int(min(c.guard.rows, scan.BatchRows)), nil
}

// takeNulls is take for such a column.
func (c *columnReader) takeNulls(n int) table.Column {
	c.guard.rows -= int64(n)
	out := table.Column{Type: c.leaf.field.Type, Valid: scan.Room(&c.buffer.valid, n)}
	out.Values.Offsets = scan.Room(&c.buffer.values.Offsets, n+1)
	clear(out.Valid)
	clear(out.Values.Offsets)
	return out
}
