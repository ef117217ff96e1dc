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
	// The values of the last batch: entries for each entry, and rows for each row if an entry is a run of several rows.
	entries, rows []float64
}

// OfRows returns the coordinate of each row of a batch. The slice is valid until the next call, as long as the batch
// is. Do not change it: it may be the column's own memory.
func (x *Coordinates) OfRows(b *table.Batch) ([]float64, error) {
	c, err := columnar.Of(b, x.At, x.Kind)
	if err != nil {
		return nil, err
	}
	whole := c.Valid == nil && c.Ends == nil
	if x.Kind.Kind == table.Float && whole && c.Codes == nil {
		return c.Values.Floats[:b.Rows], nil
	}
	x.entries = columnar.Resize(x.entries, c.Entries())
	if x.Kind.Kind == table.Float && whole {
		return x.entries, pick(x.entries, c.Values.Floats, c.Codes)
	}
	if x.Kind.Kind == table.Int && whole && c.Codes == nil {
		for i, n := range c.Values.Ints[:b.Rows] {
			x.entries[i] = float64(n)
		}
		return x.entries, nil
	}
	n := c.Values.Len(x.Kind.Kind)
	for i := range x.entries {
		x.entries[i] = math.NaN()
		if c.Valid != nil && !c.Valid[i] {
			continue
		}
		value := i
		if c.Codes != nil {
			value = int(c.Codes[i])
		}
		if uint(value) >= uint(n) {
			return nil, columnar.ErrShape
		}
		x.entries[i] = Coordinate(&c.Values, value, x.Kind.Kind)
	}
	if c.Ends == nil {
		return x.entries, nil
	}
	x.rows = columnar.ExpandRuns(columnar.Resize(x.rows, b.Rows), x.entries, c.Ends)
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
