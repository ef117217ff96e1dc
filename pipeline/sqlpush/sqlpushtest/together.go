package sqlpushtest

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Together compares counts, sums, means and variances with the same rows and cells, which one statement may answer.
// Rows without a value count in some of the queries, and some cells have only such rows. The tables have rows or none.
func Together(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "zone", Kind: stabilitytest.Text}, {Name: "x", Kind: stabilitytest.Float64},
		{Name: "i", Kind: stabilitytest.Int64}}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	p := Plan(t, `
version: 1
name: together
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {driver: postgres, dsn: unused, table: together}}
queries:
  - {name: rows, count: {}}
  - {name: total, sum: {column: x, clamp: [0, 100]}}
  - {name: average, mean: {column: x, clamp: [-100, 1e6]}}
  - {name: whole, mean: {column: i, clamp: [-5, 5]}}
  - {name: spread, variance: {column: x, clamp: [-5, 100]}}
  - {name: zones, histogram: {by: [{column: zone, values: [a, b, c, d, e, f, g, h, i, j], null: bin}]}}
  - {name: sums, sum: {column: x, clamp: [0, 100], by: [{column: zone, values: [a, b, c, d, e, f, g, h, i, j], null: bin}]}}
  - {name: means, mean: {column: i, clamp: [-5, 9], by: [{column: zone, values: [a, b, c, d, e, f, g, h, i, j], null: bin}]}}
  - {name: cells, where: [{column: zone, not_in: [b]}], histogram: {by: [{column: i, edges: [-10, 0, 3, 10]}, {column: zone, values: [a, b]}]}}
  - {name: spreads, where: [{column: zone, not_in: [b]}], variance: {column: x, clamp: [0, 9], by: [{column: i, edges: [-10, 0, 3, 10]}, {column: zone, values: [a, b]}]}}
  - {name: own, where: [{column: zone, not_in: [b]}], sum: {column: i, clamp: [0, 9], by: [{column: i, edges: [-10, 0, 3, 10]}, {column: zone, values: [a, b]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: together, budget: {epsilon: 2, delta: 1e-5}}
`)
	var rows []stabilitytest.Row
	if err := s.Load("together", columns, types, rows); err != nil {
		t.Fatal(err)
	}
	if same, err := s.Same(t, p, "together"); err != nil || same != "" {
		t.Fatalf("no rows: %v\n%s", err, same)
	}
	values := []any{nil, math.NaN(), math.Inf(1), -1e300, -7.0, 0.5, 3.0, 99.5, 1e5, 1e300}
	for k, zone := range []any{"a", "b", "c", "j", "k", "", nil} {
		for n := range 30 {
			row := stabilitytest.Row{zone, values[(n+k)%len(values)], int64(n - 12)}
			if zone == "c" {
				row[1], row[2] = values[n%2], nil
			}
			rows = append(rows, row)
		}
	}
	if err := s.Load("together", columns, types, rows); err != nil {
		t.Fatal(err)
	}
	if same, err := s.Same(t, p, "together"); err != nil || same != "" {
		t.Fatalf("%v\n%s", err, same)
	}
}
