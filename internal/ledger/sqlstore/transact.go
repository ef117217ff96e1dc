package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// The statements that begin a transaction. A writer gets the write lock with BEGIN, a reader its lock with its first
// query.
const (
	immediate = "BEGIN IMMEDIATE"
	deferred  = "BEGIN DEFERRED"
)

// transact runs fn in a transaction. If fn fails or the context ends before the commit, nothing is stored. If the
// commit itself fails, the transaction may be stored or not. The end of the context does not interrupt BEGIN, COMMIT
// and ROLLBACK.
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
	// If readers hold locks, COMMIT returns busy and the transaction stays open, so COMMIT can be tried again.
	if err := retryBusy(ctx, func() error { return t.exec("COMMIT") }); err != nil {
		return err
	}
	done = true
	return nil
}

// start begins a transaction on a connection of its own. It waits while other processes hold locks.
func start(ctx context.Context, db *sql.DB, begin string) (t *tx, err error) {
	err = retryBusy(ctx, func() error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return translate(err)
		}
		t = &tx{ctx: ctx, conn: conn}
		if err := t.exec(begin); err != nil {
			return errors.Join(err, translate(conn.Close()))
		}
		err = t.row("PRAGMA user_version")(&t.version)
		if err != nil {
			t.end(false)
		}
		return err
	})
	return t, err
}

// end returns the connection to the pool. If the transaction was not committed, end rolls it back first. If that fails,
// end closes the connection: SQLite then rolls back now, or when the file is next opened.
func (t *tx) end(committed bool) {
	if !committed && t.exec("ROLLBACK") != nil {
		// This closes the connection; Raw returns the same error.
		_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	_ = t.conn.Close() // an error means that the connection is closed already
}

// connect opens the file at path, which must exist. A store has one connection, for which its goroutines wait.
func connect(path string) (*sql.DB, error) {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows path is written as file:///C:/…
	}
	name := (&url.URL{Scheme: "file", Path: path}).String()
	c, err := sqlite.NewConnector(name + "?mode=rw&_defensive=1&_dqs=0" +
		"&_pragma=synchronous(EXTRA)&_pragma=fullfsync(1)&_pragma=cell_size_check(1)&_pragma=trusted_schema(0)" + journalPragma)
	if err != nil {
		return nil, translate(err)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(1)
	return db, nil
}

func closeDB(db *sql.DB) error { return translate(db.Close()) }
