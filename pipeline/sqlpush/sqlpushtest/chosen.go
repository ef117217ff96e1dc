package sqlpushtest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// Chosen compares totals for queries whose clamp or row bound is chosen after the rows are read, and for cells with
// common noise: tables by bin, by rank and of units. The comparison covers all totals, so the answers are equal for
// every choice. It fails if the database refuses a query.
func Chosen(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "u", Kind: stabilitytest.Int64}, {Name: "c", Kind: stabilitytest.Text},
		{Name: "i", Kind: stabilitytest.Int64}, {Name: "f", Kind: stabilitytest.Float64}}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	if err := s.Load("chosen", columns, types, heavyTails()); err != nil {
		t.Fatal(err)
	}
	shared := false
	for _, unit := range []string{"row", "[u], per_unit: {max_rows: 3}",
		"[u], per_unit: {max_groups: 2, max_rows_per_group: 2}", "[u], per_unit: {max_groups: 3, max_rows_per_group: 4, " +
			"max_rows: 6}", "[u], per_unit: {max_rows: 1000}"} {
		queries := clampsLater
		if unit != "row" {
			queries = append(queries[:len(queries):len(queries)], boundsLater...)
		}
		p := Plan(t, fmt.Sprintf(`
version: 1
name: chosen
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: chosen}}
queries:
%s
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: chosen, budget: {epsilon: 2, delta: 1e-5}}
`, unit, strings.Join(queries, "\n")))
		for _, q := range p.Queries() {
			for _, c := range q.Components {
				shared = shared || c.Name == "units"
			}
		}
		if same, err := s.Same(t, p, "chosen"); err != nil || same != "" {
			t.Fatalf("unit %s: %v\n%s", unit, err, same)
		}
	}
	if !shared {
		t.Error("no cells share noise")
	}
}

// heavyTails returns rows of units with 1 to 60 rows. Their values have all magnitudes, at and next to the edges of
// bins.
func heavyTails() (rows []stabilitytest.Row) {
	values := []any{nil, math.NaN(), math.Inf(1), math.Inf(-1), 0.0, math.Copysign(0, -1), 5e-324, -1e-12}
	for e := -40.0; e <= 12; e += 0.25 {
		x := math.Exp2(e)
		values = append(values, x, -x, math.Nextafter(x, 5000), math.Nextafter(-x, -5000))
	}
	n := 0
	for u := range 40 {
		for range 1 + u*u/27 {
			text := any([]string{"a", "b", "c", "d"}[n*n%7%4])
			if n%19 == 0 {
				text = nil
			}
			rows = append(rows, stabilitytest.Row{int64(u), text, int64(n%50 - 10), values[n*7%len(values)]})
			n++
		}
	}
	return append(rows, stabilitytest.Row{nil, "a", int64(1), 1.0})
}

const (
	byText  = "by: [{column: c, values: [a, b, c], null: bin}]"
	found   = "per_unit: {max_rows: discover, max_rows_up_to: "
	foundIn = found + "20, max_groups: 2, max_rows_per_group: 5}"
)

var clampsLater = []string{
	"  - {name: q0, sum: {column: f, clamp: discover, range: [0, 1000]}}",
	"  - {name: q1, sum: {column: f, clamp: discover, range: [-1000, 4000], " + byText + "}}",
	"  - {name: q2, mean: {column: f, clamp: discover, range: [-0.3, 0.7], " + byText + "}}",
	"  - {name: q3, mean: {column: i, clamp: discover, range: [3, 30]}}",
	"  - {name: q4, mean: {column: f, clamp: discover, range: [-3000, -1]}}",
}

var boundsLater = []string{
	"  - {name: r0, count: {}, " + found + "64}}",
	"  - {name: r1, histogram: {" + byText + "}, " + found + "33}}",
	"  - {name: r2, histogram: {by: [{column: i, edges: [-10, 0, 10, 40]}], quantiles: [0.5]}, " + foundIn + "}",
	"  - {name: r3, sum: {column: f, clamp: [-5, 100], " + byText + "}, " + foundIn + "}",
	"  - {name: r4, mean: {column: f, clamp: [0, 100]}, " + found + "1000}}",
	"  - {name: r5, variance: {column: i, clamp: [-5, 30]}, " + found + "7}}",
	"  - {name: s0, histogram: {" + byText + ", noise: auto}}",
	"  - {name: s1, histogram: {by: [{column: i, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}], noise: auto}, per_unit: " +
		"{max_rows: 30, max_groups: 10, max_rows_per_group: 3}}",
	"  - {name: s2, histogram: {by: [{column: i, from: -10, to: 40, width: 5}], noise: auto}, per_unit: {max_groups: " +
		"10, max_rows_per_group: 1}}",
	"  - {name: s3, histogram: {by: [{column: i, from: -10, to: 40, width: 5}], noise: auto}, per_unit: {max_groups: 8, " +
		"max_rows_per_group: 1}}",
}

// Times compares answers for privacy units in columns of times. Digests of the times' texts decide which rows are kept,
// so the test has years with an ISO 8601 form and others.
func Times(t *testing.T, s *Server) {
	t.Helper()
	times := []any{nil, int64(0), int64(1), int64(-1), int64(999_999), int64(1_000_000), int64(-1_000_000),
		int64(1_357_084_800_500_000), int64(1_357_084_805_123_457), int64(-62_135_596_800_000_000),
		int64(-62_135_596_800_000_001), int64(-62_135_596_799_000_010), int64(253_402_300_799_999_999),
		int64(253_402_300_800_000_000), int64(253_402_300_801_000_007)}
	for _, kind := range []stabilitytest.Kind{stabilitytest.Instant, stabilitytest.Clock} {
		columns := []stabilitytest.Column{{Name: "u", Kind: kind}, {Name: "i", Kind: stabilitytest.Int64}}
		var rows []stabilitytest.Row
		for n := range 600 {
			rows = append(rows, stabilitytest.Row{times[n%len(times)], int64(n * n % 101)})
		}
		var types []string
		for _, c := range columns {
			types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
		}
		if err := s.Load("times", columns, types, rows); err != nil {
			t.Fatal(err)
		}
		p := Plan(t, `
version: 1
name: times
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 5}}
input: {sql: {driver: postgres, dsn: unused, table: times}}
queries:
  - {name: cells, histogram: {by: [{column: i, values: [1, 4, 9, 16, 25, 36, 49, 64, 81, 100]}]}, per_unit: {max_groups: 3, max_rows_per_group: 1}}
  - {name: sums, sum: {column: i, clamp: [0, 100]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: times, budget: {epsilon: 2, delta: 1e-5}}
`)
		if same, err := s.Same(t, p, "times"); err != nil || same != "" {
			t.Fatalf("%v: %v\n%s", kind, err, same)
		}
	}
}
