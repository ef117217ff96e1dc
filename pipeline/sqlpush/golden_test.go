package sqlpush_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

var update = flag.Bool("update", false, "write the golden statements")

// goldenJob has queries for most forms of statements; moreJob, rowsJob and sampledJob have the others.
const goldenJob = `
version: 1
name: golden
privacy: {epsilon: 1, delta: 1e-6, unit: [cab, day], per_unit: {max_rows: 5}}
input:
  sql: {driver: postgres, table: city.trips}
  timezone: America/Bogota
  where: [{column: zone, not_in: [depot]}, {column: fare, min: 0}, {column: t, from: "2013-01-01", before: "2014-01-01"}]
queries:
  - {name: one_number, count: {}}
  - {name: rows_bounded, histogram: {by: [{column: zone, values: [north, "it's", "ü"], null: bin, other: bin}, {column: age, edges: [0, 18, 30, 65]}]}}
  - {name: cells_bounded, histogram: {by: [{column: zone, values: [a, b, c, d, e, f, g, h, i, j]}, {column: t, part: week_of_year}]}, per_unit: {max_groups: 2, max_rows_per_group: 1}}
  - {name: grid, histogram: {by: [{grid: {lat: lat, lon: lon, south: 40, west: -74, north: 41, east: -73, rows: 4, cols: 4}}]}}
  - {name: mean_fare, mean: {column: fare, clamp: [0, 100], by: [{column: t, part: hour_of_week}]}, per_unit: {max_groups: 3, max_rows: 4, max_rows_per_group: 2}}
  - {name: spread, variance: {column: fare, clamp: [-5, 100]}}
  - {name: tables, crosstabs: {by: [{column: zone, values: [north, south]}, {column: shared, values: ["true", "false"]}, {column: age, edges: [0, 18, 65]}], ways: [1, 2]}, per_unit: {max_rows: 2}}
  - {name: clamp_later, mean: {column: fare, clamp: discover, range: [-1, 1000], by: [{column: zone, values: [north, south]}]}, per_unit: {max_groups: 1, max_rows_per_group: 2}}
  - {name: bound_later, sum: {column: fare, clamp: [0, 100], by: [{column: zone, values: [north, south]}]}, per_unit: {max_rows: discover, max_rows_up_to: 20}}
  - {name: own_filter, where: [{column: shared, in: ["true"]}, {column: age, min: 18, max: 64}], histogram: {by: [{column: zone, values: [north, south]}]}}
  - {name: shared_noise, histogram: {by: [{column: t, part: hour_of_day}], noise: auto}, per_unit: {max_groups: 20, max_rows_per_group: 1}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

var goldenSchema = table.Schema{Fields: []table.Field{
	{Name: "cab", Type: table.Type{Kind: table.String}}, {Name: "day", Type: table.Type{Kind: table.Date}}, {Name: "zone",
		Type: table.Type{Kind: table.String}},
	{Name: "age", Type: table.Type{Kind: table.Int}}, {Name: "t", Type: table.Type{Kind: table.Timestamp}}, {Name: "fare",
		Type: table.Type{Kind: table.Float}},
	{Name: "lat", Type: table.Type{Kind: table.Float}}, {Name: "lon",
		Type: table.Type{Kind: table.Float}}, {Name: "shared", Type: table.Type{Kind: table.Bool}},
}}

// Statements change only on purpose: go test ./pipeline/sqlpush -run Golden -update.
func TestGoldenStatements(t *testing.T) {
	p := sqlpushtest.Plan(t, goldenJob)
	for _, name := range sqlpush.Dialects() {
		golden(t, p, name, name+".sql")
	}
}

// moreJob has queries for vectors, nearest points and discovered keys.
const moreJob = `
version: 1
name: golden
privacy: {epsilon: 1, delta: 1e-6, unit: [cab, day], per_unit: {max_rows: 5}}
input: {sql: {driver: postgres, table: city.trips}}
queries:
  - {name: vectors, sum: {columns: [lat, lon, age], clip_l2: 100, by: [{column: zone, values: [north, south]}]}}
  - {name: points, histogram: {by: [{nearest: {lat: lat, lon: lon, points: points.csv, id: id, within_m: 500}, other: bin, as: point}]}}
  - {name: keys, histogram: {by: [{column: zone, keys: discover}, {column: age, edges: [0, 18, 65]}, {column: t, keys: discover}], min_units: 5}, per_unit: {max_groups: 3, max_rows_per_group: 1}}
  - {name: by_keys, mean: {column: fare, clamp: [0, 100], by: [{column: zone, keys: discover}, {column: age, edges: [0, 18, 65]}, {column: t, keys: discover}, {column: shared, values: ["true"]}]}, per_unit: {max_groups: 2, max_rows_per_group: 2}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

func TestMoreGoldenStatements(t *testing.T) {
	p := sqlpushtest.Plan(t, moreJob)
	for _, name := range sqlpush.Dialects() {
		golden(t, p, name, name+".more.sql")
	}
}

// rowsJob has rows as units, so there are no bounds, and queries with the same cells can share a statement.
const rowsJob = `
version: 1
name: golden
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {driver: postgres, table: city.trips}}
queries:
  - {name: rows, count: {}}
  - {name: average, mean: {column: fare, clamp: [0, 100]}}
  - {name: zones, histogram: {by: [{column: zone, values: [a, b, c, d, e, f, g, h, i, j]}]}}
  - {name: fares, sum: {column: fare, clamp: [0, 100], by: [{column: zone, values: [a, b, c, d, e, f, g, h, i, j]}]}}
  - {name: ages, sum: {column: age, clamp: [0, 100], by: [{column: zone, values: [north, south]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

func TestGoldenStatementsOfRows(t *testing.T) {
	p := sqlpushtest.Plan(t, rowsJob)
	for _, name := range sqlpush.Dialects() {
		golden(t, p, name, name+".rows.sql")
	}
}

// sampledJob has sample_by: queries that share a statement, and queries with a filter, a bound or tables of their own,
// which need their own statements.
const sampledJob = `
version: 1
name: golden
privacy: {epsilon: 1, delta: 1e-6, unit: [cab], per_unit: {max_rows: 5, sample_by: [day, age]}}
input: {sql: {driver: postgres, table: city.trips}, where: [{column: fare, min: 0}]}
queries:
  - {name: rows, count: {}}
  - {name: zones, histogram: {by: [{column: zone, values: [north, south], other: bin}]}}
  - {name: fares, sum: {column: fare, clamp: [0, 100], by: [{column: zone, values: [north, south], other: bin}]}}
  - {name: own_filter, where: [{column: shared, in: ["true"]}], mean: {column: age, clamp: [0, 100], by: [{column: zone, values: [north, south]}]}}
  - {name: own_bound, variance: {column: fare, clamp: [0, 100]}, per_unit: {max_rows: 2}}
  - {name: tables, crosstabs: {by: [{column: zone, values: [north, south]}, {column: shared, values: ["true", "false"]}], ways: [1, 2]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

func TestGoldenStatementsOfSamples(t *testing.T) {
	p := sqlpushtest.Plan(t, sampledJob)
	numbers, _, _ := strings.Cut(strings.Replace(sampledJob, "[cab], per_unit: {max_rows: 5, sample_by: [day, age]}",
		"[age], per_unit: {max_rows: 5, sample_by: [day, t]}", 1), "  - {name: zones")
	_, output, _ := strings.Cut(sampledJob, "output: ")
	q := sqlpushtest.Plan(t, numbers+"output: "+output)
	for _, name := range sqlpush.Dialects() {
		golden(t, p, name, name+".sampled.sql")
		golden(t, q, name, name+".numbers.sql")
	}
}

// golden compares statements with the statements in a file.
func golden(t *testing.T, p *pipeline.Plan, name, file string) {
	t.Helper()
	d, err := sqlpush.Assumed(sqlpush.Source{Driver: name, Table: "city.trips"}, goldenSchema)
	if err != nil {
		t.Fatal(err)
	}
	all, err := d.Statements(p)
	if err != nil {
		t.Fatal(name, err)
	}
	var b bytes.Buffer
	for _, s := range all {
		b.WriteString("-- " + s.Query + "\n" + s.Text + ";\n")
	}
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil { //nolint:gosec // public
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(want, b.Bytes()) {
		t.Errorf("the statements for %s are not those of %s (%v)", name, path, err)
	}
}

// If a job uses a column of texts as numbers, the error has an SQL expression that reads the texts as numbers, in every
// dialect.
func TestTextsWhereNumbersBelong(t *testing.T) {
	const job = `
version: 1
name: texts
privacy: {epsilon: 1, delta: 1e-6, unit: [cab], per_unit: {max_rows: 5}}
input: {sql: {driver: %s, table: city.trips}, where: [{column: zone, min: 3}]}
queries:
  - {name: edges, histogram: {by: [{column: zone, edges: [0, 1, 10]}]}}
  - {name: sums, sum: {column: zone, clamp: [0, 10]}}
  - {name: vectors, sum: {columns: [lat, zone], clip_l2: 100}}
  - {name: grid, histogram: {by: [{grid: {lat: lat, lon: zone, south: 0, west: 0, north: 9, east: 9, rows: 3, cols: 3}}]}}
  - {name: points, histogram: {by: [{nearest: {lat: zone, lon: lon, points: points.csv, id: id, within_m: 500}, as: point}]}}
  - {name: values, histogram: {by: [{column: zone, values: ["1", "2"]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`
	for _, name := range sqlpush.Dialects() {
		d, err := sqlpush.Assumed(sqlpush.Source{Driver: name, Table: "city.trips"}, goldenSchema)
		if err != nil {
			t.Fatal(err)
		}
		found := sqlpushtest.Plan(t, fmt.Sprintf(job, name)).Check(d.Schema())
		expression := "TRY_CAST(zone AS double)"
		if name == "postgres" {
			expression = "CASE WHEN pg_input_is_valid(zone, 'double precision') THEN CAST(zone AS double precision) END"
		}
		for _, x := range found {
			if x.Code != "column-type" || !strings.HasSuffix(x.Hint, ": "+expression) {
				t.Errorf("%s: %v", name, x)
			}
		}
		if len(found) != 6 {
			t.Errorf("%s: %d uses are refused: %v", name, len(found), found)
		}
	}
}
