package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

// Both engines count the same rows in every category.
func TestHistogramsAgree(t *testing.T) {
	tables, err := makeTables(t.TempDir(), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"histogram", "csv"} {
		want := counted(t, name, tables)
		cells := ourCells(t, name, tables)
		for i, n := range cells {
			if n != want[categoryName(i)] {
				t.Errorf("%s: %s has %d rows, by DuckDB %d", name, categoryName(i), n, want[categoryName(i)])
			}
		}
	}
}

// Both engines count the same rows of the tables that DuckDB makes, summed over all cells, if each row is a unit, or if
// each unit is bounded and all of its rows have a cell.
func TestMatrixAgrees(t *testing.T) {
	tables, err := makeTables(t.TempDir(), 20_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"grid", "hour-by-weekday", "one-day", "most-days", "three-dimensions", "width",
		"uneven-edges", "days", "nulls", "status", "pages", "hour-in-zone", "web-csv", "web-csv-gz", "one-of-200-columns",
		"joined"} {
		d, err := newDuck(name, 2, tables)
		if err != nil {
			t.Fatal(err)
		}
		var want int64
		if err := d.conn.QueryRowContext(t.Context(),
			`SELECT sum("count_star()")::BIGINT FROM (`+d.text+`)`).Scan(&want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := d.close(); err != nil {
			t.Fatal(err)
		}
		cells := ourCells(t, name, tables)
		got := int64(0)
		for _, n := range cells {
			got += n
		}
		if got != want || got == 0 {
			t.Errorf("%s: %d rows, by DuckDB %d", name, got, want)
		}
	}
}

// All formats of our writer's table give the same counts.
func TestFormatsAgree(t *testing.T) {
	tables, err := makeTables(t.TempDir(), 150_000)
	if err != nil {
		t.Fatal(err)
	}
	var want []int64
	asked := queries["histogram"]
	defer func() { queries["histogram"] = asked }()
	for form, name := range extensions {
		queries["histogram"] = query{name: name, privacy: asked.privacy, ours: asked.ours, form: form}
		cells := ourCells(t, "histogram", tables)
		if len(cells) != categories || slices.Max(cells) == 0 {
			t.Fatalf("%s: %d cells", name, len(cells))
		}
		if want == nil {
			want = cells
		}
		if !slices.Equal(cells, want) {
			t.Errorf("%s: the counts differ from those of another format", name)
		}
	}
}

// counted returns the counts of the categories by DuckDB.
func counted(t *testing.T, name string, tables tables) map[string]int64 {
	t.Helper()
	d, err := newDuck(name, 2, tables)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.close() }()
	rows, err := d.conn.QueryContext(context.Background(), d.text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	counts := map[string]int64{}
	for rows.Next() {
		var category string
		var n int64
		if err := rows.Scan(&category, &n); err != nil {
			t.Fatal(err)
		}
		counts[category] = n
	}
	if len(counts) < 100 {
		t.Fatal(fmt.Errorf("only %d categories", len(counts)))
	}
	return counts
}

// Every query is answered by both engines, and reported.
func TestCompare(t *testing.T) {
	tables, err := makeTables(t.TempDir(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		for _, engine := range []string{"ours", "duckdb"} {
			e, err := newEngine(engine, q.name, 1, tables)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.answer(t.Context()); err != nil {
				t.Errorf("%s, %s: %v", q.name, engine, err)
			}
			if err := e.close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The DuckDB of a Python package answers every query, too, and its reports have times and memory.
func TestWheel(t *testing.T) {
	if err := exec.Command("python3", "-c", "import duckdb").Run(); err != nil {
		t.Skip("there is no Python with the package duckdb")
	}
	tables, err := makeTables(t.TempDir(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		cmd, err := commandOf(t.Context(), &config{python: "python3"}, tables, "wheel", q.name, "1")
		if err != nil {
			t.Fatal(err)
		}
		p, err := start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.run()
		if err != nil || r.Seconds <= 0 || r.RSS <= 0 || r.Version == "" {
			t.Errorf("%s: %+v, %v", q.name, r, err)
		}
		p.stop()
	}
}

// ourCells returns the exact cells of the first query of a question, computed by two workers.
func ourCells(t *testing.T, name string, all tables) []int64 {
	t.Helper()
	o, err := newOurs(name, 2, all)
	if err != nil {
		t.Fatal(err)
	}
	a, err := o.aggregate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, cells := mechanismtest.Open(t, a.Exacts[0][0])
	return cells
}
