package units

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
)

// column reads one column of the privacy unit. A row with a null or NaN there belongs to no unit.
type column struct {
	at   int // position of the column in a batch
	kind table.Type
	// For each row of the batch: words holds the value in 64 bits; places holds a text's index in values, or None.
	words   []uint64
	places  []int32
	values  table.Values
	coded   bool   // the column has a dictionary, and caching by its values saves time
	dict    uint64 // the dictionary's identity; 0 if it has none
	entries []int32
}

// openBatch reads the column of a batch. It sets cells[i] to Dropped if row i has no value.
func (u *column) openBatch(b *table.Batch, cells []int32) error {
	c, err := columnar.Of(b, u.at, u.kind)
	if err != nil {
		return err
	}
	u.values, u.coded, u.dict = c.Values, columnar.Worthwhile(c, c.Entries()), c.Dict
	if u.plain(c) {
		u.words = columnar.Resize(u.words, b.Rows)
		for i, x := range c.Values.Ints[:b.Rows] {
			u.words[i] = uint64(x)
		}
		return nil
	}
	if err := u.place(c, b.Rows); err != nil {
		return err
	}
	for row, p := range u.places {
		if p < 0 {
			cells[row] = columnar.Dropped
		}
	}
	if u.kind.Kind != table.String {
		u.read(cells)
	}
	return nil
}

// plain reports whether the column is a plain list of 64-bit values, one for each row, without nulls.
func (u *column) plain(c *table.Column) bool {
	return c.Codes == nil && c.Ends == nil && c.Valid == nil && u.kind.Kind != table.String && u.kind.Kind != table.Float
}

// place fills places with the index of each row's value, or None.
func (u *column) place(c *table.Column, rows int) error {
	u.entries = columnar.Resize(u.entries, c.Entries())
	n := c.Values.Len(u.kind.Kind)
	for i := range u.entries {
		u.entries[i] = intern.None
		if c.Valid != nil && !c.Valid[i] {
			continue
		}
		value := i
		if c.Codes != nil {
			value = int(c.Codes[i])
		}
		if uint(value) >= uint(n) {
			return columnar.ErrShape
		}
		u.entries[i] = int32(value)
	}
	if c.Ends == nil {
		u.places = u.entries
		return nil
	}
	if len(u.places) > 0 && len(u.entries) > 0 && &u.places[0] == &u.entries[0] {
		u.places = nil
	}
	u.places = columnar.Spread(columnar.Resize(u.places, rows), u.entries, c.Ends)
	return nil
}

// read fills words for the rows that are not dropped, and drops rows with NaN.
func (u *column) read(cells []int32) {
	u.words = columnar.Resize(u.words, len(cells))
	floats := u.kind.Kind == table.Float
	for row, p := range u.places {
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

// floatWord returns the same bits for equal numbers.
func floatWord(x float64) uint64 {
	if x == 0 {
		x = 0 // instead of -0, which is equal
	}
	return math.Float64bits(x)
}

// textOf returns the text of a row, which must have one.
func (u *column) textOf(row int) []byte { return u.values.Bytes(int(u.places[row])) }
