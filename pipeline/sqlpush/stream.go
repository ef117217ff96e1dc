package sqlpush

import (
	"context"
	"strings"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// Rows returns the input's rows as a dataset for the local engine. Columns are read by the same expressions as in
// statements. Closing the dataset does not close the database.
func (d *Database) Rows() *source.Dataset { return source.OfRows(d.Schema(), d.read) }

func (d *Database) read(ctx context.Context, columns []string, yield func(*table.Batch) error) error {
	exprs := []string{"1 AS l"}
	var types []table.Type
	if len(columns) > 0 {
		exprs = exprs[:0]
		for _, name := range columns {
			c := d.columns[name]
			exprs, types = append(exprs, c.Expr), append(types, c.Type)
		}
	}
	batch := newRowBatch(types)
	return d.reading(ctx, func(tx *session) error {
		rows, err := tx.query(ctx, "SELECT "+strings.Join(exprs, ", ")+" FROM "+d.from)
		if err != nil {
			return failed(ctx, "the database refuses to give the input's rows", err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := batch.scan(rows); err != nil {
				return failed(ctx, "the database's answer is none", err)
			}
			if batch.full() {
				if err := yield(batch.takeRows()); err != nil {
					return err
				}
			}
		}
		if err := rows.Err(); err != nil {
			return failed(ctx, "the database failed while it gave the input's rows", err)
		}
		if batch.rows > 0 {
			return yield(batch.takeRows())
		}
		return nil
	})
}

// Reader runs another engine, such as the local one, over the rows of a database. Like an [Engine], it makes the
// input's fingerprint from the exact answers.
type Reader struct {
	pipeline.Engine
	d    *Database
	over func(rows *source.Dataset) pipeline.Engine
	key  []byte
}

// NewReader returns a reader. over makes the engine for the database's rows; key is as in [New]. Closing the reader
// closes the database.
func NewReader(d *Database, over func(rows *source.Dataset) pipeline.Engine, key []byte) *Reader {
	return &Reader{Engine: over(d.Rows()), d: d, over: over, key: key}
}

// Version returns the version of the table that the reader reads; "" if the table keeps none.
func (r *Reader) Version() string { return r.d.Version() }

// ReadVersion makes the reader read a recorded version of the table, whose columns may differ from today's.
func (r *Reader) ReadVersion(ctx context.Context, version string) error {
	if err := r.d.ReadVersion(ctx, version); err != nil {
		return err
	}
	_ = r.Engine.Close() // Close leaves the database open
	r.Engine = r.over(r.d.Rows())
	return nil
}

// UseScratch sets the folder for temporary files of the engine and of the database.
func (r *Reader) UseScratch(dir string) {
	r.d.UseScratch(dir)
	if s, ok := r.Engine.(pipeline.Scratcher); ok {
		s.UseScratch(dir)
	}
}

// Aggregate runs the engine and makes the input's fingerprint from its answers.
func (r *Reader) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	a, err := r.Engine.Aggregate(ctx, p, o)
	if err != nil {
		return nil, err
	}
	a.Input, err = fingerprint(r.key, a.Exacts)
	return a, err
}

// Digest returns the input's fingerprint; it reads the rows again.
func (r *Reader) Digest(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) ([]byte, error) {
	a, err := r.Aggregate(ctx, p, compared{o})
	if err != nil {
		return nil, err
	}
	return a.Input, nil
}

// Close closes the engine and the database.
func (r *Reader) Close() error {
	_ = r.Engine.Close() // Close leaves the database open
	return r.d.Close()
}
