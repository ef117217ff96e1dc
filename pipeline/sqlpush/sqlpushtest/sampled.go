package sqlpushtest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
	"github.com/dprelease/dprelease/queries/bounding"
)

// Sampled compares queries whose rows are chosen by sample_by: queries with the same sample, which one statement
// answers, and queries that need statements of their own. Some rows of a unit are equal in the columns of sample_by,
// some have null in them, and some have no cell or no value.
func Sampled(t *testing.T, s *Server) {
	t.Helper()
	columns := []stabilitytest.Column{{Name: "person", Kind: stabilitytest.Text},
		{Name: "home", Kind: stabilitytest.Int64},
		{Name: "trip", Kind: stabilitytest.Int64}, {Name: "word", Kind: stabilitytest.Text}, {Name: "day",
			Kind: stabilitytest.Date}, {Name: "at", Kind: stabilitytest.Instant}, {Name: "paid", Kind: stabilitytest.Bool},
		{Name: "zone", Kind: stabilitytest.Text}, {Name: "x", Kind: stabilitytest.Float64}, {Name: "i",
			Kind: stabilitytest.Int64}}
	var types []string
	for _, c := range columns {
		types = append(types, s.Type(c.Kind, &stabilitytest.Case{}))
	}
	rows := sampledRows()
	for n, sample := range []struct{ unit, bound string }{
		{"person", "max_rows: 3, sample_by: [trip]"},
		{"home, person", "max_rows: 1, sample_by: [word, day]"},
		{"home", "max_rows: 40, sample_by: [at, paid, trip]"},
		{"person", "max_rows: 9, sample_by: [paid]"},
		{"home", "max_rows: 4, sample_by: [trip]"},
	} {
		p := Plan(t, fmt.Sprintf(sampledJob, sample.unit, sample.bound))
		for _, some := range [][]stabilitytest.Row{nil, rows}[min(n, 1):] {
			if err := s.Load("sampled", columns, types, some); err != nil {
				t.Fatal(err)
			}
			if same, err := s.Same(t, p, "sampled"); err != nil || same != "" {
				t.Fatalf("%s, %d rows: %v\n%s", sample.bound, len(some), err, same)
			}
		}
	}
}

const sampledJob = `
version: 1
name: sampled
privacy: {epsilon: 1, delta: 1e-6, unit: [%s], per_unit: {%s}}
input: {sql: {driver: postgres, dsn: unused, table: sampled}, where: [{column: i, max: 40}]}
queries:
  - {name: rows, count: {}}
  - {name: zones, histogram: {by: [{column: zone, values: [a, b, c]}]}}
  - {name: sums, sum: {column: x, clamp: [0, 100], by: [{column: zone, values: [a, b, c]}]}}
  - {name: means, mean: {column: i, clamp: [-5, 9], by: [{column: zone, values: [b, a], null: bin, other: bin}]}}
  - {name: spreads, variance: {column: x, clamp: [0, 9], by: [{column: i, edges: [-10, 0, 3, 10]}, {column: zone, values: [a, b]}]}}
  - {name: long, histogram: {by: [{column: i, values: [-12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}]}}
  - {name: days, histogram: {by: [{column: day, from: 2024-01-01, to: 2024-01-20, every: day}, {column: paid, values: [true, false], null: bin}]}}
  - {name: hours, histogram: {by: [{column: at, part: hour_of_day}]}}
  - {name: filtered, where: [{column: zone, not_in: [b]}], count: {}}
  - {name: fewer, sum: {column: i, clamp: [0, 9]}, per_unit: {max_rows: 2}}
  - {name: tables, crosstabs: {by: [{column: zone, values: [a, b]}, {column: paid, values: [true, false]}], ways: [1, 2]}}
  - {name: clamp, sum: {column: x, clamp: discover, range: [-10, 1000], by: [{column: zone, values: [a, b]}]}}
  - {name: vectors, sum: {columns: [x, i], clip_l2: 10, by: [{column: zone, values: [a, b, c]}]}}
  - {name: over, count: {measure: units_over_bound}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: sampled, budget: {epsilon: 2, delta: 1e-5}}
`

func sampledRows() (rows []stabilitytest.Row) {
	values := []any{nil, math.NaN(), math.Inf(1), -1e300, -7.0, 0.5, 3.0, 99.5, 1e5}
	words := []any{nil, "", "one", "one two", "é", "1"}
	zones := []any{"a", "b", "c", "other", nil}
	start := time.Date(2024, 1, 1, 22, 30, 0, 500_000_000, time.UTC).UnixMicro()
	for unit := range 12 {
		for n := range 4 * unit {
			trip := any(int64(n/(1+unit%3) - 4))
			if n%7 == 3 {
				trip = nil
			}
			person := any(fmt.Sprint("p", unit))
			if unit == 11 && n%5 == 0 {
				person = nil
			}
			paid := any(n%2 == 0)
			if n%3 == 2 {
				paid = nil
			}
			when := start + int64(n*unit)*7*3600e6
			if unit%4 == 3 { // before 1970
				when -= 80 * 365 * 86400e6
			}
			rows = append(rows, stabilitytest.Row{person, int64(unit / 2), trip, words[(n+unit)%len(words)],
				when / 86400e6, when, paid, zones[n%len(zones)], values[(n+unit)%len(values)], int64(n - 12)})
		}
	}
	// Two units of the smallest and largest numbers, whose rows have the numbers around them, around the prime of
	// digests, and the number of null.
	for _, home := range []int64{math.MinInt64, math.MaxInt64} {
		for n, trip := range []int64{math.MinInt64, math.MinInt64 + 1, -bounding.SamplePrime, -1, 0, bounding.SampleNull,
			bounding.SamplePrime - 1, bounding.SamplePrime, math.MaxInt64 - 1, math.MaxInt64} {
			rows = append(rows, stabilitytest.Row{fmt.Sprint("far", home < 0), home, trip, words[n%len(words)],
				int64(19700 + n), start + int64(n), n%2 == 0, zones[n%len(zones)], float64(n), int64(n)})
		}
	}
	return rows
}
