package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// refine sets the leaf's type if typeOf cannot decide it from the schema element's type alone, as for decimals.
func (l *leaf) refine(e *format.SchemaElement) {
	if !e.Type.Valid || repeats(e) {
		return
	}
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		l.setDecimal(int(t.Precision), int(t.Scale))
	case *format.Float16Type:
		if l.physical == format.FixedLenByteArray && l.width == 2 {
			l.field.Type, l.convert = table.Type{Kind: table.Float}, takeHalves
		}
	case *format.NullType:
		if l.highest > 0 {
			l.field.Type, l.void = table.Type{Kind: table.String}, true
		}
	case nil:
		if e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Decimal {
			l.setDecimal(int(e.Precision.V), int(e.Scale.V))
		}
	}
}

// setDecimal makes the leaf a leaf of decimals.
func (l *leaf) setDecimal(precision, scale int) {
	l.decimals = scan.DecimalOf(precision, scale)
	d := &l.decimals
	switch l.physical {
	case format.Int32, format.Int64, format.ByteArray:
	case format.FixedLenByteArray:
		if l.width < 1 || l.width > scan.MaxDecimal {
			d.Type = scan.UnreadableType("decimal of an odd length")
		}
	default:
		d.Type = scan.UnreadableType("decimal of an odd physical type")
	}
	l.takeDecimals()
}

// takeDecimals sets the leaf's table type and its converter for decimals.
func (l *leaf) takeDecimals() {
	l.field.Type = l.decimals.Type
	d, stored := l.decimals, *l // the converter keeps this copy of the leaf, with its physical type and width
	l.convert = func(p *decoded, n int, to *table.Values) table.Values {
		p.takeDecimals(d, &stored, n, to)
		if d.Type.Kind == table.String {
			return table.Values{Offsets: to.Offsets, Data: to.Data}
		}
		return table.Values{Ints: to.Ints, Floats: to.Floats}
	}
}

// makeExact changes the leaf's type so that different values stay different. A decimal that is not an Int becomes a
// text. An INT96 becomes a timestamp in nanoseconds; it is null outside the years 1678 to 2261.
func (l *leaf) makeExact() {
	switch {
	case l.list != nil || l.field.Type.Kind == table.Invalid:
	case l.decimals.Type.Kind != table.Invalid:
		l.decimals = l.decimals.Exact()
		l.nullify = l.decimals.Type.Kind == table.Int
		l.takeDecimals()
	case l.physical == format.Int96:
		l.field.Type.Unit, l.nullify = 1, true
		l.convert = func(p *decoded, n int, to *table.Values) table.Values {
			return table.Values{Ints: p.takeInts96(n, &to.Ints, scan.ExactNanos)}
		}
	}
}

// takeDecimals converts the next n decimals and stores them in to, from its start.
func (d *decoded) takeDecimals(dec scan.Decimal, l *leaf, n int, to *table.Values) {
	var ints []int64
	if l.physical == format.Int32 || l.physical == format.Int64 {
		ints = d.takeInts(l, n, &to.Ints) // ints and to may share memory: each item is read before it is overwritten
	}
	to.Ints, to.Floats, to.Offsets, to.Data = to.Ints[:0], to.Floats[:0], append(to.Offsets[:0], 0), to.Data[:0]
	switch l.physical {
	case format.Int32, format.Int64:
		for _, v := range ints {
			dec.Add(v, to)
		}
	case format.FixedLenByteArray:
		for i := range n {
			dec.AddBytes(d.bytes[i*l.width:(i+1)*l.width], to)
		}
		d.bytes = d.bytes[n*l.width:]
	case format.ByteArray:
		for i := range n {
			dec.AddBytes(d.bytes[d.offsets[i]:d.offsets[i+1]], to)
		}
		if n > 0 {
			d.offsets = d.offsets[n:]
		}
	}
}

func takeHalves(d *decoded, n int, to *table.Values) table.Values {
	out := scan.Room(&to.Floats, n)
	for i := range out {
		out[i] = scan.Half(binary.LittleEndian.Uint16(d.bytes[2*i:]))
	}
	d.bytes = d.bytes[2*n:]
	return table.Values{Floats: out}
}
