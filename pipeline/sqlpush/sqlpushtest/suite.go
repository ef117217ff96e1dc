// Package sqlpushtest is the conformance suite for database engines. It checks that the same rows give the same exact
// answers, whether the database adds them up or the local engine reads them from the database.
package sqlpushtest

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
	"github.com/dprelease/dprelease/queries/problem"
)

// Server is a database for one test.
type Server struct {
	Driver, DSN string
	// Schema holds the test's tables, as catalogue.schema; "" if DSN names the schema.
	Schema string
	// Format is the format of new tables; "" for the database's default.
	Format string
	// Exec runs a statement that returns no rows.
	Exec func(text string) error
	// Type returns the type of a column for CREATE TABLE; "" if the database has none for the kind. It may choose
	// another type for each case.
	Type func(k stabilitytest.Kind, of *stabilitytest.Case) string
	// Literal returns the literal of a cell in a column of a type.
	Literal func(k stabilitytest.Kind, columnType string, cell any) string
	// Quote quotes a name; nil if double quotes are right.
	Quote func(name string) string
	// Slow is set if a statement takes about a second, even for few rows. Tests of very many statements then run only
	// some of them, unless DPRELEASE_LONG is set.
	Slow bool
}

func (s *Server) quote(name string) string {
	if s.Quote != nil {
		return s.Quote(name)
	}
	return strconv.Quote(name)
}

// table returns the quoted name of a table, with its schema.
func (s *Server) table(name string) string {
	if s.Schema == "" {
		return s.quote(name)
	}
	return s.Schema + "." + s.quote(name)
}

// Load makes a table with some rows. It replaces any table of the same name.
func (s *Server) Load(name string, columns []stabilitytest.Column, types []string, rows []stabilitytest.Row) error {
	var defs []string
	for i, c := range columns {
		defs = append(defs, s.quote(c.Name)+" "+types[i])
	}
	if len(defs) == 0 {
		defs = []string{"nothing INT"}
	}
	if err := s.Exec("DROP TABLE IF EXISTS " + s.table(name)); err != nil {
		return err
	}
	create := fmt.Sprintf("CREATE TABLE %s (%s)", s.table(name), strings.Join(defs, ", "))
	if s.Format != "" {
		create += " USING " + s.Format
	}
	if err := s.Exec(create); err != nil {
		return err
	}
	return s.fill(name, columns, types, rows)
}

// fill adds rows to a table.
func (s *Server) fill(name string, columns []stabilitytest.Column, types []string, rows []stabilitytest.Row) error {
	var values []string
	for _, r := range rows {
		cells := []string{"NULL"}[:max(0, 1-len(columns))]
		for i, c := range r {
			cell := "NULL"
			if c != nil {
				cell = s.Literal(columns[i].Kind, types[i], c)
			}
			cells = append(cells, cell)
		}
		values = append(values, "("+strings.Join(cells, ", ")+")")
	}
	if len(values) == 0 {
		return nil
	}
	return s.Exec(fmt.Sprintf("INSERT INTO %s VALUES %s", s.table(name), strings.Join(values, ", ")))
}

// types returns the column types for a case; ok is false if the database lacks one.
func (s *Server) types(c *stabilitytest.Case) (types []string, ok bool) {
	for _, column := range c.Job.Columns {
		t := s.Type(column.Kind, c)
		if t == "" {
			return nil, false
		}
		types = append(types, t)
	}
	return types, true
}

// Open opens a table as the input of a plan.
func (s *Server) Open(ctx context.Context, p *pipeline.Plan, name string) (*sqlpush.Database, error) {
	if s.Schema != "" {
		name = s.Schema + "." + name
	}
	return sqlpush.Open(ctx, sqlpush.Source{Driver: s.Driver, DSN: s.DSN, Table: name, Exact: p.Job().ExactColumns()})
}

// Answers returns the exact answers of an engine, one for each mechanism, and last the input's fingerprint, which is a
// digest of all answers.
func Answers(t testing.TB, e pipeline.Engine, p *pipeline.Plan) (out []stabilitytest.Answer, err error) {
	a, err := e.Aggregate(context.Background(), p, pipeline.Silent{})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	digest := new(big.Int).SetBytes(a.Input) // the digest covers all answers, also those that ChooseWidest drops
	if err := p.ChooseWidest(a.Exacts); err != nil {
		return nil, err
	}
	return append(stabilitytest.Opened(t, p, a.Exacts), stabilitytest.Answer{Cells: []*big.Int{digest}}), nil
}

// Result counts random cases: those tried, compared and refused. Alone counts queries that were compared one by one,
// because the database refused their job as a whole. Unloaded counts tables that could not be made.
type Result struct{ Cases, Equal, Refused, Alone, Unloaded int }

// Equality compares the answers to random jobs on random tables. It counts the jobs that the database refuses before it
// runs anything, and fails if less than a quarter of the jobs are compared as a whole.
func Equality(t *testing.T, s *Server, cases int) {
	t.Helper()
	search := stabilitytest.Search{Seed: stabilitytest.Seed(t), Pairs: cases, PairsPerJob: 2,
		Writers: stabilitytest.Writers()[:1], Labs: []*stabilitytest.Lab{{TB: t, Dir: t.TempDir()}}}
	var r Result
	search.RunBy(func(_ *stabilitytest.Lab, c *stabilitytest.Case) (*stabilitytest.Finding, bool) {
		if t.Failed() {
			return nil, true
		}
		s.compare(t, c, &r)
		return nil, false
	})
	t.Logf("%+v", r)
	if 4*r.Equal < r.Cases {
		t.Errorf("%+v: too few jobs were compared", r)
	}
}

func (s *Server) compare(t *testing.T, c *stabilitytest.Case, r *Result) {
	r.Cases++
	types, ok := s.types(c)
	if !ok {
		r.Unloaded++
		return
	}
	for i := range 2 {
		var rows []stabilitytest.Row
		for _, file := range c.Pair.Table(i) {
			rows = append(rows, file...)
		}
		if err := s.Load("t", c.Job.Columns, types, rows); err != nil {
			t.Fatalf("%s: %v\n%s", c.Note, err, c.Job.YAML())
		}
		same, err := s.Same(t, planOf(t, c.Job), "t")
		if errors.Is(err, ErrRefused) && i == 0 {
			r.Refused++
			s.compareEach(t, c, types, r)
			return
		}
		if err != nil || same != "" {
			t.Fatalf("%s: %v %s\n%s%v%v", c.Note, err, same, c.Job.YAML(), types, c.Pair.Table(i))
		}
	}
	r.Equal++
}

// compareEach compares the queries of a refused job one by one.
func (s *Server) compareEach(t *testing.T, c *stabilitytest.Case, types []string, r *Result) {
	for _, q := range c.Job.Queries {
		alone := *c.Job
		alone.Queries = []string{q}
		if _, diags := alone.Plan("job.yaml", "t.csv"); len(diags) > 0 {
			continue // the keys of this query are discovered by another one
		}
		same, err := s.Same(t, planOf(t, &alone), "t")
		switch {
		case errors.Is(err, ErrRefused):
		case err != nil || same != "":
			t.Fatalf("%s: %v %s\n%s%v%v", c.Note, err, same, alone.YAML(), types, c.Pair.Table(0))
		default:
			r.Alone++
		}
	}
}

func planOf(t *testing.T, j *stabilitytest.Job) *pipeline.Plan {
	t.Helper()
	p, diags := j.Plan(filepath.Join(t.TempDir(), "job.yaml"), "t.csv")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return p
}

// ErrRefused means that the database refused a job before any statement ran.
var ErrRefused = errors.New("the database is not asked")

// Same describes how the database's answers differ from the local engine's answers on the same table; "" if they are
// equal.
func (s *Server) Same(t *testing.T, p *pipeline.Plan, name string) (difference string, err error) {
	d, err := s.Open(t.Context(), p, name)
	if err != nil {
		return "", err
	}
	defer d.Close()
	if diags := p.Check(d.Schema()); len(diags) > 0 {
		return "", fmt.Errorf("%w: %w", ErrRefused, diags)
	}
	want, errRead := ReadAll(t, d, p)
	pushed := sqlpush.New(d, make([]byte, 32))
	if refused := pushed.Refuses(p); refused != nil {
		for _, e := range problem.Errors(refused) {
			if e.Code != sqlpush.CodeNotPushed || !strings.HasPrefix(e.Hint, sqlpush.HintLocal) {
				return "", fmt.Errorf("refused without the remedy: %w", e)
			}
		}
		var failed *pipeline.Error
		if errRead != nil && !(errors.As(errRead, &failed) && failed.Code == problem.CodeRows) {
			return "", fmt.Errorf("refused, with a remedy that fails: %w", errRead)
		}
		return "", ErrRefused
	}
	got, err := Answers(t, pushed, p)
	if err != nil || errRead != nil {
		return "", errors.Join(err, errRead)
	}
	return cmp.Diff(want, got, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })), nil
}

// Cases returns the number of random cases for a test: few, or many if DPRELEASE_LONG is set. DPRELEASE_PAIRS overrides
// both.
func Cases(t *testing.T, few, many int) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("DPRELEASE_PAIRS")); err == nil {
		return n
	}
	if os.Getenv("DPRELEASE_LONG") != "" {
		return many
	}
	return few
}

// Plan makes the plan of a job, given as YAML. Its public files list three points.
func Plan(t testing.TB, text string) *pipeline.Plan {
	t.Helper()
	return planWith(t, text, map[string][]string{"id": {"one", "two", "three"}, "lat": {"10", "40", "70"},
		"lon": {"0", "50", "50"}})
}

// planWith makes the plan of a job, given as YAML. Every public file that it names has the columns public.
func planWith(t testing.TB, text string, public map[string][]string) *pipeline.Plan {
	t.Helper()
	job, diags := configs.Parse(filepath.Join(t.TempDir(), "job.yaml"), []byte(text), configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	p, diags := pipeline.New(job, func(_, column string, _ bool) ([]string, error) { return public[column], nil })
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return p
}

// ReadAll returns the answers of the local engine, which reads the rows of the database.
func ReadAll(t *testing.T, d *sqlpush.Database, p *pipeline.Plan) ([]stabilitytest.Answer, error) {
	t.Helper()
	return Answers(t, newReader(t, d), p)
}

func newReader(t *testing.T, d *sqlpush.Database) *sqlpush.Reader {
	limits := local.Limits{Workers: 1, Memory: 1 << 30, Scratch: t.TempDir(), Separate: true}
	return sqlpush.NewReader(d, func(rows *source.Dataset) pipeline.Engine { return local.NewWithin(rows, limits) },
		make([]byte, 32))
}
