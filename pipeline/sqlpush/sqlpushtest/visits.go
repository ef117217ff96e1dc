package sqlpushtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// Visits is a table for tests of network traffic. Its values differ from everything that a server sends of its own
// accord, so a recording that contains one of them shows that a row left the database.
//
// Its columns are person and number (the same privacy units, as texts and as integers), note (a text of each row), zone
// (of which jobs list north and south), amount (beyond every clamp), age, lon, t (a time of each row) and day.
type Visits struct{ Rows int }

// Values by which a test recognizes the rows of Visits.
const (
	// Canary begins every text except the zones that jobs list.
	Canary    = "CANARY"
	numbers   = 7_300_000_000_123
	amounts   = 90210.640625
	firstTime = 1_357_084_805_123_457 // microseconds since 1970
)

// Load makes the table visits in PostgreSQL.
func (v Visits) Load(t testing.TB, s *Server) {
	t.Helper()
	v.load(t, s, "CREATE TABLE visits (person text, number bigint, note text, zone text, amount double precision, age "+
		"int, lon int, t timestamptz, day date)", "text",
		"TIMESTAMPTZ '1970-01-01 00:00:00+00' + (%d + i) * INTERVAL '1 microsecond'", "generate_series(1, %d) AS r(i)")
}

// LoadSpark makes the table visits in Spark.
func (v Visits) LoadSpark(t testing.TB, s *Server) {
	t.Helper()
	v.load(t, s, "CREATE TABLE visits (person STRING, number BIGINT, note STRING, zone STRING, amount DOUBLE, age INT, "+
		"lon INT, t TIMESTAMP, day DATE)", "STRING", "timestamp_micros(%d + i)", "(SELECT id + 1 AS i FROM range(%d)) AS r")
}

// LoadTrino makes the table visits in Trino.
func (v Visits) LoadTrino(t testing.TB, s *Server) {
	t.Helper()
	v.load(t, s, "CREATE TABLE visits (person VARCHAR, number BIGINT, note VARCHAR, zone VARCHAR, amount DOUBLE, age "+
		"INTEGER, lon INTEGER, t TIMESTAMP(6) WITH TIME ZONE, day DATE)", "VARCHAR",
		"CAST(from_unixtime_nanos(DECIMAL '%d' * 1000 + i * 1000) AS TIMESTAMP(6) WITH TIME ZONE)",
		"UNNEST(sequence(1, %d)) AS r(i)")
}

// load makes the table by the statement create and fills it. texts is the type of text columns, at the expression for
// the time of row i, and numbered a table expression that returns row numbers.
func (v Visits) load(t testing.TB, s *Server, create, texts, at, numbered string) {
	t.Helper()
	for _, text := range []string{create,
		fmt.Sprintf(`INSERT INTO visits SELECT concat('%[1]sunit', CAST(i %% 7 AS %[4]s)), %[2]d + i %% 7, concat('%[1]snote', CAST(i AS %[4]s)), CASE i %% 3 WHEN 0 THEN 'north' WHEN 1 THEN 'south' ELSE '%[1]szone' END,
			%[3]v + i, i %% 80, i %% 90, `+fmt.Sprintf(at, int64(firstTime))+`, DATE '2013-01-02' FROM `+fmt.Sprintf(numbered, v.Rows),
			Canary, int64(numbers), amounts, texts)} {
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
}

// Found returns the values of the table that some bytes contain, as text or in the binary form in which a server sends
// numbers and times.
func (v Visits) Found(sent []byte) (found []string) {
	look := func(name string, forms ...[]byte) {
		for _, f := range forms {
			if bytes.Contains(sent, f) {
				found = append(found, name)
				return
			}
		}
	}
	for _, name := range []string{"unit", "note", "zone"} {
		look(name, []byte(Canary+name))
	}
	word := func(x uint64) []byte { return binary.BigEndian.AppendUint64(nil, x) }
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() // the binary form counts from it
	for i := range v.Rows {
		n, amount, at := uint64(numbers+i%7), amounts+float64(i+1), int64(firstTime+i+1)
		look("number", word(n), fmt.Append(nil, n))
		look("amount", word(math.Float64bits(amount)), fmt.Append(nil, amount))
		look("time", word(uint64(at)), word(uint64(at-epoch)), fmt.Append(nil, at),
			[]byte(time.UnixMicro(at).UTC().Format("15:04:05.999999")))
	}
	return found
}

// VisitsJobs returns jobs on Visits, by name: all kinds of queries that databases answer, for units without bounds and
// with each kind of bound.
func VisitsJobs() map[string]string {
	jobs := map[string]string{}
	for name, unit := range map[string]string{
		"unbounded":    "row",
		"rows":         "[person], per_unit: {max_rows: 2}",
		"groups":       "[number], per_unit: {max_groups: 1, max_rows_per_group: 1}",
		"several":      "[person, day], per_unit: {max_groups: 2, max_rows_per_group: 2, max_rows: 3}",
		"large bounds": "[number], per_unit: {max_rows: 1000}",
	} {
		queries := visitsQueries
		if name != "unbounded" {
			queries = append(queries[:len(queries):len(queries)], visitsQueriesOfUnits...)
		}
		jobs[name] = fmt.Sprintf(`version: 1
name: wire
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: visits}, where: [{column: note, not_null: true}]}
queries:
%s
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: wire, budget: {epsilon: 50, delta: 1e-3}}
`, unit, strings.Join(queries, "\n"))
	}
	return jobs
}

var visitsQueries = []string{
	"  - {name: all, count: {}}",
	"  - {name: zones, histogram: {by: [{column: zone, values: [north, south], other: bin}]}}",
	"  - {name: long, histogram: {by: [{column: zone, values: [a, b, c, d, e, f, g, h, i, north, south], null: bin}]}}",
	"  - {name: ages, histogram: {by: [{column: age, edges: [0, 20, 40, 60, 80]}], quantiles: [0.5]}}",
	"  - {name: below, histogram: {by: [{column: age, from: 0, to: 80, width: 5}], optimize: cdf}}",
	"  - {name: hours, histogram: {by: [{column: t, part: hour_of_day}, {column: day, part: month}]}}",
	"  - {name: spent, sum: {column: amount, clamp: [0, 10], by: [{column: zone, values: [north, south]}]}}",
	"  - {name: each, mean: {column: amount, clamp: [-5, 5]}}",
	"  - {name: pair, sum: {columns: [amount, age], clamp: [0, 3]}}",
	"  - {name: short, mean: {columns: [amount, age], clip_l2: 3, by: [{column: zone, values: [north, south]}]}}",
	"  - {name: near, histogram: {by: [{nearest: {lat: age, lon: lon, points: points.csv, id: id, within_m: 500000}, " +
		"other: bin, as: point}]}}",
	"  - {name: around, histogram: {by: [{nearest: {lat: age, lon: lon, points: points.csv, id: id, within_m: 500000, " +
		"kernel: {bandwidth_m: 100000}}, as: point}]}}",
	"  - {name: spread, variance: {column: age, clamp: [0, 90]}}",
	"  - {name: clamp, mean: {column: amount, clamp: discover, range: [-1, 1000], by: [{column: zone, values: [north, " +
		"south]}]}}",
	"  - {name: tables, crosstabs: {by: [{column: zone, values: [north, south]}, {column: age, edges: [0, 40, 80]}], " +
		"ways: [1, 2]}}",
}

var visitsQueriesOfUnits = []string{
	"  - {name: bound, sum: {column: amount, clamp: [0, 10], by: [{column: zone, values: [north, south]}]}, per_unit: " +
		"{max_rows: discover, max_rows_up_to: 100, max_groups: 2, max_rows_per_group: 100}}",
	"  - {name: shared, histogram: {by: [{column: age, from: 0, to: 80, width: 4}], noise: auto}, per_unit: " +
		"{max_groups: 20, max_rows_per_group: 1}}",
}
