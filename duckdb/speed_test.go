package duckdb

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

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

func execute(b *testing.B, dsn string, statements ...string) {
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

// Push-down beside a statement that a person would write for the same question, of the same rule if rows are bounded.
func BenchmarkPush(b *testing.B) {
	dsn, path := makeTable(b)
	var labels []string
	for i := range 5000 {
		labels = append(labels, fmt.Sprintf("category%d", i))
	}
	table := "read_parquet('" + path + "')"
	off := "SET disabled_optimizers = 'top_n_window_elimination'"
	sha := "sha256('dprelease/bound1r' || CAST(unit AS VARCHAR) || '|' || cat || '|' || CAST(occ AS VARCHAR))"
	for _, q := range []struct{ name, unit, query, hand string }{
		{"counts", "row", "histogram: {by: [{column: cat, values: [" + strings.Join(labels, ", ") + "]}]}", "SELECT cat, count(*) FROM " + table + " GROUP BY cat"},
		{"sums", "row", "sum: {column: value, clamp: [0, 50], by: [{column: cat, values: [" + strings.Join(labels, ", ") + "]}]}",
			"SELECT cat, sum(CAST(floor(least(greatest(value, 0), 50) * 17179869184 + 0.5) AS BIGINT)) FROM " + table + " GROUP BY cat"},
		{"edges", "row", "histogram: {by: [{column: value, from: 0, to: 100, width: 1}]}", "SELECT CAST(floor(value) AS INT), count(*) FROM " + table + " GROUP BY 1"},
		{"bounded-rows", "[unit], per_unit: {max_rows: 4}", "histogram: {by: [{column: cat, values: [" + strings.Join(labels, ", ") + "]}]}",
			"SELECT cat, count(*) FROM (SELECT cat, row_number() OVER (PARTITION BY unit ORDER BY " + sha + ") AS r FROM (SELECT unit, cat, row_number() OVER (PARTITION BY unit, cat) AS occ FROM " + table + ")) WHERE r <= 4 GROUP BY cat"},
		{"bounded-groups", "[unit], per_unit: {max_groups: 4, max_rows_per_group: 1}", "histogram: {by: [{column: cat, values: [" + strings.Join(labels, ", ") + "]}]}",
			"SELECT cat, count(*) FROM (SELECT cat, row_number() OVER (PARTITION BY unit ORDER BY sha256('dprelease/bound1c' || CAST(unit AS VARCHAR) || '|' || cat)) AS r FROM (SELECT DISTINCT unit, cat FROM " + table + ")) WHERE r <= 4 GROUP BY cat"},
	} {
		p := sqlpushtest.Plan(b, fmt.Sprintf(`
version: 1
name: speed
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: duckdb, dsn: unused, query: unused}}
queries:
  - {name: q, %s}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`, q.unit, q.query))
		b.Run(q.name+"/push", func(b *testing.B) {
			for b.Loop() {
				d, err := sqlpush.Open(b.Context(), sqlpush.Source{Driver: "duckdb", DSN: dsn, Query: "SELECT * FROM " + table})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := sqlpush.New(d, nil).Aggregate(b.Context(), p, pipeline.Silent{}); err != nil {
					b.Fatal(err)
				}
				_ = d.Close()
			}
		})
		b.Run(q.name+"/hand", func(b *testing.B) {
			for b.Loop() {
				execute(b, dsn, off, "CREATE OR REPLACE TEMP TABLE answer AS "+q.hand)
			}
		})
	}
}
