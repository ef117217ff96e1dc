//go:build unix

package sqlpush_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

const guardedJob = `
version: 1
name: guarded
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_groups: 2, max_rows_per_group: 1}}
input: {sql: {driver: postgres, dsn: unused, table: guarded}, where: [{column: age, min: 0}]}
queries:
  - {name: cells, histogram: {by: [{column: age, edges: [0, 30, 60]}]}}
  - {name: sum, sum: {column: age, clamp: [0, 60]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// A query, a view, a foreign table of a view, or a table with such a foreign table as a partition or child, that fails
// on no value does not fail as an input either: PostgreSQL computes its columns only for rows that it returns, and
// evaluates no condition of the statements for other rows.
func TestPostgresGuardedCasts(t *testing.T) {
	s := newPostgres(t)
	dsn, err := url.Parse(s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	theAges := " SERVER itself OPTIONS (schema_name '" + dsn.Query().Get("search_path") + "', table_name 'the ages')"
	for _, text := range []string{
		"CREATE TABLE facts (person text, kind int, value text)", "CREATE TABLE kinds (kind int, name text)",
		"INSERT INTO kinds VALUES (1, 'age'), (2, 'town')",
		"INSERT INTO facts SELECT 'p' || i % 40, 1 + i % 2, CASE WHEN i % 2 = 0 THEN (i % 50)::text ELSE 'Bonn' END FROM " +
			"generate_series(1, 400) AS i",
		"CREATE FUNCTION whole(x text) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN x ~ '^[0-9]+$'; END $$",
		`CREATE VIEW "the ages" AS SELECT person, value::int AS age FROM facts JOIN kinds USING (kind) WHERE name = 'age'`,
		"CREATE EXTENSION postgres_fdw",
		"CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '" + dsn.Query().Get("host") +
			"', dbname 'postgres')",
		"CREATE USER MAPPING FOR CURRENT_USER SERVER itself OPTIONS (user 'ledger')",
		"CREATE FOREIGN TABLE far (person text, age int)" + theAges,
		"CREATE TABLE parted (person text, age int) PARTITION BY RANGE (age)",
		"CREATE TABLE adults PARTITION OF parted FOR VALUES FROM (0) TO (1000) PARTITION BY LIST (person)",
		"CREATE FOREIGN TABLE part PARTITION OF adults DEFAULT" + theAges,
		"CREATE TABLE parent (person text, age int)", "CREATE FOREIGN TABLE child () INHERITS (parent)" + theAges,
	} {
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	p, want := sqlpushtest.Plan(t, guardedJob), ""
	for _, of := range []sqlpush.Source{
		{Table: "the ages"},
		{Table: "far"},
		{Table: "parted"},
		{Table: "parent"},
		{Query: `SELECT * FROM "the ages" -- a comment ends with its line`},
		{Query: "SELECT person, value::int AS age FROM facts WHERE whole(value) ORDER BY 2 LIMIT 1000 OFFSET 0"},
		{Query: "SELECT person, value::int AS age FROM facts WHERE kind IN (SELECT kind FROM kinds WHERE name = 'age')"},
	} {
		of.Driver, of.DSN, of.Exact = s.Driver, s.DSN, []string{"person"}
		d, err := sqlpush.Open(t.Context(), of)
		if err != nil {
			t.Fatal(of.Table, of.Query, err)
		}
		rows, errRows := sqlpushtest.ReadAll(t, d, p)
		got, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
		if err != nil || errRows != nil {
			t.Errorf("%s%s: %v, %v", of.Table, of.Query, err, errRows)
		}
		if want == "" {
			want = fmt.Sprint(rows)
		}
		if fmt.Sprint(got) != want || fmt.Sprint(rows) != want {
			t.Errorf("%s%s: %v and %v, want %s", of.Table, of.Query, got, rows, want)
		}
		_ = d.Close()
	}
}
