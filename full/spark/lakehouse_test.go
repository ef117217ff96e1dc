package spark_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	_ "github.com/dprelease/dprelease/full/duckdb" // reads the same tables
	"github.com/dprelease/dprelease/full/spark/sparktest"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// house is the server with tables of Iceberg and Delta.
var house struct {
	sync.Once
	*sparktest.Server
}

func lakehouse(t *testing.T) *sparktest.Server {
	t.Helper()
	if !allEngines() && os.Getenv("DPRELEASE_LAKEHOUSE") == "" {
		t.Skip("Spark takes minutes to start and to answer: make check-engines runs these tests")
	}
	house.Do(func() {
		shared.TB = t
		house.Server = sparktest.StartLakehouse(&shared.untilTheEnd)
	})
	if house.Server == nil {
		t.Skip("Spark could not be started with Iceberg and Delta, as the first test says")
	}
	return house.Server
}

// newLake returns a new schema in Iceberg's catalogue or in Spark's, with tables of the given format.
func newLake(t *testing.T, format string) *sqlpushtest.Server {
	t.Helper()
	catalogue := map[string]string{"iceberg": "iceberg", "delta": "spark_catalog"}[format]
	shared.databases++
	name := fmt.Sprintf("%s.d%d_%d", catalogue, os.Getpid(), shared.databases)
	exec := lakehouse(t).Schema(t, name)
	return &sqlpushtest.Server{
		Driver: "spark", DSN: lakehouse(t).DSN, Schema: name, Exec: exec, Literal: literal, Slow: true, Format: format,
		Quote: func(name string) string { return "`" + name + "`" },
		Type: func(k stabilitytest.Kind, c *stabilitytest.Case) string {
			if k == stabilitytest.Text { // their texts have no collations
				return []string{"STRING", "BINARY"}[c.Layout%2]
			}
			return types[k]
		},
	}
}

// Random jobs about random tables of Iceberg and Delta. Each table is written in several versions.
func TestLakehouseAnswers(t *testing.T) {
	for _, format := range []string{"iceberg", "delta"} {
		t.Run(format, func(t *testing.T) {
			sqlpushtest.Equality(t, newLake(t, format), sqlpushtest.Cases(t, 6, 300))
		})
	}
}

// Spark reads a table by its name, DuckDB the table's folder.
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
		if format == "iceberg" { // its catalogue lists folders
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
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "dprelease", "duckdb-extensions")
	to := filepath.Join(dir, "v"+duckdbVersion, "linux_"+runtime.GOARCH)
	for _, name := range []string{"avro", "iceberg", "delta"} {
		file := name + ".duckdb_extension"
		if _, err := os.Stat(filepath.Join(to, file)); err == nil {
			continue
		}
		part := t.TempDir()
		pip := exec.Command("python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", part,
			"duckdb-extension-"+name+"=="+duckdbVersion)
		if out, err := pip.CombinedOutput(); err != nil {
			t.Skipf("the extension %s cannot be had: %v: %.300s", name, err, out)
		}
		if err := os.MkdirAll(to, 0o700); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(part, "duckdb_extension_"+name, "extensions", "v"+duckdbVersion, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
