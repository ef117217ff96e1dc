package sqlpush

import (
	"database/sql"
	"errors"

	"github.com/dprelease/dprelease/io/table"
)

// Rows of a database are collected in batches of columns, so that the local engine reads them like the rows of a file.

// A batch ends after maxBatchRows rows, or after the row with which its texts reach maxBatchBytes bytes in total.
const (
	maxBatchRows  = 1 << 14
	maxBatchBytes = 8 << 20
)

// longestText is the length in bytes of the longest text in a batch, whose offsets have 32 bits. Longer texts are read
// as null, as in Arrow files.
const longestText = 1<<31 - 1

// rowBatch collects rows in the columns out. ints, floats and texts receive the values of one row, and into points to
// the one that each column needs.
type rowBatch struct {
	types []table.Type
	out   []table.Column
	rows  int
	bytes int // the total length of the texts

	ints   []sql.NullInt64
	floats []sql.NullFloat64
	texts  []textCell
	into   []any
}

// newRowBatch returns a batch for columns of some types. If types is empty, each row must have one column, which is
// ignored.
func newRowBatch(types []table.Type) *rowBatch {
	n := len(types)
	b := &rowBatch{types: types, ints: make([]sql.NullInt64, n), floats: make([]sql.NullFloat64, n),
		texts: make([]textCell, n)}
	for i, t := range types {
		switch t.Kind {
		case table.Float:
			b.into = append(b.into, &b.floats[i])
		case table.String:
			b.into = append(b.into, &b.texts[i])
		default:
			b.into = append(b.into, &b.ints[i])
		}
	}
	if n == 0 {
		b.into = []any{new(int64)}
	}
	b.reset()
	return b
}

func (b *rowBatch) reset() {
	b.rows, b.bytes, b.out = 0, 0, make([]table.Column, len(b.types))
	for i, t := range b.types {
		b.out[i] = table.Column{Type: t, Valid: make([]bool, 0, maxBatchRows)}
		if t.Kind == table.String {
			b.out[i].Values.Offsets = []uint32{0}
		}
	}
}

// scan adds the current row. The error may hold values of the row and must not be printed.
func (b *rowBatch) scan(rows *sql.Rows) error {
	if err := rows.Scan(b.into...); err != nil {
		return err
	}
	b.rows++
	for i := range b.out {
		c := &b.out[i]
		v := &c.Values
		switch c.Type.Kind {
		case table.Float:
			c.Valid, v.Floats = append(c.Valid, b.floats[i].Valid), append(v.Floats, b.floats[i].Float64)
		case table.String:
			c.Valid, v.Data = append(c.Valid, b.texts[i].valid), append(v.Data, b.texts[i].data...)
			v.Offsets = append(v.Offsets, uint32(len(v.Data)))
			b.bytes += len(b.texts[i].data)
		default:
			c.Valid, v.Ints = append(c.Valid, b.ints[i].Valid), append(v.Ints, b.ints[i].Int64)
		}
	}
	return nil
}

// textCell scans a text or NULL. [sql.RawBytes] cannot be used: if the driver returns strings, it cannot tell the empty
// text from NULL unless an earlier row had a longer text.
type textCell struct {
	data  []byte
	valid bool
}

func (t *textCell) Scan(value any) error {
	t.data, t.valid = t.data[:0], value != nil
	switch v := value.(type) {
	case nil:
	case string:
		t.data = append(t.data, v...)
	case []byte:
		t.data = append(t.data, v...)
	default:
		return errors.New("not a text")
	}
	if len(t.data) > longestText {
		t.data, t.valid = nil, false
	}
	return nil
}

// full reports whether the batch has reached its limit, so that takeRows must be called.
func (b *rowBatch) full() bool { return b.rows == maxBatchRows || b.bytes >= maxBatchBytes }

// takeRows returns the rows and starts a new batch.
func (b *rowBatch) takeRows() *table.Batch {
	out := &table.Batch{Rows: b.rows, Columns: b.out}
	b.reset()
	return out
}
