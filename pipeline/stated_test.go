package pipeline

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

const statedJob = `
version: 1
name: colours
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [people.csv], csv: {types: {age: int}}}
queries:
  - {name: colours, histogram: {by: [{column: colour, values: [red, green]}]}, denoise: [{method: nonnegative}]}
  - {name: ages, mean: {column: age, clamp: [0, 100], by: [{column: colour, values: [red, green]}]}, weight: 2}
  - {name: all, count: {}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 2, delta: 1e-6}}
`

// Each number and sentence of a manifest that follows from its mechanisms or its job is compared with them.
func TestStatedNumbersAreCompared(t *testing.T) {
	p, diags := planOfText(t, statedJob)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	for name, change := range map[string]func(*manifest.Manifest){
		"sigma":                    func(m *manifest.Manifest) { m.Queries[1].Mechanisms[0].Sigma *= 1.5 },
		"sensitivity":              func(m *manifest.Manifest) { m.Queries[0].Mechanisms[0].Sensitivity.L2 /= 2 },
		"mu of a mechanism":        func(m *manifest.Manifest) { m.Queries[0].Mechanisms[0].Mu /= 2 },
		"deviation":                func(m *manifest.Manifest) { m.Queries[0].Mechanisms[0].StandardDeviation /= 2 },
		"noise":                    func(m *manifest.Manifest) { m.Queries[0].Mechanisms[0].Noise = "uniform" },
		"no mechanism":             func(m *manifest.Manifest) { m.Queries[2].Mechanisms = nil },
		"half-width":               func(m *manifest.Manifest) { *m.Queries[0].HalfWidth /= 2 },
		"half-width over rows":     func(m *manifest.Manifest) { m.Queries[0].OverRows = true },
		"mu of the release":        func(m *manifest.Manifest) { m.Privacy.Mu /= 2 },
		"mu squared":               func(m *manifest.Manifest) { m.Privacy.Mu2 = "0.01" },
		"rho":                      func(m *manifest.Manifest) { m.Privacy.Rho /= 2 },
		"epsilon at another delta": func(m *manifest.Manifest) { m.Privacy.EpsilonAt["1e-5"] /= 2 },
		"a larger epsilon there":   func(m *manifest.Manifest) { m.Privacy.EpsilonAt["1e-5"] *= 1.5 },
		"epsilon":                  func(m *manifest.Manifest) { m.Privacy.Epsilon = 0.5 },
		"a larger epsilon":         func(m *manifest.Manifest) { m.Privacy.Epsilon = 2 },
		"a larger delta":           func(m *manifest.Manifest) { m.Privacy.Delta = 1e-5 },
		"delta":                    func(m *manifest.Manifest) { m.Privacy.Delta = 1e-7 },
		"delta_failure":            func(m *manifest.Manifest) { m.Privacy.DeltaFailure = "1e-7" },
		"adjacency":                func(m *manifest.Manifest) { m.Privacy.Adjacency = "replace-one" },
		"unit":                     func(m *manifest.Manifest) { m.Privacy.Unit = []string{"row"} },
		"statement": func(m *manifest.Manifest) {
			m.Privacy.Statement = strings.Replace(m.Privacy.Statement, "(1, 1e-6)", "(0.5, 1e-6)", 1)
		},
		"the job asked another": func(m *manifest.Manifest) {
			m.Job = []byte(strings.Replace(string(m.Job), `"epsilon":1`, `"epsilon":3`, 1))
		},
		"": func(*manifest.Manifest) {},
	} {
		m := p.NewRun().Manifest(manifest.Program{})
		change(&m)
		if err := m.Meets(); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A manifest is refused if the selections of its queries together take more of delta than it states.
func TestSelectionsTakeDeltaTogether(t *testing.T) {
	p, diags := planOfText(t, strings.Replace(statedJob, "  - {name: all, count: {}}", `  - {name: words, histogram: {by: [{column: word, keys: discover}]}, per_unit: {max_groups: 1}}
  - {name: places, histogram: {by: [{column: place, keys: discover}]}, per_unit: {max_groups: 1}}`, 1))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	m := p.NewRun().Manifest(manifest.Program{})
	if err := m.Meets(); err != nil {
		t.Fatal(err)
	}
	last := &m.Queries[3]
	m.Privacy.DeltaFailure = strconv.FormatFloat(last.Selection.Delta*1.5, 'g', -1, 64)
	if err := m.Meets(); err == nil || !strings.Contains(err.Error(), "take more of delta") {
		t.Errorf("%v", err)
	}
}

// The deviation of a query with several tables is the largest deviation of a table, at any position.
func TestDeviationIsTheLargest(t *testing.T) {
	q := Planned{Strategy: &query.Strategy{Tables: []query.StrategyTable{{Deviation: 2}, {Deviation: 5}, {Deviation: 3}}}}
	if got := q.Deviation(); got != 5 {
		t.Errorf("deviation %g", got)
	}
}

// WithOtherDelta of a plan with delta 0 returns the noise that the same job would have with a small delta, for all
// components of its queries.
func TestComparedNoiseIsThatOfTheOtherPlan(t *testing.T) {
	queries := []string{stays(byWard), "count: {}", "variance: {column: days, clamp: [0, 20]}"}
	pure, gaussian := planOfStays(t, "0", "row", "", queries...), planOfStays(t, "1e-6", "row", "", queries...)
	var want []float64
	for i := range gaussian.queries {
		for _, m := range gaussian.queries[i].Mechanisms {
			want = append(want, m.Deviation())
		}
	}
	if got := pure.WithOtherDelta(); got == nil || !slices.Equal(got.Deviations, want) {
		t.Errorf("%+v, want %v", got, want)
	}
}

// The data domain in the manifest of several tables lists the columns that joins read, and the filters of all tables.
func TestDataDomainOfTables(t *testing.T) {
	p, diags := planOfText(t, `
version: 1
name: visits
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input:
  tables:
    persons: {files: [persons.csv], unit: [id], where: [{column: alive, in: [yes]}]}
    visits:
      files: [visits.csv]
      unit: [person]
      join: [{table: persons, add: [age]}]
      where: [{column: kind, in: [a]}, {column: age, not_null: true}]
queries:
  - {name: visits, from: visits, count: {}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 2, delta: 1e-6}}
`)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	d := p.NewRun().Manifest(manifest.Program{}).Privacy.DataDomain
	slices.Sort(d.Columns)
	want := []string{"persons.age", "persons.alive", "persons.id", "visits.kind", "visits.person"}
	if !slices.Equal(d.Columns, want) || d.Filters != 3 {
		t.Errorf("%v, %d filters; want %v, 3", d.Columns, d.Filters, want)
	}
}
