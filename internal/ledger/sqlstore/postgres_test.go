//go:build unix

package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/owntest"
)

func openPostgres(t *testing.T, dsn string) *sqlstore.Postgres {
	t.Helper()
	s, err := sqlstore.OpenPostgres(t.Context(), dsn, true)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPostgres(t *testing.T) {
	owntest.Slow(t)
	server := ledgertest.Postgres(t)
	t.Run("suite", func(t *testing.T) {
		ledgertest.Suite(t, func(t *testing.T) ledger.Store { return openPostgres(t, server.DSN(t)) })
	})
	t.Run("holder", func(t *testing.T) {
		dsn := server.DSN(t)
		namesHolder(t, openPostgres(t, dsn), openPostgres(t, dsn))
	})
	t.Run("processes", func(t *testing.T) { processesOnPostgres(t, server) })
	t.Run("damage", func(t *testing.T) { damageOnPostgres(t, server) })
	t.Run("encoding", func(t *testing.T) { encodingOnPostgres(t, server.DSN(t)) })
	t.Run("refusals", func(t *testing.T) { refusalsOfPostgres(t, server) })
	t.Run("restart", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes ten seconds")
		}
		restartOfPostgres(t, server)
	})
}

// processesOnPostgres runs many processes on a new ledger in which four charges fit. A dead process holds no lock.
func processesOnPostgres(t *testing.T, server *ledgertest.Server) {
	dsn, count := server.DSN(t), map[string]int{}
	var all []*process
	for i := range 12 {
		all = append(all, startProcess(t, "charge", dsn, fmt.Sprint("run ", i)))
	}
	for _, p := range all {
		count[p.finish(t)]++
	}
	if count["charged"] != 4 || count["over"] != 8 {
		t.Errorf("answers %v, want 4 charged and 8 over", count)
	}
	s := openPostgres(t, dsn)
	defer s.Close()
	p := startProcess(t, "hold", dsn, "run")
	p.line(t)
	if _, err := s.Lock(t.Context(), "run"); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("locked beside a living process: %v", err)
	}
	p.kill(t)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) { // the server has to notice
		unlock, err := s.Lock(t.Context(), "run")
		if err == nil {
			unlock()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a dead process holds the lock: %v", err)
		}
	}
}

func sqlOn(t *testing.T, dsn, statement string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), statement)
	return err
}

// damageOnPostgres checks that a changed, a missing and a cut entry are detected. The tables themselves refuse all
// three.
func damageOnPostgres(t *testing.T, server *ledgertest.Server) {
	for _, damage := range []string{
		"UPDATE dprelease_entry SET body = replace(body, 'taxi', 'cabs') WHERE seq = 2",
		"DELETE FROM dprelease_entry WHERE seq = 1",
		"DELETE FROM dprelease_entry WHERE seq = 2",
	} {
		dsn := server.DSN(t)
		s := openPostgres(t, dsn)
		defer s.Close()
		if _, err := ledger.NewBook(s, time.Now).Charge(t.Context(), ledgertest.Quarter(t, "a")); err != nil {
			t.Fatal(err)
		}
		if sqlOn(t, dsn, damage) == nil {
			t.Errorf("the tables allow %s", damage)
		}
		if err := sqlOn(t, dsn, "ALTER TABLE dprelease_entry DISABLE TRIGGER ALL; "+damage); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.NewBook(s, time.Now).Runs(t.Context()); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("%s: %v", damage, err)
		}
	}
}

// encodingOnPostgres writes an entry with the connection setting of another encoding, and reads it without.
func encodingOnPostgres(t *testing.T, dsn string) {
	c := ledgertest.Quarter(t, "a")
	c.Account.Dataset = "Zürich, €"
	s := openPostgres(t, dsn+"&client_encoding=LATIN1")
	defer s.Close()
	if _, err := ledger.NewBook(s, time.Now).Charge(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	other := openPostgres(t, dsn)
	defer other.Close()
	if _, err := ledger.NewBook(other, time.Now).Runs(t.Context()); err != nil {
		t.Error(err)
	}
}

// refusalsOfPostgres checks that every failure is one of the ledger's own errors, without the text of the server.
func refusalsOfPostgres(t *testing.T, server *ledgertest.Server) {
	ctx, dsn := t.Context(), server.DSN(t)
	refused := func(dsn string, create bool, want error) {
		t.Helper()
		s, err := sqlstore.OpenPostgres(ctx, dsn, create)
		if !errors.Is(err, want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%v, want %v", err, want)
		}
		if err == nil {
			_ = s.Close()
		}
	}
	refused(dsn, false, ledger.ErrUnavailable)
	refused(strings.Replace(dsn, "user=ledger", "user=canary", 1), true, ledger.ErrUnavailable)
	refused("postgres:///postgres?host=/canary/nowhere", true, ledger.ErrUnavailable)
	refused("postgres://canary:canary@[/x", true, sqlstore.ErrUnsupported)
	if err := openPostgres(t, dsn).Close(); err != nil {
		t.Fatal(err)
	}
	if err := sqlOn(t, dsn, "UPDATE dprelease_head SET layout = 99"); err != nil {
		t.Fatal(err)
	}
	refused(dsn, false, ledger.ErrNewer)
	if err := sqlOn(t, dsn, "UPDATE dprelease_head SET layout = 1"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"UNLOGGED", "LOGGED"} {
		if err := sqlOn(t, dsn, "ALTER TABLE dprelease_entry SET "+kind); err != nil {
			t.Fatal(err)
		}
		if kind == "UNLOGGED" { // a crash of the server empties it
			refused(dsn, false, ledger.ErrUnavailable)
		}
	}
	s := openPostgres(t, dsn+"&default_transaction_read_only=on")
	defer s.Close()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "BEGIN; LOCK TABLE dprelease_head IN EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := ledger.NewBook(s, time.Now).Charge(short, ledgertest.Quarter(t, "a")); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("charged beside another writer: %v", err)
	}
	if _, err := ledger.NewBook(s, time.Now).Runs(ctx); err != nil {
		t.Errorf("a writer keeps readers out: %v", err)
	}
}

// restartOfPostgres checks that a server that crashes and restarts during charges loses nothing and charges nothing
// twice.
func restartOfPostgres(t *testing.T, server *ledgertest.Server) {
	s := openPostgres(t, server.DSN(t))
	defer s.Close()
	b, ctx := ledger.NewBook(s, time.Now), t.Context()
	const n = 40
	done := make(chan error)
	go func() {
		for i := range n {
			c := tiny(t, fmt.Sprint("run ", i))
			err := errors.New("not tried")
			for err != nil { // a commit that was cut off may be done or not: the same charge is made again
				if _, err = b.Charge(ctx, c); err != nil && !errors.Is(err, ledger.ErrUnavailable) {
					done <- err
					return
				}
			}
		}
		done <- nil
	}()
	restarts := 1
	if os.Getenv("DPRELEASE_LONG") != "" {
		restarts = 10
	}
	for range restarts {
		time.Sleep(50 * time.Millisecond)
		server.Stop(t)
		server.Start(t)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	a, err := ledger.NewBook(s, time.Now).Audit(ctx)
	if err != nil || len(a.Findings) > 0 || len(a.Entries) != n+1 {
		t.Errorf("%d entries, want %d; %+v (%v)", len(a.Entries), n+1, a.Findings, err)
	}
}

// A server that accepts connections and never answers ends an attempt to open its ledger, with words that say so.
func TestSilentPostgres(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // the system accepts connections; nobody reads them
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dsn := "postgres://x@" + l.Addr().String() + "/x?sslmode=disable&timeout=20ms"
	_, err = sqlstore.OpenPostgres(t.Context(), dsn, false)
	if !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "did not answer in time") {
		t.Error(err)
	}
}
