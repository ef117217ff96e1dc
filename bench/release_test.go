package main

import (
	"database/sql"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// DuckDB loads every Parquet and CSV table of a release with the columns and types that datapackage.json states.
func TestDuckDBLoadsReleases(t *testing.T) {
	dir := releasedTypes(t)
	text, err := os.ReadFile(filepath.Join(dir, "out", "datapackage.json"))
	if err != nil {
		t.Fatal(err)
	}
	var described struct {
		Resources []struct {
			Path   string
			Schema struct {
				Fields []struct{ Name, Type string }
			}
		}
	}
	if err := json.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	if len(described.Resources) != 10 {
		t.Errorf("%d resources are described, want 10", len(described.Resources))
	}
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, r := range described.Resources {
		rows, err := db.Query("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '" +
			filepath.Join(dir, "out", r.Path) + "')")
		if err != nil {
			t.Fatalf("%s: %v", r.Path, err)
		}
		var got, want []string
		for rows.Next() {
			var name, kind string
			if err := rows.Scan(&name, &kind); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(r.Path, ".csv") && kind == "BIGINT" {
				kind = "DOUBLE" // a CSV file of integers does not show that its type is double
			}
			got = append(got, name+" "+kind)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Schema.Fields {
			kind := map[string]string{"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE"}[f.Type]
			if strings.HasSuffix(r.Path, ".csv") && kind == "BIGINT" {
				kind = "DOUBLE"
			}
			want = append(want, f.Name+" "+kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: DuckDB sees %v, datapackage.json says %v", r.Path, got, want)
		}
	}
}

// The line of SQL in the release's README.md runs in the release's folder.
func TestDuckDBRunsTheReadme(t *testing.T) {
	out := filepath.Join(releasedTypes(t), "out")
	text, err := os.ReadFile(filepath.Join(out, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```sql\n")
	query, _, found := strings.Cut(rest, ";\n```")
	if !found {
		t.Fatalf("README.md has no SQL:\n%s", text)
	}
	t.Chdir(out)
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows int
	if err := db.QueryRow("SELECT count(*) FROM (" + query + ")").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%s gives %d rows: %v", query, rows, err)
	}
}

// releasedTypes runs a job with keys of all types and returns the folder that holds its release.
func releasedTypes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "release")
	build := exec.Command("go", "build", "-o", program, "./cmd/release")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range map[string]string{
		// There are enough rows that every mean has a value, whatever the noise. An empty column would have no type.
		"t.csv": "sex,age,region\n" + strings.Repeat("Male,20,=cmd()\nFemale,30,north\nMale,55,south\n", 1000),
		"job.yaml": `version: 1
name: types
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [t.csv], csv: {types: {sex: text, age: int, region: text}}}
queries:
  - {name: total, count: {}}
  - name: by_age
    histogram: {by: [{column: region, values: ["=cmd()", north, south]}, {column: age, from: 0, to: 100, width: 20}], quantiles: [0.5], cdf: true}
  - name: mean_age
    mean: {column: age, clamp: [0, 100], by: [{column: sex, values: [Male, Female]}]}
output: {dir: out, formats: [parquet, csv]}
ledger: {store: "sqlite:ledger.db", dataset: d, budget: {epsilon: 10, delta: 1e-5}}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(program, "run", "job.yaml", "--quiet")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}
