//go:build unix

package sqlpush_test

import (
	"database/sql"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	_ "github.com/dprelease/dprelease/internal/postgres"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// untilTheEnd runs the cleanups of a test after all tests.
type untilTheEnd struct {
	testing.TB
	ends []func()
}

// Cleanup registers a function that TestMain calls.
func (u *untilTheEnd) Cleanup(end func()) { u.ends = append(u.ends, end) }

// server is the server of all tests: each test has a schema of its own.
var server struct {
	sync.Once
	*ledgertest.Server
	untilTheEnd
}

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", "4") // tests that wait do so at the same time, however few processors there are
	}
	code := m.Run()
	for _, end := range slices.Backward(server.ends) {
		end()
	}
	os.Exit(code)
}

// newPostgres makes a new schema on the server.
func newPostgres(t *testing.T) *sqlpushtest.Server {
	t.Helper()
	server.Do(func() {
		server.TB = t
		server.Server = ledgertest.Postgres(&server.untilTheEnd)
	})
	if server.Server == nil {
		if server.Failed() {
			t.Fatal("PostgreSQL did not start, as the first test says")
		}
		t.Skip("no PostgreSQL server could be started, as the first test says")
	}
	dsn := server.DSN(t)
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, text := range []string{"ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET synchronous_commit = off",
		"SELECT pg_reload_conf()"} {
		if _, err := db.Exec(text); err != nil { // the tables are thrown away
			t.Fatal(err)
		}
	}
	return &sqlpushtest.Server{
		Driver: "postgres", DSN: dsn,
		Exec:    func(text string) error { _, err := db.Exec(text); return err },
		Type:    postgresType,
		Literal: postgresLiteral,
	}
}

var postgresTypes = map[stabilitytest.Kind]string{
	stabilitytest.Int64: "BIGINT", stabilitytest.Int32: "INTEGER", stabilitytest.Float64: "DOUBLE PRECISION", stabilitytest.Float32: "REAL",
	stabilitytest.Bool: "BOOLEAN", stabilitytest.Date: "DATE", stabilitytest.Instant: "TIMESTAMPTZ", stabilitytest.Clock: "TIMESTAMP",
	stabilitytest.Cents: "NUMERIC(9,2)", stabilitytest.Whole: "NUMERIC(12,0)",
}

// postgresType returns the column type of a kind. Texts have character types in some cases and byte types in others.
func postgresType(k stabilitytest.Kind, c *stabilitytest.Case) string {
	if k == stabilitytest.Text {
		return []string{"TEXT", "BYTEA"}[c.Layout%2]
	}
	return postgresTypes[k]
}

func postgresLiteral(k stabilitytest.Kind, columnType string, cell any) string {
	switch v := cell.(type) {
	case string:
		if columnType == "TEXT" {
			if !utf8.ValidString(v) || strings.Contains(v, "\x00") { // PostgreSQL cannot hold it; without the zero byte it could equal another unit's text
				return "NULL"
			}
			return "convert_from('\\x" + hex.EncodeToString([]byte(v)) + "', 'UTF8')"
		}
		return "'\\x" + hex.EncodeToString([]byte(v)) + "'::bytea"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return fmt.Sprintf("'%s'::%s", strconv.FormatFloat(v, 'g', -1, 64), columnType)
	case int64:
		switch k {
		case stabilitytest.Date:
			if v < -2440588 || v > 5000*365 {
				return "'infinity'"
			}
			return fmt.Sprintf("DATE '1970-01-01' + (%d)", v)
		case stabilitytest.Instant, stabilitytest.Clock:
			const most = 3e17 // intervals are multiplied as doubles, exactly up to here
			if v > most || v < -6.5e16 {
				return "'-infinity'"
			}
			return fmt.Sprintf("%s '1970-01-01 00:00:00%s' + (%d) * INTERVAL '1 second' + (%d) * INTERVAL '1 microsecond'",
				columnType, map[bool]string{true: "+00"}[k == stabilitytest.Instant], v/1e6, v%1e6)
		case stabilitytest.Cents:
			return fmt.Sprintf("(%d)::numeric / 100", v)
		}
		if v == math.MinInt64 {
			return "(-9223372036854775807 - 1)"
		}
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(cell)
}

const countsJob = `
version: 1
name: first
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {driver: postgres, dsn: unused, table: trips}}
queries:
  - {name: all, count: {}}
  - name: zones
    histogram: {by: [{column: zone, values: [north, "it's", "ü"], null: bin, other: bin}]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// A job with input.sql.table counts the table's rows in the database.
func TestPostgresCounts(t *testing.T) {
	s := newPostgres(t)
	for _, text := range []string{"CREATE TABLE trips (zone text)",
		"INSERT INTO trips VALUES ('north'), ('it''s'), ('it''s'), ('ü'), (NULL), ('south'), ('NORTH')"} {
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	p := sqlpushtest.Plan(t, countsJob)
	if same, err := s.Same(t, p, "trips"); err != nil || same != "" {
		t.Fatal(err, same)
	}
}

const typesJob = `
version: 1
name: types
privacy: {epsilon: 1, delta: 1e-6, unit: [id], per_unit: {max_rows: 2}}
input: {sql: {driver: postgres, dsn: unused, table: people}}
queries:
  - name: all
    histogram: {by: [{column: mood, values: [sad, Happy], null: bin, other: bin}, {column: code, values: [ab, "x y"], null: bin, other: bin}, {column: age, edges: [0, 50]}]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// Enums, CHAR(n), domains with a check and UUIDs are read like other texts and numbers. The error for a column of
// another user-defined type has the type's name.
func TestPostgresTypes(t *testing.T) {
	s := newPostgres(t)
	for _, text := range []string{
		"CREATE TYPE mood AS ENUM ('sad', 'Happy', 'it''s')", "CREATE DOMAIN age AS int CHECK (value >= 0)", "CREATE TYPE pair AS RANGE (subtype = int)",
		"CREATE TABLE people (id uuid, mood mood, code char(6), age age, pair pair)",
		"INSERT INTO people SELECT md5((i % 7)::text)::uuid, (ARRAY['sad', 'Happy', 'it''s', NULL])[1 + i % 4]::mood, " +
			"(ARRAY['ab', 'x y', 'x y  z', NULL])[1 + i % 4], i % 60, pair(1, 2) FROM generate_series(1, 50) AS i",
	} {
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	p := sqlpushtest.Plan(t, typesJob)
	if same, err := s.Same(t, p, "people"); err != nil || same != "" {
		t.Fatal(err, same)
	}
	p = sqlpushtest.Plan(t, strings.Replace(typesJob, "column: mood", "column: pair", 1))
	if _, err := s.Same(t, p, "people"); err == nil || !strings.Contains(err.Error(), "pair of a database") {
		t.Fatal(err)
	}
}

// The error for a column that cannot be read has a remedy in every use of the column.
func TestPostgresRemedies(t *testing.T) {
	s := newPostgres(t)
	d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: s.Driver, DSN: s.DSN, Query: "SELECT 1.5 AS zone"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, query := range []string{
		"sum: {column: zone, clamp: [0, 1]}", "histogram: {by: [{column: zone, keys: discover}], min_units: 2}", "histogram: {by: [{column: zone, part: hour_of_day}]}",
		"histogram: {by: [{column: zone, edges: [0, 1]}]}", "histogram: {by: [{column: zone, values: [a]}]}",
	} {
		job := strings.Replace(countsJob, "count: {}", query, 1)
		before, _, _ := strings.Cut(job, "  - name: zones")
		_, after, _ := strings.Cut(job, "output:")
		job = before + "output:" + after
		if diags := sqlpushtest.Plan(t, job).CheckWith(sqlpush.New(d, nil)); len(diags) != 1 ||
			!strings.Contains(diags[0].Hint, "CAST in input.sql.query") {
			t.Errorf("%s: %v", query, diags)
		}
	}
}

// A table that is altered after it was opened is refused. Its unit column was read as an integer: 1.2 and 1.4 would
// become one unit, and a cast of a text would fail for some values and not for others. A view in the table's place would
// be read without a fence.
func TestPostgresAlteredTable(t *testing.T) {
	s := newPostgres(t)
	p := sqlpushtest.Plan(t, strings.Replace(countsJob, "unit: row", "unit: [id], per_unit: {max_rows: 1}", 1))
	for i, change := range []string{"ALTER TABLE %s ALTER id TYPE float8 USING id + 0.2", "ALTER TABLE %s ALTER id TYPE text",
		"ALTER TABLE %s DROP zone", "ALTER TABLE %s RENAME zone TO other",
		"DROP TABLE %[1]s; CREATE VIEW %[1]s AS SELECT 1 AS id, 'north'::text AS zone"} {
		name := "visits" + strconv.Itoa(i)
		if err := s.Exec("CREATE TABLE " + name + " AS SELECT 1 AS id, 'north' AS zone"); err != nil {
			t.Fatal(err)
		}
		d, err := s.Open(t.Context(), p, name)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := s.Exec(fmt.Sprintf(change, name)); err != nil {
			t.Fatal(err)
		}
		_, err = sqlpush.New(d, nil).Aggregate(t.Context(), p, pipeline.Silent{})
		if err == nil || !strings.Contains(err.Error(), "were changed after the run had read their types") {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// Different values of an enum are different units, even if its owner has defined a cast to text under which they are
// equal.
func TestPostgresEnumWithCast(t *testing.T) {
	s := newPostgres(t)
	for _, text := range []string{
		"CREATE TYPE mood AS ENUM ('sad', 'glad')",
		"CREATE FUNCTION mood_text(mood) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'mood' $$",
		"CREATE CAST (mood AS text) WITH FUNCTION mood_text(mood)",
		"CREATE TABLE moods AS SELECT x AS id, 'north' AS zone FROM unnest(ARRAY['sad', 'glad', NULL]::mood[]) AS x",
	} {
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	p := sqlpushtest.Plan(t, strings.Replace(countsJob, "unit: row", "unit: [id], per_unit: {max_rows: 1}", 1))
	d, err := s.Open(t.Context(), p, "moods")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got, err := sqlpushtest.Answers(t, sqlpush.New(d, nil), p)
	if err != nil || got[0].Cells[0].Int64() != 2 {
		t.Errorf("%v, %v: want 2 units", got, err)
	}
}

// Discovered keys are told apart by their bytes, even in a column whose collation treats different texts as equal.
func TestPostgresKeysOfCollations(t *testing.T) {
	s := newPostgres(t)
	for _, text := range []string{
		"CREATE COLLATION same_letters (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
		"CREATE TABLE collated (u bigint, c text COLLATE same_letters, f double precision)",
		"INSERT INTO collated SELECT i % 40, (ARRAY['a', 'A', 'á', 'a\u0301', 'b', 'B', 'rare' || i])[1 + i % 7], i FROM " +
			"generate_series(1, 400) AS i",
	} {
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, unit := range []string{"row", "[u], per_unit: {max_groups: 3, max_rows_per_group: 1}",
		"[c], per_unit: {max_groups: 1, max_rows_per_group: 1}"} {
		p := sqlpushtest.Plan(t, fmt.Sprintf(collatedJob, unit))
		if same, err := s.Same(t, p, "collated"); err != nil || same != "" {
			t.Fatal(unit, err, same)
		}
	}
}

const collatedJob = `
version: 1
name: collated
privacy: {epsilon: 1, delta: 1e-6, unit: %s}
input: {sql: {driver: postgres, dsn: unused, table: collated}}
queries:
  - {name: letters, histogram: {by: [{column: c, keys: discover}], min_units: 2}}
  - {name: sums, sum: {column: f, clamp: [0, 300], by: [{column: c, keys: discover}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`
