package sqlpush

import (
	"context"
	"strings"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// Rows returns the input's rows as a dataset for the local engine. It reads columns by the same expressions as
// statements do. Closing the dataset does not close the database.
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

// Reader runs an engine of another package over the rows of a database. Like an [Engine], it uses the exact answers as
// the input's fingerprint.
type Reader struct {
	pipeline.Engine
	d    *Database
	over func(rows *source.Dataset) pipeline.Engine
	key  []byte
}

// NewReader returns a reader. over returns the engine for the database's rows. Closing the reader closes the database.
func NewReader(d *Database, over func(rows *source.Dataset) pipeline.Engine, key []byte) *Reader {
	return &Reader{Engine: over(d.Rows()), d: d, over: over, key: key}
}

// Version returns the version of the input that the reader reads.
func (r *Reader) Version() string { return r.d.Version() }

// ReadVersion makes the reader read a version that was recorded, whose columns may differ.
func (r *Reader) ReadVersion(ctx context.Context, version string) error {
	if err := r.d.ReadVersion(ctx, version); err != nil {
		return err
	}
	_ = r.Engine.Close() // it holds only the database
	r.Engine = r.over(r.d.Rows())
	return nil
}

// UseScratch sets the scratch folder of the engine and of the database.
func (r *Reader) UseScratch(dir string) {
	r.d.UseScratch(dir)
	if s, ok := r.Engine.(pipeline.Scratcher); ok {
		s.UseScratch(dir)
	}
}

// Aggregate runs the engine and computes the fingerprint of its answers.
func (r *Reader) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	a, err := r.Engine.Aggregate(ctx, p, o)
	if err != nil {
		return nil, err
	}
	a.Input, err = fingerprint(r.key, a.Exacts)
	return a, err
}

// Digest reads the rows again and computes the fingerprint.
func (r *Reader) Digest(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) ([]byte, error) {
	a, err := r.Aggregate(ctx, p, compared{o})
	if err != nil {
		return nil, err
	}
	return a.Input, nil
}

// Close closes the engine and the database.
func (r *Reader) Close() error {
	_ = r.Engine.Close() // it holds only the database
	return r.d.Close()
}
