package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

const whereJob = `version: 1
name: visits
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [visits.csv], csv: {types: {age: int}}, where: [{column: place, not_in: [closed]}]}
units: {visits: {count: {}}}
queries:
  - {name: all, count: {}}
  - {name: pool, where: [{column: place, in: [pool]}], count: {}}
  - {name: old, where: [{column: age, min: 30}, {column: place, not_null: true}], histogram: {by: [{column: place, values: [pool, gym]}]}}
  - {name: pool_too, where: [{column: place, in: [pool]}], mean: {column: age, clamp: [0, 100]}}
  - {name: often, over: units, where: [{column: visits, min: 3}], count: {}}
  - {name: everybody, over: units, count: {}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: visits, budget: {epsilon: 9, delta: 1e-4}}
`

// A query with conditions of its own bounds a unit among the rows that meet them, whatever other queries count: their
// rows of units are kept apart unless they have the same conditions.
func TestConditionsOfOneQuery(t *testing.T) {
	dir := t.TempDir()
	rows := []string{"person,place,age"}
	for person := range 40 {
		for _, row := range []string{"gym,20", "gym,20", "gym,50", "pool,40", "pool,40", "pool,10", "closed,50"} {
			rows = append(rows, fmt.Sprintf("p%d,%s", person, row))
		}
	}
	rows = append(rows, "single,pool,70", "single,,70")
	if err := os.WriteFile(filepath.Join(dir, "visits.csv"), []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), []byte(whereJob))
	data, err := source.Open(t.Context(), wiring.SourceOptions(p.Job()))
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(data, 2)
	defer e.Close()
	answers := openAll(t, p, e)
	got := func(query, component, cell int) int {
		n, _ := answers[query][component][cell].Int64()
		return int(n)
	}
	for _, c := range []struct {
		name                         string
		query, component, cell, want int
	}{
		{"all", 0, 0, 0, 2*40 + 2},
		{"pool", 1, 0, 0, 2*40 + 1},
		{"rows of the second mean", 3, 1, 0, 2*40 + 1},
		{"persons with three visits", 4, 0, 0, 40},
		{"persons", 5, 0, 0, 41},
	} {
		if n := got(c.query, c.component, c.cell); n != c.want {
			t.Errorf("%s: %d, want %d", c.name, n, c.want)
		}
	}
	// Of three rows of a person from 30 years on, two count.
	if pool, gym := got(2, 0, 0), got(2, 0, 1); pool+gym != 2*40+1 || pool <= gym {
		t.Errorf("%d in the pool and %d in the gym", pool, gym)
	}
}

// Data checks look at the rows that meet a query's own conditions: a column that only they have is usable, and
// conditions that no row meets are found.
func TestDataChecksOfConditions(t *testing.T) {
	dir := t.TempDir()
	rows := []string{"person,status,wage"}
	for person := range 200 {
		rows = append(rows, fmt.Sprintf("p%d,%s", person, []string{"employed,20", "other,"}[min(person%50, 1)]))
	}
	if err := os.WriteFile(filepath.Join(dir, "wages.csv"), []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), []byte(`version: 1
name: wages
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 1}}
input: {files: [wages.csv], csv: {types: {wage: float}}}
units: {wages: {count: {}}}
queries:
  - {name: wages, where: [{column: status, in: [employed]}], mean: {column: wage, clamp: [0, 100]}}
  - {name: none, where: [{column: status, in: [emploied]}], count: {}}
  - {name: often, over: units, where: [{column: wages, min: 2}], count: {}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: wages, budget: {epsilon: 9, delta: 1e-4}}
`))
	data, err := source.Open(t.Context(), wiring.SourceOptions(p.Job()))
	if err != nil {
		t.Fatal(err)
	}
	e := local.NewWithin(data, local.Limits{Workers: 2, Look: local.LookAll})
	defer e.Close()
	if diags := p.CheckWith(e); len(diags) > 0 {
		t.Fatal(diags)
	}
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.Findings(a.Checks) {
		got = append(got, fmt.Sprint(f.Unusable, " ", f.Line, ": ", f.Message))
	}
	want := []string{"false 8: no row meets the conditions of query none",
		"false 9: no unit meets the conditions of query often"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
