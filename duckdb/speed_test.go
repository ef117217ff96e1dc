package duckdb

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// rowsOf is how many rows the benchmarks' table has; DPRELEASE_ROWS sets another number.
func rowsOf(b *testing.B) int {
	n, err := strconv.Atoi(os.Getenv("DPRELEASE_ROWS"))
	if err != nil {
		return 1_000_000
	}
	return n
}

// makeTable writes a table as a Parquet file: unit (a twentieth of the rows, heavy tail), cat (5,000 texts, Zipf) and value.
func makeTable(b *testing.B) (dsn, path string) {
	b.Helper()
	dir := b.TempDir()
	dsn, path = filepath.Join(dir, "t.duckdb")+"?threads=2", filepath.Join(dir, "t.parquet")
	n := rowsOf(b)
	execute(b, dsn, fmt.Sprintf(`COPY (SELECT CAST(floor(%d * pow(random(), 1.5)) AS BIGINT) AS unit, 'category' || CAST(floor(5000 * pow(random(), 4)) AS INT) AS cat, random() * 100 AS value
		FROM range(%d)) TO '%s' (FORMAT parquet)`, n/20, n, path))
	return dsn, path
}

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

// question is one query of the benchmark, and the cheapest statement that a person would write for it. Statements that round otherwise, or that miss
// values at borders, count too. If rows are bounded, the statement has a rule of digests, as the job has.
type question struct{ name, unit, query, hand string }

func questions(table string) []question {
	var labels []string
	for i := range 5000 {
		labels = append(labels, fmt.Sprintf("category%d", i))
	}
	category := "by: [{column: cat, values: [" + strings.Join(labels, ", ") + "]}]"
	const (
		fixed   = "CASE WHEN value <= 0 THEN 0 WHEN value >= 50 THEN 858993459200 ELSE CAST(value * 17179869184 AS BIGINT) END"
		rows    = "unit: [unit], per_unit: {max_rows: 4}"
		groups  = "unit: [unit], per_unit: {max_groups: 4, max_rows_per_group: 1}"
		ofRow   = "sha256('dprelease/bound1r' || CAST(unit AS VARCHAR) || '|' || cat || '|' || CAST(occ AS VARCHAR))"
		ofGroup = "sha256('dprelease/bound1c' || CAST(unit AS VARCHAR) || '|' || cat)"
	)
	return []question{
		{"counts", "unit: row", "histogram: {" + category + "}", "SELECT cat, count(*) FROM " + table + " GROUP BY cat"},
		{"few", "unit: row", "histogram: {by: [{column: cat, values: [category0, category1, category2]}]}",
			"SELECT cat, count(*) FROM " + table + " WHERE cat IN ('category0', 'category1', 'category2') GROUP BY cat"},
		{"sums", "unit: row", "sum: {column: value, clamp: [0, 50], " + category + "}", "SELECT cat, sum(" + fixed + ") FROM " + table + " GROUP BY cat"},
		{"sum", "unit: row", "sum: {column: value, clamp: [0, 50]}", "SELECT sum(" + fixed + ") FROM " + table},
		{"edges", "unit: row", "histogram: {by: [{column: value, from: 0, to: 100, width: 2}]}", "SELECT CAST(floor(value / 2) AS INT), count(*) FROM " + table + " GROUP BY 1"},
		{"bounded-rows", rows, "histogram: {" + category + "}",
			"SELECT cat, count(*) FROM (SELECT cat, row_number() OVER (PARTITION BY unit ORDER BY " + ofRow + ") AS r FROM (SELECT unit, cat, row_number() OVER (PARTITION BY unit, cat) AS occ FROM " +
				table + ")) WHERE r <= 4 GROUP BY cat"},
		{"bounded-groups", groups, "histogram: {" + category + "}",
			"SELECT cat, count(*) FROM (SELECT cat, row_number() OVER (PARTITION BY unit ORDER BY " + ofGroup + ") AS r FROM (SELECT DISTINCT unit, cat FROM " + table + ")) WHERE r <= 4 GROUP BY cat"},
	}
}

// Push-down beside a statement by hand, in seconds of the processor (user and system mode). DPRELEASE_ROWS is the number of rows of the file, DPRELEASE_FILES
// how many times the file is read.
func BenchmarkPush(b *testing.B) {
	dsn, path := makeTable(b)
	files, err := strconv.Atoi(os.Getenv("DPRELEASE_FILES"))
	if err != nil || files < 1 {
		files = 1
	}
	table := "read_parquet([" + strings.TrimSuffix(strings.Repeat("'"+path+"', ", files), ", ") + "])"
	off := "SET disabled_optimizers = 'top_n_window_elimination'"
	for _, q := range questions(table) {
		p := sqlpushtest.Plan(b, fmt.Sprintf(`
version: 1
name: speed
privacy: {epsilon: 1, delta: 1e-6, %s}
input: {sql: {driver: duckdb, dsn: unused, query: unused}}
queries:
  - {name: q, %s}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`, q.unit, q.query))
		measured(b, q.name+"/push", func() {
			d, err := sqlpush.Open(b.Context(), sqlpush.Source{Driver: "duckdb", DSN: dsn, Query: "SELECT * FROM " + table})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := sqlpush.New(d, nil).Aggregate(b.Context(), p, pipeline.Silent{}); err != nil {
				b.Fatal(err)
			}
			_ = d.Close()
		})
		measured(b, q.name+"/hand", func() { execute(b, dsn, off, "CREATE OR REPLACE TEMP TABLE answer AS "+q.hand) })
	}
}

// measured runs f as a benchmark and reports the processor's seconds beside those of the clock.
func measured(b *testing.B, name string, f func()) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		before := processor(b)
		for b.Loop() {
			f()
		}
		b.ReportMetric((processor(b)-before)/float64(b.N), "cpu-s/op")
	})
}

func processor(b *testing.B) float64 {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}
