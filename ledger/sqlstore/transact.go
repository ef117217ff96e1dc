package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/dprelease/dprelease/ledger"
)

// How a transaction begins: for writing, with the write lock from the start; for reading, with the first statement.
const (
	immediate = "BEGIN IMMEDIATE"
	deferred  = "BEGIN DEFERRED"
)

// transact runs fn in a transaction. If anything fails, fn included, nothing of it stays; only an error of the
// commit itself may leave it done. BEGIN, COMMIT and ROLLBACK are not interrupted halfway: they end, one way or other.
func transact(ctx context.Context, db *sql.DB, begin string, fn func(*tx) error) error {
	t, err := start(ctx, db, begin)
	if err != nil {
		return err
	}
	done := false
	defer func() { t.end(done) }()
	if err := fn(t); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// With readers in the way COMMIT answers busy and the transaction stays open: it can be tried again.
	if err := patiently(ctx, func() error { return t.plain("COMMIT") }); err != nil {
		return err
	}
	done = true
	return nil
}

// start takes the connection, begins a transaction and takes its lock, waiting for other processes.
func start(ctx context.Context, db *sql.DB, begin string) (t *tx, err error) {
	err = patiently(ctx, func() error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return translate(err)
		}
		t = &tx{ctx: ctx, conn: conn}
		if err := t.plain(begin); err != nil {
			return errors.Join(err, translate(conn.Close()))
		}
		err = t.row("PRAGMA user_version", &t.version)
		if err != nil {
			t.end(false)
		}
		return err
	})
	return t, err
}

// end gives the connection back, after a failure without its transaction. If it cannot be rolled back, the
// connection is closed, which rolls it back or leaves that to the next opening.
func (t *tx) end(committed bool) {
	if !committed && t.plain("ROLLBACK") != nil {
		_ = t.conn.Raw(func(any) error { return driver.ErrBadConn }) // closes it; its error is the one handed in
	}
	_ = t.conn.Close() // gives it back to the pool; an error means that it is closed already
}

// patiently repeats op while another process is in the way, or the server is away.
func patiently(ctx context.Context, op func() error) error {
	err := op()
	for end, pause := time.Now().Add(BusyTimeout), time.Millisecond; errors.Is(err, ledger.ErrBusy) || errors.Is(err, errLost); pause = min(2*pause, 32*time.Millisecond) {
		if time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return impatient(ctx)
		case <-time.After(pause):
		}
		if err = op(); ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return impatient(ctx)
		}
	}
	return err
}

// impatient says that ctx ended while another process was in the way: busy, unless it was cancelled.
func impatient(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%w (%w)", ledger.ErrBusy, ctx.Err())
	}
	return ctx.Err()
}
