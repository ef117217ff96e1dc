package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/silence"
)

// The statements that begin a transaction.
const (
	beginWrite = "BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = %d; " +
		"SET LOCAL idle_in_transaction_session_timeout = %d"
	beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	takeHead  = "LOCK TABLE dprelease_head IN EXCLUSIVE MODE"
)

// transact runs fn in a transaction. It runs fn again if the connection was lost, the server was restarted or the
// serialization failed.
func (s *Postgres) transact(ctx context.Context, begin string, fn func(*postgresTx) error) error {
	return retryBusy(ctx, func() error { return s.runOnce(ctx, begin, fn) })
}

// runOnce runs fn in a transaction, without a second attempt.
func (s *Postgres) runOnce(ctx context.Context, begin string, fn func(*postgresTx) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return translatePostgres(ctx, err)
	}
	defer conn.Release()
	t := &postgresTx{ctx: ctx, conn: conn.Conn()}
	if err := t.exec(begin); err != nil {
		return err
	}
	err = fn(t)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		t.rollback()
		return err
	}
	return t.commit()
}

type postgresTx struct {
	ctx  context.Context
	conn *pgx.Conn
}

var _ ledger.Tx = (*postgresTx)(nil)

func (t *postgresTx) Last() (ledger.Head, error) {
	return t.row("SELECT seq, hash FROM dprelease_head WHERE id = 1").head()
}

// perQuery is the number of entries that one query reads.
const perQuery = 1000

func (t *postgresTx) Entries(from int64) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		for {
			entries, err := t.nextEntries(from)
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(ledger.Entry{}, err)
				return
			}
			if len(entries) < perQuery {
				return
			}
			from = entries[len(entries)-1].Seq + 1
		}
	}
}

// nextEntries returns at most perQuery entries, starting with sequence number from.
func (t *postgresTx) nextEntries(from int64) (out []ledger.Entry, err error) {
	rows, err := t.conn.Query(t.ctx,
		"SELECT seq, schema, time, kind, body, hash FROM dprelease_entry WHERE seq >= $1 ORDER BY seq LIMIT $2", from,
		perQuery)
	if err != nil {
		return nil, t.translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		e, err := row(rows.Scan).entry()
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, t.translate(rows.Err())
}

func (t *postgresTx) Append(e ledger.Entry) error {
	moved, err := t.conn.Exec(t.ctx, "UPDATE dprelease_head SET seq = $1, hash = $2 WHERE id = 1 AND seq = $3", e.Seq,
		e.Hash[:], e.Seq-1)
	if err != nil {
		return t.translate(err)
	}
	if moved.RowsAffected() != 1 {
		return fmt.Errorf("%w: entry %d does not follow the last", ledger.ErrCorrupt, e.Seq)
	}
	_, err = t.conn.Exec(t.ctx,
		"INSERT INTO dprelease_entry (seq, schema, time, kind, body, hash) VALUES ($1, $2, $3, $4, $5, $6)",
		e.Seq, e.Schema, e.TimeText(), string(e.Kind), string(e.Body), e.Hash[:])
	return t.translate(err)
}

// check returns an error if the database has no ledger, or a ledger of a newer version. An unfinished copy is an error
// unless arrival is set.
func (t *postgresTx) check(arrival bool) error {
	version := 0
	switch err := t.row("SELECT layout FROM dprelease_head WHERE id = 1")(&version); {
	case err != nil:
		return err
	case version > layout:
		return ledger.ErrNewer
	case version == incoming && arrival:
		return nil
	case version == incoming:
		return ledger.ErrIncoming
	case version != layout:
		return fmt.Errorf("%w: it has no layout", ledger.ErrCorrupt)
	}
	return nil
}

// row returns the only row of a query, which runs when the row is read.
func (t *postgresTx) row(query string, args ...any) row {
	return func(dst ...any) error { return t.translate(t.conn.QueryRow(t.ctx, query, args...).Scan(dst...)) }
}

// exec runs one or several statements without arguments.
func (t *postgresTx) exec(statement string) error {
	_, err := t.conn.Exec(t.ctx, statement)
	return t.translate(err)
}

// rollback rolls the transaction back or, if that fails, closes the connection, so that the server rolls it back.
func (t *postgresTx) rollback() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), closeTimeout)
	defer cancel()
	if _, err := t.conn.Exec(ctx, "ROLLBACK"); err != nil {
		_ = t.conn.Close(ctx)
	}
}

// commit commits the transaction, even if the context ends meanwhile. After an error the transaction may or may not be
// committed.
func (t *postgresTx) commit() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), BusyTimeout)
	defer cancel()
	tag, err := t.conn.Exec(ctx, "COMMIT")
	err = (&postgresTx{ctx, t.conn}).translate(err)
	switch {
	case errors.Is(err, errLost):
		return fmt.Errorf("%w: the connection was lost while it committed; run again", ledger.ErrUnavailable)
	case errors.Is(err, errSilent), ctx.Err() != nil:
		return fmt.Errorf("%w: the server did not answer a commit in time; run again", ledger.ErrUnavailable)
	case err == nil && tag.String() != "COMMIT":
		return fmt.Errorf("%w: the transaction was rolled back", ledger.ErrUnavailable)
	}
	return err
}

// translate returns errLost if the connection broke, so that the server rolls the transaction back; otherwise as
// translatePostgres.
func (t *postgresTx) translate(err error) error {
	if err != nil && t.ctx.Err() == nil && t.conn.IsClosed() && !errors.Is(err, silence.ErrSilent) {
		return errLost
	}
	return translatePostgres(t.ctx, err)
}
