package trino_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	trino "github.com/trinodb/trino-go-client/trino"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// running returns the number of statements of longQuery that the server is running.
func running(t *testing.T, dsn string) (n int) {
	t.Helper()
	db, err := sql.Open("trino", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM system.runtime.queries WHERE state IN ('RUNNING', "+
		"'QUEUED', 'PLANNING') AND query LIKE '%sequence(1, 9000)%' AND query NOT LIKE '%runtime.queries%'").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// loadVisits makes the table visits, and starts a proxy in front of the server.
func loadVisits(t *testing.T) (visits sqlpushtest.Visits, through *sqlpushtest.Proxy) {
	t.Helper()
	s := newTrino(t)
	visits = sqlpushtest.Visits{Rows: 300}
	visits.LoadTrino(t, s)
	address := server(t).Address
	through = sqlpushtest.NewProxyTo(t, "tcp", address)
	// Answers are not compressed, so that the proxy can read them.
	plain := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	if err := trino.RegisterCustomClient("plain", plain); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trino.DeregisterCustomClient("plain") })
	through.DSN = strings.Replace(s.DSN, address, through.Address, 1) + "?custom_client=plain"
	return visits, through
}

func trinoJob(job string) string { return strings.Replace(job, "driver: postgres", "driver: trino", 1) }

// The server neither sends nor logs a value of a row or a privacy unit. The same search finds the values if the local
// engine reads the rows, so it would see a leak.
func TestOnlyTotalsCrossTheWire(t *testing.T) {
	visits, through := loadVisits(t)
	for name, job := range sqlpushtest.VisitsJobs() {
		through.CutAfter(0)
		p := sqlpushtest.Plan(t, trinoJob(job))
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "trino", DSN: through.DSN, Table: "visits"})
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
	if server(t).Dir == "" {
		return // the server was started elsewhere, so its logs are not readable here
	}
	for _, line := range strings.Split(server(t).Log(), "\n") {
		if found := visits.Found([]byte(line)); len(found) > 0 && !strings.Contains(line, " % 7") {
			t.Errorf("the log has %v: %s", found, line)
		}
	}
}

// If a connection is cut halfway, the run fails with an error that quotes nothing from the server. If the server stops
// answering, the run can be cancelled. The next run makes the same release, and the ledger has one charge.
func TestLostConnection(t *testing.T) {
	trino.DefaultRequestRetryTimeout = time.Second
	t.Cleanup(func() { trino.DefaultRequestRetryTimeout = 30 * time.Second })
	visits, through := loadVisits(t)
	p := sqlpushtest.Plan(t, lostJob)
	dir := t.TempDir()
	store, err := sqlstore.Named(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	book := ledger.NewBook(store, time.Now)
	runner := protocol.Runner{Book: book, Sink: sink.New(), Observer: pipeline.Silent{}, Workers: 1,
		Open: func(ctx context.Context) (pipeline.Engine, error) {
			d, err := sqlpush.Open(ctx, sqlpush.Source{Driver: "trino", DSN: through.DSN, Table: "visits"})
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
	for i := range cuts {
		// Cut well before the end: runs differ in how often they ask for the state of a statement, and so in their number
		// of bytes.
		through.CutAfter(1 + whole*i/cuts/2)
		_, err := runner.Run(t.Context(), request)
		if err == nil {
			t.Fatalf("a run did not fail after %d of %d bytes", 1+whole*i/cuts/2, whole)
		}
		text := err.Error()
		if found := visits.Found([]byte(text)); len(found) > 0 || strings.Contains(text, "EOF") ||
			strings.Contains(text, "127.0.0.1") || strings.Contains(text, "trino:") {
			t.Errorf("the error passes on what the driver said: %s", text)
		}
	}
	for i := range cuts {
		through.HoldAfter(1 + whole*i/cuts/2)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // the driver waits longer for a silent server
		if _, err := runner.Run(ctx, request); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a run that the server held after %d of %d bytes: %v", 1+whole*i/cuts/2, whole, err)
		}
		cancel()
	}
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
input: {sql: {driver: trino, dsn: unused, table: visits}}
queries:
  - {name: zones, histogram: {by: [{column: zone, values: [north, south], other: bin}]}}
  - {name: spent, sum: {column: amount, clamp: [0, 10], by: [{column: zone, values: [north, south]}]}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: wire, budget: {epsilon: 50, delta: 1e-3}}
`
