package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/postgres"
	"github.com/dprelease/dprelease/internal/silence"
)

// Postgres is a ledger.Store in a PostgreSQL database, in the first schema of the connection's search path.
//
// Every transaction that writes is serializable and locks the head's table before its snapshot, so that writers queue
// instead of failing. It turns synchronous_commit on, even if the server's default differs. Locks of runs are advisory
// locks of a session, each on a connection of its own. They end with the connection, so neither a dead process nor a
// restarted server holds one. A connection pooler must therefore give each client a session of its own.
type Postgres struct {
	pool   *pgxpool.Pool
	config *pgx.ConnConfig
	schema string
	// arrival: a ledger is copied into this store, so it may be incoming.
	arrival bool
}

var _ ledger.Store = (*Postgres)(nil)

// idle is the time after which the server ends an idle transaction, so that a frozen process cannot block the ledger
// forever.
const idle = 2 * time.Minute

// silent is how long the server may take to answer a statement, unless the connection string has a timeout. Statements
// wait for locks for half of it, and are short otherwise.
const silent = 2 * BusyTimeout

// OpenPostgres opens the ledger at a connection string (postgres://…). If create is set and there are no tables,
// OpenPostgres makes them. Errors: ErrUnsupported if dsn is not a connection string; ledger.ErrUnavailable if the
// server cannot be reached or refuses the user, or if there is no ledger; ErrNotLedger, ErrNewer, ErrCorrupt, ErrBusy,
// ErrReadOnly, ErrFull. No text of the driver is passed on.
func OpenPostgres(ctx context.Context, dsn string, create bool) (*Postgres, error) {
	return openPostgres(ctx, dsn, create, origin{})
}

// openPostgres is OpenPostgres. If it makes tables, they begin with from.
func openPostgres(ctx context.Context, dsn string, create bool, from origin) (*Postgres, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%w: the connection string is not one", ErrUnsupported)
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // poolers do not keep prepared statements
	config.ConnConfig.RuntimeParams["application_name"] = "dprelease"
	limit, err := postgres.TakeLimit(&config.ConnConfig.Config, silent)
	if err != nil {
		return nil, fmt.Errorf("%w: the connection string is not one", ErrUnsupported)
	}
	config.ConnConfig.DialFunc = silence.Dialer(config.ConnConfig.DialFunc, limit, nil)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, translatePostgres(ctx, err)
	}
	s := &Postgres{pool: pool, config: config.ConnConfig.Copy(), arrival: from.secret != nil}
	if err := s.ensure(ctx, create, from); err != nil { // once: does not wait for a server that is away
		_ = s.Close() // it returns no error
		return nil, err
	}
	return s, nil
}

// Close ends the connections. It waits for them for the time of parting: the driver sends a silent server a request to
// cancel the statement, and waits for an answer.
func (s *Postgres) Close() error {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(parting):
	}
	return nil
}

// parting is how long the server may take to answer the last statement of a session, which nothing depends on.
const parting = time.Second

// The statements that begin a transaction.
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
		if err := t.check(s.arrival); err != nil {
			return err
		}
		return fn(t)
	})
}

// View runs fn on a consistent state of the log.
func (s *Postgres) View(ctx context.Context, fn func(ledger.Reader) error) error {
	return s.read(ctx, func(t *postgresTx) error { return fn(t) })
}

// read runs fn in a read-only transaction.
func (s *Postgres) read(ctx context.Context, fn func(*postgresTx) error) error {
	return s.transact(ctx, beginRead, func(t *postgresTx) error {
		if err := t.check(s.arrival); err != nil {
			return err
		}
		return fn(t)
	})
}

// transact runs fn in a transaction. It runs fn again if the server was restarted meanwhile or serialization failed.
func (s *Postgres) transact(ctx context.Context, begin string, fn func(*postgresTx) error) error {
	return retryBusy(ctx, func() error { return s.runOnce(ctx, begin, fn) })
}

// runOnce runs fn in a transaction.
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

// Lock locks name until unlock is called. It returns ledger.ErrBusy if another call of a live process holds the lock.
func (s *Postgres) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, translatePostgres(ctx, err)
	}
	end := sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), parting)
		defer cancel()
		_, _ = conn.Exec(ctx, "SELECT pg_advisory_unlock_all()") // ending the session also unlocks, but a moment later
		_ = conn.Close(ctx)
	})
	held := false
	t := &postgresTx{ctx: ctx, conn: conn}
	if err := t.row("SELECT pg_try_advisory_lock($1)", []any{s.lockKey(name)}, &held); err != nil {
		end()
		return nil, err
	}
	if !held {
		err := s.holder(t, s.lockKey(name))
		end()
		return nil, err
	}
	// A run does not fail because its note cannot be written, but a connection that ended no longer holds the lock.
	_, err = conn.Exec(ctx, "SELECT set_config('application_name', $1, false)", sessionName+note(time.Now()))
	if conn.IsClosed() {
		end()
		return nil, t.translate(err)
	}
	return end, nil
}

// sessionName is how the program names its sessions.
const sessionName = "dprelease "

// holder returns the error of a lock that another session holds, by that session's name.
func (s *Postgres) holder(t *postgresTx, key int64) error {
	name := ""
	err := t.row("SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid) JOIN pg_database d ON "+
		"d.oid = l.database WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database() AND "+
		"l.classid::bigint << 32 | l.objid::bigint = $1", []any{key}, &name)
	if err != nil {
		return ledger.ErrBusy // who it is cannot be found out
	}
	return parseNote(strings.TrimPrefix(name, sessionName))
}

// lockKey returns 64 bits of the SHA-256 of the schema and the name.
func (s *Postgres) lockKey(name string) int64 {
	sum := sha256.Sum256([]byte("dprelease lock\x00" + s.schema + "\x00" + name))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
