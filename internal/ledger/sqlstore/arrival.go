package sqlstore

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/internal/ledger"
)

// A store into which a ledger is copied (ledger.Book.Move) is made with that ledger's secret. It is stored with a
// version number that every opener of ledgers refuses (ledger.ErrIncoming), until Activate writes the real version.

// Arrival opens the store of that name, as Named does, to copy a ledger with this secret into it. If there is no store
// yet, Arrival makes it. It does not check that an existing store belongs to the copied ledger; ledger.Book.Move does.
// Errors: as Named.
func Arrival(ctx context.Context, name string, secret []byte) (ledger.Arrival, error) {
	from := origin{secret: secret}
	if IsPostgres(name) {
		return openPostgres(ctx, name, true, from)
	}
	path, s, err := parse(name)
	if err != nil {
		return nil, err
	}
	path, passed, err := locate(path)
	if err != nil {
		return nil, err
	}
	if err := checkSurroundings(path, passed, s); err != nil {
		return nil, err
	}
	if err := ensure(ctx, path, s, from); err != nil {
		return nil, err
	}
	return openAt(ctx, path, s, true)
}

// Activate writes the version of ledgers into the copied file. Until then every opener refuses the file
// (ledger.ErrIncoming).
func (s *Store) Activate(ctx context.Context) error {
	return s.checked(ctx, immediate, func(t *tx) error { return t.exec(fmt.Sprintf("PRAGMA user_version = %d", layout)) })
}

// Activate writes the version of ledgers into the copied tables. Until then every opener refuses them
// (ledger.ErrIncoming).
func (s *Postgres) Activate(ctx context.Context) error {
	return s.Update(ctx, func(tx ledger.Tx) error {
		t, ok := tx.(*postgresTx)
		if !ok {
			return ledger.ErrUnavailable
		}
		return t.exec(fmt.Sprintf("UPDATE dprelease_head SET layout = %d WHERE id = 1", layout))
	})
}

// Incoming reports whether the file is not a ledger yet: it is an unfinished copy.
func (s *Store) Incoming(ctx context.Context) (is bool, err error) {
	err = s.checked(ctx, deferred, func(t *tx) error {
		is = t.version == incoming
		return nil
	})
	return is, err
}

// Incoming reports whether the tables are not a ledger yet: they are an unfinished copy.
func (s *Postgres) Incoming(ctx context.Context) (is bool, err error) {
	err = s.read(ctx, func(t *postgresTx) error {
		version := 0
		err := t.row("SELECT layout FROM dprelease_head WHERE id = 1")(&version)
		is = version == incoming
		return err
	})
	return is, err
}
