package tabletest

import (
	"encoding/binary"
	"math"

	"github.com/dprelease/dprelease/io/table"
)

// bits holds the bits of a float64, so that NaN equals itself, and 0 differs from -0.
type bits uint64

func (b bits) float() float64 { return math.Float64frombits(uint64(b)) }

// Value returns item i of a column's Values as a comparable value: a string, an int64, the bits of a float64, or the
// bits of a list's elements.
func Value(c *table.Column, i int) any {
	switch c.Type.Kind {
	case table.List:
		return List(c.List(i)...)
	case table.String:
		return string(c.Values.Bytes(i))
	case table.Float:
		return bits(math.Float64bits(c.Values.Floats[i]))
	}
	return c.Values.Ints[i]
}

// List returns a list of numbers in the form in which Rows and Value return lists.
func List(elements ...float64) any {
	b := make([]byte, 0, 8*len(elements))
	for _, x := range elements {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
	}
	return elementBits(b)
}

// elementBits holds the bits of a list's elements.
type elementBits string

// Float returns a float64 in the form in which Rows and Value return floats.
func Float(f float64) any { return bits(math.Float64bits(f)) }

// Rows returns copies of a batch's rows as comparable values (see Value), so that columns of different forms can be
// compared. A null is nil.
func Rows(b *table.Batch) [][]any {
	rows := make([][]any, b.Rows)
	for i := range rows {
		rows[i] = make([]any, len(b.Columns))
		for j := range b.Columns {
			c := &b.Columns[j]
			if !c.IsNull(i) {
				rows[i][j] = Value(c, c.Index(i))
			}
		}
	}
	return rows
}
