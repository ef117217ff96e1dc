package main

import (
	"database/sql"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
)

// The exact answers of examples/published equal DuckDB's, for each job with an exact.sql: one statement for each query,
// whose column exact has the answer and whose other columns name its cells.
func TestPublishedEqualDuckDB(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	statements, err := filepath.Glob(filepath.Join(root, "examples", "published", "*", "exact.sql"))
	if err != nil || len(statements) < 10 {
		t.Fatalf("%d jobs, %v", len(statements), err)
	}
	dir := t.TempDir()
	gen := filepath.Join(dir, "gen")
	build := exec.Command("go", "build", "-o", gen, "./examples/published/gen")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, file := range statements {
		folder := filepath.Dir(file)
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			there := filepath.Join(dir, "examples", "published", name)
			if err := os.MkdirAll(there, 0o700); err != nil {
				t.Fatal(err)
			}
			run := exec.Command(gen, name, "6000")
			run.Dir = dir
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			job, err := os.ReadFile(filepath.Join(folder, "job.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(there, "job.yaml"), job, 0o600); err != nil {
				t.Fatal(err)
			}
			comparePublished(t, there, readStatements(t, file))
		})
	}
}

// readStatements returns the statements of a file by the names of their queries.
func readStatements(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for part := range strings.SplitSeq("\n"+string(text), "\n-- ") {
		if name, statement, ok := strings.Cut(part, "\n"); ok && name != "" {
			all[name] = statement
		}
	}
	return all
}

// comparePublished compares the exact answers of the job in a folder with DuckDB's answers for the same files.
func comparePublished(t *testing.T, dir string, statements map[string]string) {
	t.Helper()
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false&threads=1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	files, err := filepath.Glob(filepath.Join(dir, "data", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		table := strings.TrimSuffix(filepath.Base(file), ".csv")
		if _, err := db.Exec(fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM read_csv('%s', header = true)", table, file)); err != nil {
			t.Fatal(err)
		}
	}
	p, diags := wiring.Plan(t.Context(), filepath.Join(dir, "job.yaml"), configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	exacts := exactOf(t, p)
	if len(statements) != len(exacts) {
		t.Errorf("%d statements for %d queries", len(statements), len(exacts))
	}
	for i := range exacts {
		q := p.Queries()[i].Query
		columns, want := cellsOf(t, db, statements[q.Name()])
		got, keys := shown(t, &p.Queries()[i], exacts[i], columns)
		for _, key := range keys {
			w, ok := want[key]
			delete(want, key)
			g := got[key]
			if !ok && (g == 0 || math.IsNaN(g)) { // no row is in the cell
				continue
			}
			if !ok || !(math.Abs(g-w) <= 1e-9*max(math.Abs(w), 1)) {
				t.Errorf("%s, cell %q: %v, DuckDB has %v", q.Name(), key, g, w)
			}
		}
		filled := 0
		for _, g := range got {
			if g > 0 {
				filled++
			}
		}
		if filled < 1 || filled*4 < len(keys) {
			t.Errorf("%s: only %d of %d cells have rows", q.Name(), filled, len(keys))
		}
		if p.Queries()[i].Selection != nil && len(want) > 0 {
			t.Errorf("%s: keys of DuckDB alone: %v", q.Name(), want)
		}
	}
}

// exactOf returns the exact answers of a plan.
func exactOf(t *testing.T, p *pipeline.Plan) [][]mechanism.Exact {
	t.Helper()
	engine, err := openEngine(t.Context(), p, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	if diags := p.CheckWith(engine); len(diags) > 0 {
		t.Fatal(diags)
	}
	answers, err := engine.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	return answers.Exacts
}

// shown returns the exact answer of a query as its table would show it without noise, by the labels of these key
// columns, and the labels in order.
func shown(t *testing.T, q *pipeline.Planned, exacts []mechanism.Exact, columns []string) (map[string]float64, []string) {
	t.Helper()
	cells := map[string]float64{}
	var keys []string
	if q.Selection != nil { // a key is the code of one text
		names, counts := mechanismtest.OpenKeyed(t, exacts[0])
		for k, name := range names {
			keys = append(keys, strings.Trim(name, "\x05\x00"))
			cells[keys[k]] = float64(counts[k])
		}
		return cells, keys
	}
	var vectors []mechanism.Noisy
	for k, exact := range exacts {
		quantum, multiples := mechanismtest.OpenWide(t, exact)
		values := make([]float64, len(multiples))
		for c, m := range multiples {
			values[c] = float64(m.Int64()) * quantum
		}
		vectors = append(vectors, mechanismtest.Make(t, q.Mechanisms[k], values))
	}
	answer, err := q.Query.Finish(t.Context(), vectors, vectors)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, answer.Cells)
	answer.Noisy(0, values)
	for c, value := range values {
		var key []string
		for _, column := range columns {
			at := slices.IndexFunc(answer.Keys, func(k domain.KeyColumn) bool { return k.Name == column })
			if at < 0 {
				t.Fatalf("%s has no key column %s: %v", q.Query.Name(), column, answer.Keys)
			}
			key = append(key, answer.Keys[at].Text(c))
		}
		keys = append(keys, strings.Join(key, "|"))
		if _, twice := cells[keys[c]]; twice {
			t.Fatalf("%s: the columns %v do not tell its cells apart", q.Query.Name(), columns)
		}
		cells[keys[c]] = value
	}
	return cells, keys
}

// cellsOf returns the column exact of a statement's answer by the texts of the other columns, and these columns.
func cellsOf(t *testing.T, db *sql.DB, statement string) (columns []string, cells map[string]float64) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatalf("%v: %s", err, statement)
	}
	defer func() { _ = rows.Close() }()
	columns, err = rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	n := len(columns) - 1
	if columns[n] != "exact" {
		t.Fatalf("the last column is %s", columns[n])
	}
	cells = map[string]float64{}
	for rows.Next() {
		into, key, value := make([]any, n+1), make([]sql.NullString, n), sql.NullFloat64{}
		for k := range key {
			into[k] = &key[k]
		}
		into[n] = &value
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, k := range key {
			texts = append(texts, k.String)
		}
		cells[strings.Join(texts, "|")] = value.Float64
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return columns[:n], cells
}
