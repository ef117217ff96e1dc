package duckdb

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// rowsOf returns the number of rows of the benchmarks' table; DPRELEASE_ROWS sets another number.
func rowsOf(b *testing.B) int {
	n, err := strconv.Atoi(os.Getenv("DPRELEASE_ROWS"))
	if err != nil {
		return 1_000_000
	}
	return n
}

// makeTable writes a table with the columns unit (a twentieth as many units as rows, heavy tail), cat (5,000 texts,
// most of the rows in few of them), value, and columns of other types. The table is a Parquet file, read
// DPRELEASE_FILES times, or a table of the database file if DPRELEASE_TABLE is set. If DPRELEASE_KEEP names a folder,
// the table is kept there for the next run.
func makeTable(b *testing.B) (dsn, table string) {
	b.Helper()
	dir := os.Getenv("DPRELEASE_KEEP")
	if dir == "" {
		dir = b.TempDir()
	}
	dsn, path := filepath.Join(dir, "t.duckdb")+"?access_mode=read_write&threads=2", filepath.Join(dir, "t.parquet")
	n := rowsOf(b)
	rows := fmt.Sprintf(`SELECT CAST(floor(%d * pow(random(), 1.5)) AS BIGINT) AS unit, 'category' || CAST(floor(5000 * pow(random(), 4)) AS INT) AS cat, random() * 100 AS value, %s
		FROM range(%d)`, n/20, others, n)
	if os.Getenv("DPRELEASE_TABLE") != "" {
		execute(b, dsn, "CREATE TABLE IF NOT EXISTS trips AS "+rows, "CHECKPOINT")
		return dsn, "trips"
	}
	if _, err := os.Stat(path); err != nil {
		execute(b, dsn, fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet)", rows, path))
	}
	files, err := strconv.Atoi(os.Getenv("DPRELEASE_FILES"))
	if err != nil || files < 1 {
		files = 1
	}
	return dsn, "read_parquet([" + strings.TrimSuffix(strings.Repeat("'"+path+"', ", files), ", ") + "])"
}

// others are columns of other types: two columns of 265 zones (one of them null in a twentieth of the rows), times and
// days of a year, prices with two decimals, integers, booleans, and coordinates.
const others = `CAST(1 + floor(265 * pow(random(), 2)) AS INTEGER) AS zone, CASE WHEN random() > 0.05 THEN CAST(1 + floor(265 * pow(random(), 2)) AS BIGINT) END AS place,
	TIMESTAMP '2013-01-01' + to_microseconds(CAST(floor(random() * 365 * 86400) AS BIGINT) * 1000000) AS t, DATE '2013-01-01' + CAST(floor(random() * 365) AS INTEGER) AS day,
	CAST(random() * 90 AS DECIMAL(9, 2)) AS price, CAST(floor(pow(random(), 3) * 9) AS INTEGER) AS riders, random() < 0.3 AS cash, random() * 2 - 1 AS x, random() * 2 - 1 AS y`

func execute(b testing.TB, dsn string, statements ...string) {
	b.Helper()
	db, err := sql.Open("duckdb", dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	for _, s := range statements {
		if _, err := conn.ExecContext(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}

// question is one query of the benchmark, with the cheapest statements for it that we could write by hand. Some of
// these round differently, are wrong for values at the edges, or fail for some values. If the job bounds rows, they
// also choose rows by digests.
type question struct {
	name, unit, query string
	hand              []string
	where             string // the WHERE clause of the input; "" if there is none
}

// labels returns the texts of cat.
func labels() (all []string) {
	for i := range 5000 {
		all = append(all, fmt.Sprintf("category%d", i))
	}
	return all
}

func questions(table string) []question {
	category := "by: [{column: cat, values: [" + strings.Join(labels(), ", ") + "]}]"
	const (
		// fails for NaN and large numbers
		whole   = "sum(CASE WHEN v > 858993459200 THEN 858993459200 WHEN v < 0 THEN 0 ELSE v END)"
		scaled  = "CAST(value * CAST(17179869184 AS DOUBLE) AS BIGINT) AS v"
		inexact = "sum(CASE WHEN value <= 0 THEN 0 WHEN value >= 50 THEN 50 ELSE value END)" // sums doubles, so it rounds at each addition
		rows    = "unit: [unit], per_unit: {max_rows: 4}"
		groups  = "unit: [unit], per_unit: {max_groups: 4, max_rows_per_group: 1}"
		ofRow   = "sha256('dprelease/bound1r' || CAST(unit AS VARCHAR) || '|' || cat || '|' || CAST(occ AS VARCHAR))"
		ofGroup = "sha256('dprelease/bound1c' || CAST(unit AS VARCHAR) || '|' || cat)"
	)
	return []question{
		{"counts", "unit: row", "histogram: {" + category + "}",
			[]string{"SELECT cat, count(*) FROM " + table + " GROUP BY cat"}, ""},
		{"few", "unit: row", "histogram: {by: [{column: cat, values: [category0, category1, category2]}]}",
			[]string{
				"SELECT cat, n FROM (SELECT cat, count(*) AS n FROM " + table +
					" GROUP BY cat) WHERE n > 0 AND CASE WHEN n > 0 THEN cat IN ('category0', 'category1', 'category2') END",
				"SELECT list_position(['category0', 'category1', 'category2'], cat), count(*) FROM " + table + " GROUP BY 1",
			}, ""},
		{"sums", "unit: row", "sum: {column: value, clamp: [0, 50], " + category + "}", []string{
			"SELECT cat, " + whole + " FROM (SELECT cat, " + scaled + " FROM " + table + ") GROUP BY cat",
			"SELECT cat, " + inexact + " FROM " + table + " GROUP BY cat",
		}, ""},
		{"sum", "unit: row", "sum: {column: value, clamp: [0, 50]}", []string{
			"SELECT " + whole + " FROM (SELECT " + scaled + " FROM " + table + ")",
			"SELECT " + inexact + " FROM " + table,
		}, ""},
		{"edges", "unit: row", "histogram: {by: [{column: value, from: 0, to: 100, width: 2}]}", []string{
			// fails for other values
			"SELECT CAST(floor(value * CAST(0.5 AS DOUBLE)) AS UTINYINT), count(*) FROM " + table + " GROUP BY 1",
			"SELECT CAST(floor(value / 2) AS INT), count(*) FROM " + table + " GROUP BY 1",
		}, ""},
		{"bounded-rows", rows, "histogram: {" + category + "}",
			[]string{"SELECT cat, count(*) FROM (SELECT cat, row_number() OVER (PARTITION BY unit ORDER BY " + ofRow +
				") AS r FROM (SELECT unit, cat, row_number() OVER (PARTITION BY unit, cat) AS occ FROM " +
				table + ")) WHERE r <= 4 GROUP BY cat"}, ""},
		{"bounded-groups", groups, "histogram: {" + category + "}",
			[]string{"SELECT cat, count(*) FROM (SELECT cat, row_number() OVER (PARTITION BY unit ORDER BY " + ofGroup +
				") AS r FROM (SELECT DISTINCT unit, cat FROM " + table + ")) WHERE r <= 4 GROUP BY cat"}, ""},
	}
}

// BenchmarkPush compares push-down with statements by hand, in CPU seconds (user and system). DPRELEASE_ROWS is the
// number of rows of the table; see makeTable. All statements of a question take turns, DPRELEASE_TURNS times (default
// 3), so that other load slows all of them equally. The benchmark reports the minimum time of each statement, and the
// ratio of push-down to the fastest other statement.
func BenchmarkPush(b *testing.B) {
	dsn, table := makeTable(b)
	off := "SET disabled_optimizers = 'top_n_window_elimination'"
	for _, q := range append(questions(table), questionsOfTypes(table)...) {
		p := sqlpushtest.Plan(b, fmt.Sprintf(`
version: 1
name: speed
privacy: {epsilon: 1, delta: 1e-6, %s}
input: {sql: {driver: duckdb, dsn: unused, query: unused}%s}
queries:
  - {name: q, %s}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`, q.unit, q.where, q.query))
		push := func() {
			d, err := sqlpush.Open(b.Context(), sqlpush.Source{Driver: "duckdb", DSN: dsn, Query: "SELECT * FROM " + table})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := sqlpush.New(d, nil).Aggregate(b.Context(), p, pipeline.Silent{}); err != nil {
				b.Fatal(err)
			}
			_ = d.Close()
		}
		all := []func(){push}
		for _, hand := range q.hand {
			all = append(all, func() { execute(b, dsn, off, "CREATE OR REPLACE TEMP TABLE answer AS "+hand) })
		}
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				measured(b, all)
			}
		})
	}
}

// measured calls all functions in turns. It reports the minimum time of the first one, the minimum of all others, and
// their ratio, for elapsed and for CPU seconds.
func measured(b *testing.B, all []func()) {
	b.Helper()
	turns, err := strconv.Atoi(os.Getenv("DPRELEASE_TURNS"))
	if err != nil {
		turns = 3
	}
	clock, busy := make([]float64, len(all)), make([]float64, len(all))
	for turn := range turns {
		for i, f := range all {
			start, before := time.Now(), processor(b)
			f()
			c, p := time.Since(start).Seconds(), processor(b)-before
			if turn == 0 {
				clock[i], busy[i] = c, p
			}
			clock[i], busy[i] = min(clock[i], c), min(busy[i], p)
		}
	}
	report := func(unit string, of []float64) {
		hand := slices.Min(of[1:])
		b.ReportMetric(of[0], "push-"+unit)
		b.ReportMetric(hand, "hand-"+unit)
		b.ReportMetric(of[0]/hand, "ratio-"+unit)
	}
	report("s", clock)
	report("cpu-s", busy)
}

func processor(b *testing.B) float64 {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}
