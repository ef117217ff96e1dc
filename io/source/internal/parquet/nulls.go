package parquet

import (
	"io"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// validity converts definition levels to validity: true for a row that has a value.
func (b *rowBuffer) validity(levels []byte) []bool {
	out := scan.Room(&b.valid, len(levels))
	for i, l := range levels {
		out[i] = l == 1
	}
	return out
}

// spreadCodes returns a code for each row, from the codes of the rows that have a value. A null gets code 0. valid is
// nil if there are no nulls.
func (b *rowBuffer) spreadCodes(codes []int32, valid []bool) []int32 {
	if valid == nil {
		return codes
	}
	return spread(&b.codes, codes, valid)
}

// spreadValues gives each row a value, from the values of the rows that have one. A null gets zero or an empty string.
func (b *rowBuffer) spreadValues(v *table.Values, k table.Kind, valid []bool) {
	switch k {
	case table.Float:
		v.Floats = spread(&b.values.Floats, v.Floats, valid)
	case table.String:
		v.Offsets = spreadOffsets(&b.values.Offsets, v.Offsets, valid)
	default:
		v.Ints = spread(&b.values.Ints, v.Ints, valid)
	}
}

// spread returns an item for each row: the next of values if valid is true, otherwise zero. It uses the memory of to,
// which may start with values.
func spread[T any](to *[]T, values []T, valid []bool) []T {
	from := len(values)
	out := scan.Room(to, len(valid))
	var zero T
	for i := len(valid) - 1; i >= 0; i-- {
		if valid[i] {
			from--
			out[i] = values[from]
		} else {
			out[i] = zero
		}
	}
	return out
}

// spreadOffsets inserts an empty string for each null into the offsets of strings.
func spreadOffsets(to *[]uint32, offsets []uint32, valid []bool) []uint32 {
	from := len(offsets) - 1
	out := scan.Room(to, len(valid)+1)
	for i := len(valid) - 1; i >= 0; i-- {
		out[i+1] = offsets[from]
		if valid[i] {
			from--
		}
	}
	out[0] = offsets[0]
	return out
}

// readyNulls is ready for a column of type null. It reads no pages, since some writers write wrong levels for such a
// column.
func (c *columnReader) readyNulls() (int, error) {
	if c.rows == 0 {
		return 0, io.EOF
	}
	return int(min(c.rows, scan.BatchRows)), nil
}

// takeNulls does the same as nextRows for a column of type null.
func (c *columnReader) takeNulls(n int) table.Column {
	c.rows -= int64(n)
	out := table.Column{Type: c.leaf.field.Type, Valid: scan.Room(&c.buffer.valid, n)}
	out.Values.Offsets = scan.Room(&c.buffer.values.Offsets, n+1)
	clear(out.Valid)
	clear(out.Values.Offsets)
	return out
}
