// Package postgres is the PostgreSQL driver for inputs and ledgers. It is pgx with a limit on how long a server may be
// silent. It registers itself with database/sql as "dprelease-postgres", since a program can have another driver named
// "postgres".
//
// Calls fail with [silence.ErrSilent] if the server does not answer within the limit. A statement may take longer:
// PostgreSQL sends nothing while a statement runs, so the driver asks on a second connection whether the server still
// works on it.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/dprelease/dprelease/internal/silence"
)

func init() { sql.Register("dprelease-postgres", Driver{}) }

// Driver opens connections.
type Driver struct{}

// Open opens a connection. Unlike OpenConnector, it cannot be interrupted.
func (d Driver) Open(dsn string) (driver.Conn, error) {
	c, err := d.OpenConnector(dsn)
	if err != nil {
		return nil, err
	}
	return c.Connect(context.Background())
}

// OpenConnector parses a connection string in libpq's format, which can also have timeout=10m, for example. Errors may
// quote the string.
func (Driver) OpenConnector(dsn string) (driver.Connector, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	ForceUTF8(config.RuntimeParams)
	c := connector{config: config}
	c.limit, err = TakeLimit(&config.Config, silence.Limit)
	return c, err
}

// ForceUTF8 sets the encoding of texts on the connection, whatever a connection string, a role or a database says. With
// another encoding, a statement would fail if it reads a text that the encoding lacks, and the server would store other
// texts than were sent.
func ForceUTF8(settings map[string]string) {
	maps.DeleteFunc(settings, func(name, _ string) bool { return strings.EqualFold(name, encoding) })
	settings[encoding] = "UTF8"
}

// encoding is the server's setting for the encoding of texts that it sends and receives; case does not matter.
const encoding = "client_encoding"

// timeout is the setting, in a connection string, of how long the server may be silent.
const timeout = "timeout"

// connecting is the time limit of an attempt to connect if the connection string has no connect_timeout.
const connecting = time.Minute

// TakeLimit removes timeout from the settings, so that pgx does not send it to the server, and returns its value, or
// standard if the connection string has none. It also limits attempts to connect to this time.
func TakeLimit(c *pgconn.Config, standard time.Duration) (time.Duration, error) {
	limit := standard
	if text, ok := c.RuntimeParams[timeout]; ok {
		var err error
		if limit, err = time.ParseDuration(text); err != nil || limit <= 0 {
			return 0, errors.New("timeout is not a duration such as 10m")
		}
		delete(c.RuntimeParams, timeout)
	}
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, min(limit, connecting))
	return limit, nil
}

type connector struct {
	config *pgx.ConnConfig
	limit  time.Duration
}

func (connector) Driver() driver.Driver { return Driver{} }

// Connect opens a connection.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	w := &watch{config: c.config, limit: c.limit / 2}
	config := c.config.Copy()
	config.DialFunc = silence.Dialer(c.config.DialFunc, w.limit, w.alive)
	return stdlib.GetConnector(*config, stdlib.OptionAfterConnect(func(_ context.Context, conn *pgx.Conn) error {
		w.pid.Store(conn.PgConn().PID())
		return nil
	})).Connect(ctx)
}

// watch finds out whether the server still works on a connection's statement. Half of the limit is for the silence on
// the connection, and half for the answer to this question.
type watch struct {
	config *pgx.ConnConfig
	limit  time.Duration
	pid    atomic.Uint32 // the server process of the connection; 0 before the connection is made
}

// waits is a query that counts the server processes with the number pid that are idle or wait for this program. 1 means
// that the statement is finished. Behind a pooler, no server process has this number: the count is 0, and any answer
// shows that the server works.
const waits = "SELECT count(*) FROM pg_stat_activity WHERE pid = %d AND usename = current_user AND " +
	"(state LIKE 'idle%%' OR wait_event_type = 'Client')"

// alive reports whether the server answers and is still working on the connection's statement.
func (w *watch) alive() bool {
	pid := w.pid.Load()
	if pid == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), w.limit)
	defer cancel()
	config := w.config.Copy()
	config.DialFunc = silence.Dialer(config.DialFunc, w.limit, nil)
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // poolers do not keep prepared statements
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		var refused *pgconn.PgError // a refusal, such as "too many connections", also shows that the server works
		return errors.As(err, &refused)
	}
	defer conn.Close(ctx)
	waiting := 0
	return conn.QueryRow(ctx, fmt.Sprintf(waits, pid)).Scan(&waiting) == nil && waiting == 0
}
