//go:build unix

package sqlpush_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// messages returns the rows that a server sent, and the texts of its errors.
func messages(t *testing.T, sent []byte) (rows [][][]byte, errs []*pgproto3.ErrorResponse) {
	t.Helper()
	from := pgproto3.NewFrontend(bytes.NewReader(sent), io.Discard)
	for {
		m, err := from.Receive()
		if err != nil { // the end of the recorded bytes
			return rows, errs
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			var row [][]byte
			for _, v := range m.Values {
				row = append(row, bytes.Clone(v))
			}
			rows = append(rows, row)
		case *pgproto3.ErrorResponse:
			clone := *m
			errs = append(errs, &clone)
		}
	}
}

// The server sends only totals of cells, and no value of a row, for all kinds of queries with and without bounds. The
// same search finds the values if the local engine reads the rows, so it would see a leak.
func TestOnlyTotalsCrossTheWire(t *testing.T) {
	s := newPostgres(t)
	visits := sqlpushtest.Visits{Rows: 300}
	visits.Load(t, s)
	through := sqlpushtest.NewProxy(t, s.DSN)
	for name, job := range sqlpushtest.VisitsJobs() {
		through.CutAfter(0)
		p := sqlpushtest.Plan(t, job)
		d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "postgres", DSN: through.DSN, Table: "visits"})
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
		onlyCells(t, name, p, through.Sent())
		through.CutAfter(0)
		if _, err := sqlpushtest.ReadAll(t, d, p); err != nil {
			t.Fatal(err)
		}
		want := []string{"unit", "note", "zone", "number", "amount", "time"}
		found := visits.Found(bytes.Join(through.Sent(), nil))
		for _, part := range want {
			named := part != "unit" && part != "number" || part == "unit" && strings.Contains(job, "unit: [person") ||
				part == "number" && strings.Contains(job, "unit: [number")
			if named && !slices.Contains(found, part) {
				t.Errorf("%s: the proxy does not see %s when rows are read", name, part)
			}
		}
		_ = d.Close()
	}
}

// onlyCells checks that all rows that a server sent are totals of declared cells, one for each, except for the row with
// the server's version.
func onlyCells(t *testing.T, name string, p *pipeline.Plan, sent [][]byte) {
	t.Helper()
	cells := 0
	for _, q := range p.Queries() {
		for _, c := range q.Components {
			cells += c.Cells
			if q.Search != nil { // there is a table for each bin or rank
				cells += c.Cells * 700
			}
		}
	}
	totals := 0
	for _, connection := range sent {
		rows, errs := messages(t, connection)
		if len(errs) > 0 {
			t.Errorf("%s: the server failed: %s", name, errs[0].Message)
		}
		for _, row := range rows {
			if len(row) == 1 && len(row[0]) == 1 { // a boolean
				continue
			}
			totals++
			for i, v := range row {
				if longest := []int{8, 8, 8, 40}[min(i, 3)]; len(v) > longest {
					t.Errorf("%s: column %d of a total has %d bytes", name, i, len(v))
				}
			}
			if len(row) < 3 || len(row) > 6 {
				t.Errorf("%s: a row of %d columns", name, len(row))
			}
		}
	}
	if totals == 0 || totals > cells {
		t.Errorf("%s: the server sent %d totals, for %d cells", name, totals, cells)
	}
}

// If a connection is cut or stalls at any byte, the run fails with an error that quotes nothing from the server. The
// next run makes the same release, and the ledger has one charge.
func TestLostConnection(t *testing.T) {
	t.Parallel() // it waits for most of its time
	s := newPostgres(t)
	visits := sqlpushtest.Visits{Rows: 300}
	visits.Load(t, s)
	through := sqlpushtest.NewProxy(t, s.DSN)
	for name, job := range sqlpushtest.VisitsJobs() {
		if name != "rows" && os.Getenv("DPRELEASE_LONG") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) { lose(t, through, visits, sqlpushtest.Plan(t, job)) })
	}
}

// sentBy returns the number of bytes that a server sends to answer a plan's queries.
func sentBy(t *testing.T, through *sqlpushtest.Proxy, open func(context.Context) (pipeline.Engine, error),
	p *pipeline.Plan) int {
	t.Helper()
	engine, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if _, err := engine.Aggregate(t.Context(), p, pipeline.Silent{}); err != nil {
		t.Fatal(err)
	}
	return len(bytes.Join(through.Sent(), nil))
}

func openEngine(ctx context.Context, s sqlpush.Source) (pipeline.Engine, error) {
	d, err := sqlpush.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return sqlpush.New(d, make([]byte, 32)), nil
}

// A statement may take longer than the server may be silent. A run that waits for a silent server can be cancelled.
func TestSilentServer(t *testing.T) {
	t.Parallel() // it waits for most of its time
	s := newPostgres(t)
	visits := sqlpushtest.Visits{Rows: 300}
	visits.Load(t, s)
	through := sqlpushtest.NewProxy(t, s.DSN)
	p := sqlpushtest.Plan(t, `
version: 1
name: silent
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {driver: postgres, dsn: unused, table: visits}}
queries:
  - {name: zones, histogram: {by: [{column: zone, values: [north, south], other: bin}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: silent, budget: {epsilon: 2, delta: 1e-5}}
`)
	slow, err := openEngine(t.Context(), sqlpush.Source{Driver: "postgres", DSN: through.DSN + "&timeout=4s",
		Query: "SELECT v.* FROM visits AS v, pg_sleep(4.5)"})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := slow.Aggregate(t.Context(), p, pipeline.Silent{}); err != nil {
		t.Errorf("a slow statement: %v", err)
	}
	engine, err := openEngine(t.Context(), sqlpush.Source{Driver: "postgres", DSN: through.DSN, Table: "visits"})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	through.CutAfter(0)
	if _, err := engine.Aggregate(t.Context(), p, pipeline.Silent{}); err != nil {
		t.Fatal(err)
	}
	whole := len(bytes.Join(through.Sent(), nil))
	for i := range 5 {
		through.HoldAfter(1 + whole*i/5)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if _, err := engine.Aggregate(ctx, p, pipeline.Silent{}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled run, silent after %d of %d bytes: %v", 1+whole*i/5, whole, err)
		}
	}
}

// If the ledger's server stops answering, no charge is recorded. When it answers again, a charge is recorded once.
func TestSilentLedger(t *testing.T) {
	t.Parallel() // it waits for most of its time
	s := newPostgres(t)
	through := sqlpushtest.NewProxy(t, s.DSN)
	store, err := sqlstore.OpenPostgres(t.Context(), through.DSN+"&timeout=1s", true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	book := ledger.NewBook(store, time.Now)
	through.HoldAfter(100)
	if testing.Short() {
		t.Log("leaves out a charge, which is tried again for half a minute")
	} else if _, err := book.Charge(t.Context(), ledgertest.Quarter(t, "a")); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a charge: %v", err)
	}
	for _, n := range []int{1, 400} {
		through.HoldAfter(n)
		if _, err := store.Lock(t.Context(), "a"); !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("a lock: %v", err)
		}
		if _, err := sqlstore.OpenPostgres(t.Context(), through.DSN+"&timeout=100ms", false); !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("an opening: %v", err)
		}
	}
	through.CutAfter(0)
	if _, err := book.Charge(t.Context(), ledgertest.Quarter(t, "a")); err != nil {
		t.Error(err)
	}
	if runs, err := book.Runs(t.Context()); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

func lose(t *testing.T, through *sqlpushtest.Proxy, visits sqlpushtest.Visits, p *pipeline.Plan) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	store, err := sqlstore.Named(t.Context(), "sqlite:"+path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	book := ledger.NewBook(store, time.Now)
	dsn := through.DSN
	runner := protocol.Runner{Book: book, Sink: sink.New(), Observer: pipeline.Silent{}, Workers: 1,
		Open: func(ctx context.Context) (pipeline.Engine, error) {
			return openEngine(ctx, sqlpush.Source{Driver: "postgres", DSN: dsn, Table: "visits"})
		}}
	request := protocol.Request{Plan: p, Dir: filepath.Join(dir, "out")}
	through.CutAfter(0)
	whole := sentBy(t, through, runner.Open, p)
	const cuts = 9
	for i := range cuts {
		through.CutAfter(1 + whole*i/cuts)
		_, err := runner.Run(t.Context(), request)
		if err == nil {
			t.Fatalf("a run did not fail after %d of %d bytes", 1+whole*i/cuts, whole)
		}
		text := err.Error()
		if found := visits.Found([]byte(text)); len(found) > 0 || strings.Contains(text, "host") ||
			strings.Contains(text, "EOF") || strings.Contains(text, "127.0.0.1") {
			t.Errorf("the error passes on what the driver said: %s", text)
		}
	}
	dsn += "&timeout=300ms"
	silent := func(hold func(int), after int) (failed bool) {
		hold(after)
		_, err := runner.Run(t.Context(), request)
		if err != nil && !strings.Contains(err.Error(), "the server did not answer in time") {
			t.Errorf("silent after %d of %d bytes: %v", after, whole, err)
		}
		return err != nil
	}
	for i := range 3 {
		if after := 1 + whole*(2*i+1)/7; !silent(through.HoldAfter, after) {
			t.Errorf("a run did not fail, silent after %d of %d bytes", after, whole)
		}
	}
	for i := range 3 { // the run continues on another connection if the only missing answer is that to a rollback
		if !silent(through.HoldOneAfter, 1+whole*(2*i+1)/7) {
			break
		}
	}
	dsn = through.DSN
	through.CutAfter(0)
	first, err := runner.Run(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	through.CutAfter(whole / 2) // a repetition runs the queries again, to compare the input
	if again, err := runner.Run(t.Context(), request); err == nil && again.Digest != first.Digest {
		t.Errorf("%+v, first %+v", again, first)
	}
	through.CutAfter(0)
	again, err := runner.Run(t.Context(), request)
	if err != nil || again.Digest != first.Digest || again.Status != protocol.StatusAlready {
		t.Errorf("%v: %+v, first %+v", err, again, first)
	}
	balance, _, err := book.Balance(t.Context(), p.Account())
	if err != nil || balance.Runs != 1 {
		t.Errorf("%d charges, %v", balance.Runs, err)
	}
	for _, name := range []string{path, path + "-wal"} {
		if text, err := os.ReadFile(name); err == nil && len(visits.Found(text)) > 0 {
			t.Errorf("the ledger has values of rows: %v", visits.Found(text))
		}
	}
}
