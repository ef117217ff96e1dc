//go:build unix

package sqlpush_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
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
input: {sql: {driver: postgres, dsn: unused, table: settings}, timezone: Europe/Berlin}
queries:
  - {name: zones, histogram: {by: [{column: zone, values: [north, "it's", 'a\b', ü], null: bin, other: bin}]}}
  - {name: sums, sum: {column: x, clamp: [0, 3], by: [{column: code, values: [a, 'a\b'], null: bin, other: bin}]}}
  - {name: cells, histogram: {by: [{column: x, edges: [0, 0.1, 1.234567890123456789, 3], null: bin, other: bin}]}}
  - {name: hours, histogram: {by: [{column: at, part: hour_of_day}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// The answers depend on no setting of a server, a database, a user or a connection string, nor on how the driver sends
// statements and values.
func TestPostgresSettings(t *testing.T) {
	s := newPostgres(t)
	for _, text := range []string{
		"CREATE TABLE settings (zone text, at timestamptz, x double precision, code bytea)",
		`INSERT INTO settings SELECT (ARRAY['north', 'it''s', E'a\\b', 'ü', NULL, '€'])[1 + i % 6], TIMESTAMPTZ '2020-03-29 00:00Z' + i % 9 * INTERVAL '17 min', i / 97.0, convert_to((ARRAY['a', E'a\\b'])[1 + i % 2], 'UTF8') FROM generate_series(1, 200) AS i`,
	} {
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	p, dsn := sqlpushtest.Plan(t, settingsJob), s.DSN
	var want []string
	for i, setting := range []string{"", "standard_conforming_strings=off", "extra_float_digits=-15",
		"bytea_output=escape", "datestyle=SQL,DMY", "timezone=Asia/Kathmandu", "intervalstyle=sql_standard",
		"client_encoding=LATIN1", "Client_Encoding=SJIS", "options=-c client_encoding=LATIN1"} {
		for k, mode := range []string{"cache_statement", "exec", "simple_protocol"} {
			if k != i%3 && os.Getenv("DPRELEASE_LONG") == "" {
				continue // each setting once, and each mode twice
			}
			name, value, _ := strings.Cut(setting, "=")
			s.DSN = dsn + "&default_query_exec_mode=" + mode + "&" +
				strings.ReplaceAll(url.Values{name: {value}}.Encode(), "+", "%20")
			if setting == "" {
				s.DSN = dsn + "&default_query_exec_mode=" + mode
			}
			if same, err := s.Same(t, p, "settings"); err != nil || same != "" {
				t.Errorf("%s, %s: %v\n%s", setting, mode, err, same)
			}
			d, err := s.Open(t.Context(), p, "settings")
			if err != nil {
				t.Fatal(err)
			}
			a, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
			if err != nil {
				t.Errorf("%s, %s: %v", setting, mode, err)
			}
			want = append(want, fmt.Sprint(a))
			_ = d.Close()
		}
	}
	if want = slices.Compact(want); len(want) != 1 {
		t.Errorf("there are %d different answers", len(want))
	}
}

// A setting that the server refuses is no error of a value.
func TestPostgresRefusesSetting(t *testing.T) {
	s := newPostgres(t)
	for _, setting := range []string{"max_stack_depth=2147483647", "extra_float_digits=many"} {
		_, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: s.Driver, DSN: s.DSN + "&" + setting, Table: "any"})
		if err == nil || !strings.Contains(err.Error(), "the server refuses a setting of the connection") {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

// A column cannot be read if another column has the same name, or if its type is user-defined and has the name of a
// built-in type. Jobs that need it are refused.
func TestPostgresColumnsThatOnlySeemReadable(t *testing.T) {
	s := newPostgres(t)
	if err := s.Exec(`CREATE TYPE "TEXT" AS (a int)`); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"SELECT 'north' AS zone, 'a' AS zone":               "text of a database, which has several columns of this name,",
		"SELECT 'north' AS zone, 'a' AS zone, NULL AS zone": "text of a database, which has several columns of this name,",
		`SELECT CAST(ROW(1) AS "TEXT") AS zone`:             "text of a database",
	} {
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: s.Driver, DSN: s.DSN, Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Schema().Fields; len(got) != 1 || got[0].Type.Name != want {
			t.Errorf("%s: %+v", query, got)
		}
		if diags := sqlpushtest.Plan(t, countsJob).CheckWith(sqlpush.New(d, nil)); len(diags) == 0 {
			t.Errorf("%s: the job is not refused", query)
		}
		_ = d.Close()
	}
}

// A statement ends at the server when its run is cancelled.
func TestPostgresCancelled(t *testing.T) {
	s := newPostgres(t)
	d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: s.Driver, DSN: s.DSN,
		Query: "SELECT 'north' AS zone FROM pg_sleep(600) AS endless"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	db, err := sql.Open("pgx", s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs := func() bool {
		var n int
		if err := db.QueryRow("SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE '%endless%' AND state = 'active' AND " +
			"pid <> pg_backend_pid()").Scan(&n); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		return n > 0
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := sqlpush.New(d, nil).Aggregate(ctx, sqlpushtest.Plan(t, countsJob), pipeline.Silent{})
		ended <- err
	}()
	for !runs() && len(ended) == 0 {
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for runs() { // otherwise the test does not end
	}
}
