package bounding

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// errUnits is an error of size: one partition of the units has 2^31 - 1 of them.
var errUnits = errors.New("queries: more than 2^31 - 1 privacy units in one of 256 partitions")

// Units reads the privacy unit of rows: as words of 64 bits if no column holds text, else as bytes. Two rows have the
// same words or bytes exactly if they belong to the same unit: nothing is hashed that could merge two units.
type Units struct {
	columns []unitColumn
	text    bool // some column holds text
	// of the last batch
	words []uint64 // of rows, one for each column
	buf   []byte
}

// NewUnits finds the columns of the privacy unit in a schema, of which batches hold some columns, and reports every one that does not fit.
func NewUnits(unit, columns []string, s table.Schema, p *problem.Problems) *Units {
	u := &Units{}
	for _, name := range unit {
		f, ok := s.Lookup(name)
		switch {
		case !ok:
			problem.UnknownColumn(name, problem.FieldUnit, s, p)
		case !columnar.HasCanonicalForm(f.Type):
			e := problem.BadType(f.Type)
			p.Add(problem.FieldUnit, e.Code, "column "+name+": "+e.Message, "")
		default:
			u.columns = append(u.columns, unitColumn{at: slices.Index(columns, name), kind: f.Type})
			u.text = u.text || f.Type.Kind == table.String
		}
	}
	return u
}

// same says that o reads units of the same columns.
func (u *Units) same(o *Units) bool {
	return slices.EqualFunc(u.columns, o.columns, func(a, b unitColumn) bool { return a.at == b.at && a.kind == b.kind })
}

// Open reads the units of the rows of a batch, and drops from cells the rows that have none.
func (u *Units) Open(b *table.Batch, cells []int32) error {
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

// wordsOf returns the unit of a row, if it has no text.
func (u *Units) wordsOf(row int) []uint64 {
	n := len(u.columns)
	return u.words[row*n : (row+1)*n]
}

// bytesOf returns the unit of a row as bytes, valid until it is called again: of each column its word in eight bytes, or
// four bytes of length and the text.
func (u *Units) bytesOf(row int) []byte {
	u.buf = u.buf[:0]
	for i := range u.columns {
		c := &u.columns[i]
		if c.kind.Kind != table.String {
			u.buf = binary.LittleEndian.AppendUint64(u.buf, c.words[row])
			continue
		}
		text := c.text(row)
		u.buf = append(binary.BigEndian.AppendUint32(u.buf, uint32(len(text))), text...)
	}
	return u.buf
}

// appendText appends the canonical form of a unit in bytes, or of its words in eight bytes each: of each column, the length
// of its text and the text.
func (u *Units) appendText(dst, unit []byte) []byte {
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
