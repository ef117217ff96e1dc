package queries

import (
	"errors"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// errUnits is an error of size: one accumulator has met 2^31 - 1 units.
var errUnits = errors.New("queries: more than 2^31 - 1 privacy units")

// units numbers privacy units: a unit of several columns is a chain of pairs of numbers.
type units struct {
	columns []unitColumn
	pairs   []*words // pairs[i]: (unit of the columns up to i, value of column i + 1)
}

// compileUnits makes the numbering of the privacy unit for a schema, and reports every column that does not fit.
func (q *counting) compileUnits(s table.Schema, p *problems) *units {
	u := &units{}
	columns := q.Columns()
	for i, name := range q.spec.Unit {
		f, ok := s.Lookup(name)
		switch {
		case !ok:
			unknownColumn(name, fieldUnit, s, p)
		case !unitType(f.Type):
			e := badType(f.Type)
			p.add(fieldUnit, e.Code, "column "+name+": "+e.Message, "")
		default:
			u.columns = append(u.columns, newUnitColumn(slices.Index(columns, name), f.Type))
		}
		if i > 0 {
			u.pairs = append(u.pairs, newWords())
		}
	}
	return u
}

func unitType(t table.Type) bool {
	if t.Kind == table.Timestamp {
		return t.Unit > 0 && 1_000_000_000%t.Unit == 0
	}
	return t.Kind != table.Invalid && t.Kind != table.List
}

// len returns how many units have been numbered.
func (u *units) len() int {
	if n := len(u.pairs); n > 0 {
		return u.pairs[n-1].len()
	}
	return u.columns[0].len()
}

// ofRows returns the unit of each row of a batch whose cell is not dropped, or none.
func (u *units) ofRows(b *table.Batch, cells []int32) ([]int32, error) {
	ids, err := u.columns[0].ofRows(b, cells)
	if err != nil {
		return nil, err
	}
	full := u.columns[0].full()
	for i, pairs := range u.pairs {
		c := &u.columns[i+1]
		next, err := c.ofRows(b, ids)
		if err != nil {
			return nil, err
		}
		for row, id := range ids {
			if ids[row] = next[row]; next[row] >= 0 {
				ids[row] = pairs.id(pair(id, next[row]))
			}
		}
		full = full || c.full() || pairs.len() >= maxUnits
	}
	if full {
		return nil, errUnits
	}
	return ids, nil
}

// pair packs two numbers that are not negative; unpair takes them apart.
func pair(a, b int32) uint64 { return uint64(a)<<32 | uint64(b) }

func unpair(x uint64) (a, b int32) { return int32(x >> 32), int32(x & 0xffffffff) }

// same says that o numbers units of the same columns.
func (u *units) same(o *units) bool {
	return slices.EqualFunc(u.columns, o.columns, func(a, b unitColumn) bool { return a.at == b.at && a.kind == b.kind })
}

// adopt numbers all units that o has numbered, and returns the new number of each.
func (u *units) adopt(o *units) ([]int32, error) {
	ids := u.columns[0].adopt(&o.columns[0])
	full := u.columns[0].full()
	for i, pairs := range u.pairs {
		next := u.columns[i+1].adopt(&o.columns[i+1])
		joined := make([]int32, o.pairs[i].len())
		for n, key := range o.pairs[i].keys {
			a, b := unpair(key)
			joined[n] = pairs.id(pair(ids[a], next[b]))
		}
		ids = joined
		full = full || u.columns[i+1].full() || pairs.len() >= maxUnits
	}
	if full {
		return nil, errUnits
	}
	return ids, nil
}

// appendText appends the canonical form of a unit: of each column, the length of its text and the text.
func (u *units) appendText(dst []byte, id int32) []byte {
	values := make([]int32, len(u.columns))
	for i := len(u.pairs) - 1; i >= 0; i-- {
		id, values[i+1] = unpair(u.pairs[i].keys[id])
	}
	values[0] = id
	for i, v := range values {
		dst = u.columns[i].appendText(dst, v)
	}
	return dst
}
