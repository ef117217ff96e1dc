package sqlpushtest

import (
	"errors"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Stability draws random pairs of neighbouring tables, and fails if the database's exact answers on a pair are further
// apart than the declared sensitivity. Jobs contain only queries that databases answer; the test also fails if less
// than three quarters of the pairs were compared.
func Stability(t *testing.T, s *Server, pairs int) {
	t.Helper()
	lab := &stabilitytest.Lab{TB: t, Dir: t.TempDir()}
	search := stabilitytest.Search{
		Seed: stabilitytest.Seed(t) +
			1, Pairs: pairs, PairsPerJob: 5, Writers: stabilitytest.Writers()[:1], Labs: []*stabilitytest.Lab{lab},
		Mask: func(j *stabilitytest.Job) bool { return s.mask(t, j) },
	}
	tried := &trial{Server: s}
	defer tried.close()
	r := search.RunBy(func(_ *stabilitytest.Lab, c *stabilitytest.Case) (*stabilitytest.Finding, bool) {
		of, err := tried.answers(t, c)
		switch {
		case errors.Is(err, ErrRefused):
			return nil, true
		case err != nil:
			return &stabilitytest.Finding{What: err.Error(), Case: c}, false
		}
		return c.Within(tried.plan, of), false
	})
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if 4*(r.Pairs-r.Skipped) < 3*r.Pairs {
		t.Errorf("%d of %d pairs were skipped", r.Skipped, r.Pairs)
	}
}

// kinds maps the kinds of drawn columns to the kinds as which a database's columns are read.
var kinds = map[stabilitytest.Kind]table.Kind{
	stabilitytest.Int64: table.Int, stabilitytest.Int32: table.Int, stabilitytest.Whole: table.Int,
	stabilitytest.Float64: table.Float, stabilitytest.Float32: table.Float,
	stabilitytest.Cents: table.Float, stabilitytest.Bool: table.Bool, stabilitytest.Text: table.String,
	stabilitytest.Date:    table.Date,
	stabilitytest.Instant: table.Timestamp, stabilitytest.Clock: table.Timestamp,
}

// mask removes from a job the queries that no database answers; it tries a query that needs the keys of another one
// together with the queries that remain. It returns false if none remains.
func (s *Server) mask(t *testing.T, j *stabilitytest.Job) bool {
	t.Helper()
	if j.Tables != nil {
		return false
	}
	var schema table.Schema
	for _, c := range j.Columns {
		kind, ok := kinds[c.Kind]
		if !ok || s.Type(c.Kind, &stabilitytest.Case{Job: j}) == "" {
			return false
		}
		schema.Fields = append(schema.Fields, table.Field{Name: c.Name, Type: table.Type{Kind: kind}})
	}
	d, err := sqlpush.Assumed(sqlpush.Source{Driver: s.Driver, Table: "t"}, schema)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(queries ...string) bool {
		alone := *j
		alone.Queries = queries
		p, diags := alone.Plan("job.yaml", "t.csv")
		if len(diags) > 0 {
			return false
		}
		_, err := d.Statements(p)
		return err == nil
	}
	var alone []string
	for _, q := range j.Queries {
		if asked(q) {
			alone = append(alone, q)
		}
	}
	j.Queries = slices.DeleteFunc(j.Queries, func(q string) bool {
		return !slices.Contains(alone, q) && !asked(append(slices.Clone(alone), q)...)
	})
	if len(j.Queries) == 0 {
		return false
	}
	_, diags := j.Plan("job.yaml", "t.csv")
	return len(diags) == 0
}

// trial is the table of a job, which is emptied and filled again for each pair.
type trial struct {
	*Server
	job   string
	plan  *pipeline.Plan
	types []string
	input *sqlpush.Database
	err   error
}

func (r *trial) close() {
	if r.input != nil {
		_ = r.input.Close()
		r.input = nil
	}
}

// begin makes the table for the case's job, unless the previous case had the same job.
func (r *trial) begin(t *testing.T, c *stabilitytest.Case) error {
	text := c.Job.YAML()
	if text == r.job {
		return r.err
	}
	r.close()
	r.job = text
	r.err = r.make(t, c)
	return r.err
}

func (r *trial) make(t *testing.T, c *stabilitytest.Case) (err error) {
	var ok bool
	if r.types, ok = r.Server.types(c); !ok {
		return ErrRefused
	}
	r.plan = planOf(t, c.Job)
	if err := r.Load("t", c.Job.Columns, r.types, nil); err != nil {
		return err
	}
	if r.input, err = r.Open(t.Context(), r.plan, "t"); err != nil {
		return err
	}
	if diags := r.plan.CheckWith(sqlpush.New(r.input, nil)); len(diags) > 0 {
		return ErrRefused
	}
	return nil
}

// answers returns the database's answers on the two tables of a pair.
func (r *trial) answers(t *testing.T, c *stabilitytest.Case) (of [2][]stabilitytest.Answer, err error) {
	if err := r.begin(t, c); err != nil {
		return of, err
	}
	for i := range of {
		if err := r.Exec("TRUNCATE TABLE " + r.quote("t")); err != nil {
			return of, err
		}
		if err := r.fill("t", c.Job.Columns, r.types, slices.Concat(c.Pair.Table(i)...)); err != nil {
			return of, err
		}
		if of[i], err = Answers(t, sqlpush.New(r.input, make([]byte, 32)), r.plan); err != nil {
			return of, err
		}
	}
	return of, nil
}
