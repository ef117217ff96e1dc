package sqlpushtest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
)

// Versions tests an engine whose tables keep versions. The table changes after the input is opened and before it is
// read, and between an interrupted run and its resumption.
type Versions struct {
	Source sqlpush.Source
	// Create makes the table anew, with the columns person (an integer) and zone (a text); Insert adds a row to it.
	Create func(t *testing.T)
	Insert func(t *testing.T, person int, zone string)
}

const versionsJob = `version: 1
name: versions
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {sql: {driver: duckdb, table: unused}}
queries:
  - {name: zones, histogram: {by: [{column: zone, values: [north, south], other: bin}]}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: versions, budget: {epsilon: 50, delta: 1e-3}}
`

// Run changes the table between opening and reading, then between a charge and the resumed run, and then replaces it.
func (v *Versions) Run(t *testing.T) {
	p := Plan(t, versionsJob)
	v.Source.Exact = p.Job().ExactColumns()
	v.Create(t)
	empty := v.open(t)
	v.Insert(t, 1, "north")
	v.Insert(t, 2, "south")
	first := v.open(t)
	v.Insert(t, 3, "south")
	second := v.open(t)
	none, one, two := v.answers(t, empty, p), v.answers(t, first, p), v.answers(t, second, p)
	if none == one || one == two || none == two {
		t.Fatalf("the versions are not told apart: %s, %s, %s", none, one, two)
	}
	for _, older := range []struct {
		d    *sqlpush.Database
		want string
	}{{empty, none}, {first, one}} {
		if err := second.ReadVersion(t.Context(), older.d.Version()); err != nil {
			t.Fatal(err)
		}
		if got := v.answers(t, second, p); got != older.want {
			t.Errorf("version %s has the answers %s, and had %s", older.d.Version(), got, older.want)
		}
	}
	v.resume(t, p, first.Version(), false, "")
	v.Create(t)
	v.Insert(t, 4, "north")
	v.Insert(t, 5, "north") // the new table has as many versions as the old one
	v.resume(t, p, first.Version(), false, "input-version")
	v.resume(t, p, first.Version(), true, "")
}

// resume resumes a run that was interrupted after its charge. charged is the version in the ledger. The error of the
// run must have the given code; "" if the run must succeed.
func (v *Versions) resume(t *testing.T, p *pipeline.Plan, charged string, newRelease bool, code string) {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlstore.Named(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	book := ledger.NewBook(store, time.Now)
	charge := p.Charge(filepath.Join(dir, "out"), 1)
	charge.Input = charged
	if _, err := book.Charge(t.Context(), charge); err != nil {
		t.Fatal(err)
	}
	var read *sqlpush.Database
	runner := protocol.Runner{Book: book, Sink: sink.New(), Observer: pipeline.Silent{}, Workers: 1,
		Open: func(context.Context) (pipeline.Engine, error) {
			read = v.open(t)
			return sqlpush.New(read, make([]byte, 32)), nil
		}}
	_, err = runner.Run(t.Context(), protocol.Request{Plan: p, Dir: charge.Dir, NewRelease: newRelease})
	var failed *pipeline.Error
	switch {
	case code != "":
		if !errors.As(err, &failed) || failed.Code != code {
			t.Errorf("the run ended with %v instead of %s", err, code)
		}
	case err != nil:
		t.Error(err)
	case !newRelease && read.Version() != charged:
		t.Errorf("the run was charged for %s, and read %s", charged, read.Version())
	}
	balance, _, err := book.Balance(t.Context(), p.Account())
	if err != nil || balance.Runs != 1 {
		t.Errorf("%d charges, %v", balance.Runs, err)
	}
}

func (v *Versions) open(t *testing.T) *sqlpush.Database {
	t.Helper()
	d, err := sqlpush.Open(t.Context(), v.Source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// answers returns the database's answers as text. The test fails if the local engine has other answers over the same
// rows.
func (v *Versions) answers(t *testing.T, d *sqlpush.Database, p *pipeline.Plan) string {
	t.Helper()
	pushed, err := Answers(t, sqlpush.New(d, make([]byte, 32)), p)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadAll(t, d, p)
	if err != nil || fmt.Sprint(read) != fmt.Sprint(pushed) {
		t.Errorf("version %s: the local engine has %v, %v instead of %v", d.Version(), read, err, pushed)
	}
	return fmt.Sprint(pushed)
}
