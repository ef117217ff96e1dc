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
// Every transaction that writes is serializable, and locks the head's table before its snapshot is taken, so that
// writers wait for each other instead of failing. It turns synchronous_commit on, whatever the server's default is. The
// lock of a run is an advisory lock of a session, on a connection of its own. It ends with the connection, so a dead
// process and a restarted server hold none. A connection pooler must therefore give each client its own session.
type Postgres struct {
	pool   *pgxpool.Pool
	config *pgx.ConnConfig
	schema string
	// true if a ledger is copied into this store; it may then be an unfinished copy
	arrival bool
}

var _ ledger.Store = (*Postgres)(nil)

// idleTimeout is the time after which the server ends a transaction that sends no statement, so that a frozen process
// cannot block the ledger forever.
const idleTimeout = 2 * time.Minute

// statementTimeout is how long the server may take to answer a statement, unless the connection string has a timeout. A
// statement waits for locks for at most half of it, and takes little time otherwise.
const statementTimeout = 2 * BusyTimeout

// OpenPostgres opens the ledger at a connection string (postgres://…). If create is set and there are no tables,
// OpenPostgres makes them. Errors: ErrUnsupported if dsn is not a connection string; ledger.ErrUnavailable if the
// server cannot be reached or refuses the user, or if there is no ledger; ErrNotLedger, ErrNewer, ErrCorrupt, ErrBusy,
// ErrReadOnly, ErrFull. They hold no text of the driver.
func OpenPostgres(ctx context.Context, dsn string, create bool) (*Postgres, error) {
	return openPostgres(ctx, dsn, create, origin{})
}

// openPostgres does the same as OpenPostgres. If it makes a ledger, the ledger has this origin.
func openPostgres(ctx context.Context, dsn string, create bool, from origin) (*Postgres, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%w: the connection string is not one", ErrUnsupported)
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // poolers do not keep prepared statements
	config.ConnConfig.RuntimeParams["application_name"] = "dprelease"
	postgres.ForceUTF8(config.ConnConfig.RuntimeParams)
	limit, err := postgres.TakeLimit(&config.ConnConfig.Config, statementTimeout)
	if err != nil {
		return nil, fmt.Errorf("%w: the connection string is not one", ErrUnsupported)
	}
	config.ConnConfig.DialFunc = silence.Dialer(config.ConnConfig.DialFunc, limit, nil)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, translatePostgres(ctx, err)
	}
	s := &Postgres{pool: pool, config: config.ConnConfig.Copy(), arrival: from.secret != nil}
	if err := s.ensure(ctx, create, from); err != nil { // ensure does not wait for a server that is down
		_ = s.Close() // the error is always nil
		return nil, err
	}
	return s, nil
}

// Close closes the connections, and waits for at most closeTimeout: the driver asks a server that does not answer to
// cancel its statement, and waits for the answer.
func (s *Postgres) Close() error {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
	return nil
}

// closeTimeout is how long the server may take to answer the last statement of a session. Nothing depends on this
// statement.
const closeTimeout = time.Second

// Update implements ledger.Store.
func (s *Postgres) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	begin := fmt.Sprintf(beginWrite, BusyTimeout.Milliseconds(), idleTimeout.Milliseconds())
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

// View implements ledger.Store.
func (s *Postgres) View(ctx context.Context, fn func(ledger.Reader) error) error {
	return s.read(ctx, func(t *postgresTx) error { return fn(t) })
}

func (s *Postgres) read(ctx context.Context, fn func(*postgresTx) error) error {
	return s.transact(ctx, beginRead, func(t *postgresTx) error {
		if err := t.check(s.arrival); err != nil {
			return err
		}
		return fn(t)
	})
}

// Secret implements ledger.Store.
func (s *Postgres) Secret(ctx context.Context) (secret []byte, err error) {
	err = s.read(ctx, func(t *postgresTx) (err error) {
		secret, err = t.row("SELECT key, sum FROM dprelease_secret WHERE id = 1").secret()
		return err
	})
	if err != nil {
		return nil, err
	}
	return secret, nil
}

// Lock implements ledger.Store.
func (s *Postgres) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, translatePostgres(ctx, err)
	}
	end := sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		_, _ = conn.Exec(ctx, "SELECT pg_advisory_unlock_all()") // closing the connection also unlocks, but only later
		_ = conn.Close(ctx)
	})
	held := false
	t := &postgresTx{ctx: ctx, conn: conn}
	if err := t.row("SELECT pg_try_advisory_lock($1)", s.lockKey(name))(&held); err != nil {
		end()
		return nil, err
	}
	if !held {
		err := s.holder(t, s.lockKey(name))
		end()
		return nil, err
	}
	// An error is ignored, since a run does not fail because its note cannot be written. But a closed connection no
	// longer holds the lock.
	_, err = conn.Exec(ctx, "SELECT set_config('application_name', $1, false)", sessionName+note(time.Now()))
	if conn.IsClosed() {
		end()
		return nil, t.translate(err)
	}
	return end, nil
}

// sessionName starts the name of a session that holds a lock; a note follows (holder.go).
const sessionName = "dprelease "

// holder returns the error for a lock that another session holds, from the note in that session's name.
func (s *Postgres) holder(t *postgresTx, key int64) error {
	name := ""
	err := t.row("SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid) JOIN pg_database d ON "+
		"d.oid = l.database WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database() AND "+
		"l.classid::bigint << 32 | l.objid::bigint = $1", key)(&name)
	if err != nil {
		return ledger.ErrBusy // the holder is not known
	}
	return parseNote(strings.TrimPrefix(name, sessionName))
}

// lockKey returns the number of the advisory lock for name: 64 bits of the SHA-256 of schema and name.
func (s *Postgres) lockKey(name string) int64 {
	sum := sha256.Sum256([]byte("dprelease lock\x00" + s.schema + "\x00" + name))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
