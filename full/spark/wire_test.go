package spark_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/full/spark/sparktest"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// loadVisits makes the table visits, and starts a proxy in front of the server.
func loadVisits(t *testing.T) (visits sqlpushtest.Visits, through *sqlpushtest.Proxy) {
	t.Helper()
	s := newSpark(t)
	visits = sqlpushtest.Visits{Rows: 300}
	visits.LoadSpark(t, s)
	address := server(t).Address
	through = sqlpushtest.NewProxyTo(t, "tcp", address)
	through.DSN = strings.Replace(s.DSN, address, through.Address, 1)
	return visits, through
}

func sparkJob(job string) string { return strings.Replace(job, "driver: postgres", "driver: spark", 1) }

// The server neither sends nor logs a value of a row or a privacy unit. The same search finds the values if the local
// engine reads the rows, so it would see a leak.
func TestOnlyTotalsCrossTheWire(t *testing.T) {
	visits, through := loadVisits(t)
	for _, name := range []string{"rows", "several", "unbounded"} {
		job := sparkJob(sqlpushtest.VisitsJobs()[name])
		through.CutAfter(0)
		p := sqlpushtest.Plan(t, job)
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "spark", DSN: through.DSN, Table: "visits"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p); err != nil {
			t.Fatal(name, err)
		}
		sent := bytes.Join(through.Sent(), nil)
		if found := visits.Found(sent); len(found) > 0 {
			t.Errorf("%s: of %d bytes that the server sent, some are of rows: %v", name, len(sent), found)
		}
		noRowsInLogs(t, server(t), visits)
		if name == "rows" {
			through.CutAfter(0)
			if _, err := sqlpushtest.ReadAll(t, d, p); err != nil {
				t.Fatal(err)
			}
			if found := visits.Found(bytes.Join(through.Sent(), nil)); len(found) < 4 {
				t.Errorf("%s: the proxy sees only %v when rows are read", name, found)
			}
		}
		_ = d.Close()
	}
}

// noRowsInLogs searches the logs of the server and the executors for rows. The server's log holds the statements that
// made the table.
func noRowsInLogs(t *testing.T, s *sparktest.Server, visits sqlpushtest.Visits) {
	t.Helper()
	if s.Dir == "" {
		return // the server was started elsewhere, so its logs are not readable here
	}
	logs := []string{filepath.Join(s.Dir, "server.log")}
	more, err := filepath.Glob(filepath.Join(s.Dir, "home", "work", "*", "*", "std*"))
	if err != nil || len(more) < 4 {
		t.Errorf("the logs of the executors: %v, %v", more, err)
	}
	for _, path := range append(logs, more...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range bytes.Split(text, []byte("\n")) {
			if found := visits.Found(line); len(found) > 0 && !bytes.Contains(line, []byte(" % 7")) {
				t.Errorf("%s has %v: %s", path, found, line)
			}
		}
	}
}

// If a connection is cut halfway, or stays open without an answer, the run fails with an error that quotes nothing from
// the server. The next run makes the same release, and the ledger has one charge.
func TestLostConnection(t *testing.T) {
	visits, through := loadVisits(t)
	p := sqlpushtest.Plan(t, lostJob)
	dir := t.TempDir()
	store, err := sqlstore.Named(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	book := ledger.NewBook(store, time.Now)
	dsn := through.DSN
	runner := protocol.Runner{Book: book, Sink: sink.New(), Observer: pipeline.Silent{}, Workers: 1,
		Open: func(ctx context.Context) (pipeline.Engine, error) {
			d, err := sqlpush.Open(ctx, sqlpush.Source{Driver: "spark", DSN: dsn, Table: "visits"})
			if err != nil {
				return nil, err
			}
			return sqlpush.New(d, make([]byte, 32)), nil
		}}
	request := protocol.Request{Plan: p, Dir: filepath.Join(dir, "out")}
	engine, err := runner.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Aggregate(t.Context(), p, pipeline.Silent{}); err != nil {
		t.Fatal(err)
	}
	_ = engine.Close()
	whole := len(bytes.Join(through.Sent(), nil))
	const cuts = 4
	for i := range 2 * cuts {
		from := 1 + whole*(i/2)/cuts
		after := through.CutAfter
		if dsn = through.DSN; i%2 == 1 {
			after, dsn = through.HoldAfter, through.DSN+"?timeout=3s"
		}
		after(from)
		_, err := runner.Run(t.Context(), request)
		if err == nil {
			t.Fatalf("a run did not fail after %d of %d bytes", from, whole)
		}
		text := err.Error()
		if found := visits.Found([]byte(text)); len(found) > 0 || strings.Contains(text, "EOF") ||
			strings.Contains(text, "127.0.0.1") || strings.Contains(text, "apache") {
			t.Errorf("the error passes on what the driver said: %s", text)
		}
	}
	dsn = through.DSN
	through.CutAfter(0)
	first, err := runner.Run(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	again, err := runner.Run(t.Context(), request)
	if err != nil || again.Digest != first.Digest || again.Status != protocol.StatusAlready {
		t.Errorf("%v: %+v, first %+v", err, again, first)
	}
	balance, _, err := book.Balance(t.Context(), p.Account())
	if err != nil || balance.Runs != 1 {
		t.Errorf("%d charges, %v", balance.Runs, err)
	}
}

const lostJob = `version: 1
name: wire
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {sql: {driver: spark, dsn: unused, table: visits}}
queries:
  - {name: zones, histogram: {by: [{column: zone, values: [north, south], other: bin}]}}
  - {name: spent, sum: {column: amount, clamp: [0, 10], by: [{column: zone, values: [north, south]}]}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: wire, budget: {epsilon: 50, delta: 1e-3}}
`
