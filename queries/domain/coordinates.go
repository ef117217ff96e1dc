package domain

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Coordinates reads a column of numbers as the nearest float64. Nulls, and texts that are not numbers, become NaN.
type Coordinates struct {
	At   int // index of the column in a batch
	Kind table.Type
	rows []float64 // the coordinates of the last batch
}

// OfRows returns the coordinate of each row of a batch. The slice is valid until the next call, as long as the batch
// is. Do not change it: it may be the column's own memory.
func (x *Coordinates) OfRows(b *table.Batch) ([]float64, error) {
	c, err := columnar.Of(b, x.At, x.Kind)
	if err != nil {
		return nil, err
	}
	if x.Kind.Kind == table.Float && c.Valid == nil && c.Codes == nil {
		return c.Values.Floats[:b.Rows], nil
	}
	x.rows = columnar.Resize(x.rows, b.Rows)
	if x.Kind.Kind == table.Float && c.Valid == nil {
		return x.rows, pick(x.rows, c.Values.Floats, c.Codes)
	}
	if x.Kind.Kind == table.Int && c.Valid == nil && c.Codes == nil {
		for i, n := range c.Values.Ints[:b.Rows] {
			x.rows[i] = float64(n)
		}
		return x.rows, nil
	}
	n := c.Values.Len(x.Kind.Kind)
	for i := range x.rows {
		x.rows[i] = math.NaN()
		if c.IsNull(i) {
			continue
		}
		value := c.Index(i)
		if uint(value) >= uint(n) {
			return nil, columnar.ErrShape
		}
		x.rows[i] = Coordinate(&c.Values, value, x.Kind.Kind)
	}
	return x.rows, nil
}

// pick sets dst[i] to values[codes[i]].
func pick(dst, values []float64, codes []int32) error {
	codes = codes[:len(dst)]
	for i := range dst {
		code := uint(codes[i])
		if code >= uint(len(values)) {
			return columnar.ErrShape
		}
		dst[i] = values[code]
	}
	return nil
}

// Coordinate returns value i of v, of kind k, as a float. A text is parsed. The result is NaN if the value is not a
// number.
func Coordinate(v *table.Values, i int, k table.Kind) float64 {
	switch k {
	case table.Float:
		return v.Floats[i]
	case table.Uint:
		return float64(uint64(v.Ints[i]))
	case table.String:
		if x, ok := ParseFloat(v.Bytes(i)); ok {
			return x
		}
		return math.NaN()
	}
	return float64(v.Ints[i])
}
