// Package sqlstore keeps a ledger in a SQLite file or in a PostgreSQL database (Postgres).
//
// In SQLite, every transaction that writes is BEGIN IMMEDIATE with a rollback journal and synchronous=EXTRA, so that
// committed entries survive a power failure. (FULL would not sync the folder after the journal is deleted.) The file
// PATH.lock has the locks of runs, with notes on their holders (holder.go), and is never deleted. PATH must be on a
// local file system, because locks do not work on all others. The file, the files beside it and the folders above must
// belong to this user or root, and nobody else may write to them (surroundings.go). If a group shares the ledger, its
// name begins with sqlite+group.
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Store is a ledger.Store in one SQLite file.
type Store struct {
	db      *sql.DB
	path    string // the path of the file itself, without symbolic links
	sharing sharing
	arrival bool // true if a ledger is copied into this store; it may then be an unfinished copy
}

var _ ledger.Store = (*Store)(nil)

// Open opens the ledger at path. If there is none, Open makes one that only this user can read. The folder must exist.
// Errors: ledger.ErrExposed if other users could change or read the file, the files beside it or the folders above;
// ledger.ErrSecondPath if the file has another path; ledger.ErrUnavailable if it cannot be made or reached;
// ledger.ErrNotLedger, ErrNewer, ErrCorrupt, ErrBusy, ErrReadOnly, ErrFull.
func Open(ctx context.Context, path string) (*Store, error) { return open(ctx, path, ownerOnly, true) }

func open(ctx context.Context, path string, s sharing, create bool) (*Store, error) {
	path, passed, err := locate(path)
	if err != nil {
		return nil, err
	}
	if err := checkSurroundings(path, passed, s); err != nil {
		return nil, err
	}
	if create {
		err = ensure(ctx, path, s, origin{})
	} else if err = inspect(path); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", path, ledger.ErrAbsent)
	}
	if err != nil {
		return nil, err
	}
	return openAt(ctx, path, s, false)
}

func openAt(ctx context.Context, path string, s sharing, arrival bool) (*Store, error) {
	db, err := connect(path)
	if err != nil {
		return nil, err
	}
	store := &Store{db: db, path: path, sharing: s, arrival: arrival}
	if err := store.checked(ctx, deferred, func(*tx) error { return nil }); err != nil {
		return nil, errors.Join(store.located(err), closeDB(db))
	}
	return store, nil
}

// Close implements ledger.Store.
func (s *Store) Close() error { return closeDB(s.db) }

// Update implements ledger.Store.
func (s *Store) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.explained(s.checked(ctx, immediate, func(t *tx) error { return fn(t) }))
}

// View implements ledger.Store.
func (s *Store) View(ctx context.Context, fn func(ledger.Reader) error) error {
	return s.explained(s.checked(ctx, deferred, func(t *tx) error { return fn(t) }))
}

// Secret implements ledger.Store.
func (s *Store) Secret(ctx context.Context) (secret []byte, err error) {
	err = s.checked(ctx, deferred, func(t *tx) (err error) {
		secret, err = t.row("SELECT key, sum FROM secret WHERE id = 1").secret()
		return err
	})
	if err != nil {
		return nil, s.explained(err)
	}
	return secret, nil
}

// explained adds the ledger's path to the errors that an operator can mend at the ledger's file. It returns other
// errors unchanged.
func (s *Store) explained(err error) error {
	if errors.Is(err, ledger.ErrBusy) || errors.Is(err, ledger.ErrReadOnly) || errors.Is(err, ledger.ErrFull) ||
		errors.Is(err, ledger.ErrUnavailable) {
		return s.located(err)
	}
	return err
}

// located adds the ledger's path to an error and, if another process has locked the file, the name of that process.
func (s *Store) located(err error) error {
	if errors.Is(err, ledger.ErrBusy) && !errors.As(err, new(*ledger.HeldError)) &&
		!errors.Is(err, context.DeadlineExceeded) {
		err = fileHolder(s.path)
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

// checked runs fn in a transaction, after checking in it that the file is a ledger of this version.
func (s *Store) checked(ctx context.Context, begin string, fn func(*tx) error) error {
	return transact(ctx, s.db, begin, func(t *tx) error {
		if err := t.check(s.arrival); err != nil {
			return err
		}
		return fn(t)
	})
}

// Lock implements ledger.Store. On systems without OFD locks each name has a lock file of its own, which is not
// deleted.
func (s *Store) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return lock(s.path+".lock", name, s.sharing)
}
