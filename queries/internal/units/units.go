// Package units reads the privacy unit of each row, which is the row's values in one or more columns.
package units

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// Reader reads the privacy unit of each row: as 64-bit words if no column holds text, otherwise as bytes. Two rows have
// the same words or bytes if and only if they belong to the same unit. Hashes are not used, because two units with the
// same hash would be merged.
type Reader struct {
	columns []column
	text    bool // at least one column holds text
	// For the last batch:
	words []uint64 // words[i*len(columns)+j] is the word of row i in column j
	buf   []byte   // the last unit that Bytes returned
}

// New returns the Reader of a unit, which is a list of column names. columns are the columns of batches, and s has
// their types. New reports to p each column that is missing or has a type that cannot identify units. floats allows
// columns of floating-point numbers.
func New(unit []string, floats bool, columns []string, s table.Schema, p *problem.Problems) *Reader {
	u := &Reader{}
	for _, name := range unit {
		f, ok := s.Lookup(name)
		switch {
		case !ok:
			problem.UnknownColumn(name, problem.FieldUnit, s, p)
		case !columnar.HasCanonicalForm(f.Type):
			e := problem.BadType(f.Type)
			p.Add(problem.FieldUnit, e.Code, "column "+name+": "+e.Message, e.Hint)
		case f.Type.Kind == table.Float && !floats:
			p.Add(problem.FieldUnit, problem.CodeColumnType, "column "+name+" holds floating-point numbers: identifiers that "+
				"were rounded may have become one",
				"store identifiers as integers, decimals or texts; privacy.float_unit: allow takes numbers that are equal as one "+
					"unit")
		default:
			u.columns = append(u.columns, column{at: slices.Index(columns, name), kind: f.Type})
			u.text = u.text || f.Type.Kind == table.String
		}
	}
	return u
}

// Same reports whether o reads the same columns.
func (u *Reader) Same(o *Reader) bool {
	return slices.EqualFunc(u.columns, o.columns, func(a, b column) bool { return a.at == b.at && a.kind == b.kind })
}

// Open reads the units of a batch. It sets cells[i] to columnar.Dropped if row i has no unit.
func (u *Reader) Open(b *table.Batch, cells []int32) error {
	for i := range u.columns {
		if err := u.columns[i].openBatch(b, cells); err != nil {
			return err
		}
	}
	switch n := len(u.columns); {
	case u.text:
	case n == 1:
		u.words = u.columns[0].words
	default:
		u.words = columnar.Resize(u.words, n*b.Rows)
		for i := range u.columns {
			for row, w := range u.columns[i].words {
				u.words[row*n+i] = w
			}
		}
	}
	return nil
}

// DropEmptyTexts sets cells[i] to columnar.Dropped if row i of the last batch has an empty text in any column.
func (u *Reader) DropEmptyTexts(cells []int32) {
	for i := range u.columns {
		c := &u.columns[i]
		if c.kind.Kind != table.String {
			continue
		}
		for row, cell := range cells {
			if cell >= 0 && len(c.textOf(row)) == 0 {
				cells[row] = columnar.Dropped
			}
		}
	}
}

// Uint64s returns the unit of a row as one word for each column. No column may hold text.
func (u *Reader) Uint64s(row int) []uint64 {
	n := len(u.columns)
	return u.words[row*n : (row+1)*n]
}

// Bytes returns the unit of a row as bytes, valid until the next call. For a column of text, they hold the text after
// its length in four bytes, big-endian; for any other column, the word in eight bytes, little-endian.
func (u *Reader) Bytes(row int) []byte {
	u.buf = u.buf[:0]
	for i := range u.columns {
		c := &u.columns[i]
		if c.kind.Kind != table.String {
			u.buf = binary.LittleEndian.AppendUint64(u.buf, c.words[row])
			continue
		}
		text := c.textOf(row)
		u.buf = append(binary.BigEndian.AppendUint32(u.buf, uint32(len(text))), text...)
	}
	return u.buf
}

// AppendText appends the canonical form of a unit: for each column, the length of the value's text, then the text. unit
// has the form that Bytes returns.
func (u *Reader) AppendText(dst, unit []byte) []byte {
	for i := range u.columns {
		if kind := u.columns[i].kind; kind.Kind != table.String {
			dst = columnar.AppendValue(dst, binary.LittleEndian.Uint64(unit), kind)
			unit = unit[8:]
			continue
		}
		n := 4 + binary.BigEndian.Uint32(unit)
		dst = append(dst, unit[:n]...)
		unit = unit[n:]
	}
	return dst
}

// IsUnit reports whether unit has the form that Bytes returns.
func (u *Reader) IsUnit(unit []byte) bool {
	for i := range u.columns {
		n := uint64(8)
		if u.columns[i].kind.Kind == table.String {
			if len(unit) < 4 {
				return false
			}
			n = 4 + uint64(binary.BigEndian.Uint32(unit))
		}
		if uint64(len(unit)) < n {
			return false
		}
		unit = unit[n:]
	}
	return len(unit) == 0
}

// Hash returns the hash of a unit that Bytes returned, if a column holds text. If the unit is a single column, it
// hashes the text without its length, so that a caller who has the text can hash it without copying.
func (u *Reader) Hash(seed maphash.Seed, unit []byte) uint64 {
	if len(u.columns) == 1 {
		unit = unit[4:]
	}
	return maphash.Bytes(seed, unit)
}

// HasText reports whether any column holds text. If so, use Bytes, otherwise Uint64s or AllWords.
func (u *Reader) HasText() bool { return u.text }

// Columns returns how many columns the unit has.
func (u *Reader) Columns() int { return len(u.columns) }

// AllWords returns the words of all rows of the batch, row by row. No column may hold text.
func (u *Reader) AllWords() []uint64 { return u.words }

// OnlyText returns the text of a row. The unit must be one column of text.
func (u *Reader) OnlyText(row int) []byte { return u.columns[0].textOf(row) }

// AppendWord appends the canonical form of a unit of one column without text. word is the column's word.
func (u *Reader) AppendWord(dst []byte, word uint64) []byte {
	return columnar.AppendValue(dst, word, u.columns[0].kind)
}

// Dictionary returns the dictionary of the unit's column, if the unit is one column of text and caching by dictionary
// value saves time. indexes[i] is the dictionary index of row i, values the number of dictionary values, and id the
// dictionary's identity, or 0. Otherwise indexes is nil.
func (u *Reader) Dictionary() (indexes []int32, values int, id uint64) {
	c := &u.columns[0]
	if len(u.columns) > 1 || !u.text || !c.coded {
		return nil, 0, 0
	}
	return c.indexes, c.values.Len(c.kind.Kind), c.dict
}
