//go:build unix

package sqlpush_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/ledger/sqlstore"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/protocol"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// proxy stands between the client and a server: it keeps what the server sends, and can cut the connection.
type proxy struct {
	listener net.Listener
	server   string // a socket

	mutex sync.Mutex
	sent  bytes.Buffer // by the server
	limit int          // bytes after which the server's connections are cut; 0 if they are not
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "px") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, filepath.Base(server)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &proxy{listener: l, server: server}
	go p.serve()
	return p
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		end := func() { _, _ = client.Close(), server.Close() }
		go func() { defer end(); _, _ = io.Copy(server, client) }()
		go func() { defer end(); p.record(client, server) }()
	}
}

func (p *proxy) record(client io.Writer, server io.Reader) {
	b := make([]byte, 1<<16)
	for {
		n, err := server.Read(b)
		p.mutex.Lock()
		p.sent.Write(b[:n])
		cut := p.limit > 0 && p.sent.Len() > p.limit
		p.mutex.Unlock()
		if cut || err != nil {
			return
		}
		if _, err := client.Write(b[:n]); err != nil {
			return
		}
	}
}

// cutAfter lets connections through until the server has sent so many bytes more; 0 for ever.
func (p *proxy) cutAfter(n int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.sent.Reset()
	p.limit = n
}

func (p *proxy) recorded() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.sent.String()
}

// throughProxy returns the connection string of a server with a proxy in between.
func throughProxy(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	p := newProxy(t, filepath.Join(q.Get("host"), ".s.PGSQL.5432"))
	q.Set("host", filepath.Dir(p.listener.Addr().String()))
	q.Set("sslmode", "disable")
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	return p, u.String()
}

const wireJob = `
version: 1
name: wire
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {sql: {driver: postgres, dsn: unused, table: visits}, where: [{column: note, not_null: true}]}
queries:
  - {name: all, count: {}}
  - name: zones
    histogram: {by: [{column: zone, values: [north, south], other: bin}]}
  - {name: spent, mean: {column: amount, clamp: [0, 10], by: [{column: zone, values: [north, south]}]}, per_unit: {max_groups: 1, max_rows_per_group: 1}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: wire, budget: {epsilon: 5, delta: 1e-4}}
`

// canary marks the values of rows that the job does not name.
const canary = "CANARY"

func loadVisits(t *testing.T, s *sqlpushtest.Server) {
	t.Helper()
	for _, text := range []string{
		"CREATE TABLE visits (person text, zone text, note text, amount double precision)",
		"INSERT INTO visits SELECT '" + canary + "unit' || i % 7, CASE i % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'south' ELSE '" + canary + "zone' END, '" + canary + "note' || i, i * 0.7071067 FROM generate_series(1, 60) AS i",
	} {
		if err := s.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
}

// No value of a row and no privacy unit is sent by the server. With engine: local they are, so that the test would see them.
func TestOnlyTotalsCrossTheWire(t *testing.T) {
	s := newPostgres(t)
	loadVisits(t, s)
	through, dsn := throughProxy(t, s.DSN)
	p := sqlpushtest.Plan(t, wireJob)
	d, err := sqlpush.Open(t.Context(), sqlpush.Source{Driver: "postgres", DSN: dsn, Table: "visits"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	pushed, err := sqlpushtest.Answers(t, sqlpush.New(d, make([]byte, 32)), p)
	if err != nil || len(pushed) != 4 {
		t.Fatal(len(pushed), err)
	}
	sent := through.recorded()
	if strings.Contains(sent, canary) || !strings.Contains(sent, "cell") {
		t.Errorf("of %d bytes that the server sent, some are of rows", len(sent))
	}
	if _, err := sqlpushtest.ReadAll(t, d, p); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"unit", "zone", "note"} {
		if !strings.Contains(through.recorded(), canary+part) {
			t.Errorf("the proxy does not see %s when rows are read", part)
		}
	}
}

// A connection that is cut in the middle fails the run, without any text of the server. The next run has the same release and one charge.
func TestLostConnection(t *testing.T) {
	s := newPostgres(t)
	loadVisits(t, s)
	through, dsn := throughProxy(t, s.DSN)
	p := sqlpushtest.Plan(t, wireJob)
	dir := t.TempDir()
	store, err := sqlstore.Named(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	book := ledger.NewBook(store, time.Now)
	runner := protocol.Runner{Book: book, Sink: sink.New(), Observer: pipeline.Silent{}, Workers: 1, Open: func(ctx context.Context) (pipeline.Engine, error) {
		d, err := sqlpush.Open(ctx, sqlpush.Source{Driver: "postgres", DSN: dsn, Table: "visits"})
		if err != nil {
			return nil, err
		}
		return sqlpush.New(d, make([]byte, 32)), nil
	}}
	request := protocol.Request{Plan: p, Dir: filepath.Join(dir, "out")}
	failed := 0
	for limit := 400; failed < 4; limit += 350 {
		through.cutAfter(limit)
		_, err := runner.Run(t.Context(), request)
		if err == nil {
			break
		}
		failed++
		if text := err.Error(); strings.Contains(text, canary) || strings.Contains(text, "host=") || strings.Contains(text, "EOF") {
			t.Errorf("the error passes on what the driver said: %s", text)
		}
	}
	if failed < 2 {
		t.Fatalf("%d runs failed", failed)
	}
	through.cutAfter(0)
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
