package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/private"
	"github.com/dprelease/dprelease/internal/regular"
)

// The head has a table of its own, so that the loss of the last entries is noticed. The triggers refuse changes of
// entries by other programs' mistakes.
const tables = `
CREATE TABLE entry (
	seq    INTEGER PRIMARY KEY,
	schema INTEGER NOT NULL,
	time   TEXT NOT NULL,
	kind   TEXT NOT NULL,
	body   TEXT NOT NULL,
	hash   BLOB NOT NULL
) STRICT;
CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), key BLOB NOT NULL, sum BLOB NOT NULL) STRICT;
CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER entry_remains BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
`

// ensure makes a ledger file if there is none; if that fails, it leaves no file, and no lock file that it made. If
// there is a ledger file, ensure inspects it.
func ensure(ctx context.Context, path string, s sharing, from origin) (err error) {
	err = inspect(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	const creating = "\x00create" // no run has this as its fingerprint
	locks := lockFile(path+".lock", offset(creating))
	made := !exists(locks)
	var unlock func()
	err = retryBusy(ctx, func() (err error) {
		unlock, err = lock(path+".lock", creating, s)
		return err
	})
	if err != nil {
		return err
	}
	defer unlock()
	defer func() {
		if err != nil && made && !exists(path) {
			_ = os.Remove(locks) // the error of making the ledger is returned
		}
	}()
	if err := inspect(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, left := range []string{path + "-journal", path + "-wal"} {
		if exists(left) {
			return fmt.Errorf("%s: %w: it belongs to a ledger that is gone, and a new one would be changed by it; bring the "+
				"ledger back, or move this file away", left, ledger.ErrCorrupt)
		}
	}
	if err := create(ctx, path, s, from); err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	return nil
}

// inspect checks the file at path without opening it, because closing it would drop the locks that SQLite holds on it
// in this process. If there is no file, the error is fs.ErrNotExist.
func inspect(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case err != nil:
		return fmt.Errorf("%s: %w", path, translateFile(err))
	case info.Size() == 0:
		return fmt.Errorf("%s: %w: the file is empty, and none was ever made so: what it held was lost, or another program "+
			"made it", path, ledger.ErrCorrupt)
	}
	if wal := path + "-wal"; exists(wal) { // SQLite would apply the contents of a -wal file to the ledger
		return fmt.Errorf("%s: %w: a ledger has no such file; end the program that has the ledger open, if there is one, "+
			"else mv %s %s.planted, and check the ledger with release ledger audit", wal, ledger.ErrUnavailable,
			private.ShellWord(wal),
			private.ShellWord(wal))
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// create writes the file under another name, that of a draft, and renames it when it is complete. The caller holds the
// lock for creating.
func create(ctx context.Context, path string, s sharing, from origin) error {
	made := draft(path)
	for _, stale := range []string{made, made + "-journal"} {
		if err := os.Remove(stale); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return translateFile(err)
		}
	}
	f, err := os.OpenFile(made, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return translateFile(err)
	}
	if err := errors.Join(f.Chmod(s.mode()), f.Close()); err != nil {
		return translateFile(err)
	}
	if err := fill(ctx, made, from); err != nil {
		return errors.Join(err, translateFile(os.Remove(made)))
	}
	if err := os.Rename(made, path); err != nil {
		return translateFile(err)
	}
	_ = os.Remove(made + "-journal") // some systems leave the journal there, empty
	return syncFolder(filepath.Dir(path))
}

// fill creates the tables and stores the secret, in one transaction.
func fill(ctx context.Context, path string, from origin) error {
	secret := from.secretOrNew()
	db, err := connect(path)
	if err != nil {
		return err
	}
	err = transact(ctx, db, immediate, func(t *tx) error {
		for _, statement := range []string{
			tables,
			fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, from.version()),
			"INSERT INTO head VALUES (1, 0, zeroblob(32))",
		} {
			if err := t.exec(statement); err != nil {
				return err
			}
		}
		_, err := t.conn.ExecContext(t.ctx, "INSERT INTO secret VALUES (1, ?, ?)", secret, secretSum(secret))
		return t.translate(err)
	})
	return errors.Join(err, closeDB(db))
}

// syncFile makes the entries of an open folder durable. Tests replace it.
var syncFile = (*os.File).Sync

func syncFolder(dir string) error {
	return translateFile(regular.SyncFolder(dir, syncFile))
}
