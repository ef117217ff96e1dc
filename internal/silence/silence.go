// Package silence ends connections to servers that no longer answer.
//
// The kernel notices a host that is down (TCP keep-alive). It does not notice a server that hangs, nor a proxy that
// keeps the connection and forwards nothing: reads would wait forever.
package silence

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// Limit is how long a server may be silent if its connection string has no other limit.
const Limit = 10 * time.Minute

// ErrSilent means that a server did not answer for longer than the limit. It is a net.Error with Timeout() true: pgx
// would replace another error by "conn closed", which callers treat as a statement that was never sent.
var ErrSilent error = silent{}

type silent struct{}

var _ net.Error = silent{}

func (silent) Error() string   { return "the server does not answer" }
func (silent) Timeout() bool   { return true }
func (silent) Temporary() bool { return false }

// Dial is the type of the function with which drivers open connections.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Dialer returns a Dial whose connections fail with ErrSilent if a read gets no byte, or a write sends none, for as
// long as limit; later reads and writes fail at once. alive may be nil. Otherwise it is called when a read has reached
// the limit, and the read goes on if it returns true.
func Dialer(dial Dial, limit time.Duration, alive func() bool) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &conn{Conn: c, limit: limit, alive: alive}, nil
	}
}

// conn is a connection with a limit on silence. The deadlines that the driver sets are kept too.
type conn struct {
	net.Conn
	limit time.Duration
	alive func() bool

	mutex       sync.Mutex
	read, write time.Time // deadlines that the driver has set; zero if it has set none
	ended       bool      // the server was silent for longer than the limit
}

func (c *conn) Read(b []byte) (int, error) {
	for {
		own, err := c.extend(c.Conn.SetReadDeadline, &c.read)
		if err != nil {
			return 0, err
		}
		n, err := c.Conn.Read(b)
		switch {
		case n > 0 || !own || !errors.Is(err, os.ErrDeadlineExceeded) || c.passed(&c.read):
			return n, err
		case c.alive == nil || !c.alive():
			return 0, c.end()
		}
	}
}

func (c *conn) Write(b []byte) (int, error) {
	own, err := c.extend(c.Conn.SetWriteDeadline, &c.write)
	if err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	if own && errors.Is(err, os.ErrDeadlineExceeded) && !c.passed(&c.write) {
		err = c.end()
	}
	return n, err
}

// end makes all later reads and writes fail.
func (c *conn) end() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.ended = true
	return ErrSilent
}

// extend sets the deadline of the next read or write: the limit from now, or the driver's deadline if that is earlier.
// own reports whether it is the limit.
func (c *conn) extend(set func(time.Time) error, driver *time.Time) (own bool, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.ended {
		return false, ErrSilent
	}
	deadline := time.Now().Add(c.limit)
	if own = driver.IsZero() || deadline.Before(*driver); !own {
		deadline = *driver
	}
	return own, set(deadline)
}

// passed reports whether the driver's deadline has passed. The driver may have set it while a read was waiting.
func (c *conn) passed(driver *time.Time) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return !driver.IsZero() && !time.Now().Before(*driver)
}

// SetDeadline sets the driver's deadlines.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline sets the driver's deadline of reads.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.read = t
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline sets the driver's deadline of writes.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.write = t
	return c.Conn.SetWriteDeadline(t)
}
