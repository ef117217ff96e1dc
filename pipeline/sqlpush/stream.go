package sqlpush

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// A batch ends with so many rows, or with the row whose texts make it so many bytes long.
const (
	streamed      = 1 << 14
	streamedBytes = 8 << 20
)

// longest is the length in bytes of the longest text. Longer ones are null, as those of Arrow files are: offsets of a batch are of 32 bits.
const longest = 1<<31 - 1

// Rows returns the input's rows as a dataset, which the local engine reads. Columns are read by the same expressions as in statements. Closing the
// dataset does not close the database.
func (d *Database) Rows() *source.Dataset { return source.OfRows(d.Schema(), d.read) }

func (d *Database) read(ctx context.Context, columns []string, yield func(*table.Batch) error) error {
	exprs := []string{"1 AS l"}
	batch := newRowBatch(nil)
	if len(columns) > 0 {
		exprs = exprs[:0]
		var of []Column
		for _, name := range columns {
			c := d.columns[name]
			exprs, of = append(exprs, c.Expr), append(of, c)
		}
		batch = newRowBatch(of)
	}
	return d.within(ctx, func(tx *session) error {
		rows, err := tx.query(ctx, "SELECT "+strings.Join(exprs, ", ")+" FROM "+d.from)
		if err != nil {
			return failed(ctx, "the database refuses to give the input's rows", err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := batch.scan(rows); err != nil {
				return failed(ctx, "the database's answer is none", err)
			}
			if batch.rows == streamed || batch.bytes >= streamedBytes {
				if err := yield(batch.take()); err != nil {
					return err
				}
			}
		}
		if err := rows.Err(); err != nil {
			return failed(ctx, "the database failed while it gave the input's rows", err)
		}
		if batch.rows > 0 {
			return yield(batch.take())
		}
		return nil
	})
}

// rowBatch gathers rows.
type rowBatch struct {
	columns []Column
	out     []table.Column
	rows    int
	bytes   int // of texts

	ints   []sql.NullInt64
	floats []sql.NullFloat64
	texts  []textCell
	into   []any
}

func newRowBatch(columns []Column) *rowBatch {
	n := len(columns)
	b := &rowBatch{columns: columns, ints: make([]sql.NullInt64, n), floats: make([]sql.NullFloat64, n), texts: make([]textCell, n)}
	for i, c := range columns {
		switch c.Type.Kind {
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
	b.rows, b.bytes, b.out = 0, 0, make([]table.Column, len(b.columns))
	for i, c := range b.columns {
		b.out[i] = table.Column{Type: c.Type, Valid: make([]bool, 0, streamed)}
		if c.Type.Kind == table.String {
			b.out[i].Values.Offsets = []uint32{0}
		}
	}
}

// scan adds the row at hand.
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

// textCell is a text or NULL. [sql.RawBytes] cannot tell the empty text of a driver that returns strings from NULL, unless a row before it had a longer one.
type textCell struct {
	data  []byte
	valid bool
}

// Scan copies a value.
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
	if len(t.data) > longest {
		t.data, t.valid = nil, false
	}
	return nil
}

// take returns the rows as a batch.
func (b *rowBatch) take() *table.Batch {
	out := &table.Batch{Rows: b.rows, Columns: b.out}
	b.reset()
	return out
}

// Reader is an engine of another package that reads the rows of a database: its answers stand for the input as those of an [Engine] do.
type Reader struct {
	pipeline.Engine
	d   *Database
	key []byte
}

// NewReader returns a reader. Closing it closes the database.
func NewReader(d *Database, rows pipeline.Engine, key []byte) *Reader {
	return &Reader{Engine: rows, d: d, key: key}
}

// UseScratch is that of the engine.
func (r *Reader) UseScratch(dir string) {
	if s, ok := r.Engine.(pipeline.Scratcher); ok {
		s.UseScratch(dir)
	}
}

// Aggregate adds the rows up and takes the fingerprint of the answers.
func (r *Reader) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	a, err := r.Engine.Aggregate(ctx, p, o)
	if err != nil {
		return nil, err
	}
	a.Input, err = Fingerprint(r.key, a.Exacts)
	return a, err
}

// Digest reads the rows again.
func (r *Reader) Digest(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) ([]byte, error) {
	a, err := r.Aggregate(ctx, p, compared{o})
	if err != nil {
		return nil, err
	}
	return a.Input, nil
}

// Close closes engine and database.
func (r *Reader) Close() error {
	_ = r.Engine.Close() // it holds nothing but the database
	return r.d.Close()
}
