package duckdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

const settingsJob = `
version: 1
name: settings
privacy: {epsilon: 1, delta: 1e-6, unit: [zone, at], per_unit: {max_rows: 3}}
input: {sql: {driver: duckdb, query: unused}, timezone: Europe/Berlin}
queries:
  - {name: zones, histogram: {by: [{column: zone, values: [north, "it's", ü], null: bin, other: bin}]}}
  - {name: sums, sum: {column: x, clamp: [0, 3], by: [{column: zone, values: [north, "it's", ü], null: bin, other: bin}]}}
  - {name: cells, histogram: {by: [{column: x, from: 0, to: 2, width: 0.1, null: bin, other: bin}]}}
  - {name: hours, histogram: {by: [{column: at, part: hour_of_day}]}}
  - {name: keys, histogram: {by: [{column: zone, keys: discover}], min_units: 2}, per_unit: {max_groups: 2}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// The answers do not depend on any setting of a connection string.
func TestSettings(t *testing.T) {
	const query = `SELECT CASE i % 5 WHEN 0 THEN 'north' WHEN 1 THEN 'NORTH' WHEN 2 THEN 'it''s' WHEN 3 THEN 'ü' END AS zone,
		TIMESTAMPTZ '2020-03-29 00:00:00+00' + to_minutes(i % 9 * 17) AS at, i / CAST(97 AS DOUBLE) AS x FROM range(200) AS r(i)`
	p := sqlpushtest.Plan(t, settingsJob)
	first := ""
	for _, setting := range []string{"", "default_order=desc", "integer_division=true", "ieee_floating_point_ops=false",
		"default_collation=nocase", "default_null_order=nulls_first", "preserve_identifier_case=false", "threads=1"} {
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "duckdb", DSN: "?" + setting, Query: query})
		if err != nil {
			t.Fatal(setting, err)
		}
		got, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
		want, err2 := sqlpushtest.ReadAll(t, d, p)
		if first == "" {
			first = fmt.Sprint(want)
		}
		if err != nil || err2 != nil || fmt.Sprint(got) != first || fmt.Sprint(want) != first {
			t.Errorf("%s: %v, %v\n%v\n%v\n%v", setting, err, err2, got, want, first)
		}
		_ = d.Close()
	}
}

// A connection string that names no file is refused before DuckDB opens it: a pipe would wait for a writer.
func TestNoDatabaseFile(t *testing.T) {
	var e *pipeline.Error
	_, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "duckdb", DSN: t.TempDir() + "?threads=1", Table: "trips"})
	if !errors.As(err, &e) || !strings.Contains(e.Message, "a folder, a pipe") {
		t.Error(err)
	}
}

// A database with a macro that takes the place of one of DuckDB's functions is refused: statements would call it, and
// make all units one, for example.
func TestMacros(t *testing.T) {
	for i, macro := range []string{"encode(x) AS CAST('a' AS BLOB)", "SHA256(x) AS 'a'", `"//"(a, b) AS 5`, "sum(x) AS 3",
		"lower(x) AS ''", "hour(x) AS 5"} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".duckdb"))
		execute(t, path, "CREATE TABLE rows AS SELECT 1 AS x", "CREATE MACRO own(x) AS x + 1", "CHECKPOINT")
		s := sqlpush.Source{Driver: "duckdb", DSN: path, Query: "SELECT own(x) AS x FROM rows"}
		d, err := sqlpush.Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		_ = d.Close()
		execute(t, path, "CREATE MACRO "+macro)
		var e *pipeline.Error
		if _, err = sqlpush.Open(t.Context(), s); !errors.As(err, &e) || !strings.Contains(e.Message, "has a macro") {
			t.Errorf("%s: %v", macro, err)
		}
	}
}

// If a run is stopped while a file is opened, it ends as stopped runs do, and the connection string is not blamed.
func TestStoppedWhileOpening(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s := sqlpush.Source{Driver: "duckdb", DSN: filepath.Join(t.TempDir(), "none.duckdb"), Table: "trips"}
	if _, err := sqlpush.Open(ctx, s); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

const spillJob = `
version: 1
name: spill
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 1}}
input: {sql: {driver: duckdb, query: unused}}
queries:
  - {name: all, sum: {column: x, clamp: [0, 3]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// DuckDB spills data that does not fit in memory to a folder inside the one that UseScratch names. Only the user can
// read it, and it is removed afterwards.
func TestSpilledRows(t *testing.T) {
	work, scratch := t.TempDir(), filepath.Join(t.TempDir(), "it's private")
	t.Chdir(work)
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := sqlpush.Open(t.Context(), sqlpush.Source{
		Driver: "duckdb", DSN: "?memory_limit=60MB&threads=1",
		Query: "SELECT '" + canary +
			"' || repeat('x', 40) || i % 200000 AS person, CAST(i AS DOUBLE) AS x FROM range(400000) AS r(i)",
	})
	if err != nil {
		t.Fatal(err)
	}
	e := sqlpush.New(d, nil)
	e.UseScratch(scratch)
	ended, spilled := make(chan error, 1), 0
	go func() {
		_, err := e.Aggregate(t.Context(), sqlpushtest.Plan(t, spillJob), pipeline.Silent{})
		ended <- err
	}()
	for len(ended) == 0 {
		time.Sleep(time.Millisecond)
		// files appear and disappear
		_ = filepath.WalkDir(scratch, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || path == scratch {
				return nil
			}
			if info, err := entry.Info(); err == nil && entry.IsDir() && info.Mode().Perm() != 0o700 {
				t.Errorf("%s has the mode %v", path, info.Mode())
			} else if !entry.IsDir() {
				spilled++
			}
			return nil
		})
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if spilled == 0 {
		t.Error("all fits in memory: the test sees nothing")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{work, scratch} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left (%v)", left, err)
		}
	}
}

// A file is opened read-only: two processes can read it at the same time, a statement cannot write to it, and the name
// of a missing file creates none.
func TestFilesAreOnlyRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.duckdb")
	execute(t, path, "CREATE TABLE rows AS SELECT range AS x FROM range(10)", "CREATE SEQUENCE s")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, dsn := range []string{path, path + "?", path + "?threads=1"} {
		var open []*sqlpush.Database
		for range 2 {
			d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "duckdb", DSN: dsn, Table: "rows"})
			if err != nil {
				t.Fatal(dsn, err)
			}
			open = append(open, d)
		}
		for _, d := range open {
			_ = d.Close()
		}
	}
	p := sqlpushtest.Plan(t, strings.NewReplacer("[person]", "[x]", "column: x,", "column: n,").Replace(spillJob))
	writes, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "duckdb", DSN: path,
		Query: "SELECT x, nextval('s') AS n FROM rows"})
	if err == nil {
		_, err = sqlpush.New(writes, make([]byte, 32)).Aggregate(t.Context(), p, pipeline.Silent{})
		_ = writes.Close()
	}
	if err == nil {
		t.Error("a query writes")
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Error("the file was written to", err)
	}
	none := filepath.Join(t.TempDir(), "none.duckdb")
	if _, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "duckdb", DSN: none, Table: "rows"}); err == nil {
		t.Error("a file that does not exist was opened")
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a file was made")
	}
	d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "duckdb", DSN: none + "?access_mode=READ_WRITE",
		Query: "SELECT 1 AS x"})
	if err != nil {
		t.Fatal("who asks for it may write:", err)
	}
	_ = d.Close()
}
