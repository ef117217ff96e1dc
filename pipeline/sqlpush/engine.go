package sqlpush

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/problem"
)

// Engine executes a plan's aggregations in a database. It implements pipeline.Engine.
type Engine struct {
	*Database
	key []byte
}

var (
	_ pipeline.Engine    = (*Engine)(nil)
	_ pipeline.Refuser   = (*Engine)(nil)
	_ pipeline.Scratcher = (*Engine)(nil)
)

// New returns an engine over a database. Closing the engine closes the database. key is the secret key for the input's
// fingerprint. If it is empty, a random key is used, so that no two fingerprints are equal.
func New(d *Database, key []byte) *Engine { return &Engine{d, key} }

// fingerprint returns a keyed digest of the exact answers, which stands for the digest of an input in a database.
// Engines that give the same answers have the same fingerprint. A change of the table that changes no answer does not
// change the fingerprint. If the key is empty, a random key is used.
func fingerprint(key []byte, exacts [][]mechanism.Exact) ([]byte, error) {
	if len(key) == 0 {
		key = make([]byte, 32)
		_, _ = rand.Read(key) // crypto/rand never returns an error
	}
	return mechanism.Fingerprint(key, slices.Concat(exacts...)...)
}

// Refuses returns the reasons why the database cannot execute a plan's aggregations; nil if it can. Errors are of type
// *problem.Error; see [problem.Errors].
func (e *Engine) Refuses(p *pipeline.Plan) error {
	_, err := e.Statements(p)
	return err
}

// Statements returns the SQL statements that answer a plan's queries. Errors are as for [Engine.Refuses].
func (d *Database) Statements(p *pipeline.Plan) ([]Statement, error) {
	in := &input{dialect: d.dialect, from: d.from, columns: d.columns}
	return in.statements(p)
}

// Aggregate runs the plan's statements and returns their totals as exact answers.
func (e *Engine) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	statements, err := e.Statements(p)
	if err != nil {
		return nil, err
	}
	of, err := p.Aggregations(e.Schema())
	if err != nil {
		return nil, err
	}
	to, err := queries.NewSeparately(of, room{})
	if err != nil {
		return nil, err
	}
	a := &pipeline.Aggregates{}
	o.Progress(pipeline.StageAggregate, 0, len(statements))
	err = e.reading(ctx, func(tx *session) error {
		if err := e.countRows(ctx, tx, p); err != nil {
			return err
		}
		for i := range statements {
			s := &statements[i]
			if err := addTotals(ctx, tx, s, to); err != nil {
				return err
			}
			o.Progress(pipeline.StageAggregate, i+1, len(statements))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if a.Exacts, err = p.HideAllTotals(to); err != nil {
		return nil, err
	}
	a.Input, err = fingerprint(e.key, a.Exacts)
	return a, err
}

// Digest returns the input's fingerprint. It runs the statements again, because the fingerprint is made from the
// answers.
func (e *Engine) Digest(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) ([]byte, error) {
	a, err := e.Aggregate(ctx, p, compared{o})
	if err != nil {
		return nil, err
	}
	return a.Input, nil
}

// compared is an observer that reports all stages as StageCompare, the stage of comparing an input with a release's.
type compared struct{ pipeline.Observer }

func (c compared) Progress(_ pipeline.Stage, done, total int) {
	c.Observer.Progress(pipeline.StageCompare, done, total)
}

// countRows returns an error if the job declares a public number of rows and the input has another number.
func (e *Engine) countRows(ctx context.Context, tx *session, p *pipeline.Plan) error {
	if p.Rows() == 0 {
		return nil
	}
	var n int64
	if err := tx.value(ctx, "SELECT COUNT(*) AS n FROM "+e.from, &n); err != nil {
		return failed(ctx, "the database cannot count the input's rows", err)
	}
	if n != p.Rows() {
		return &pipeline.Error{
			Cause: pipeline.CauseInput, Code: problem.CodeRows,
			Message: "the input has another number of rows than the job declares",
			Hint:    "input.rows is the public number of rows of the table, before any filter",
		}
	}
	return nil
}

// addTotals runs a statement and adds its totals to the accumulators of its queries.
func addTotals(ctx context.Context, tx *session, s *Statement, to []*queries.Accumulator) error {
	rows, err := tx.query(ctx, s.Text)
	if err != nil {
		return failed(ctx, "the database refuses the statement of query "+s.Query, err)
	}
	defer rows.Close()
	for rows.Next() {
		totals, counts, err := scanTotals(rows, s.answers)
		for i := range totals {
			if s.sets != nil {
				if totals[i].Table != s.sets[i] {
					continue
				}
				totals[i].Table = 0
			}
			if err == nil && counts {
				err = to[s.answers[i].query].AddTotal(totals[i])
			}
		}
		if err != nil {
			return failed(ctx, "the database's answer to query "+s.Query+" is none", err)
		}
	}
	if err := rows.Err(); err != nil {
		return failed(ctx, "the database failed in query "+s.Query, err)
	}
	return nil
}
