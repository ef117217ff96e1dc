package spark_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

const settingsJob = `
version: 1
name: settings
privacy: {epsilon: 1, delta: 1e-6, unit: [Zone, at], per_unit: {max_rows: 3}}
input: {sql: {driver: spark, query: unused}, timezone: Europe/Berlin}
queries:
  - {name: zones, histogram: {by: [{column: Zone, values: [north, "it's", ü], null: bin, other: bin}]}}
  - {name: sums, sum: {column: x, clamp: [0, 3], by: [{column: Zone, values: [north, "it's", ü], null: bin, other: bin}]}}
  - {name: cells, histogram: {by: [{column: x, from: 0, to: 2, width: 0.1, null: bin, other: bin}]}}
  - {name: hours, histogram: {by: [{column: at, part: hour_of_day}]}}
  - {name: keys, histogram: {by: [{column: Zone, keys: discover}], min_units: 2}, per_unit: {max_groups: 2}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// The answers do not depend on any setting of a server or a session.
func TestSettings(t *testing.T) {
	const query = `SELECT CASE id % 5 WHEN 0 THEN 'north' WHEN 1 THEN 'NORTH' WHEN 2 THEN decode(X'69742773', 'UTF-8') WHEN 3 THEN 'ü' END AS Zone,
		CAST(timestamp_micros(1585440000000000 + id % 9 * 1020000000) AS TIMESTAMP_NTZ) AS at, id / CAST(97 AS DOUBLE) AS x FROM range(200)`
	s := server(t)
	p := sqlpushtest.Plan(t, settingsJob)
	first := ""
	for _, setting := range []string{"", "spark.sql.ansi.enabled=false", "spark.sql.session.timeZone=Asia/Kathmandu",
		"spark.sql.caseSensitive=true", "spark.sql.function.concatBinaryAsString=true",
		"spark.sql.legacy.lpadRpadAlwaysReturnString=true", "spark.sql.ansi.enforceReservedKeywords=true",
		"spark.sql.legacy.exponentLiteralAsDecimal.enabled=true", "spark.sql.parser.escapedStringLiterals=true",
		"spark.sql.ansi.doubleQuotedIdentifiers=true", "spark.sql.codegen.wholeStage=false", "spark.sql.adaptive.enabled=false",
		"spark.sql.legacy.timeParserPolicy=LEGACY", "spark.sql.thriftServer.incrementalCollect=true",
		"spark.sql.optimizer.inSetConversionThreshold=1", "spark.sql.decimalOperations.allowPrecisionLoss=false"} {
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "spark", DSN: s.DSN + "?" + setting, Query: query})
		if err != nil {
			t.Fatal(setting, err)
		}
		got, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
		if first == "" {
			want, err := sqlpushtest.ReadAll(t, d, p)
			if err != nil {
				t.Fatal(err)
			}
			first = fmt.Sprint(want)
		}
		if err != nil || fmt.Sprint(got) != first {
			t.Errorf("%s: %v\n%v\n%v", setting, err, got, first)
		}
		_ = d.Close()
	}
}

const longJob = `
version: 1
name: long
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 2}}
input: {sql: {driver: spark, query: unused}}
queries:
  - {name: sums, sum: {column: x, clamp: [0, 3], by: [{column: c, values: [0, 1, 2]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// longQuery returns a query with some millions of rows.
func longQuery(rows int) string {
	return fmt.Sprintf("SELECT id %% 100000 AS u, id %% 3 AS c, sqrt(id) AS x FROM range(0, %d, 1, 8)", rows)
}

// Killing an executor in the middle of a query changes no answer.
func TestKilledExecutor(t *testing.T) {
	s := server(t)
	if s.Dir == "" {
		t.Skip("the server is of somebody else")
	}
	d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "spark", DSN: s.DSN, Query: longQuery(2_000_000)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p := sqlpushtest.Plan(t, longJob)
	at := time.Now()
	want, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(at)
	for i := range 2 {
		before := s.Executors(t)
		if len(before) < 2 {
			t.Fatalf("%d executors", len(before))
		}
		timer := time.AfterFunc(took*time.Duration(i+1)/4, func() { _ = syscall.Kill(before[0], syscall.SIGKILL) })
		got, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
		timer.Stop()
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
		for end := time.Now().Add(2 * time.Minute); len(s.Executors(t)) < 2 && time.Now().Before(end); {
			time.Sleep(100 * time.Millisecond) // time for another executor to start
		}
	}
}

// If a task fails at its first attempt in each executor, Spark runs it again, and the answers do not change.
func TestRetriedTask(t *testing.T) {
	s := server(t)
	if s.Dir == "" {
		t.Skip("the server is of somebody else")
	}
	p := sqlpushtest.Plan(t, longJob)
	answers := func(query string) string {
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "spark", DSN: s.DSN, Query: query})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		got, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(got)
	}
	query := longQuery(200_000)
	want := answers(query)
	// The first task that reads this row in an executor fails and sets a property; later tasks find the property and
	// succeed.
	got := answers(`SELECT u, c, x + IF(u = 99999 AND reflect('java.lang.System', 'setProperty', 'dprelease.tried', 'yes') = 'null',
		CAST(raise_error('tried once') AS DOUBLE), 0) AS x FROM (` + query + ")")
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !regexp.MustCompile(`Lost task .*tried once`).MatchString(s.Log()) {
		t.Error("no task failed")
	}
}

// A cancelled run ends at once, and the server ends its jobs.
func TestCancelled(t *testing.T) {
	d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "spark", DSN: server(t).DSN, Query: longQuery(2_000_000_000)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(3*time.Second, cancel)
	// if cancelling fails, this call does not return
	if _, err := sqlpush.New(d, nil).Aggregate(ctx, sqlpushtest.Plan(t, longJob), pipeline.Silent{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// The server has ended the cancelled jobs: they would keep its two executors busy for many minutes.
	ctx, cancel = context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	few, err := sqlpush.Open(ctx, sqlpush.Source{Driver: "spark", DSN: server(t).DSN, Query: longQuery(1000)})
	if err != nil {
		t.Fatal(err)
	}
	defer few.Close()
	if _, err := sqlpush.New(few, nil).Aggregate(ctx, sqlpushtest.Plan(t, longJob), pipeline.Silent{}); err != nil {
		t.Error(err)
	}
}
