package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dprelease/dprelease/ledger"
)

// Postgres is a ledger.Store in a PostgreSQL database, in the first schema of the connection's search path.
//
// Every transaction that writes is serializable and takes the head's table for itself before its snapshot, so that writers queue instead
// of failing; synchronous_commit is on for it, whatever the server's default. Locks of runs are advisory locks of a session, each on a
// connection of its own: they end with the connection, so that neither a dead process nor a restarted server holds any. Connection
// poolers must therefore give a client a session of its own.
type Postgres struct {
	pool   *pgxpool.Pool
	config *pgx.ConnConfig
	schema string
}

var _ ledger.Store = (*Postgres)(nil)

// idle is how long a transaction of ours may wait for us: a frozen process must not hold the ledger for ever.
const idle = 2 * time.Minute

// OpenPostgres opens the ledger that a connection string (postgres://…) leads to. If create is set its tables are made if they are
// not there. Errors: ErrUnsupported if the string is not one; ledger.ErrUnavailable if the server cannot be reached or refuses the
// user, or if there is no ledger; ErrNotLedger, ErrNewer, ErrCorrupt, ErrBusy, ErrReadOnly, ErrFull. No text of the driver is passed on.
func OpenPostgres(ctx context.Context, dsn string, create bool) (*Postgres, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%w: the connection string is not one", ErrUnsupported)
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // prepared statements do not outlive poolers
	config.ConnConfig.RuntimeParams["application_name"] = "dprelease"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, translatePostgres(ctx, err)
	}
	s := &Postgres{pool: pool, config: config.ConnConfig.Copy()}
	if err := s.ensure(ctx, create); err != nil { // a server that is not there is not waited for
		pool.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the connections.
func (s *Postgres) Close() error {
	s.pool.Close()
	return nil
}

// How transactions begin.
const (
	beginWrite = "BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = %d; " +
		"SET LOCAL idle_in_transaction_session_timeout = %d"
	beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	takeHead  = "LOCK TABLE dprelease_head IN EXCLUSIVE MODE"
)

// Update runs fn in one serializable transaction, durable when Update returns nil.
func (s *Postgres) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	begin := fmt.Sprintf(beginWrite, BusyTimeout.Milliseconds(), idle.Milliseconds())
	return s.transact(ctx, begin, func(t *postgresTx) error {
		if err := t.exec(takeHead); err != nil {
			return err
		}
		if err := t.check(); err != nil {
			return err
		}
		return fn(t)
	})
}

// View runs fn on a consistent state of the log.
func (s *Postgres) View(ctx context.Context, fn func(ledger.Reader) error) error {
	return s.read(ctx, func(t *postgresTx) error { return fn(t) })
}

// read runs fn in a transaction that reads.
func (s *Postgres) read(ctx context.Context, fn func(*postgresTx) error) error {
	return s.transact(ctx, beginRead, func(t *postgresTx) error {
		if err := t.check(); err != nil {
			return err
		}
		return fn(t)
	})
}

// errLost: the connection broke before the commit was asked for, so that nothing stayed and the transaction can be run again.
var errLost = fmt.Errorf("%w: the connection to the server was lost", ledger.ErrUnavailable)

// transact runs fn in a transaction, and again if the server was restarted under it or serialization failed.
func (s *Postgres) transact(ctx context.Context, begin string, fn func(*postgresTx) error) error {
	return patiently(ctx, func() error { return s.once(ctx, begin, fn) })
}

// once runs fn in a transaction.
func (s *Postgres) once(ctx context.Context, begin string, fn func(*postgresTx) error) error {
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

// Secret returns the 32 random bytes that were made with the tables.
func (s *Postgres) Secret(ctx context.Context) (secret []byte, err error) {
	err = s.read(ctx, func(t *postgresTx) (err error) {
		secret, err = row(func(dst ...any) error {
			return t.row("SELECT key, sum FROM dprelease_secret WHERE id = 1", nil, dst...)
		}).secret()
		return err
	})
	if err != nil {
		return nil, err
	}
	return secret, nil
}

// Lock holds name until unlock; ledger.ErrBusy if another call of any living process holds it.
func (s *Postgres) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, translatePostgres(ctx, err)
	}
	end := sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, _ = conn.Exec(ctx, "SELECT pg_advisory_unlock_all()") // ending the session unlocks as well, a moment later
		_ = conn.Close(ctx)
	})
	held := false
	t := &postgresTx{ctx: ctx, conn: conn}
	if err := t.row("SELECT pg_try_advisory_lock($1)", []any{s.lockKey(name)}, &held); err != nil {
		end()
		return nil, err
	}
	if !held {
		end()
		return nil, ledger.ErrBusy
	}
	return end, nil
}

// lockKey is 64 bits of the SHA-256 of the schema and the name.
func (s *Postgres) lockKey(name string) int64 {
	sum := sha256.Sum256([]byte("dprelease lock\x00" + s.schema + "\x00" + name))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
