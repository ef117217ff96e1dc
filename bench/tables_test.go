package main

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// tablesJob has queries about customers, their orders, and line items, which do not name the customer.
const tablesJob = `version: 1
name: orders
privacy: {epsilon: 1, delta: 1e-6, unit: [customer], per_unit: {max_rows: 100000}}
input:
  tables:
    customer: {files: [customer.parquet], unit: [c_custkey]}
    orders:
      files: [orders.parquet]
      unit: [o_custkey]
      join: [{table: customer, add: [c_mktsegment, c_nation]}]
    lineitem:
      files: [lineitem.parquet]
      join:
        - {table: orders, on: {l_orderkey: o_orderkey}, add: [o_orderdate, o_priority]}
        - {table: customer, add: [c_mktsegment]}
      derive: {late: "l_shipdate > o_orderdate"}
queries:
  - name: segments
    from: orders
    histogram: {by: [{column: c_mktsegment, values: [BUILDING, AUTOMOBILE, MACHINERY]}, {column: c_nation, edges: [0, 10, 25]}]}
  - name: quantity
    from: lineitem
    sum: {column: l_quantity, clamp: [0, 50], by: [{column: o_priority, values: [URGENT, HIGH, LOW]}, {column: late, values: [true, false]}]}
  - name: shipped
    from: lineitem
    histogram: {by: [{column: c_mktsegment, values: [BUILDING, AUTOMOBILE, MACHINERY], null: bin}]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: orders, budget: {epsilon: 9, delta: 1e-4}}
`

// tablesSQL makes the tables. Some orders have no customer in the table, and some line items no order.
var tablesSQL = map[string]string{
	"customer": "SELECT i AS c_custkey, ['BUILDING', 'AUTOMOBILE', 'MACHINERY', 'HOUSEHOLD'][1 + CAST(hash(i) % 4 AS BIGINT)] AS c_mktsegment, " +
		"CAST(hash(i, 1) % 25 AS INTEGER) AS c_nation FROM range(1500) t(i)",
	"orders": "SELECT i AS o_orderkey, CAST(hash(i, 2) % 1600 AS BIGINT) AS o_custkey, DATE '1995-01-01' + CAST(hash(i, 3) % 900 AS " +
		"INTEGER) AS o_orderdate, ['URGENT', 'HIGH', 'MEDIUM', 'LOW'][1 + CAST(hash(i, 4) % 4 AS BIGINT)] AS o_priority FROM range(15000) t(i)",
	"lineitem": "SELECT CAST(hash(i, 5) % 16000 AS BIGINT) AS l_orderkey, CAST(1 + hash(i, 6) % 60 AS INTEGER) AS l_quantity, DATE " +
		"'1995-06-01' + CAST(hash(i, 7) % 900 AS INTEGER) AS l_shipdate FROM range(60000) t(i)",
}

// The answers about joined tables equal DuckDB's.
func TestTablesEqualDuckDB(t *testing.T) {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false&threads=2")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	dir := t.TempDir()
	for name, text := range tablesSQL {
		for _, statement := range []string{"CREATE TABLE " + name + " AS " + text,
			fmt.Sprintf("COPY %s TO '%s' (FORMAT parquet)", name, filepath.Join(dir, name+".parquet"))} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(tablesJob), 0o600); err != nil {
		t.Fatal(err)
	}
	p, diags := wiring.Plan(t.Context(), filepath.Join(dir, "job.yaml"), configs.ParseOptions{CheckStep: pipeline.CheckStep})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var tables []*source.Dataset
	for _, options := range wiring.Sources(p.Job()) {
		data, err := source.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, data)
	}
	engine := local.NewTables(tables, local.Limits{Workers: 2, Memory: 1 << 30})
	defer func() { _ = engine.Close() }()
	if diags := p.CheckWith(engine); len(diags) > 0 {
		t.Fatal(diags)
	}
	answers, err := engine.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	joined := " FROM lineitem JOIN orders ON l_orderkey = o_orderkey LEFT JOIN customer ON o_custkey = c_custkey"
	for i, text := range []string{
		"SELECT CASE c_mktsegment WHEN 'BUILDING' THEN 0 WHEN 'AUTOMOBILE' THEN 2 WHEN 'MACHINERY' THEN 4 END + CASE WHEN c_nation < " +
			"10 THEN 0 ELSE 1 END AS cell, count(*) FROM orders JOIN customer ON o_custkey = c_custkey GROUP BY cell",
		"SELECT CASE o_priority WHEN 'URGENT' THEN 0 WHEN 'HIGH' THEN 2 WHEN 'LOW' THEN 4 END + CASE WHEN l_shipdate > o_orderdate THEN " +
			"0 ELSE 1 END AS cell, sum(least(l_quantity, 50))" + joined + " GROUP BY cell",
		"SELECT CASE WHEN c_mktsegment IS NULL THEN 3 WHEN c_mktsegment = 'BUILDING' THEN 0 WHEN c_mktsegment = 'AUTOMOBILE' THEN 1 WHEN " +
			"c_mktsegment = 'MACHINERY' THEN 2 END AS cell, count(*)" + joined + " GROUP BY cell",
	} {
		quantum, cells := mechanismtest.OpenWide(t, answers.Exacts[i][0])
		got := make([]float64, len(cells))
		for k, c := range cells {
			got[k] = float64(c.Int64()) * quantum
		}
		if want := cellsOf(t, db, text, len(cells)); !slices.Equal(got, want) || slices.Max(got) == 0 {
			t.Errorf("%s: %v, DuckDB has %v", p.Queries()[i].Query.Name(), got, want)
		}
	}
}

// cellsOf returns the cells of a statement's result; a missing cell is 0.
func cellsOf(t *testing.T, db *sql.DB, text string, n int) []float64 {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := make([]float64, n)
	for rows.Next() {
		var cell sql.NullInt64
		var value float64
		if err := rows.Scan(&cell, &value); err != nil {
			t.Fatal(err)
		}
		if cell.Valid && cell.Int64 < math.MaxInt32 {
			out[cell.Int64] = value
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
