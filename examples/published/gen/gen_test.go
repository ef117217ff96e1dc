//go:build check

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dprelease/dprelease"
	"github.com/dprelease/dprelease/examples/internal/exampletest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// Each job has a table, reads all of its columns without an error, and counts its rows: of crosstabs and discovered
// keys only the plan is made, and of jobs with an exact.sql, whose answers bench compares with DuckDB's answers.
func TestJobsReadTheirTables(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("..", "*", "job.yaml"))
	if err != nil || len(folders) != len(tables) {
		t.Fatalf("%d jobs and %d tables: %v", len(folders), len(tables), err)
	}
	const rows = 3000
	for _, path := range folders {
		name := filepath.Base(filepath.Dir(path))
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			job, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "job.yaml"), job, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := tables[name].write(filepath.Join(dir, "data"), rows); err != nil {
				t.Fatal(err)
			}
			plan := exampletest.Plan(t, filepath.Join(dir, "job.yaml"), nil)
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), "exact.sql")); err == nil {
				return
			}
			if slices.Contains([]string{"births", "census", "geoeditors", "linkedin", "mobility", "wikimedia-history"}, name) {
				return // sums of cells or weights; keys that are not selected yet; rows that are counts
			}
			for q, cells := range exampletest.Exact(t, plan) {
				var counted int64
				for _, n := range cells {
					counted += n
				}
				if counted > rows || counted < rows*7/10 {
					t.Errorf("query %d counts %d of %d rows", q, counted, rows)
				}
			}
		})
	}
}

// Each job runs as its page says, within the budget that it states.
func TestJobsRun(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("runs without -short")
	}
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			job, err := os.ReadFile(filepath.Join("..", name, "job.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "job.yaml")
			if err := errors.Join(os.WriteFile(path, job, 0o600), table.write(filepath.Join(dir, "data"), 3000)); err != nil {
				t.Fatal(err)
			}
			made, err := dprelease.Load(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := made.Run(t.Context(), dprelease.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
}
