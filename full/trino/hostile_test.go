package trino_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
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
input: {sql: {driver: trino, query: unused}, timezone: Europe/Berlin}
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
	const query = `SELECT CASE id % 5 WHEN 0 THEN 'north' WHEN 1 THEN 'NORTH' WHEN 2 THEN from_utf8(X'69742773') WHEN 3 THEN U&'\00fc' END AS Zone,
		date_add('second', id % 9 * 1020, TIMESTAMP '2020-03-29 00:00:00.000001') AS at, id / DOUBLE '97' AS x
		FROM UNNEST(sequence(0, 199)) AS r(id)`
	s := server(t)
	p := sqlpushtest.Plan(t, settingsJob)
	first := ""
	for _, setting := range [][2]string{{}, {"explicit_session_time_zone", "Asia/Kathmandu"},
		{"session_properties", "query_max_run_time:10m"}, {"session_properties", "join_distribution_type:PARTITIONED"},
		{"session_properties", "task_concurrency:1"}, {"session_properties", "optimize_top_n_ranking:false"},
		{"session_properties", "push_partial_aggregation_through_join:true"},
		{"session_properties", "use_exact_partitioning:true"},
		{"session_properties", "adaptive_partial_aggregation_enabled:false"},
		{"session_properties", "distinct_aggregations_strategy:single_step"},
		{"session_properties", "pre_aggregate_case_aggregations_enabled:false"}} {
		dsn := s.DSN + "/information_schema"
		if setting[0] != "" {
			dsn += "?" + url.Values{setting[0]: {setting[1]}}.Encode()
		}
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "trino", DSN: dsn, Query: query})
		if err != nil {
			t.Fatal(setting, err)
		}
		got, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
		want, errRead := sqlpushtest.ReadAll(t, d, p)
		if first == "" {
			first = fmt.Sprint(want)
		}
		if err != nil || errRead != nil || fmt.Sprint(got) != first || fmt.Sprint(want) != first {
			t.Errorf("%s: %v, %v\n%v\n%v\n%v", setting, err, errRead, got, want, first)
		}
		_ = d.Close()
	}
}

const longJob = `
version: 1
name: long
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 2}}
input: {sql: {driver: trino, query: unused}}
queries:
  - {name: sums, sum: {column: x, clamp: [0, 3], by: [{column: c, values: [0, 1, 2]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// longQuery returns a query with 1000 · thousands rows.
func longQuery(thousands int) string {
	return fmt.Sprintf("SELECT a * 1000 + b AS u, b %% 3 AS c, sqrt(a) AS x FROM UNNEST(sequence(1, %d)) AS r(a) CROSS JOIN "+
		"UNNEST(sequence(1, 1000)) AS s(b) CROSS JOIN UNNEST(sequence(1, %d)) AS v(d)", thousands, thousands)
}

// If a run is cancelled, or reaches the server's time limit, it ends at once and its statement ends on the server.
func TestCancelled(t *testing.T) {
	s := server(t)
	dsn := s.DSN + "/information_schema"
	open := func(dsn string, thousands int) *sqlpush.Database {
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "trino", DSN: dsn, Query: longQuery(thousands)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	p := sqlpushtest.Plan(t, longJob)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(2*time.Second, cancel)
	// if cancelling fails, this call does not return
	_, err := sqlpush.New(open(dsn, 9000), nil).Aggregate(ctx, p, pipeline.Silent{})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var failed *pipeline.Error
	_, err = sqlpush.New(open(dsn+"?session_properties=query_max_run_time:2s", 9000), nil).Aggregate(t.Context(), p,
		pipeline.Silent{})
	if !errors.As(err, &failed) || failed.Cause != pipeline.CauseInput {
		t.Errorf("a limit of the server: %v", err)
	}
	few := open(dsn, 3)
	got, err := sqlpushtest.Answers(t, sqlpush.New(few, make([]byte, 32)), p)
	want, errRead := sqlpushtest.ReadAll(t, few, p)
	if err != nil || errRead != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, %v: %v, want %v", err, errRead, got, want)
	}
	for end := time.Now().Add(time.Minute); running(t, s.DSN) > 0; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the server still runs statements")
		}
	}
}
