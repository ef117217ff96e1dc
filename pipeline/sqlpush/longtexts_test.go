//go:build unix

package sqlpush_test

import (
	"os"
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// A text that is too long for the server's functions makes no statement fail. It counts as a text that is not listed.
func TestPostgresFoldsLongTexts(t *testing.T) {
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("a text of 256 MiB: set DPRELEASE_LONG=1")
	}
	if testing.Short() {
		t.Skip("many statements on one connection")
	}
	s := newPostgres(t)
	err := s.Load("long", []stabilitytest.Column{{Name: "c", Kind: stabilitytest.Text}}, []string{"TEXT"},
		[]stabilitytest.Row{{"north"}, {"NORTH "}})
	if err == nil {
		err = s.Exec("INSERT INTO long SELECT repeat('a', 268435460)")
	}
	if err != nil {
		t.Fatal(err)
	}
	p := sqlpushtest.Plan(t, `
version: 1
name: long
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {driver: postgres, dsn: unused, table: long}}
queries: [{name: h, histogram: {by: [{column: c, values: [north], fold: [case, space], other: bin}]}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: long, budget: {epsilon: 2, delta: 1e-5}}
`)
	d, err := s.Open(t.Context(), p, "long")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
	if err != nil {
		t.Fatal(err)
	}
	if cells := got[0].Cells; len(cells) != 2 || cells[0].Int64() != 2 || cells[1].Int64() != 1 {
		t.Errorf("the cells are %v, want two rows and one other", cells)
	}
}
