package sqlpushtest

import (
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// afterFirst is an observer that calls change after the first statement of a run.
type afterFirst struct{ change func() }

func (o afterFirst) Progress(s pipeline.Stage, done, _ int) {
	if s == pipeline.StageAggregate && done == 1 {
		o.change()
	}
}

// Altered checks that a run fails if the columns of its table change after the table was opened: before it is read, or
// between two statements. The unit is read as an integer: 1.2 and 1.4 would become one unit, and a cast of a text would
// fail for some values and not for others. In PostgreSQL nobody can alter a table between two statements.
func Altered(t *testing.T, s *Server) {
	p := Plan(t, alteredJob)
	columns := []stabilitytest.Column{{Name: "u", Kind: stabilitytest.Int64}, {Name: "x", Kind: stabilitytest.Float64}}
	load := func(kind stabilitytest.Kind, units ...any) {
		t.Helper()
		columns[0].Kind = kind
		of, rows := &stabilitytest.Case{}, []stabilitytest.Row(nil)
		for _, u := range units {
			rows = append(rows, stabilitytest.Row{u, 1.5})
		}
		if err := s.Load("altered", columns, []string{s.Type(kind, of), s.Type(stabilitytest.Float64, of)}, rows); err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range []func(){
		func() { load(stabilitytest.Float64, 1.2, 1.4) },
		func() { load(stabilitytest.Text, "one", "two") },
	} {
		open := func() *sqlpush.Database {
			t.Helper()
			load(stabilitytest.Int64, int64(1), int64(2))
			d, err := s.Open(t.Context(), p, "altered")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			return d
		}
		refused := func(when string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), "were changed after the run had read their types") {
				t.Errorf("a table that is altered %s: %v", when, err)
			}
		}
		d := open()
		change()
		_, err := sqlpush.New(d, nil).Aggregate(t.Context(), p, pipeline.Silent{})
		refused("before the statements", err)
		_, err = ReadAll(t, d, p)
		refused("before its rows are read", err)
		if s.Driver == "postgres" {
			continue
		}
		if _, err = sqlpush.New(open(), nil).Aggregate(t.Context(), p, afterFirst{change}); err == nil {
			t.Error("a table that is altered between two statements is read") // some engines fail in the second statement
		}
	}
}

const alteredJob = `
version: 1
name: altered
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 1}}
input: {sql: {driver: postgres, dsn: unused, table: altered}}
queries:
  - {name: all, count: {}}
  - {name: sums, sum: {column: x, clamp: [0, 2], by: [{column: x, edges: [0, 1, 2]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`
