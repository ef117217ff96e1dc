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

// The statements that begin a transaction. A writer gets the write lock at once, a reader gets its lock with its first
// statement.
const (
	immediate = "BEGIN IMMEDIATE"
	deferred  = "BEGIN DEFERRED"
)

// transact runs fn in a transaction. If anything fails, including fn, nothing is stored; only an error of the commit
// itself may leave the transaction done. A context that ends does not interrupt BEGIN, COMMIT and ROLLBACK.
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
	// If readers are in the way, COMMIT returns busy and the transaction stays open, so it can be tried again.
	if err := retryBusy(ctx, func() error { return t.plain("COMMIT") }); err != nil {
		return err
	}
	done = true
	return nil
}

// start begins a transaction on a connection and takes its lock. It waits for other processes.
func start(ctx context.Context, db *sql.DB, begin string) (t *tx, err error) {
	err = retryBusy(ctx, func() error {
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

// end returns the connection to the pool, after a rollback if the transaction failed. If the rollback fails, end closes
// the connection, which rolls back at once or when the file is next opened.
func (t *tx) end(committed bool) {
	if !committed && t.plain("ROLLBACK") != nil {
		// closes the connection; the error is the one returned here
		_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	_ = t.conn.Close() // an error means that it is closed already
}

// connect opens the existing file at path, with one connection per store: goroutines queue for it.
func connect(path string) (*sql.DB, error) {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // file:///C:/…
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
