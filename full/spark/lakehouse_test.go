package spark_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	_ "github.com/dprelease/dprelease/full/duckdb" // reads the same tables
	"github.com/dprelease/dprelease/full/setuptest"
	"github.com/dprelease/dprelease/full/spark/sparktest"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// house is the server for tables of Iceberg and Delta.
var house setuptest.Shared[sparktest.Server]

func lakehouse(t *testing.T) *sparktest.Server {
	t.Helper()
	return house.Get(t, "DPRELEASE_LAKEHOUSE", sparktest.StartLakehouse)
}

// newLake returns a new schema in Iceberg's catalogue or in Spark's, with tables of the given format.
func newLake(t *testing.T, format string) *sqlpushtest.Server {
	t.Helper()
	catalogue := map[string]string{"iceberg": "iceberg", "delta": "spark_catalog"}[format]
	databases++
	name := fmt.Sprintf("%s.d%d_%d", catalogue, os.Getpid(), databases)
	exec := lakehouse(t).Schema(t, name)
	return &sqlpushtest.Server{
		Driver: "spark", DSN: lakehouse(t).DSN, Schema: name, Exec: exec, Literal: literal, Slow: true, Format: format,
		Quote: func(name string) string { return "`" + name + "`" },
		Type: func(k stabilitytest.Kind, c *stabilitytest.Case) string {
			if k == stabilitytest.Text { // columns of these formats have no collations
				return []string{"STRING", "BINARY"}[c.Layout%2]
			}
			return types[k]
		},
	}
}

// Spark answers random jobs about random tables of Iceberg and Delta as the local engine does. Each table is written in
// several versions.
func TestLakehouseAnswers(t *testing.T) {
	for _, format := range []string{"iceberg", "delta"} {
		t.Run(format, func(t *testing.T) {
			sqlpushtest.Equality(t, newLake(t, format), sqlpushtest.Cases(t, 6, 300))
		})
	}
}

// A run reads the version of the table that it found when it opened the input. Spark reads a table by its name, DuckDB
// by its folder.
func TestVersions(t *testing.T) {
	for _, format := range []string{"iceberg", "delta"} {
		s := newLake(t, format)
		do := func(t *testing.T, text string, args ...any) {
			t.Helper()
			if err := s.Exec(fmt.Sprintf(text, args...)); err != nil {
				t.Fatal(err)
			}
		}
		folder := filepath.Join(t.TempDir(), "visits")
		name := s.Schema + ".visits"
		where := fmt.Sprintf("LOCATION '%s'", folder)
		if format == "iceberg" { // Iceberg's catalogue keeps each table in a folder of its warehouse
			where, folder = "", filepath.Join(lakehouse(t).Dir, "iceberg", filepath.Ext(s.Schema)[1:], "visits")
		}
		v := sqlpushtest.Versions{
			Create: func(t *testing.T) {
				do(t, "DROP TABLE IF EXISTS %s", name)
				if err := os.RemoveAll(folder); err != nil {
					t.Fatal(err)
				}
				do(t, "CREATE TABLE %s (person BIGINT, zone STRING) USING %s %s", name, format, where)
			},
			Insert: func(t *testing.T, person int, zone string) {
				do(t, "INSERT INTO %s VALUES (%d, '%s')", name, person, zone)
			},
		}
		t.Run(format+"_by_spark", func(t *testing.T) {
			v.Source = sqlpush.Source{Driver: "spark", DSN: s.DSN, Table: name}
			v.Run(t)
		})
		t.Run(format+"_by_duckdb", func(t *testing.T) {
			v.Source = sqlpush.Source{Driver: "duckdb", DSN: "?extension_directory=" + extensions(t), Table: folder, Format: format}
			v.Run(t)
		})
	}
}

// duckdbVersion is the version of DuckDB in the program.
const duckdbVersion = "1.5.5"

// extensions returns a folder with DuckDB's extensions. It installs them once, for all tests and all later runs.
func extensions(t *testing.T) string {
	t.Helper()
	if !sqlpush.HasDriver("duckdb") || runtime.GOOS != "linux" {
		t.Skip("there is no DuckDB, or there are no extensions for it")
	}
	dir, err := setuptest.Install("duckdb-extensions-"+duckdbVersion, func(dir string) error {
		to := filepath.Join(dir, "v"+duckdbVersion, "linux_"+runtime.GOARCH)
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		for _, name := range []string{"avro", "iceberg", "delta"} {
			part := filepath.Join(dir, name)
			file := name + ".duckdb_extension"
			if err := errors.Join(os.Mkdir(part, 0o700), setuptest.Pip(part, "duckdb-extension-"+name, duckdbVersion),
				os.Rename(filepath.Join(part, "duckdb_extension_"+name, "extensions", "v"+duckdbVersion, file), filepath.Join(to, file)),
				os.RemoveAll(part)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Skipf("DuckDB's extensions cannot be had: %v", err)
	}
	return dir
}
