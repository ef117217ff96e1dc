package units

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
)

// column reads one column of the privacy unit. A row with null or NaN in the column has no unit.
type column struct {
	at   int // the column's index in a batch
	kind table.Type
	// For the last batch:
	words   []uint64 // for each row, the value in 64 bits; not used if the column holds text
	indexes []int32  // for each row, the index of its value in values, or intern.None if the row has none
	values  table.Values
	coded   bool   // the column has a dictionary, and caching by its values saves time
	dict    uint64 // identifies the dictionary; 0 if the column has none
}

// openBatch reads the column of a batch. It sets cells[i] to columnar.Dropped if row i has no value.
func (u *column) openBatch(b *table.Batch, cells []int32) error {
	c, err := columnar.Of(b, u.at, u.kind)
	if err != nil {
		return err
	}
	u.values, u.coded, u.dict = c.Values, columnar.Worthwhile(c), c.Dict
	if u.isList(c) {
		u.words = columnar.Resize(u.words, b.Rows)
		for i, x := range c.Values.Ints[:b.Rows] {
			u.words[i] = uint64(x)
		}
		return nil
	}
	if err := u.findValues(c, b.Rows); err != nil {
		return err
	}
	for row, p := range u.indexes {
		if p < 0 {
			cells[row] = columnar.Dropped
		}
	}
	if u.kind.Kind != table.String {
		u.fillWords(cells)
	}
	return nil
}

// isList reports whether the column is a list of integers, one for each row, without nulls and dictionary.
func (u *column) isList(c *table.Column) bool {
	return c.Codes == nil && c.Valid == nil && u.kind.Kind != table.String && u.kind.Kind != table.Float
}

// findValues fills indexes.
func (u *column) findValues(c *table.Column, rows int) error {
	u.indexes = columnar.Resize(u.indexes, rows)
	n := c.Values.Len(u.kind.Kind)
	for i := range u.indexes {
		u.indexes[i] = intern.None
		if c.IsNull(i) {
			continue
		}
		value := c.Index(i)
		if uint(value) >= uint(n) {
			return columnar.ErrShape
		}
		u.indexes[i] = int32(value)
	}
	return nil
}

// fillWords fills words for the rows that have a value, and sets the cell of rows with NaN to Dropped.
func (u *column) fillWords(cells []int32) {
	u.words = columnar.Resize(u.words, len(cells))
	floats := u.kind.Kind == table.Float
	for row, p := range u.indexes {
		switch {
		case p < 0:
		case !floats:
			u.words[row] = uint64(u.values.Ints[p])
		case math.IsNaN(u.values.Floats[p]):
			cells[row] = columnar.Dropped
		default:
			u.words[row] = floatWord(u.values.Floats[p])
		}
	}
}

// floatWord returns the bits of a number, the same bits for 0 and -0, which are equal.
func floatWord(x float64) uint64 {
	if x == 0 {
		x = 0 // not -0
	}
	return math.Float64bits(x)
}

// textOf returns the text of a row. The row must have a value.
func (u *column) textOf(row int) []byte { return u.values.Bytes(int(u.indexes[row])) }
