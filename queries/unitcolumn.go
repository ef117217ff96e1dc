package queries

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
)

// unseen marks a value of a dictionary that has not been numbered yet.
const unseen = -2

// unitColumn numbers the values of one column of the privacy unit. Nulls and NaN are none: such rows belong to no unit.
type unitColumn struct {
	at    int // position among the columns
	kind  table.Type
	words *words // of columns that are not text
	texts *texts // of columns of text
	dict  dictionary
	ids   []int32 // of entries
	rows  []int32 // of rows, where entries are runs
}

func newUnitColumn(at int, t table.Type) unitColumn {
	u := unitColumn{at: at, kind: t}
	if t.Kind == table.String {
		u.texts = newTexts()
	} else {
		u.words = newWords()
	}
	return u
}

func (u *unitColumn) len() int {
	if u.texts != nil {
		return u.texts.len()
	}
	return u.words.len()
}

// number returns the number of value i.
func (u *unitColumn) number(v *table.Values, i int) int32 {
	switch u.kind.Kind {
	case table.String:
		return u.texts.id(v.Bytes(i))
	case table.Float:
		x := v.Floats[i]
		if math.IsNaN(x) {
			return none
		}
		if x == 0 {
			x = 0 // not -0, which is equal
		}
		return u.words.id(math.Float64bits(x))
	}
	return u.words.id(uint64(v.Ints[i]))
}

// ofRows numbers the rows of a batch whose keep is not negative; the others are none.
func (u *unitColumn) ofRows(b *table.Batch, keep []int32) ([]int32, error) {
	c, err := columnOf(b, u.at, u.kind)
	if err != nil {
		return nil, err
	}
	if c.Ends == nil {
		return u.ofEntries(c, keep)
	}
	ids, err := u.ofEntries(c, nil)
	if err != nil {
		return nil, err
	}
	u.rows = spread(resize(u.rows, b.Rows), ids, c.Ends)
	for i, k := range keep {
		if k < 0 {
			u.rows[i] = none
		}
	}
	return u.rows, nil
}

// ofEntries numbers the entries of c whose keep is not negative; nil keeps all.
func (u *unitColumn) ofEntries(c *table.Column, keep []int32) ([]int32, error) {
	u.ids = resize(u.ids, c.Entries())
	var lookup []int32
	if worthwhile(c, len(u.ids)) {
		lookup = u.lookup(c)
	}
	n := c.Values.Len(u.kind.Kind)
	for i := range u.ids {
		u.ids[i] = none
		if keep != nil && keep[i] < 0 || c.Valid != nil && !c.Valid[i] {
			continue
		}
		value := i
		if c.Codes != nil {
			value = int(c.Codes[i])
		}
		if uint(value) >= uint(n) {
			return nil, errShape
		}
		u.ids[i] = u.find(lookup, &c.Values, value)
	}
	return u.ids, nil
}

// find looks a value's number up, or numbers it.
func (u *unitColumn) find(lookup []int32, v *table.Values, i int) int32 {
	if lookup == nil {
		return u.number(v, i)
	}
	if lookup[i] == unseen {
		lookup[i] = u.number(v, i)
	}
	return lookup[i]
}

func (u *unitColumn) lookup(c *table.Column) []int32 {
	ids, fresh := u.dict.open(c)
	if fresh {
		for i := range ids {
			ids[i] = unseen
		}
	}
	return ids
}

// adopt numbers all values that o has numbered, and returns the new number of each.
func (u *unitColumn) adopt(o *unitColumn) []int32 {
	ids := make([]int32, o.len())
	for i := range ids {
		if u.texts != nil {
			ids[i] = u.texts.id(o.texts.at(int32(i)))
		} else {
			ids[i] = u.words.id(o.words.keys[i])
		}
	}
	return ids
}

// full says that some value may have got no number.
func (u *unitColumn) full() bool { return u.len() >= maxUnits }
