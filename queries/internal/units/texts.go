package units

import (
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Texts reads a row's values in some columns, as canonical texts or as numbers.
type Texts struct {
	columns []column
	// For the last batch: nulls[i][row] is columnar.Dropped if the row's value in column i is null.
	nulls [][]int32
	buf   []byte // the last texts that Row returned
}

// NewTexts returns the texts of the columns with the given names, all of which must have a canonical form. columns are
// the columns of batches, and s has their types.
func NewTexts(names, columns []string, s table.Schema) *Texts {
	t := &Texts{nulls: make([][]int32, len(names))}
	for _, name := range names {
		f, _ := s.Lookup(name)
		t.columns = append(t.columns, column{at: slices.Index(columns, name), kind: f.Type})
	}
	return t
}

// Open reads the columns of a batch.
func (t *Texts) Open(b *table.Batch) error {
	for i := range t.columns {
		t.nulls[i] = columnar.Resize(t.nulls[i], b.Rows)
		clear(t.nulls[i])
		if err := t.columns[i].openBatch(b, t.nulls[i]); err != nil {
			return err
		}
	}
	return nil
}

// Row returns the texts of a row with a byte 0 between them, valid until the next call. Null is the byte 255, which no
// text in UTF-8 holds.
func (t *Texts) Row(row int) []byte {
	t.buf = t.buf[:0]
	for i := range t.columns {
		if i > 0 {
			t.buf = append(t.buf, 0)
		}
		switch c := &t.columns[i]; {
		case t.nulls[i][row] < 0:
			t.buf = append(t.buf, 255)
		case c.kind.Kind == table.String:
			t.buf = append(t.buf, c.textOf(row)...)
		default:
			t.buf = columnar.AppendWord(t.buf, c.words[row], c.kind)
		}
	}
	return t.buf
}

// Types returns the types of the columns.
func (t *Texts) Types() (types []table.Type) {
	for i := range t.columns {
		types = append(types, t.columns[i].kind)
	}
	return types
}

// Remainder returns the number of a row's value in column i modulo m, with the sign of the number, and whether the
// value is not null. The column must hold integers, booleans (0 or 1), dates (days since 1970) or times (nanoseconds
// since 1970). m must be below 2^31.
func (t *Texts) Remainder(i, row int, m int64) (n int64, ok bool) {
	if t.nulls[i][row] < 0 {
		return 0, false
	}
	c := &t.columns[i]
	n = int64(c.words[row]) % m
	if c.kind.Kind == table.Timestamp {
		n = n * c.kind.Unit % m
	}
	return n, true
}
