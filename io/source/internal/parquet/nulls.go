package parquet

import (
	"io"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// validity turns definition levels into booleans.
func (b *rowBuffer) validity(levels []byte) []bool {
	out := scan.Room(&b.valid, len(levels))
	for i, l := range levels {
		out[i] = l == 1
	}
	return out
}

// spreadCodes gives one code a row; nulls get code 0. valid is nil if there are no nulls.
func (b *rowBuffer) spreadCodes(codes []int32, valid []bool) []int32 {
	if valid == nil {
		return codes
	}
	return spread(&b.codes, codes, valid)
}

// spreadValues gives one value a row; nulls get zero or an empty string.
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

// spread gives each row whose valid is true the next value, and the others zero, in the memory of to, which may hold
// the values at its start.
func spread[T any](to *[]T, values []T, valid []bool) []T {
	from := len(values)
	*to = grown(*to, len(valid))
	out := *to
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

// spreadOffsets does so with the offsets of strings.
func spreadOffsets(to *[]uint32, offsets []uint32, valid []bool) []uint32 {
	from := len(offsets) - 1
	*to = grown(*to, len(valid)+1)
	out := *to
	for i := len(valid) - 1; i >= 0; i-- {
		out[i+1] = offsets[from]
		if valid[i] {
			from--
		}
	}
	out[0] = offsets[0]
	return out
}

// grown returns a slice of n items in the memory of s or, if that is too short, in new memory, to which nothing is
// copied.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// readyNulls is ready for a column of the type null. Its pages are not read, since some writers get their levels wrong.
func (c *columnReader) readyNulls() (int, error) {
	if c.rows == 0 {
		return 0, io.EOF
	}
	return int(min(c.rows, scan.BatchRows)), nil
}

// takeNulls is take for such a column.
func (c *columnReader) takeNulls(n int) table.Column {
	c.rows -= int64(n)
	out := table.Column{Type: c.leaf.field.Type, Valid: scan.Room(&c.buffer.valid, n)}
	out.Values.Offsets = scan.Room(&c.buffer.values.Offsets, n+1)
	clear(out.Valid)
	clear(out.Values.Offsets)
	return out
}
