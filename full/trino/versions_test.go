package trino_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// newIceberg makes a new schema in the catalogue of Iceberg.
func newIceberg(t *testing.T) (schema, dsn string, do func(t *testing.T, text string, args ...any)) {
	t.Helper()
	schemas++
	name := fmt.Sprintf("d%d_%d", os.Getpid(), schemas)
	dsn, exec := server(t).Schema(t, "iceberg", name)
	return "iceberg." + name, dsn, func(t *testing.T, text string, args ...any) {
		t.Helper()
		if err := exec(fmt.Sprintf(text, args...)); err != nil {
			t.Fatal(err)
		}
	}
}

// A run reads one snapshot of an Iceberg table, whether the connection string or the job names the schema.
func TestVersions(t *testing.T) {
	schema, dsn, do := newIceberg(t)
	for name, source := range map[string]sqlpush.Source{
		"schema of the job":        {Driver: "trino", DSN: server(t).DSN, Table: schema + ".visits"},
		"schema of the connection": {Driver: "trino", DSN: dsn, Table: "Visits"},
	} {
		t.Run(name, func(t *testing.T) {
			v := sqlpushtest.Versions{
				Source: source,
				Create: func(t *testing.T) {
					do(t, "DROP TABLE IF EXISTS visits")
					do(t, "CREATE TABLE visits (person BIGINT, zone VARCHAR)")
				},
				Insert: func(t *testing.T, person int, zone string) {
					do(t, "INSERT INTO visits VALUES (%d, '%s')", person, zone)
				},
			}
			v.Run(t)
		})
	}
}

// Views and tables of other catalogues keep no versions.
func TestNoVersions(t *testing.T) {
	schema, _, do := newIceberg(t)
	do(t, "CREATE TABLE visits (person BIGINT, zone VARCHAR)")
	do(t, "CREATE VIEW seen AS SELECT * FROM visits")
	do(t, "CREATE SCHEMA memory.%s", schema[len("iceberg."):])
	do(t, "CREATE TABLE memory.%s.visits (person BIGINT)", schema[len("iceberg."):])
	for _, table := range []string{schema + ".seen", "memory." + schema[len("iceberg."):] + ".visits"} {
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "trino", DSN: server(t).DSN, Table: table})
		if err != nil {
			t.Fatal(table, err)
		}
		if d.Version() != "" {
			t.Errorf("%s has the version %s", table, d.Version())
		}
		_ = d.Close()
	}
}
