//go:build check

package runjob

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/configs"
)

// The folder of a lake's table is relative to the job file, as files are; names and URLs stay as they are.
func TestFolderOfATableIsTheJobs(t *testing.T) {
	dir := t.TempDir()
	for sql, want := range map[string]string{
		"{driver: duckdb, format: delta, table: lake/trips}":        filepath.Join(dir, "lake", "trips"),
		"{driver: duckdb, format: delta, table: /lake/trips}":       "/lake/trips",
		`{driver: duckdb, format: delta, table: "s3://lake/trips"}`: "s3://lake/trips",
		"{driver: duckdb, table: lake.trips}":                       "lake.trips",
	} {
		path := filepath.Join(dir, "job.yaml")
		if err := os.WriteFile(path, []byte("version: 1\nname: trips\nprivacy: {epsilon: 1, delta: 1e-6, unit: row}\ninput: {sql: "+
			sql+"}\nqueries: [{name: all, count: {}}]\noutput: {dir: out}\n"+
			"ledger: {store: \"sqlite:ledger.db\", dataset: trips, budget: {epsilon: 2, delta: 1e-6}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		job, diags := configs.Load(path, configs.ParseOptions{})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		if got := DatabaseOf(job).Table; got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
