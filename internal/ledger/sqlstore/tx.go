package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"github.com/dprelease/dprelease/internal/ledger"
)

type tx struct {
	ctx     context.Context
	conn    *sql.Conn
	version int
}

var _ ledger.Tx = (*tx)(nil)

func (t *tx) Last() (ledger.Head, error) {
	return t.row("SELECT seq, hash FROM head WHERE id = 1").head()
}

func (t *tx) Entries(from int64) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		rows, err := t.conn.QueryContext(t.ctx,
			"SELECT seq, schema, time, kind, body, hash FROM entry WHERE seq >= ? ORDER BY seq", from)
		if err != nil {
			yield(ledger.Entry{}, t.translate(err))
			return
		}
		defer rows.Close() // rows.Err returns the error
		for rows.Next() {
			e, err := row(rows.Scan).entry()
			if !yield(e, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(ledger.Entry{}, t.translate(err))
		}
	}
}

func (t *tx) Append(e ledger.Entry) error {
	res, err := t.conn.ExecContext(t.ctx, "UPDATE head SET seq = ?, hash = ? WHERE id = 1 AND seq = ?", e.Seq, e.Hash[:],
		e.Seq-1)
	if err != nil {
		return t.translate(err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("%w: entry %d does not follow the last", ledger.ErrCorrupt, e.Seq)
	}
	_, err = t.conn.ExecContext(t.ctx, "INSERT INTO entry (seq, schema, time, kind, body, hash) VALUES (?, ?, ?, ?, ?, ?)",
		e.Seq, e.Schema, e.TimeText(), string(e.Kind), string(e.Body), e.Hash[:])
	return t.translate(err)
}

// check returns an error if the file is not a ledger, has a newer version, or is in a mode in which commits are not
// durable. An unfinished copy is an error unless arrival is set.
func (t *tx) check(arrival bool) error {
	var (
		id, sync int
		journal  string
	)
	if err := errors.Join(t.row("PRAGMA application_id")(&id), t.row("PRAGMA synchronous")(&sync),
		t.row("PRAGMA journal_mode")(&journal)); err != nil {
		return err
	}
	switch {
	case id != applicationID:
		return ledger.ErrNotLedger
	case t.version > layout:
		return ledger.ErrNewer
	case t.version == incoming && !arrival:
		return ledger.ErrIncoming
	case t.version == incoming && sync == synchronousExtra && journal == journalMode:
		return nil
	case t.version != layout:
		return fmt.Errorf("%w: it has no layout", ledger.ErrCorrupt)
	case sync != synchronousExtra || journal != journalMode:
		return fmt.Errorf("%w: another program set its journal mode to %s (synchronous %d), in which commits would not be "+
			"durable; end that program, and run sqlite3 FILE 'PRAGMA journal_mode=%s'", ledger.ErrUnavailable, journal, sync,
			journalMode)
	}
	return nil
}

// synchronousExtra is the value of PRAGMA synchronous that means EXTRA.
const synchronousExtra = 3

// row returns the only row of a query, which runs when the row is read.
func (t *tx) row(query string) row {
	return func(dst ...any) error { return t.translate(t.conn.QueryRowContext(t.ctx, query).Scan(dst...)) }
}

// exec runs a statement. A cancelled context does not interrupt it.
func (t *tx) exec(statement string) error {
	_, err := t.conn.ExecContext(context.WithoutCancel(t.ctx), statement)
	return translate(err)
}

// translate returns the context's error if the context has ended: the driver returns different errors in this case.
func (t *tx) translate(err error) error {
	if err != nil && t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	return translate(err)
}
